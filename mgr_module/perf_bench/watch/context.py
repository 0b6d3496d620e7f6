"""What the watch looks with, and what is around it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable

from ..bench.regressions import Regressions
from ..model.finding import Claim
from ..ports import Clock, Notifier, OsdHealth, PgStates, StoreQueue
from ..ports.detector import Detector
from .collect.active_probe import ActiveProbe
from .collect.collector import Collector


@dataclass(frozen=True)
class WatchInputs:
    """What the watch looks with; ``regressions`` tells what rounds have shown.

    ``detectors`` look beside the two for slow OSDs and laggy PGs. ``others`` are claims of parts
    that the watch does not tick.
    """

    collector: Collector
    pgs: PgStates
    health: OsdHealth
    probing: ActiveProbe
    regressions: Regressions
    detectors: Sequence[Detector] = ()
    others: Callable[[], Sequence[Claim]] = tuple


@dataclass(frozen=True)
class WatchContext:
    """What is around the watch: where it writes, speaks, and takes the time from."""

    store_thread: StoreQueue
    notifier: Notifier
    clock: Clock
    log: logging.Logger
