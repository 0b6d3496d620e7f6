"""The operator's options, as a list and parsed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional, Union

from .admission import MOST_MAPS_MET, TOLERATED, GuardRules
from .hardware import HOT_SHARE
from .history import KEPT_SECONDS


@dataclass(frozen=True)
class WatchOptions:
    """Options of the watch. ``codes`` are the health checks that may be raised.

    ``kept`` has by level (seconds of a span) the seconds that the store keeps the series. An OSD
    that spends ``crc_hot_share`` of its op threads' time on checksums is a hotspot.
    """

    on: bool
    tick_seconds: float
    codes: frozenset[str]
    kept: Mapping[int, float] = field(default_factory=lambda: KEPT_SECONDS)
    crc_hot_share: float = HOT_SHARE


@dataclass(frozen=True)
class SafetyOptions:
    """Options that decide whether a round may start, what it changes, and what ends it.

    ``tolerated`` are health checks separated by blanks. ``client_percent`` is the share of the
    possible load that clients may use. ``window`` is empty for any time of day.
    ``wear_gib_per_day`` is per OSD; 0 means by the size of its device. An OSD that goes up or down
    five times in ``flap_seconds`` is flapping. ``maps_met`` benches of a round may get a new OSD
    map; 0 means any number. ``quiesce``: rounds stop what would disturb them.
    """

    tolerated: str = " ".join(TOLERATED)
    client_percent: int = 20
    window: str = ""
    timezone: str = "UTC"
    wear_gib_per_day: int = 0
    flap_seconds: int = 600
    maps_met: int = MOST_MAPS_MET
    quiesce: bool = True
    guard: GuardRules = field(default_factory=GuardRules)


# --- An option of the module, ``mgr/perf_bench/…``, and a threshold of the detector ---


Value = Union[bool, int, str]


@dataclass(frozen=True)
class ModuleOption:
    """An option with its present value.

    kind -- "bool", "int" or "str"; least, most -- bounds of an "int".
    at_once -- whether a change takes effect at once; else when a mgr becomes active.
    """

    name: str
    kind: str
    value: Value
    default: Value
    help: str
    least: Optional[int] = None
    most: Optional[int] = None
    at_once: bool = True


@dataclass(frozen=True)
class Threshold:
    """A threshold of the detector of slow OSDs, as it is in effect."""

    name: str
    value: float
    default: float
