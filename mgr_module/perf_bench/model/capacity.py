"""mClock's capacity of an OSD, compared with the results of rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

OK, FAR, IMPLAUSIBLE = "ok", "far", "implausible"
UNMEASURED, UNLIKELY, UNUSED, UNKNOWN = "unmeasured", "unlikely", "unused", "unknown"
REJECTED = "rejected"


@dataclass(frozen=True)
class Capacity:
    """One OSD's capacity. ``option`` holds its IOPS, ``range`` is Ceph's plausible range.

    ``source``: "osd" (a value of this OSD, measured by itself or set), "cluster" (set for several)
    or "default". ``own`` is the value that is set for this OSD. ``verdict``: ok; far (from the
    measured value); implausible; unmeasured; unlikely (the measured value is out of range);
    rejected (it is, in several valid rounds that agree: Ceph takes no such figure by itself);
    unused (another scheduler); unknown. A proposal with ``consent`` is out of Ceph's range.
    ``rounds`` counts the valid rounds.
    """

    osd: int
    device_class: Optional[str]
    option: str
    configured: Optional[float]
    measured: Optional[float]
    round: Optional[int]
    range: tuple[float, float]
    source: str
    own: Optional[str]
    verdict: str
    proposed: Optional[int] = None
    consent: bool = False
    rounds: int = 0
