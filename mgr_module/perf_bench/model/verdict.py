"""The watch's verdicts on OSDs, and the sensitivity for a cohort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Optional


class OsdState(str, Enum):
    """SUSPECT: slow, but too short or too uncertain for a finding. NO_DATA: idle or unknown."""

    OK = "ok"
    SUSPECT = "suspect"
    SLOW = "slow"
    NO_DATA = "no-data"


@dataclass(frozen=True)
class OsdVerdict:
    """One OSD compared with its peers.

    ``robust_z`` is positive for an OSD slower than its peers, ``ratio`` is its latency divided by
    the expected one (1: as its peers); both are of the worst judged ``channel``. ``risk`` is
    severity times duration with a half-life of a day, for ranking only. ``since`` is when the state
    began (unix seconds). ``path`` is the rule that decided (acute, sustained, watch, intermittent,
    small-cohort, host …), "" if none did. ``evidence`` has its figures.
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
class NoData:
    """Why an OSD has no verdict: a word for programs, a sentence, what helps ("" for nothing).

    ``since`` is the end of its last minute with data in unix seconds; None if none is known.
    """

    code: str
    why: str
    help: str = ""
    since: Optional[float] = None


@dataclass(frozen=True)
class CohortReport:
    """The sensitivity for one cohort.

    A constant slowdown below ``minimum_detectable_ratio`` is not detected; None if unknown.
    """

    name: str
    members: int
    judged: int
    channel: Optional[str] = None
    minimum_detectable_ratio: Optional[float] = None


# --- The OSDs' verdicts and latencies at one moment, for lists and maps ---


@dataclass(frozen=True)
class OsdSnapshot:
    """The verdicts by OSD, and by channel and OSD the mean latency of the newest minute.

    ``applied`` has the apply latencies that OSDs report. All latencies are seconds; an OSD without
    data is left out.
    """

    verdicts: Mapping[int, OsdVerdict] = field(default_factory=dict)
    latency: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    applied: Mapping[int, float] = field(default_factory=dict)

    def verdict(self, osd: int) -> OsdVerdict:
        return self.verdicts.get(osd) or OsdVerdict(osd, OsdState.NO_DATA)

    def latency_ms(self, osd: int, channel: str) -> Optional[float]:
        """Milliseconds, None without data."""
        return _ms(self.latency.get(channel, {}).get(osd))

    def apply_ms(self, osd: int) -> Optional[float]:
        return _ms(self.applied.get(osd))


def _ms(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else round(seconds * 1000, 3)
