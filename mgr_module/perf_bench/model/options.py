"""What an operator may set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .admission import TOLERATED
from .checksum import HOT_SHARE
from .guard import GuardRules
from .history import KEPT_SECONDS


@dataclass(frozen=True)
class WatchOptions:
    """``codes`` are the health checks that may be raised.

    ``kept`` says by level (seconds of a span) how many seconds the store keeps the series. From
    ``crc_hot_share`` of its op threads' time on an OSD is a hotspot of checksums.
    """

    on: bool
    tick_seconds: float
    probe: bool
    codes: frozenset[str]
    kept: Mapping[int, float] = field(default_factory=lambda: KEPT_SECONDS)
    crc_hot_share: float = HOT_SHARE


@dataclass(frozen=True)
class SafetyOptions:
    """What a round must find before it may start and what ends it, as it was typed.

    ``tolerated`` are health checks with blanks between them. ``client_percent`` is the share of
    what is possible that clients may use. ``window`` is empty for any time of day.
    ``wear_gib_per_day`` is per OSD; 0 goes by the size of its device. An OSD that goes
    up or down five times in ``flap_seconds`` flaps.
    ``quiesce``: rounds hold up what would disturb them.
    """

    tolerated: str = " ".join(TOLERATED)
    client_percent: int = 20
    window: str = ""
    timezone: str = "UTC"
    wear_gib_per_day: int = 0
    flap_seconds: int = 600
    quiesce: bool = True
    guard: GuardRules = field(default_factory=GuardRules)
