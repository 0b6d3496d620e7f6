"""Runs the clients of a round, repeat after repeat, and removes their objects from the pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Callable, Optional, TypeVar

from ..core.loop import Cancelled, reply, to_its_end
from ..errors import CommandFailed, PerfBenchError
from ..model.plan import Plan
from ..model.rados import LoadOrder, LoadPlan, LoadSample, Row, SearchLoad
from .compare.loads import under_loads
from .context import LEAVE, ActiveRound, RoundContext, namespace_of
from .plan.clients import next_load

T = TypeVar("T")

FILLING, CLEANING = "fill", "clean-up"
# Seconds that an abort waits for clients to end. They end half a second after they are told, those
# of a worker that does not answer with its lease (model/rados.py).
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
        there = await reply(context.store_thread.ask(lambda store: store.loads(number)))
        self._active.done = self._active.done_before = len(there)
        pools, leftovers = context.pools, context.leftovers
        ensure = lambda: pools.ensure(self._load.pool, self._active.ends)  # noqa: E731
        leaves = False
        try:
            self._pool = await self._in_worker(ensure)
            await leftovers.note(self._namespace, self._pool)
            await leftovers.clear(self._namespace)  # what other rounds have left takes room
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
        loader, ends = self._context.loader, self._active.ends
        return await self._in_worker(lambda: loader.run(order, on_row, ends))

    async def _put(self, sample: LoadSample) -> None:
        """Store a sample. Raises CommandFailed, with the repeat's own error if it has one."""
        number = self._active.round.id
        try:
            ask = self._context.store_thread.ask
            await reply(ask(lambda store: store.add_load(number, sample)))
        except PerfBenchError as error:
            if sample.why is None:
                raise
            raise CommandFailed(error.errno, f"{sample.why}; {error}") from error
        self._active.done += 1
        self._on_phase(self._active.phase)

    async def _clean(self) -> None:
        self._on_phase(CLEANING)
        await self._context.leftovers.sweep(self._namespace, self._pool)

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
        pool = self._context.pools.look(self._load.pool)
        if pool is not None:
            self._active.change(environment={**self._active.round.environment, "pool": pool.facts})


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
    return next_load(runs, load.most) if len(runs) == len(there) else None
