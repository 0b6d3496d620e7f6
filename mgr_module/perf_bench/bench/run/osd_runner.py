"""Carry a round out, wave by wave, and hand over every sample the moment it is there."""

from __future__ import annotations

import errno
import threading
from dataclasses import dataclass
from enum import Enum
from typing import Callable, Optional, Protocol

from ...errors import CommandFailed
from ...model.bench import Done, Sample
from ...model.plan import Phase, Plan
from ...ports import Clock, Cluster, Commands
from .thread_pool import ThreadPool

# How long an abort waits for benches in flight: nothing can cancel them inside the OSD.
ABORT_PATIENCE = 5.0
# Added to a command's own limit before its thread is given up.
_LIMIT_SLACK = 5.0
_POLL = 0.5
NOTHING = Done()


class SampleSink(Protocol):
    """Where samples go; ``problem`` says that they could not be kept.

    ``rests`` is told before which phase the OSDs rest and for how many seconds, ``enters`` which
    phase begins. ``began`` is told an OSD when its bench is about to begin; a sample of it ends
    that.
    """

    def rests(self, phase: Phase, seconds: float) -> None: ...

    def enters(self, phase: Phase) -> None: ...

    def began(self, osd: int) -> None: ...

    def put(self, sample: Sample) -> None: ...

    def problem(self) -> Optional[str]: ...


@dataclass(frozen=True)
class Task:
    """One bench of one OSD: the unit that is recorded, and lost at most at a failover."""

    phase: Phase
    osd: int
    repeat: int
    wave: int


class End(Enum):
    """How a run ended."""

    COMPLETE = "complete"
    ABORTED = "aborted"
    # The mgr stops being active: the round stays as it is, for the next one to carry on.
    LEFT = "left"
    # Samples cannot be kept, so measuring more is wear for nothing.
    UNSAVED = "unsaved"
    # It could not be run at all.
    FAILED = "failed"


@dataclass(frozen=True)
class Outcome:
    """The end of a run, with the reason unless it is COMPLETE or LEFT."""

    end: End
    reason: str = ""


class Stop:
    """The way to end a run from outside: the first call counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._called = threading.Event()
        self._outcome: Optional[Outcome] = None

    def abort(self, reason: str) -> None:
        """End the round for good."""
        self._set(Outcome(End.ABORTED, reason))

    def leave(self) -> None:
        """Leave the round for the next active mgr."""
        self._set(Outcome(End.LEFT))

    @property
    def outcome(self) -> Optional[Outcome]:
        """How the run is to end; None while it may go on."""
        return self._outcome

    def wait(self, seconds: float) -> None:
        """Return after so many seconds, or as soon as the run is to end."""
        self._called.wait(seconds)

    def _set(self, outcome: Outcome) -> None:
        with self._lock:
            self._outcome = self._outcome or outcome
        self._called.set()


class Runner:
    """Runs the phases of one plan. One object a round, used from one thread."""

    def __init__(
        self,
        plan: Plan,
        commands: Commands,
        cluster: Cluster,
        clock: Clock,
        sink: SampleSink,
        stop: Stop,
    ) -> None:
        self._plan = plan
        self._commands = commands
        self._cluster = cluster
        self._clock = clock
        self._sink = sink
        self._stop = stop
        width = max((len(wave) for phase in plan.phases for wave in phase.waves), default=1)
        # By phase when its last wave ended, as far as this mgr saw it.
        self._ended: dict[str, float] = {}
        self._crew: ThreadPool[tuple[Task, Sample]] = ThreadPool(width, "perf-bench-osd")

    def run(
        self,
        done: Done = NOTHING,
        another: Callable[[], bool] = lambda: False,
    ) -> Outcome:
        """Run every (phase, repeat, OSD) that is not ``done`` yet; rest between where planned.

        After the repeats that are planned ``another`` is asked before each that may follow.
        """
        before = None
        try:
            for phase in self._plan.phases:
                ended = self._rest(phase, before, done) or self._run_phase(phase, done, another)
                if ended:
                    return ended
                before = phase
            return Outcome(End.COMPLETE)
        finally:
            self._crew.dismiss()

    def _rest(self, phase: Phase, before: Optional[Phase], done: Done) -> Optional[Outcome]:
        """Let the OSDs rest from the end of the phase before, whichever mgr saw that end.

        By the time of day, which two mgrs share; should that jump, never longer than planned.
        """
        rest = phase.rest_seconds
        seen = {**done.ended, **self._ended}
        if before is not None and before.name in seen:
            left = seen[before.name] + rest - self._clock.now()
            rest = min(max(left, 0.0), rest)
        if rest > 0:
            self._sink.rests(phase, rest)
        until = self._clock.monotonic() + rest
        while not self._stop.outcome and (left := until - self._clock.monotonic()) > 0:
            self._stop.wait(left)
        return self._stop.outcome

    def _run_phase(
        self, phase: Phase, done: Done, another: Callable[[], bool]
    ) -> Optional[Outcome]:
        """Repeats go round the waves.

        That spreads slow drift of the cluster over all OSDs, where it shows as CV, instead of
        over the repeats of one, where it would look like a slow OSD.
        """
        self._sink.enters(phase)
        for repeat in range(1, self._plan.most + 1):
            if repeat > self._plan.repeats and not another():
                break
            for number, wave in enumerate(phase.waves, start=1):
                tasks = [Task(phase, osd, repeat, number) for osd in wave]
                lacking = [t for t in tasks if (phase.name, repeat, t.osd) not in done.samples]
                ended = self._run_wave(lacking)
                if ended:
                    return ended
                if lacking:
                    self._ended[phase.name] = self._clock.now()
        return None

    def _run_wave(self, tasks: list[Task]) -> Optional[Outcome]:
        ended = self._must_end()
        if ended:
            return ended
        down = self._cluster.down([task.osd for task in tasks])
        for task in tasks:
            if task.osd in down:
                self._sink.put(_missing(task, self._clock.now(), "is down"))
        waiting = {task: self._clock.monotonic() for task in tasks if task.osd not in down}
        for task in waiting:
            self._sink.began(task.osd)
            self._crew.submit(self._job(task))
        self._collect(waiting)
        # Not what _must_end says: after the last wave trouble with the store ends nothing.
        return self._stop.outcome

    def _collect(self, waiting: dict[Task, float]) -> None:
        """Take results until all are there, their time is up, or an abort ran out of patience."""
        stop_at: Optional[float] = None
        while waiting:
            result = self._crew.next_result(_POLL)
            if result is not None and waiting.pop(result[0], None) is not None:
                self._sink.put(result[1])
            now = self._clock.monotonic()
            if self._stop.outcome and stop_at is None:
                stop_at = now + ABORT_PATIENCE
            if stop_at is not None and now >= stop_at:
                return
            for task in self._overdue(waiting, now):
                del waiting[task]
                self._crew.give_up()
                why = f"gave no answer within {self._commands.limit:.0f} s"
                self._sink.put(_missing(task, self._clock.now(), why))

    def _overdue(self, waiting: dict[Task, float], now: float) -> set[Task]:
        limit = self._commands.limit + _LIMIT_SLACK
        return {task for task, since in waiting.items() if now - since > limit}

    def _must_end(self) -> Optional[Outcome]:
        problem = self._sink.problem()
        return self._stop.outcome or (Outcome(End.UNSAVED, problem) if problem else None)

    def _job(self, task: Task) -> Callable[[], tuple[Task, Sample]]:
        return lambda: (task, self._measure(task))

    def _measure(self, task: Task) -> Sample:
        """One bench on a crew thread; a failure of whatever kind is an invalid sample."""
        step, started = task.phase.step, self._clock.now()
        begin = self._clock.monotonic()
        try:
            answer = self._commands.measure(task.osd, step)
        except CommandFailed as failure:
            why = _why(failure, self._commands.limit)
            return _missing(task, started, why, self._clock.monotonic() - begin)
        except Exception as fault:  # noqa: BLE001 - a crew thread must always answer
            return _missing(task, started, f"failed: {fault!r}")
        return Sample(
            osd=task.osd,
            phase=task.phase.name,
            repeat=task.repeat,
            wave=task.wave,
            started_at=started,
            call_seconds=self._clock.monotonic() - begin,
            block_size=answer.block_size,
            bytes_written=answer.bytes_written,
            seconds=answer.seconds,
            bytes_per_second=answer.bytes_per_second,
            iops=answer.iops,
        )


def _why(failure: CommandFailed, limit: float) -> str:
    if failure.errno == errno.ETIMEDOUT:
        return f"gave no answer within {limit:.0f} s"
    if failure.errno == errno.ENXIO:  # what librados says of an OSD that is not up
        return "went down"
    return f"answered: {failure}"


def _missing(task: Task, started: float, why: str, call_seconds: float = 0.0) -> Sample:
    return Sample(
        osd=task.osd,
        phase=task.phase.name,
        repeat=task.repeat,
        wave=task.wave,
        started_at=started,
        call_seconds=call_seconds,
        block_size=task.phase.step.block_size,
        valid=False,
        why=f"osd.{task.osd} {why}",
    )
