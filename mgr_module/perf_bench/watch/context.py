"""The inputs of the watch, and the services it uses."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Callable, NamedTuple, Optional

from ..bench.comparisons import Regressions
from ..core.clock import Clock
from ..core.failing_parts import FailingParts
from ..model.cluster import Notifier, OsdHealth, PgStates
from ..model.coverage import Look
from ..model.detector import Detector
from ..model.finding import Claim
from ..store.sqlite import StoreThread
from .collect.collector import Collector
from .detect.ceph_alerts import CephAlerts
from .osd_breakdown import OsdBreakdowns


class OtherPart(NamedTuple):
    """A part that the watch does not tick: its name in ``FailingParts``, its claims and looks."""

    name: str
    claims: Callable[[], Sequence[Claim]]
    looks: Callable[[], Sequence[Look]]


@dataclass(frozen=True)
class WatchInputs:
    """The inputs of the watch.

    ``regressions`` has the claims of rounds, ``others`` returns the parts that the watch does not
    tick. ``detectors`` run in addition to those for slow
    OSDs and laggy PGs, and ``ceph_alerts`` are Ceph's own. ``breakdowns`` asks the OSDs
    of findings why they are slow.
    """

    collector: Collector
    pgs: PgStates
    health: OsdHealth
    regressions: Regressions
    detectors: Sequence[Detector] = ()
    others: Callable[[], Sequence[OtherPart]] = tuple
    ceph_alerts: Optional[CephAlerts] = None
    breakdowns: Optional[OsdBreakdowns] = None


@dataclass(frozen=True)
class WatchContext:
    """The services that the watch uses; ``failing`` is shared with all parts of the module."""

    store_thread: StoreThread
    notifier: Notifier
    clock: Clock
    log: logging.Logger
    failing: FailingParts
