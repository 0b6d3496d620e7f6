"""The interfaces between the stages and the world: small, typed, each with a fake in the tests.

Every call that may wait has a time limit, stated at the method; when it runs out the call
raises, it never hangs. Both journeys have the clock, the cluster, the store and a voice; only
rounds give orders (``measuring``), and only the watch reads counters and probes (``sensing``).
"""

from __future__ import annotations

from .clock import Clock
from .cluster import Cluster, DoctorSource, Falls, Outlook
from .measuring import Commands, Loader, Pools
from .round_store import ROUND_SEARCH, ROUND_SORTS, RoundStore, SavedSchedules
from .sensing import Benched, CounterPoint, Counters, Members, OsdHealth, PgStates, Prober
from .settings import (
    Authority,
    JournalKeeper,
    Monitors,
    RestoreHelper,
    RoundSettings,
    Settings,
)
from .store import FactsStore, LoadStore, SavedFacts, Store, StoreDesk, WatchStore
from .telling import Progress, Voice

__all__ = (
    "ROUND_SEARCH",
    "ROUND_SORTS",
    "Authority",
    "Benched",
    "Clock",
    "Cluster",
    "Commands",
    "CounterPoint",
    "Counters",
    "DoctorSource",
    "FactsStore",
    "Falls",
    "JournalKeeper",
    "LoadStore",
    "Loader",
    "Members",
    "Monitors",
    "OsdHealth",
    "Outlook",
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
    "StoreDesk",
    "Voice",
    "WatchStore",
)
