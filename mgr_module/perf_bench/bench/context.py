"""What rounds need from outside."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Callable, Optional

from ..ports import Clock, Cluster, Commands, LoadGenerator, Pools, Progress, StoreQueue
from .osds_under_bench import OsdsUnderBench
from .run.client_runner import Leftovers
from .safety import RoundSafety

# How long a round waits for the store before it says so and tries again.
SAVE_WAIT = 30.0
# A mgr that stops gives the last samples this long to reach the store.
LEAVE_WAIT = 3.0


@dataclass(frozen=True)
class LoadServices:
    """What rounds of clients need: processes, pools, and what is noted of what they leave."""

    loader: LoadGenerator
    pools: Pools
    traces: Leftovers


@dataclass(frozen=True)
class RoundContext:
    """What rounds need from outside.

    ``open_commands`` opens one round's own way to the OSDs; it may raise CommandFailed.
    ``safety`` is asked whether a round may start, and holds up what would disturb it.
    ``benched`` is told which OSDs are being measured, so that nobody takes them for slow.
    """

    cluster: Cluster
    open_commands: Callable[[], Commands]
    store_thread: StoreQueue
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
