"""Runs the clients of a round, repeat after repeat, and removes their objects from the pool."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Optional, Protocol, TypeVar

from ..core.loop import Cancelled, reply, to_its_end
from ..core.workers import Executor
from ..errors import CommandFailed, PerfBenchError
from ..model.json_fields import Json
from ..model.plan import Plan
from ..model.rados import ClientRun, LoadOrder, LoadPlan, LoadSample, Row
from ..model.saturation import SearchLoad
from ..model.worker import Worker
from .active_round import LEAVE, ActiveRound
from .compare.environment import environment_hash
from .compare.loads import under_loads
from .plan.saturation_search import next_load

if TYPE_CHECKING:
    from .context import RoundContext

T = TypeVar("T")

FILLING, CLEANING = "fill", "clean-up"
# Seconds that an abort waits for clients to end. They end half a second after they are told, those
# of a worker that does not answer with its lease (model/worker.py).
_END_SECONDS = 60.0


class ClientRepeats:
    """The repeats of one round of clients."""

    def __init__(self, context: RoundContext, active: ActiveRound, load: LoadPlan) -> None:
        self._context = context
        self._active = active
        self._load = load
        self._namespace = namespace_of(active.round.token)
        self._pool = ""

    async def run(self) -> None:
        """Run the repeats that are not stored yet. Raises CommandFailed if none can be run."""
        context, number = self._context, self._active.round.id
        there = await reply(context.store_thread.ask(lambda store: store.loads.of(number)))
        self._active.done = self._active.done_before = len(there)
        pools, leftovers = context.loads.pools, context.loads.traces
        ensure = lambda: pools.ensure(self._load.pool, self._active.ends)  # noqa: E731
        leaves = False
        try:
            self._pool = await self._in_worker(ensure)
            await leftovers.note(self._namespace, self._pool)
            await leftovers.clear()  # what other rounds have left takes room
            await self._clean()  # objects of this round that an earlier mgr has left
            if self._load.reads:
                self._on_phase(FILLING)
                await self._clients(self._load.order(self._namespace, "write"), _unseen)
            samples = list(there)
            while (under := following(self._active.round.plan, self._load, samples)) is not None:
                samples.append(await self._repeat(len(samples) + 1, under))
        except Cancelled as cancelled:
            leaves = cancelled.reason is LEAVE  # the next mgr carries the round on
            raise
        finally:
            self._active.measuring = False
            self._record_pool()
            if not leaves:
                self._on_phase(CLEANING)
                leftovers.used = None
                await leftovers.clear()

    async def _repeat(self, repeat: int, under: SearchLoad) -> LoadSample:
        """Run and store one repeat."""
        load = self._load
        searched = under if load.saturates else None
        shown = f" {under.clients} x {under.threads}" if searched else ""
        self._on_phase(f"{load.operation}{shown}")
        sample = LoadSample(repeat, self._context.clock.now(), load=searched)
        try:
            runs = await self._clients(load.order(self._namespace, under=under), self._on_row)
        except CommandFailed as failure:
            sample = replace(sample, why=failure.message)
        else:
            sample = replace(sample, runs=tuple(runs))
        # Objects for reads stay for the next repeat, also after a failure.
        if sample.why and not load.reads:
            await self._clean()  # before it is stored: if OSDs are full, the store waits for space
        await self._put(sample)
        if not sample.why and not load.reads:
            await self._clean()
        return sample

    async def _clients(self, order: LoadOrder, on_row: Callable[[int, Row], None]) -> Any:
        loader, ends = self._context.loads.loader, self._active.ends
        return await self._in_worker(lambda: loader.run(order, on_row, ends))

    async def _put(self, sample: LoadSample) -> None:
        """Store a sample. Raises CommandFailed, with the repeat's own error if it has one."""
        number = self._active.round.id
        try:
            ask = self._context.store_thread.ask
            await reply(ask(lambda store: store.loads.add(number, sample)))
        except PerfBenchError as error:
            if sample.why is None:
                raise
            raise CommandFailed(error.errno, f"{sample.why}; {error}") from error
        self._active.done += 1
        self._on_phase(self._active.phase)

    async def _clean(self) -> None:
        self._on_phase(CLEANING)
        await self._context.loads.traces.sweep(self._namespace, self._pool)

    async def _in_worker(self, work: Callable[[], T]) -> T:
        """Run what ends soon after ``active.ends`` is true, and what must have ended then."""
        return await to_its_end(self._context.workers.submit(work), _END_SECONDS)

    def _on_phase(self, phase: str) -> None:
        self._active.on_phase(phase)
        self._context.show_progress(self._active)

    def _on_row(self, client: int, row: Row) -> None:
        """Keep a client's row until its repeat is stored; called on a worker."""

        def add() -> None:
            self._active.add_row(client, row)
            self._context.show_progress(self._active)

        self._context.loop.post(add)

    def _record_pool(self) -> None:
        """Add the pool to the environment: it may have been created after the round began."""
        pool = self._context.loads.pools.look(self._load.pool)
        if pool is not None:
            found = {**self._active.round.environment, "pool": pool.facts}
            self._active.change(environment={**found, "hash": environment_hash(found)})


def _unseen(_client: int, _row: Row) -> None:
    """Rows of clients that only prepare are not shown."""


def following(plan: Plan, load: LoadPlan, there: Sequence[LoadSample]) -> Optional[SearchLoad]:
    """Return the load of the next repeat; None if there is none.

    It depends only on the stored repeats, so that a mgr that resumes the round decides the same.
    A search ends with the first run without a result: a cluster that stalled under a load gets no
    further one.
    """
    if not load.saturates:
        return load.most if len(there) < plan.repeats else None
    runs = under_loads(there)
    return next_load(runs, load.bounds) if len(runs) == len(there) else None


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
