"""The interfaces between the stages and the world: small, typed, each with a fake in the tests.

Every call that may wait has a time limit, stated at the method; when it runs out the call
raises, it never hangs. Both journeys have the clock, the cluster, the store and a voice; only
rounds give orders (``measuring``), and only the watch reads counters and probes (``sensing``).
"""

from __future__ import annotations

from .clock import Clock
from .cluster import AdmissionSource, Cluster, DoctorSource, DownTimes
from .notifications import Notifier, Progress
from .round_actions import Commands, LoadGenerator, Pools
from .round_store import ROUND_SEARCH, ROUND_SORTS, RoundStore, SavedSchedules
from .settings import (
    Authority,
    JournalKeeper,
    Monitors,
    RestoreHelper,
    RoundSettings,
    Settings,
)
from .store import FactsStore, LoadStore, SavedFacts, Store, StoreQueue, WatchStore
from .watch_inputs import BenchSpans, CounterPoint, Counters, Members, OsdHealth, PgStates, Prober

__all__ = (
    "ROUND_SEARCH",
    "ROUND_SORTS",
    "AdmissionSource",
    "Authority",
    "BenchSpans",
    "Clock",
    "Cluster",
    "Commands",
    "CounterPoint",
    "Counters",
    "DoctorSource",
    "DownTimes",
    "FactsStore",
    "JournalKeeper",
    "LoadGenerator",
    "LoadStore",
    "Members",
    "Monitors",
    "Notifier",
    "OsdHealth",
    "PgStates",
    "Pools",
    "Prober",
    "Progress",
    "RestoreHelper",
    "RoundSettings",
    "RoundStore",
    "SavedFacts",
    "SavedSchedules",
    "Settings",
    "Store",
    "StoreQueue",
    "WatchStore",
)
