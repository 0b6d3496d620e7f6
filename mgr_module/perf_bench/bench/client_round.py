"""A round that measures the performance of clients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Callable, Optional

from ..model.plan import Plan
from ..model.rados import LoadPlan, LoadSample
from ..model.saturation import SearchLoad
from .active_round import ActiveRound
from .compare.environment import environment_hash
from .compare.loads import under_loads
from .context import SAVE_WAIT, RoundContext
from .plan.saturation_search import next_load
from .progress import RoundEvents
from .run.client_runner import LoadRunner
from .run.osd_runner import Outcome


class ClientRound:
    """Runs the clients of one round."""

    def __init__(self, context: RoundContext, active: ActiveRound, events: RoundEvents) -> None:
        self._context = context
        self._active = active
        self._events = events

    def run(self, load: LoadPlan, begin: Callable[[], None]) -> Outcome:
        """Run the repeats that are not stored yet; ``begin`` is called before the first one."""
        context, active, round_ = self._context, self._active, self._active.round
        try:
            begin()
            there = context.store_thread.call(lambda store: store.loads.of(round_.id), SAVE_WAIT)
            active.done = active.done_before = len(there)
            tools = context.loads.loader, context.loads.pools, context.loads.traces, context.clock
            runner = LoadRunner(load, round_.token, tools, self._events, active.stop)
            return runner.run(there, partial(following, round_.plan, load))
        finally:
            self._record_pool(load)

    def _record_pool(self, load: LoadPlan) -> None:
        """Add the pool to the environment: it may have been created after the round began."""
        pool = self._context.loads.pools.look(load.pool)
        if pool is not None:
            found = {**self._active.round.environment, "pool": pool.facts}
            self._active.change(environment={**found, "hash": environment_hash(found)})


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
