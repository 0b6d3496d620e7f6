"""What the watch thinks of an OSD, and how well it can see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Optional


class OsdState(str, Enum):
    """SUSPECT: looks slow, not long or not sure enough for a finding. NO_DATA: idle or unknown."""

    OK = "ok"
    SUSPECT = "suspect"
    SLOW = "slow"
    NO_DATA = "no-data"


@dataclass(frozen=True)
class OsdVerdict:
    """One OSD against its peers now.

    ``robust_z`` is positive for slower than the peers, ``ratio`` its latency over what is
    expected of it (1 = as its peers), both of the worst judged ``channel``. ``risk`` is severity
    times duration with a half-life of a day, for ranking only. ``since`` is unix seconds of the
    state. ``path`` is the rule that decided (acute, sustained, watch, intermittent,
    small-cohort, host …), empty while nothing did. ``evidence`` has its figures.
    """

    osd: int
    state: OsdState
    robust_z: Optional[float] = None
    ratio: Optional[float] = None
    risk: float = 0.0
    since: Optional[float] = None
    channel: Optional[str] = None
    path: str = ""
    max_ratio: Optional[float] = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CohortReport:
    """How well one cohort can be judged.

    A constant slowdown below ``minimum_detectable_ratio`` is not seen; None while not known.
    """

    name: str
    members: int
    judged: int
    channel: Optional[str] = None
    minimum_detectable_ratio: Optional[float] = None
