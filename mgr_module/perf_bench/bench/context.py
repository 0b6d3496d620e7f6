"""The services that rounds use."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Protocol

from ..core.clock import Clock
from ..core.loop import Loop
from ..core.workers import Executor
from ..model.bench import BenchAnswer, Step
from ..model.cluster import Cluster
from ..model.pool import Groups
from ..store.sqlite import StoreThread
from .active_round import ActiveRound, OsdsUnderBench
from .client_repeats import Leftovers, LoadGenerator
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
