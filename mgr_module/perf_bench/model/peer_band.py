"""OSDs over time against the band of their peers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import NamedTuple, Optional

from .statistics import median

# So many peers are read at most: their percentiles are those of all within a few percent.
SAMPLED_PEERS = 128


class Compared(NamedTuple):
    """OSDs, those that they are compared with, and in which channel."""

    own: Collection[int]
    peers: Collection[int]
    channel: str


class BandPoint(NamedTuple):
    """One span. ``own`` is the median of the OSDs in question, the others are of their peers.

    ``low`` and ``high`` are the 10th and 90th percentile. Latencies in seconds, None for no data;
    ``start`` in unix seconds.
    """

    start: float
    seconds: int
    own: Optional[float]
    low: Optional[float]
    median: Optional[float]
    high: Optional[float]


def band_point(
    start: float, seconds: int, values: Mapping[int, float], of: Compared
) -> Optional[BandPoint]:
    """The point of these means by OSD; None without any data."""
    mine = [values[osd] for osd in of.own if osd in values]
    others = sorted(values[osd] for osd in of.peers if osd in values)
    if not mine and not others:
        return None
    middle = median(mine) if mine else None
    if not others:
        return BandPoint(start, seconds, middle, None, None, None)
    low, high = (others[max(0, math.ceil(q * len(others)) - 1)] for q in (0.1, 0.9))
    return BandPoint(start, seconds, middle, low, median(others), high)
