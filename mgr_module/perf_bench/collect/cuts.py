"""Counters at the edges of bins: the sum and number that a counter had at a moment.

A mgr stamps every point as it arrives, and the mgr's clock may step. Between two points a
counter is taken to have grown evenly, so that a delta that spans several bins (reports are 20 s
apart and more when the mgr is busy) leaves each bin its share.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple, Optional

from ..model.frame import FRAME_SECONDS
from ..ports import CounterPoint

Points = Sequence[CounterPoint]
# Reports that far apart (seconds) are no stretched period but an outage, or a step of the clock.
_GAP = 300.0
# How much a counter's sum and number grew within a bin; None where that is not known.
Growth = Optional[tuple[float, float]]


class Cut(NamedTuple):
    """An edge between two bins: ``share`` of the way from point ``after`` - 1 to ``after``."""

    after: int
    share: float


class Cuts(NamedTuple):
    """The edges of bins ``first``, ``first`` + 1, …: one more than there are bins."""

    first: int
    edges: tuple[Cut, ...]

    @property
    def bins(self) -> range:
        return range(self.first, self.first + len(self.edges) - 1)


def bin_at(moment: float) -> int:
    """The number of the bin that this moment lies in."""
    return int(moment // FRAME_SECONDS)


def usable(points: Points, latest: float) -> tuple[int, int]:
    """Where the newest points lie whose time stamps only grow and are no later than ``latest``.

    After the clock stepped back, what lies before the step has stamps of a time to come; after
    it stepped far ahead, the delta over the step belongs nowhere.
    """
    stop = len(points)
    while stop and points[stop - 1][0] > latest:
        stop -= 1
    start = max(0, stop - 1)
    while start and 0 <= points[start][0] - points[start - 1][0] <= _GAP:
        start -= 1
    return start, stop


def cuts_of(points: Points, next_bin: int, latest: float) -> Optional[Cuts]:
    """The bins from ``next_bin`` on that the usable points cover from edge to edge, if any."""
    start, stop = usable(points, latest)
    if stop - start < 2:
        return None
    # The first edge not before the first point, and the last not after the last.
    first = max(next_bin, -bin_at(-points[start][0]))
    last = bin_at(points[stop - 1][0])
    if last <= first:
        return None
    times = [point[0] for point in points[:stop]]
    return Cuts(first, tuple(_cut(times, start, n * FRAME_SECONDS) for n in range(first, last + 1)))


def _cut(times: Sequence[float], start: int, edge: float) -> Cut:
    after = bisect_left(times, edge, start + 1)
    before = times[after - 1]
    return Cut(after, 0.0 if edge <= before else (edge - before) / (times[after] - before))


def growths(points: Points, cuts: Cuts) -> list[Growth]:
    """By bin how much the counter grew; None where it fell on the way: it began anew."""
    found: list[Growth] = []
    left: Growth = None
    passed = points[0]
    edges = iter(cuts.edges)
    after_left = -1
    for after, share in edges:
        low, high = points[after - 1], points[after]
        grown, counted = high[1] - low[1], high[2] - low[2]
        edge = None
        if grown >= 0 and counted >= 0:
            edge = (low[1] + share * grown, low[2] + share * counted)
        if after_left >= 0:
            whole = after == after_left or (low[1] >= passed[1] and low[2] >= passed[2])
            found.append(
                (edge[0] - left[0], edge[1] - left[1]) if whole and edge and left else None
            )
        left, passed, after_left = edge, high, after
    return found


def aligned(points: Points, pace: Points) -> bool:
    """Whether both have points of the same reports, as counters of one OSD have."""
    return bool(
        len(points) == len(pace)
        and points
        and points[0][0] == pace[0][0]
        and points[-1][0] == pace[-1][0]
    )


def unaligned(points: Points, cuts: Cuts) -> list[Growth]:
    """The growths of a counter whose points are not those of the cuts' own counter."""
    own = cuts_of(points, cuts.first, float("inf"))
    if own is None:
        return [None] * len(cuts.bins)
    found = dict(zip(own.bins, growths(points, own)))
    return [found.get(number) for number in cuts.bins]


def less(whole: Growth, part: Growth) -> Growth:
    """What is left of the sum, for the same number. Never below zero: stamps are rounded."""
    if whole is None or part is None:
        return None
    return max(0.0, whole[0] - part[0]), whole[1]
