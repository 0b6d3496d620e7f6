"""Run a round of OSDs wave by wave, and pass on every sample at once."""

from __future__ import annotations

import errno
import threading
from dataclasses import dataclass
from enum import Enum
from typing import Callable, Optional, Protocol

from ...errors import CommandFailed
from ...model import unmeasured
from ...model.bench import OUT_OF_REACH, STILL_RUNS, Done, Reason, Sample
from ...model.plan import Phase, Plan
from ...ports import Clock, Cluster, Commands
from .thread_pool import ThreadPool

# Seconds that an abort waits for benches in flight, which cannot be cancelled inside the OSD. Then
# the round's flags are put back, and an OSD had better not get a new map in its bench (see
# ceph/commands.py). A disk of 70 MiB/s writes 1 GiB in this time.
ABORT_PATIENCE = 15.0
# The same for a mgr that leaves the round to the next one, which has to be done within seconds.
LEAVE_PATIENCE = 5.0
# The commands of a bench, each with the limit, and the seconds after them before its thread is
# given up.
_COMMANDS = 3
_LIMIT_SLACK = 5.0
_POLL = 0.5
NOTHING = Done()


class SampleSink(Protocol):
    """Takes samples; ``problem`` returns why they cannot be stored.

    ``rests`` is called before a rest, with the phase after it and the seconds, ``enters`` when a
    phase begins, ``began`` when an OSD's bench is about to begin.
    """

    def rests(self, phase: Phase, seconds: float) -> None: ...

    def enters(self, phase: Phase) -> None: ...

    def began(self, osd: int) -> None: ...

    def put(self, sample: Sample) -> None: ...

    def problem(self) -> Optional[str]: ...


@dataclass(frozen=True)
class Task:
    """One bench of one OSD; a failover loses at most the tasks in flight."""

    phase: Phase
    osd: int
    repeat: int
    wave: int


class End(Enum):
    """How a run ended."""

    COMPLETE = "complete"
    ABORTED = "aborted"
    # The mgr is no longer active: the next one continues the round.
    LEFT = "left"
    # Samples cannot be stored, so measuring more would only cause wear.
    UNSAVED = "unsaved"
    # The round could not be run.
    FAILED = "failed"


@dataclass(frozen=True)
class Outcome:
    """The end of a run, with the reason unless it is COMPLETE or LEFT."""

    end: End
    reason: str = ""


class Stop:
    """Ends a run from another thread, unless it has ended by itself; the first call counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._called = threading.Event()
        self._outcome: Optional[Outcome] = None
        # Whether the run has ended by itself.
        self._finished = False

    def abort(self, reason: str) -> bool:
        """End the round for good; False if it has ended by itself, which stays its end."""
        with self._lock:
            if not self._finished:
                self._set(Outcome(End.ABORTED, reason))
            return not self._finished

    def leave(self) -> None:
        """Leave the round for the next active mgr."""
        with self._lock:
            self._set(Outcome(End.LEFT))

    def finish(self, outcome: Outcome) -> Outcome:
        """End the run by itself; returns how it ends, which ``abort`` and ``leave`` may have set.

        Call it before the work after the run, which takes its time and does not heed an abort.
        """
        with self._lock:
            self._finished = self._finished or self._outcome is None
            return self._outcome or outcome

    @property
    def outcome(self) -> Optional[Outcome]:
        """How the run must end; None while it may go on."""
        return self._outcome

    def wait(self, seconds: float) -> None:
        """Wait for ``seconds``, or until the run must end."""
        self._called.wait(seconds)

    def _set(self, outcome: Outcome) -> None:
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
        # By phase when its last wave ended on this mgr.
        self._ended: dict[str, float] = {}
        # A bench that had no answer may still run on these, and nothing can cancel it: the next one
        # would begin when the round is over, or wait as long.
        self._silent: set[int] = set()
        self._threads: ThreadPool[tuple[Task, Sample]] = ThreadPool(width, "perf-bench-osd")

    def run(
        self,
        done: Done = NOTHING,
        another: Callable[[], bool] = lambda: False,
    ) -> Outcome:
        """Run every (phase, repeat, OSD) that is not ``done`` yet, with the planned rests.

        After the planned repeats, ``another`` decides before each further one.
        """
        before = None
        self._silent.update(done.silent)
        try:
            for phase in self._plan.phases:
                ended = self._rest(phase, before, done) or self._run_phase(phase, done, another)
                if ended:
                    return ended
                before = phase
            return self._stop.finish(Outcome(End.COMPLETE))
        finally:
            self._threads.dismiss()

    def _rest(self, phase: Phase, before: Optional[Phase], done: Done) -> Optional[Outcome]:
        """Let the OSDs rest, counted from the end of the last phase, also on another mgr.

        It uses the time of day, which mgrs share; if that jumps, the rest is still not longer than
        planned.
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
        """Run all waves in each repeat.

        So a slow drift of the cluster affects all OSDs alike and shows as CV, and does not make one
        OSD look slow.
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
        waiting: dict[Task, float] = {}
        for task in tasks:
            if task.osd in down:
                why = Reason.DOWN, unmeasured.is_down(task.osd)
                self._sink.put(_missing(task, self._clock.now(), why))
            elif task.osd in self._silent:
                why = Reason.NOT_ASKED, unmeasured.not_asked_again(task.osd)
                self._sink.put(_missing(task, self._clock.now(), why))
            else:
                waiting[task] = self._clock.monotonic()
        for task in waiting:
            self._sink.began(task.osd)
            self._threads.submit(self._job(task))
        self._collect(waiting)
        # Not _must_end: after the last wave a problem of the store must not end the round.
        return self._stop.outcome

    def _collect(self, waiting: dict[Task, float]) -> None:
        """Take results until all are there or overdue, or for a while after a stop."""
        stop_at: Optional[float] = None
        while waiting:
            result = self._threads.next_result(_POLL)
            if result is not None and waiting.pop(result[0], None) is not None:
                self._take(result[1])
            now = self._clock.monotonic()
            if self._stop.outcome and stop_at is None:
                left = self._stop.outcome.end is End.LEFT
                stop_at = now + (LEAVE_PATIENCE if left else ABORT_PATIENCE)
            if stop_at is not None and now >= stop_at:
                return
            for task in self._overdue(waiting, now):
                del waiting[task]
                self._threads.give_up()
                limit = _COMMANDS * self._commands.limit
                why = Reason.SILENT, unmeasured.gave_no_answer(task.osd, limit)
                self._take(_missing(task, self._clock.now(), why))

    def _take(self, sample: Sample) -> None:
        if sample.reason in STILL_RUNS:
            self._silent.add(sample.osd)
        self._sink.put(sample)

    def _overdue(self, waiting: dict[Task, float], now: float) -> set[Task]:
        limit = _COMMANDS * self._commands.limit + _LIMIT_SLACK
        return {task for task, since in waiting.items() if now - since > limit}

    def _must_end(self) -> Optional[Outcome]:
        problem = self._sink.problem()
        return self._stop.finish(Outcome(End.UNSAVED, problem)) if problem else self._stop.outcome

    def _job(self, task: Task) -> Callable[[], tuple[Task, Sample]]:
        return lambda: (task, self._measure(task))

    def _measure(self, task: Task) -> Sample:
        """Run one bench on a pool thread; any failure becomes an invalid sample."""
        step, started = task.phase.step, self._clock.now()
        begin = self._clock.monotonic()
        try:
            answer = self._commands.measure(task.osd, step)
        except CommandFailed as failure:
            why = _why(task.osd, failure, self._commands.limit)
            return _missing(task, started, why, self._clock.monotonic() - begin)
        except Exception as fault:  # noqa: BLE001 - a pool thread must always answer
            why = Reason.FAILED, unmeasured.failed(task.osd, repr(fault))
            return _missing(task, started, why)
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


def _why(osd: int, failure: CommandFailed, limit: float) -> tuple[Reason, str]:
    if failure.errno == errno.ETIMEDOUT:
        return Reason.SILENT, unmeasured.gave_no_answer(osd, limit)
    if failure.errno == errno.ENXIO:  # librados' error for an OSD that is not up
        return Reason.WENT_DOWN, unmeasured.went_down(osd)
    if str(failure) == OUT_OF_REACH:
        return Reason.OUT_OF_REACH, unmeasured.is_out_of_reach(osd)
    return Reason.REFUSED, unmeasured.answered(osd, str(failure))


def _missing(
    task: Task, started: float, why: tuple[Reason, str], call_seconds: float = 0.0
) -> Sample:
    return Sample(
        osd=task.osd,
        phase=task.phase.name,
        repeat=task.repeat,
        wave=task.wave,
        started_at=started,
        call_seconds=call_seconds,
        block_size=task.phase.step.block_size,
        valid=False,
        why=why[1],
        reason=why[0],
    )
