"""Sums up the frames of a span, for all OSDs of a roster, by channel.

For 10,000 OSDs it processes whole columns, and single OSDs only if they differ from their peers.
"""

# ruff: noqa: FURB136, PLR0124
# x == x is False for NaN; a call of isnan() or max() for each value would double the time.

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from operator import add, mul
from typing import Optional

from ..model.finding import Roster
from ..model.history import BINS, RATIO_EDGES
from .encoding import UNKNOWN, Columns, counts, operations, shrink

_NAN = float("nan")
_ALL = slice(None)
# The median of a sample of this size differs from that of the cohort by a few percent of the
# spread; sorting all 10,000 would take 10 ms for each channel and frame.
_SAMPLE = 500
_UNCOMPARED, _TYPICAL, _FIRST = 0, 1, 2


class SpanTotals:
    """One channel: sum and weight of the means, and the largest mean. Zero means no data yet."""

    __slots__ = ("ops_unknown", "peak", "total", "weight")

    def __init__(self, size: int) -> None:
        self.total: Sequence[float] = array("d", bytes(8 * size))
        self.weight: Sequence[float] = array("d", bytes(8 * size))
        self.peak: Sequence[float] = array("d", bytes(8 * size))
        # Positions whose number of operations is unknown in at least one frame.
        self.ops_unknown: set[int] = set()

    def add(self, means: Sequence[float], ops: Optional[Sequence[float]]) -> None:
        """Add a frame. A mean with unknown operations has the weight of one operation."""
        means, weights = self._clean(means, ops)
        # Lists take half the time of arrays; ``take`` makes arrays, which take less memory.
        self.total = list(map(add, self.total, map(mul, means, weights)))
        self.weight = list(map(add, self.weight, weights))
        self.peak = [m if m > p else p for p, m in zip(self.peak, means)]

    def _clean(
        self, means: Sequence[float], ops: Optional[Sequence[float]]
    ) -> tuple[Sequence[float], Sequence[float]]:
        """Return the means with 0 for NaN, and their weights: 0 for no data.

        A sum shows whether there is any NaN, faster than a test of each value.
        """
        all_ops = _NAN if ops is None else sum(ops)
        if ops is None or all_ops != all_ops:
            unknown = ops or [_NAN] * len(means)
            self.ops_unknown.update(
                i for i, (m, o) in enumerate(zip(means, unknown)) if o != o and m == m
            )
        if ops is None:
            weights: Sequence[float] = [1.0] * len(means)
        elif all_ops == all_ops and min(ops) > 0:
            weights = ops
        else:
            weights = [o if o > 0 else 1.0 for o in ops]
        all_means = sum(means)
        if all_means != all_means:
            weights = [w if m == m else 0.0 for m, w in zip(means, weights)]
            means = [m if m == m else 0.0 for m in means]
        return means, weights

    def take(self, other: SpanTotals) -> None:
        """Add another span of the same OSDs."""
        self.total = array("d", list(map(add, self.total, other.total)))
        self.weight = array("d", list(map(add, self.weight, other.weight)))
        self.peak = array("d", [b if b > a else a for a, b in zip(self.peak, other.peak)])
        self.ops_unknown |= other.ops_unknown

    def means(self, part: slice = _ALL) -> array[int]:
        """Return the means, shrunk."""
        sums = zip(self.total[part], self.weight[part])
        return shrink([total / weight if weight else _NAN for total, weight in sums])

    def peaks(self, part: slice = _ALL) -> array[int]:
        """Return the maxima, shrunk."""
        peaks = zip(self.peak[part], self.weight[part])
        return shrink([peak if weight else _NAN for peak, weight in peaks])

    def operations(self, part: slice) -> array[int]:
        """Return the operations, as they are stored."""
        found = operations(self.weight[part])
        for place in self.ops_unknown.intersection(range(part.start, part.stop)):
            found[place - part.start] = UNKNOWN
        return found


class PeerHistogram:
    """One channel: for each OSD the number of frames by its ratio to the peers' median.

    Most frames are typical; their number is computed, not counted. A channel that is not
    ``compared`` has all frames in the first bin.
    """

    __slots__ = ("_absent", "_apart", "_frames", "_left")

    def __init__(self, size: int, compared: bool) -> None:
        self._frames = 0
        self._left = _TYPICAL if compared else _UNCOMPARED
        self._absent = array("H", bytes(2 * size))
        self._apart = {
            place: array("H", bytes(2 * size)) for place in range(BINS) if place != self._left
        }

    def add_uncompared(self, values: Sequence[float]) -> None:
        """Add a frame of a channel that is not compared."""
        self._frames += 1
        for place in [place for place, value in enumerate(values) if value != value]:
            self._absent[place] += 1

    def add(self, values: Sequence[float], cohorts: Sequence[Sequence[int]]) -> None:
        """Add a frame; ``cohorts`` are the positions of the OSDs that are peers."""
        self._frames += 1
        for cohort in cohorts:
            median = _median(values, cohort)
            if median is None:
                self._count(values, cohort, _UNCOMPARED)
                continue
            first = median * RATIO_EDGES[0]
            apart = [place for place in cohort if not values[place] < first]
            edges = [median * edge for edge in RATIO_EDGES]
            for place in apart:
                value = values[place]
                if value == value:
                    self._apart[bisect_right(edges, value) + _TYPICAL][place] += 1
                else:
                    self._absent[place] += 1

    def slow(self, rules: Sequence[tuple[float, int]]) -> dict[int, int]:
        """Return by position the frames in which it was slow, where a rule applies.

        A rule is (one of RATIO_EDGES, the least number of frames from this ratio on); they are in
        order of the ratio, highest first.
        """
        found: dict[int, int] = {}
        sums = [0] * len(self._absent)
        after = BINS
        for ratio, least in rules:
            bin_ = RATIO_EDGES.index(ratio) + _TYPICAL + 1
            for column in map(self._apart.__getitem__, range(bin_, after)):
                if any(column):
                    sums = list(map(add, sums, column))
            after = bin_
            found.update((place, count) for place, count in enumerate(sums) if count >= least)
        return found

    def columns(self, part: slice) -> list[array[int]]:
        """Return the counts by bin."""
        apart = {place: column[part] for place, column in self._apart.items()}
        left = [self._frames - absent for absent in self._absent[part]]
        for column in apart.values():
            if any(column):
                left = [a - b for a, b in zip(left, column)]
        apart[self._left] = counts(left)
        return [apart[place] for place in range(BINS)]

    def _count(self, values: Sequence[float], cohort: Sequence[int], bin_: int) -> None:
        for place in cohort:
            value = values[place]
            if value == value:
                self._apart[bin_][place] += 1
            else:
                self._absent[place] += 1


def _median(values: Sequence[float], cohort: Sequence[int]) -> Optional[float]:
    """Return the lower median of a cohort; None if fewer than two have data, or if it is zero.

    It is the lower one so that of two OSDs the faster is the reference.
    """
    step = len(cohort) // _SAMPLE + 1
    there = _sorted(values, cohort[::step])
    if step > 1 and len(there) < _SAMPLE // 4:
        there = _sorted(values, cohort)
    if len(there) < 2:
        return None
    return there[(len(there) - 1) // 2] or None


def _sorted(values: Sequence[float], places: Sequence[int]) -> list[float]:
    return sorted([value for value in map(values.__getitem__, places) if value == value])


def cohorts_of(roster: Roster) -> list[list[int]]:
    """Return the positions of a roster's OSDs, by cohort."""
    found: dict[str, list[int]] = {}
    for place, member in enumerate(roster.members):
        found.setdefault(member.cohort, []).append(place)
    return list(found.values())


def columns_of(sums: SpanTotals, standing: PeerHistogram, part: slice) -> Columns:
    """Return a span's figures as they are stored, for the OSDs in ``part``."""
    return Columns(
        sums.means(part), sums.peaks(part), sums.operations(part), standing.columns(part)
    )
