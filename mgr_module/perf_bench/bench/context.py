"""The state of the running round, the services that rounds use, and what clients may have left."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Optional, Protocol

from ..core.clock import Clock
from ..core.loop import Loop, Task, reply
from ..core.workers import Executor
from ..errors import PerfBenchError
from ..model.cluster import Cluster
from ..model.json_fields import Json
from ..model.osd import Osd
from ..model.plan import BenchAnswer, Phase, Sample, Step
from ..model.rados import ClientRun, Groups, LoadOrder, Row, Worker
from ..model.round import Interim, Round
from ..store.sqlite import StoreThread
from .compare.distribution import interim
from .plan.clients import Pools
from .safety import RoundSafety

# The reason of a mgr that leaves its round to the next one; any other is an end for good.
LEAVE = object()
# The phase of a round that has ended its measurement.
SAVING = "saving"
# The phase of a round whose OSDs rest.
RESTING = "rest"
# Seconds after which an OSD in its bench is named: an OSD of 34 MiB/s writes 1 GiB in this time.
LONG_BENCH = 30.0


@dataclass
class ActiveRound:
    """The running round. Changed on the loop alone, read by any thread."""

    round: Round
    # What runs it, once it has begun.
    task: Optional[Task[Any]] = None
    # Why it must end, LEAVE or a sentence; None while it may go on.
    ending: Any = None
    # False once it has measured all that it will: then it can no longer be aborted.
    measuring: bool = True
    done_before: int = 0
    done: int = 0
    phase: str = "starting"
    began: float = 0.0
    # Rests: seconds planned before the phases so far; seconds rested on this mgr; and the current
    # rest as its begin (monotonic) and its seconds.
    rests_met: float = 0.0
    rested: float = 0.0
    resting: Optional[tuple[float, float]] = None
    # The completed part of the current repeat, 0 to 1; only for client rounds.
    part: float = 0.0
    # By client its rows in the current repeat, one per second.
    rows: dict[int, list[Row]] = field(default_factory=dict)
    # By OSD its figures so far in the leading phase on this mgr, as bytes/s and operations/s.
    figures: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    # Repeat and wave of the bench that began last in this phase.
    at: Optional[tuple[int, int]] = None
    # By OSD when the bench that runs on it began (monotonic).
    in_flight: dict[int, float] = field(default_factory=dict)
    # Expected number of repeats; 0 means as planned.
    repeats: int = 0

    def __post_init__(self) -> None:
        plan = self.round.plan
        self._samples_a_repeat = plan.samples // plan.repeats

    def change(self, **values: Any) -> None:
        """Change fields of the round."""
        self.round = replace(self.round, **values)

    def abort(self, reason: str) -> bool:
        """End it for good; False if it has measured all that it will."""
        if self.measuring and self.ending is None:
            self._end(reason)
        return self.measuring

    def leave(self) -> None:
        """Leave it to the next active mgr."""
        self._end(LEAVE)

    def _end(self, reason: object) -> None:
        self.ending = reason
        if self.task is not None:
            self.task.cancel(reason)

    def ends(self) -> bool:
        """Whether it must end; asked by what measures for it on other threads."""
        return self.ending is not None

    @property
    def samples(self) -> int:
        """The expected number of samples."""
        plan = self.round.plan
        return self._samples_a_repeat * max(plan.repeats, self.repeats)

    def progress(self) -> float:
        """Return the progress, 0 to 1; it falls when more repeats are needed."""
        return min(1.0, (self.done + self.part) / self.samples) if self.samples else 1.0

    def eta(self, now: float) -> Optional[float]:
        """Return the remaining seconds at the speed so far; before the first sample as planned.

        None while the round is saved: the time of the database is unknown.
        """
        if self.phase == SAVING:
            return None
        plan, here = self.round.plan, self.done - self.done_before
        resting = 0.0 if self.resting is None else now - self.resting[0]
        rests = plan.rest_seconds - self.rests_met
        if self.resting is not None:
            rests += max(0.0, self.resting[1] - resting)
        if here <= 0:
            return (plan.seconds - plan.rest_seconds) * (1 - self.progress()) + rests
        busy = now - self.began - self.rested - resting
        return max(0, self.samples - self.done) * busy / here + rests

    def add_sample(self, sample: Sample) -> None:
        """Count a new sample, and add its figures to the interim figures."""
        self.in_flight.pop(sample.osd, None)
        self.done += 1
        if sample.phase == self.round.plan.leading.name and sample.bytes_per_second and sample.iops:
            found = self.figures.setdefault(sample.osd, [])
            found.append((sample.bytes_per_second, sample.iops))

    def bench_began(self, osd: int, repeat: int, wave: int, now: float) -> None:
        """A bench begins on an OSD at ``now`` (monotonic)."""
        self.at = repeat, wave
        self.in_flight[osd] = now

    def waits_for(self, now: float) -> list[tuple[int, float]]:
        """The OSDs whose bench takes longer than ``LONG_BENCH``, and how long, longest first."""
        if self.phase == SAVING:
            return []
        found = [(osd, now - began) for osd, began in list(self.in_flight.items())]
        return sorted((one for one in found if one[1] > LONG_BENCH), key=lambda one: -one[1])

    def interim(self, osds: Sequence[Osd]) -> Interim:
        """Return the figures so far; ``osds`` are those of the cluster."""
        figures = {osd: list(found) for osd, found in list(self.figures.items())}
        return interim(figures, osds, self.round.plan.leading.count)

    def place(self) -> Optional[tuple[int, int, int]]:
        """Return repeat, wave and number of waves now; None for a round of clients or at a rest."""
        waves = [len(phase.waves) for phase in self.round.plan.phases if phase.name == self.phase]
        return (*self.at, waves[0]) if self.at and waves else None

    def on_phase(self, phase: str) -> None:
        """Begin a phase of a client round."""
        self.phase, self.part, self.rows = phase, 0.0, {}

    def add_row(self, client: int, row: Row) -> None:
        """Add one more second of a client in the current repeat."""
        load = self.round.plan.load
        self.part = min(1.0, row.second / load.seconds) if load else 0.0
        self.rows.setdefault(client, []).append(row)

    def rests(self, phase: Phase, seconds: float, now: float) -> None:
        """Begin the rest before a phase: ``seconds`` from ``now`` (monotonic) on."""
        self.phase, self.resting = RESTING, (now, seconds)
        self.rests_met += phase.rest_seconds

    def enters(self, phase: Phase, now: float) -> None:
        """Begin a phase at ``now`` (monotonic), and end the rest before it."""
        self.phase, self.at = phase.name, None
        if self.resting is not None:
            self.rested += now - self.resting[0]
            self.resting = None
        else:
            self.rests_met += phase.rest_seconds

    def why_busy(self) -> str:
        """Return why no other round can start, and what to do about it."""
        number = self.round.id
        if self.phase == SAVING:
            return f"round {number} has ended and waits for the database to take it: see 'ceph -s'"
        return (
            f"round {number} is running: wait for it, or end it with 'ceph perf-bench "
            f"round abort {number}'"
        )


# Older spans are dropped: a frame is complete within two minutes.
_KEPT_SECONDS = 900.0


class OsdsUnderBench:
    """Spans of unix time by OSD. The loop writes; the watch, on its thread, reads copies."""

    def __init__(self) -> None:
        self._running: dict[int, float] = {}
        # By the time of their end, so that old ones are the first.
        self._ended: deque[tuple[int, float, float]] = deque()

    def began(self, osd: int, at: float) -> None:
        self._running.setdefault(osd, at)

    def ended(self, osd: int, at: float) -> None:
        """Record the end of the bench on this OSD; ignored if none began."""
        while self._ended and self._ended[0][2] < at - _KEPT_SECONDS:
            self._ended.popleft()
        began = self._running.pop(osd, None)
        if began is not None:
            self._ended.append((osd, began, at))

    def during(self, since: float, until: float) -> set[int]:
        """Return the OSDs on which a bench ran at any time between the two (unix seconds)."""
        # Running ones first: one that ends meanwhile is in the other copy too.
        found = {osd for osd, began in self._running.copy().items() if began < until}
        return found.union(
            osd for osd, began, ended in self._ended.copy() if began < until and ended > since
        )


# Seconds that a round waits for the store before it decides without.
SAVE_WAIT = 30.0
# Maximum wait for the last samples to be stored when the mgr stops.
LEAVE_WAIT = 3.0


class Commands(Protocol):
    """Commands to OSDs, on connections that stay open for one round.

    ``limit`` is the time in seconds after which a command is given up.
    """

    @property
    def limit(self) -> float: ...

    def make_objects(
        self, reads: Mapping[int, Step], groups: Groups, token: str, ended: Callable[[], bool]
    ) -> None:
        """Make the objects for reads, before the first read; may take minutes.

        They are in the bench pool, in ``groups``; an OSD that is primary of none is not read. When
        ``ended`` returns True, this and all reads are given up at once. Raises CommandFailed.
        """

    def remove_objects(self) -> None:
        """Remove all such objects. Raises CommandFailed."""

    def measure(self, osd: int, step: Step) -> BenchAnswer:
        """Run one bench, once the OSD has answered and has the newest map, or read its objects.

        Three commands at most, each with the ``limit``.
        Raises CommandFailed with the daemon's errno, or ETIMEDOUT.
        """

    def option(self, osd: int, name: str) -> str:
        """The value of an option in the running OSD. Raises CommandFailed."""

    def close(self) -> None: ...


class Progress(Protocol):
    """Progress in ``ceph -s``. Must not raise: a failure must not end a round."""

    def update(self, round_id: int, message: str, fraction: float) -> None: ...

    def end(self, round_id: int, failure: Optional[str] = None) -> None: ...


class LoadGenerator(Protocol):
    """Runs clients that load the cluster, each a process that ends with this mgr at the latest."""

    def run(
        self,
        order: LoadOrder,
        on_row: Callable[[int, Row], None],
        ended: Callable[[], bool],
    ) -> Sequence[ClientRun]:
        """Run the clients to their end; ``on_row`` gets a client's number and each of its rows.

        Returns an empty list, with no client left, once ``ended`` returns True: on this host within
        half a second, on workers within two. Raises CommandFailed, also for a pool that gets full.
        """

    def workers(self) -> Sequence[Worker]:
        """The workers by name. Raises NotNow while this mgr cannot know them yet."""

    def worker_next(self, worker: str, text: str) -> Json:
        """Answer a worker that asks what to do. Raises InvalidValue or NotNow."""

    def worker_tell(self, worker: str, text: str) -> Json:
        """Answer a worker that reports what it does. Raises InvalidValue or NotNow."""

    def sweep(self, pool: str, namespace: str) -> int:
        """Remove the objects of clients; returns the number removed. Raises CommandFailed.

        ``pool`` is the name that ``Pools.ensure`` returned.
        """


class LeftoverKeeper(Protocol):
    """Stores which namespaces of which pools may still have objects of rounds.

    Pools are identified as ``Pools.ensure`` returns them, which survives a rename. Each namespace
    is stored for itself: a mgr that was replaced overwrites nothing of the next one.
    """

    def load(self) -> Mapping[str, str]:
        """By namespace its pool. Raises CommandFailed."""

    def add(self, namespace: str, pool: str) -> None: ...

    def remove(self, namespace: str) -> None: ...


def namespace_of(token: str) -> str:
    """The namespace of a round's objects, from the round's token."""
    return f"round-{token}"


class Leftovers:
    """Noted before the first write, and removed when no round uses them.

    A round has a namespace of its own, and only objects there are removed. So the objects of a
    process that was killed are found without its name.
    """

    def __init__(
        self,
        keeper: LeftoverKeeper,
        loader: LoadGenerator,
        workers: Executor,
        log: logging.Logger,
    ) -> None:
        self._keeper = keeper
        self._loader = loader
        self._workers = workers
        self._log = log
        # Whether there may be some.
        self._suspected = True

    async def note(self, namespace: str, pool: str) -> None:
        """Note a namespace before the first write to it. Raises CommandFailed."""
        self._suspected = True
        await reply(self._workers.submit(lambda: self._keeper.add(namespace, pool)))

    async def sweep(self, namespace: str, pool: str) -> None:
        """Remove the objects in a namespace. Raises CommandFailed."""
        await reply(self._workers.submit(lambda: self._loader.sweep(pool, namespace)))

    async def clear(self, used: Optional[str] = None) -> None:
        """The reconciler: remove all that is noted, but what is in a round's namespace ``used``."""
        if not self._suspected:
            return
        self._suspected = False
        try:
            noted = await reply(self._workers.submit(self._keeper.load))
            for namespace, pool in noted.items():
                if namespace == used:
                    self._suspected = True
                else:
                    await self._remove(namespace, pool)
        except BaseException:
            self._suspected = True
            raise

    async def _remove(self, namespace: str, pool: str) -> None:
        self._log.info("clearing namespace %s of pool %s", namespace, pool)
        try:
            await self.sweep(namespace, pool)
            await reply(self._workers.submit(lambda: self._keeper.remove(namespace)))
        except PerfBenchError as error:
            self._suspected = True
            self._log.warning(
                "objects in namespace %s of pool %s stay for now: %s", namespace, pool, error
            )


@dataclass(frozen=True)
class RoundContext:
    """The services that rounds use.

    ``open_commands`` opens a connection to the OSDs for one round; it may raise CommandFailed.
    ``workers`` run what waits for monitors and processes.
    ``round_safety`` decides whether a round may start, and suspends what would disturb it.
    ``benched`` records the OSDs that are measured, so that the watch ignores their data.
    """

    cluster: Cluster
    open_commands: Callable[[], Commands]
    loop: Loop
    workers: Executor
    store_thread: StoreThread
    progress: Progress
    clock: Clock
    log: logging.Logger
    round_safety: RoundSafety
    loader: LoadGenerator
    pools: Pools
    leftovers: Leftovers
    benched: OsdsUnderBench = field(default_factory=OsdsUnderBench)

    def save(self, active: ActiveRound, what: str) -> None:
        """Save the running round as it is now; a failure is logged as "could not WHAT"."""
        round_ = active.round

        def done(saved: Future[Any]) -> None:
            error = saved.exception()
            if error is not None:
                self.log.warning("could not %s: %s", what, error)

        self.store_thread.ask(lambda store: store.save_round(round_)).add_done_callback(done)

    def show_progress(self, active: ActiveRound) -> None:
        """Show how far the round is in ``ceph -s``."""
        message = f"perf-bench round {active.round.id} ({active.round.profile})"
        self.progress.update(active.round.id, message, active.progress())
