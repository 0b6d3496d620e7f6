"""Measures the OSDs of a round wave by wave, and stores every sample."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Optional

from ..core.clock import Clock
from ..core.loop import Cancelled, Task, first_of, reply, sleep, to_its_end
from ..core.workers import Workers
from ..errors import CommandFailed, NotNow, PerfBenchError, StoreUnavailable
from ..model.plan import OUT_OF_REACH, STILL_RUNS, Done, Phase, Plan, Reason, Sample
from ..model.rados import POOL
from ..store.sqlite import Store
from .compare.summary import another, judge_sample
from .context import LEAVE, SAVE_WAIT, ActiveRound, Commands, RoundContext

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
# Longest time between two looks at benches that are overdue.
_LOOK_SECONDS = 5.0
# Maximum duration of a bench: twice osd_bench_duration.
_IN_FLIGHT = 60.0
# Maximum wait for a changed option to reach an OSD; usually it takes less than a second.
_OPTION_SECONDS = 30.0
_OPTION_POLL = 0.5
_ASKED = 64
# Number of characters of a round's token in the names of its objects.
_TOKEN = 12
# Seconds that a write of samples may take before measuring more would only cause wear; normally it
# takes 20 to 60 ms.
SAVE_LIMIT = 60.0
# More bytes than any device has, and fewer than the database's largest number.
_MOST_BYTES = 1 << 62
_NONSENSE = "a number of bytes that cannot be"


@dataclass(frozen=True)
class Bench:
    """One bench of one OSD; a failover loses at most those in flight."""

    phase: Phase
    osd: int
    repeat: int
    wave: int

    def sample(self, started: float, took: float, **found: Any) -> Sample:
        """The sample of it; the call began at ``started`` (unix) and ``took`` so many seconds."""
        place: dict[str, Any] = {
            "osd": self.osd,
            "phase": self.phase.name,
            "repeat": self.repeat,
            "wave": self.wave,
            "block_size": self.phase.step.block_size,
        }
        return Sample(started_at=started, call_seconds=took, **{**place, **found})

    def missing(self, started: float, reason: Reason, why: str, seconds: float = 0.0) -> Sample:
        """The sample of a bench that has no figures; ``seconds`` is how long it was waited for."""
        why = f"osd.{self.osd} {why}"
        return self.sample(started, seconds, valid=False, why=why, reason=reason)


class Samples:
    """Stores samples in order; those that come during a write share the next one.

    A commit to SQLite in RADOS takes 20 to 40 ms, and more while OSDs run a bench.
    """

    def __init__(self, context: RoundContext, round_id: int) -> None:
        self._loop = context.loop
        self._database = context.store_thread
        self._clock = context.clock
        self._round_id = round_id
        self._pending: list[Sample] = []
        self._writer: Optional[Task[None]] = None
        self._writing_since: Optional[float] = None
        self._error: Optional[str] = None

    def put(self, sample: Sample) -> None:
        """Queue a sample for the next ``write``."""
        self._pending.append(sample)

    def write(self) -> None:
        """Begin to store what is queued, unless that is under way or has failed."""
        if self._pending and self._writing_since is None and self._error is None:
            self._writer = self._loop.spawn(self._write())

    @property
    def problem(self) -> Optional[str]:
        """Why samples cannot be stored; None while they can."""
        since = self._writing_since
        waited = 0.0 if since is None else self._clock.monotonic() - since
        if waited > SAVE_LIMIT:
            return f"samples could not be saved for {waited:.0f} s: the store does not answer"
        return self._error

    async def saved(self, limit: float) -> bool:
        """Try to write what is left for up to ``limit`` seconds; whether all is stored."""
        self._error = None
        self.write()
        if self._writer is not None:
            await first_of((self._writer.done,), limit)
        return not self._pending and self._writing_since is None

    async def _write(self) -> None:
        while self._pending and self._error is None:
            taken, self._pending = self._pending, []
            self._writing_since = self._clock.monotonic()
            try:
                await reply(self._database.ask(partial(_add, self._round_id, taken)))
            except Exception as error:  # noqa: BLE001 - ``problem`` tells it
                self._pending = [*taken, *self._pending]
                self._error = f"samples could not be saved: {error}"
            finally:
                self._writing_since = None


def _add(round_id: int, samples: Sequence[Sample], store: Store) -> None:
    store.add_samples(round_id, samples)


class OsdBenches:
    """The benches of one round, on its own connection to the OSDs."""

    def __init__(
        self, context: RoundContext, active: ActiveRound, commands: Commands, samples: Samples
    ) -> None:
        self._context = context
        self._clock = context.clock
        self._active = active
        self._plan: Plan = active.round.plan
        self._commands = commands
        self._samples = samples
        width = max((len(wave) for phase in self._plan.phases for wave in phase.waves), default=1)
        self._osds = Workers("perf-bench-osd", width)
        # By phase when its last wave ended (unix seconds).
        self._ended: dict[str, float] = {}
        # A bench that had no answer may still run on these, and nothing can cancel it: the next one
        # would begin when the round is over, or wait as long.
        self._silent: set[int] = set()

    async def run(self, done: Done) -> None:
        """Run every (phase, repeat, OSD) that is not ``done`` yet, with the planned rests.

        Raises StoreUnavailable where samples cannot be stored: measuring more is only wear.
        """
        self._ended.update(done.ended)
        self._silent.update(done.silent)
        leaves = False
        try:
            await self._await_options()
            await self._make_objects()
            self._context.round_safety.benches_begin()
            before: Optional[Phase] = None
            for phase in self._plan.phases:
                if before is not None:
                    await self._rest(phase, before)
                before = phase
                self._active.enters(phase, self._clock.monotonic())
                # All waves in each repeat: a slow drift of the cluster affects all OSDs alike and
                # shows as CV, and does not make one OSD look slow.
                for repeat in range(1, self._plan.most + 1):
                    if repeat > self._plan.repeats and not await self._another():
                        break
                    for number, wave in enumerate(phase.waves, start=1):
                        lacking = [
                            Bench(phase, osd, repeat, number)
                            for osd in wave
                            if (phase.name, repeat, osd) not in done.samples
                        ]
                        if lacking:
                            await self._run_wave(lacking)
                            self._ended[phase.name] = self._clock.now()
        except Cancelled as cancelled:
            leaves = cancelled.reason is LEAVE
            raise
        finally:
            self._active.measuring = False
            self._osds.close()
            # Those that are left running go on for a while.
            for osd in self._active.in_flight:
                self._context.benched.ended(osd, self._clock.now() + _IN_FLIGHT)
            if not leaves:  # else the next mgr reads them
                await self._remove_objects()

    async def _await_options(self) -> None:
        """Wait until OSDs have the options that were raised for the round.

        Only the first OSDs are asked: the monitors send the change to all at once. One that does
        not answer is not waited for: its bench tells. Raises NotNow.
        """
        until = self._clock.monotonic() + _OPTION_SECONDS
        for osd in self._plan.osds[:_ASKED] if self._plan.raised else ():
            for option, value in self._plan.raised:
                while (found := await self._option(osd, option)) is not None and found < value:
                    if self._clock.monotonic() > until:
                        raise NotNow(
                            f"osd.{osd} did not take {option} {value}: is another value set for it "
                            f"alone? See 'ceph config get osd.{osd} {option}'"
                        )
                    await sleep(_OPTION_POLL)

    async def _option(self, osd: int, name: str) -> Optional[int]:
        """The value that a running OSD has; None if it does not tell."""
        asked = self._osds.submit(lambda: int(self._commands.option(osd, name)))
        if not await first_of((asked,), _OPTION_SECONDS):
            self._osds.replace_one()
            return None
        try:
            return asked.result()
        except CommandFailed as error:
            self._context.log.info("osd.%d does not tell %s: %s", osd, name, error)
            return None

    async def _make_objects(self) -> None:
        """Create the objects of read benches in the bench pool; creates the pool if missing."""
        reads, active = self._plan.reads, self._active
        if not reads:
            return
        pools, token = self._context.pools, active.round.token[:_TOKEN]

        def make() -> None:
            pools.ensure(POOL, active.ends)
            groups = pools.groups(POOL, tuple(reads))
            self._commands.make_objects(reads, groups, token, active.ends)

        await to_its_end(self._context.workers.submit(make), ABORT_PATIENCE)

    async def _remove_objects(self) -> None:
        """Remove the objects of read benches."""
        if not self._plan.reads:
            return
        try:
            await reply(self._context.workers.submit(self._commands.remove_objects))
        except PerfBenchError as error:
            self._context.log.warning("objects in the pool perf_bench stay for now: %s", error)

    async def _rest(self, phase: Phase, before: Phase) -> None:
        """Let the OSDs rest, counted from the end of the phase before, also on another mgr.

        It uses the time of day, which mgrs share; if that jumps, the rest is still not longer than
        planned.
        """
        rest = phase.rest_seconds
        if before.name in self._ended:
            left = self._ended[before.name] + rest - self._clock.now()
            rest = min(max(left, 0.0), rest)
        if rest > 0:
            self._active.rests(phase, rest, self._clock.monotonic())
            await sleep(rest)

    async def _another(self) -> bool:
        """Whether another repeat is needed; False while samples cannot be stored."""
        if not await self._samples.saved(SAVE_WAIT):
            return False
        number = self._active.round.id
        ask = self._context.store_thread.ask
        stored = await reply(ask(lambda store: store.samples(number)))
        found = another(self._plan, stored)
        if found.more:
            needed = max(found.needed or 0, found.repeats + 1)
            self._active.repeats = min(self._plan.most, needed)
            self._context.log.info("round %d is repeated: %s", number, found.reason)
        return found.more

    async def _run_wave(self, benches: Sequence[Bench]) -> None:
        if self._samples.problem:
            raise StoreUnavailable(self._samples.problem)
        down = self._context.cluster.down([bench.osd for bench in benches])
        waiting: dict[Future[Sample], tuple[Bench, float]] = {}
        for bench in benches:
            if bench.osd in down:
                self._put(bench.missing(self._clock.now(), Reason.DOWN, "is down"))
            elif bench.osd in self._silent:
                why = "was not asked again"
                self._put(bench.missing(self._clock.now(), Reason.NOT_ASKED, why))
            else:
                now = self._clock.monotonic()
                self._active.bench_began(bench.osd, bench.repeat, bench.wave, now)
                self._context.benched.began(bench.osd, self._clock.now())
                measure = partial(_measure, self._commands, self._clock, bench)
                waiting[self._osds.submit(measure)] = bench, now
        self._samples.write()
        try:
            await self._collect(waiting)
        except Cancelled as cancelled:
            patience = LEAVE_PATIENCE if cancelled.reason is LEAVE else ABORT_PATIENCE
            await self._collect(waiting, patience)
            raise

    async def _collect(
        self, waiting: dict[Future[Sample], tuple[Bench, float]], patience: Optional[float] = None
    ) -> None:
        """Take samples until all are there or overdue, or for so many seconds."""
        until = None if patience is None else self._clock.monotonic() + patience
        limit = _COMMANDS * self._commands.limit
        while waiting:
            left = _LOOK_SECONDS if until is None else until - self._clock.monotonic()
            if left <= 0:
                return
            await first_of(tuple(waiting), min(left, _LOOK_SECONDS))
            for future in [future for future in waiting if future.done()]:
                del waiting[future]
                self._put(future.result())
            now = self._clock.monotonic()
            for future, (bench, since) in tuple(waiting.items()):
                if now - since > limit + _LIMIT_SLACK:
                    del waiting[future]
                    self._osds.replace_one()
                    why = f"gave no answer within {limit:.0f} s"
                    self._put(bench.missing(self._clock.now(), Reason.SILENT, why))
            self._samples.write()

    def _put(self, sample: Sample) -> None:
        """Judge and store a sample."""
        if sample.reason in STILL_RUNS:
            self._silent.add(sample.osd)
        self._context.benched.ended(sample.osd, self._clock.now())
        judged = judge_sample(sample)
        self._samples.put(judged)
        self._active.add_sample(judged)
        self._context.show_progress(self._active)


def _measure(commands: Commands, clock: Clock, bench: Bench) -> Sample:
    """Run one bench and wait for it, on a worker; any failure becomes an invalid sample."""
    step, started = bench.phase.step, clock.now()
    begin = clock.monotonic()
    try:
        answer = commands.measure(bench.osd, step)
        if not 0 <= answer.bytes_written < _MOST_BYTES:
            return bench.missing(started, Reason.REFUSED, f"answered: {_NONSENSE}")
    except CommandFailed as failure:
        reason, why = _why(failure, commands.limit)
        return bench.missing(started, reason, why, clock.monotonic() - begin)
    except Exception as fault:  # noqa: BLE001 - the other OSDs are measured all the same
        return bench.missing(started, Reason.FAILED, f"failed: {fault!r}")
    return bench.sample(started, clock.monotonic() - begin, **asdict(answer))


def _why(failure: CommandFailed, limit: float) -> tuple[Reason, str]:
    if failure.errno == errno.ETIMEDOUT:
        return Reason.SILENT, f"gave no answer within {limit:.0f} s"
    if failure.errno == errno.ENXIO:  # librados' error for an OSD that is not up
        return Reason.WENT_DOWN, "went down"
    if str(failure) == OUT_OF_REACH:
        return Reason.OUT_OF_REACH, OUT_OF_REACH
    return Reason.REFUSED, f"answered: {failure!s}"
