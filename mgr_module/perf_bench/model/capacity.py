"""mClock's capacity of an OSD, compared with the results of rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

OK, FAR, IMPLAUSIBLE = "ok", "far", "implausible"
UNMEASURED, UNLIKELY, UNUSED, UNKNOWN = "unmeasured", "unlikely", "unused", "unknown"


@dataclass(frozen=True)
class Capacity:
    """One OSD's capacity. ``option`` holds its IOPS, ``range`` is Ceph's plausible range.

    ``source``: "osd" (a value of this OSD, measured by itself or set), "cluster" (set for several)
    or "default". ``own`` is the value that is set for this OSD. ``verdict``: ok; far (from the
    measured value); implausible; unmeasured; unlikely (the measured value is out of range); unused
    (another scheduler); unknown.
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
