"""What mClock takes an OSD to be capable of, and what rounds measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

OK, FAR, IMPLAUSIBLE = "ok", "far", "implausible"
UNMEASURED, UNLIKELY, UNUSED, UNKNOWN = "unmeasured", "unlikely", "unused", "unknown"


@dataclass(frozen=True)
class Capacity:
    """One OSD. ``option`` is where Ceph keeps its IOPS, ``range`` what Ceph takes for plausible.

    ``source``: "osd" (its own value: found by itself at its start, or set), "cluster" (set for
    several) or "default". ``own`` is the OSD's own value as it is set. ``verdict``: ok; far (from
    what was measured); implausible; unmeasured; unlikely (what was measured is out of range);
    unused (another scheduler); unknown.
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
