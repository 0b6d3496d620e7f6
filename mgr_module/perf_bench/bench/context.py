"""The services that rounds use, and what rounds of clients may have left in pools."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Protocol

from ..core.clock import Clock
from ..core.loop import Loop, reply
from ..core.workers import Executor
from ..errors import PerfBenchError
from ..model.bench import BenchAnswer, Step
from ..model.cluster import Cluster
from ..model.json_fields import Json
from ..model.rados import ClientRun, Groups, LoadOrder, Row, Worker
from ..store.sqlite import StoreThread
from .active_round import ActiveRound, OsdsUnderBench
from .plan.clients import Pools
from .safety import RoundSafety

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
        # The namespace of the round that runs.
        self.used: Optional[str] = None
        # Whether there may be some.
        self._suspected = True

    async def note(self, namespace: str, pool: str) -> None:
        """Note a namespace before the first write to it. Raises CommandFailed."""
        self.used, self._suspected = namespace, True
        await reply(self._workers.submit(lambda: self._keeper.add(namespace, pool)))

    async def sweep(self, namespace: str, pool: str) -> None:
        """Remove the objects in a namespace. Raises CommandFailed."""
        await reply(self._workers.submit(lambda: self._loader.sweep(pool, namespace)))

    async def clear(self) -> None:
        """The reconciler: remove all that is noted and that no round uses."""
        if not self._suspected:
            return
        self._suspected = False
        try:
            noted = await reply(self._workers.submit(self._keeper.load))
            for namespace, pool in noted.items():
                if namespace == self.used:
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
class LoadServices:
    """The services of client rounds: processes, pools, and the record of leftovers."""

    loader: LoadGenerator
    pools: Pools
    traces: Leftovers


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
    loads: LoadServices
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
