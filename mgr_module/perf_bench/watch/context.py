"""The inputs of the watch, and the services it uses."""

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
    """The inputs of the watch.

    ``regressions`` has the claims of rounds, ``others`` returns the claims of parts that the watch
    does not tick. ``detectors`` run in addition to those for slow OSDs and laggy PGs.
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
    """The services that the watch uses: store, notifier, clock and log."""

    store_thread: StoreQueue
    notifier: Notifier
    clock: Clock
    log: logging.Logger
