"""The interfaces between the stages and everything outside; each has a fake in the tests.

Every call that may wait has a time limit, stated at the method, after which it raises. Rounds and
the watch share the clock, the cluster, the store and the notifier. Only rounds run benches
(``round_actions``), and only the watch reads counters and probes (``watch_inputs``).
"""

from __future__ import annotations

from .clock import Clock
from .cluster import AdmissionSource, Cluster, DoctorSource, DownTimes
from .notifications import Notifier, Progress
from .round_actions import Commands, LoadGenerator, Pools
from .settings import (
    Authority,
    Monitors,
    RoundSettings,
    Settings,
)
from .store_place import StorePlace
from .watch_inputs import (
    BenchSpans,
    CephAlerts,
    CohortSetups,
    CounterPoint,
    Counters,
    Members,
    OperationDumps,
    OsdHealth,
    PgStates,
    Prober,
)

__all__ = (
    "AdmissionSource",
    "Authority",
    "BenchSpans",
    "CephAlerts",
    "Clock",
    "Cluster",
    "CohortSetups",
    "Commands",
    "CounterPoint",
    "Counters",
    "DoctorSource",
    "DownTimes",
    "LoadGenerator",
    "Members",
    "Monitors",
    "Notifier",
    "OperationDumps",
    "OsdHealth",
    "PgStates",
    "Pools",
    "Prober",
    "Progress",
    "RoundSettings",
    "Settings",
    "StorePlace",
)
