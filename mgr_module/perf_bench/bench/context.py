"""The services that rounds use."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Callable, Optional

from ..ports import Clock, Cluster, Commands, LoadGenerator, Pools, Progress
from ..store.sqlite import StoreThread
from .osds_under_bench import OsdsUnderBench
from .run.client_runner import Leftovers
from .safety import RoundSafety

# Time limit of a round's calls of the store, in seconds; after it the round reports and retries.
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
    ``round_safety`` decides whether a round may start, and suspends what would disturb it.
    ``benched`` records the OSDs that are measured, so that the watch ignores their data.
    """

    cluster: Cluster
    open_commands: Callable[[], Commands]
    store_thread: StoreThread
    progress: Progress
    clock: Clock
    log: logging.Logger
    round_safety: RoundSafety
    loads: LoadServices
    benched: OsdsUnderBench = field(default_factory=OsdsUnderBench)

    def or_say(self, what: str) -> Callable[[Optional[Exception]], None]:
        """Return a completion callback that logs a failure of the store as "could not WHAT"."""

        def done(error: Optional[Exception]) -> None:
            if error is not None:
                self.log.warning("could not %s: %s", what, error)

        return done
