"""The services that rounds use."""

from __future__ import annotations

import logging
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable

from ..core.loop import Loop
from ..core.workers import Executor
from ..ports import Clock, Cluster, Commands, LoadGenerator, Pools, Progress
from ..store.sqlite import StoreThread
from .active_round import ActiveRound
from .leftovers import Leftovers
from .osds_under_bench import OsdsUnderBench
from .safety import RoundSafety

# Seconds that a round waits for the store before it decides without.
SAVE_WAIT = 30.0
# Maximum wait for the last samples to be stored when the mgr stops.
LEAVE_WAIT = 3.0


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
