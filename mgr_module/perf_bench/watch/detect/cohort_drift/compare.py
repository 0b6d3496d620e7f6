"""Compares the newest hours or days of a cohort with those of before that had the same load.

Load is taken out by matching, not by a model: an hour is compared with the past hours nearest to it
in load, within a caliper (nearest-neighbour matching with a caliper: Cochran and Rubin, Sankhya A
35, 1973; Rosenbaum and Rubin, The American Statistician 39, 1985). A regression would have to say
what latency is at a load that was never seen, and near saturation that is wrong in any form. An
hour whose load the past does not know is not judged.

Within the caliper loads still differ a little. Where the past hour had less load, its latency is
raised by what the difference can explain at most (LOAD_SLOPE), never lowered.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import sub
from typing import NamedTuple, Optional, Union

from ....model.history import DAY, HOUR
from ....model.statistics import median, spread

WEEK = 7 * DAY
# From this ratio on a cohort has drifted: that of the sustained rule for one OSD
# (slow_osd/thresholds.py). The warning is the issue's.
INFO_RATIO, WARNING_RATIO = 1.2, 1.5
# Below it the cohort is back, or a warning becomes an info again: so nothing flaps.
CALM_RATIO, WARNING_CALM_RATIO = 1.1, 1.4
# Spans of like load differ by at most this factor in each kind of load.
CALIPER = math.log(1.25)
# Latency grows with load to this power at most (``slope_max`` of slow_osd/thresholds.py; measured:
# 0.09 to 0.58). A cohort in which it grows with less than the power 2.3 never drifts by load alone:
# 1.25 to the power of 2.3 - 1.5 is 1.2.
LOAD_SLOPE = 1.5
# The past spans that a span is compared with, at most ``_A_BLOCK`` of one day or week.
_NEAREST, _A_BLOCK, _LEAST_ALIKE, _LEAST_BLOCKS = 12, 3, 6, 3
# Days of the past differ at equal load too: the drift must be so many of their robust standard
# deviations, and more than all but one of them.
NOISE_Z = 4.0
# Lower bound of that deviation. Hosts differ by .03 to .04 from day to day (DETECTION).
NOISE_FLOOR = 0.02
# Part of the newest spans that must be above CALM_RATIO.
_LASTING_SHARE = 0.75
# Spans of a block whose own excess is computed, for the noise.
_SAMPLED = 6
_TOLERANCE = 1e-9


class Point(NamedTuple):
    """One span of one channel: ln latency, and ln loads, None where unknown."""

    start: float
    level: float
    load: tuple[Optional[float], ...]


@dataclass(frozen=True)
class Horizon:
    """How far back is compared. ``span`` is that of a point, all times are seconds.

    The newest ``recent`` are compared, if ``least`` of their spans can be, with those that began
    before the last full ``block`` that ended ``recent`` or longer ago (``apart`` if given): at
    least ``spans`` of them in ``blocks`` blocks. A drift that has been open for ``settled`` is the
    new level. With ``grows`` slow growth is looked for too.
    """

    name: str
    noun: str
    span: int
    kept: float
    recent: float
    least: int
    apart: float
    block: float
    blocks: int
    spans: int
    settled: float
    grows: bool = False

    def until(self, now: float) -> float:
        """The end of the past, as seen from ``now``."""
        return math.floor((now - self.apart) / self.block) * self.block


# Steps: the newest two days with the month before. Seven days have one of each day of the week. A
# single slow day is no drift: in 55 cohorts of the trial "hard" (docs/benchmarks.md) one day had
# five findings by hours, two days had none.
HOURS = Horizon(
    "hours", "hour", HOUR, 30.0 * DAY, 2.0 * DAY, 24, 2.0 * DAY, DAY, 7, 100, 14.0 * DAY
)
# Slow growth: the newest week with what was four weeks ago and longer.
DAYS = Horizon(
    "days", "day", DAY, 400.0 * DAY, 1.0 * WEEK, 4, 4.0 * WEEK, WEEK, 4, 21, 4.0 * WEEK, grows=True
)
HORIZONS = (HOURS, DAYS)


class Shortage(NamedTuple):
    """Why there is no judgement: ``code`` past, recent or load; what it has of what it needs."""

    code: str
    have: int
    need: int


@dataclass(frozen=True)
class Comparison:
    """The newest spans against their past. ``excess`` and the like are in ln units.

    ``excess`` is the median of the ``judged`` newest spans, ``noise`` what days of the past differ
    by (None unless the excess was large enough to ask), ``past`` the number of past spans.
    """

    excess: float
    judged: int
    past: int
    noise: Optional[float]
    drifted: bool

    @property
    def ratio(self) -> float:
        return math.exp(self.excess)


class Reference:
    """The past of one cohort in one channel; answers are cached."""

    def __init__(self, points: Sequence[Point], horizon: Horizon) -> None:
        self.horizon = horizon
        size = len(points[0].load) if points else 0
        # Kinds of load that most of the past knows; spans without one of them are left out.
        self._kinds = [
            kind for kind in range(size) if 2 * sum(p.load[kind] is not None for p in points)
            > len(points)
        ]  # fmt: skip
        rows = [(p.start, p.level, self._loads(p)) for p in sorted(points, key=lambda p: p.start)]
        self._rows = [(start, level, load) for start, level, load in rows if load is not None]
        # The same by the first kind of load, of which a search takes a narrow part.
        self._by_load = sorted(self._rows, key=lambda row: row[2][0])
        self._firsts = [row[2][0] for row in self._by_load]
        self._known: dict[Point, Optional[float]] = {}

    def _loads(self, point: Point) -> Optional[tuple[float, ...]]:
        known = tuple(one for kind in self._kinds if (one := point.load[kind]) is not None)
        return known if known and len(known) == len(self._kinds) else None

    def _block(self, start: float) -> int:
        return int(start // self.horizon.block)

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def shortage(self) -> Optional[Shortage]:
        """Whether the past is too short."""
        horizon = self.horizon
        by_block: dict[int, int] = {}
        for start, _, _ in self._rows:
            by_block[self._block(start)] = by_block.get(self._block(start), 0) + 1
        full = sum(count >= _A_BLOCK for count in by_block.values())
        if len(self._rows) < horizon.spans or full < horizon.blocks:
            return Shortage("past", len(self._rows), horizon.spans)
        return None

    def excess(self, point: Point) -> Optional[float]:
        """How much slower a span is than the past at this load; None if that is not known."""
        if point not in self._known:
            self._known[point] = self._excess(point, None)
        return self._known[point]

    def _excess(self, point: Point, without: Optional[int]) -> Optional[float]:
        """``without`` is a block that is left out of the past."""
        load = self._loads(point)
        if load is None:
            return None
        # The nearest are all within a quarter of the caliper mostly: that spares the others.
        chosen, blocks = self._nearest(load, CALIPER / 4 + _TOLERANCE, without)
        if len(chosen) < _NEAREST:
            chosen, blocks = self._nearest(load, CALIPER + _TOLERANCE, without)
        if len(chosen) < _LEAST_ALIKE or blocks < _LEAST_BLOCKS:
            return None
        return point.level - median(chosen)

    def _nearest(
        self, load: Sequence[float], caliper: float, without: Optional[int]
    ) -> tuple[list[float], int]:
        """The levels of the nearest past spans, and how many blocks they are of."""
        low, high = load[0] - caliper, load[0] + caliper
        near = self._by_load[bisect_left(self._firsts, low) : bisect_right(self._firsts, high)]
        for kind, own in enumerate(load[1:], 1):
            low, high = own - caliper, own + caliper
            near = [row for row in near if low <= row[2][kind] <= high]
        ranked = sorted([(max(map(abs, map(sub, load, row[2]))), row[0], row) for row in near])
        counts: dict[int, int] = {}
        chosen: list[float] = []
        for _, start, (_, level, then) in ranked:
            block = self._block(start)
            if block != without and counts.get(block, 0) < _A_BLOCK:
                counts[block] = counts.get(block, 0) + 1
                more = max(map(sub, load, then))
                chosen.append(level + LOAD_SLOPE * max(0.0, more))
            if len(chosen) == _NEAREST:
                break
        return chosen, len(counts)

    @cached_property
    def noise(self) -> tuple[float, float]:
        """The robust standard deviation of the past's blocks, and the second largest of them."""
        by_block: dict[int, list[Point]] = {}
        for start, level, load in self._rows:
            point = Point(start, level, self._full(load))
            by_block.setdefault(self._block(start), []).append(point)
        values = []
        for block, points in sorted(by_block.items()):
            some = points[:: -(-len(points) // _SAMPLED)]
            found = [self._excess(point, block) for point in some]
            known = [one for one in found if one is not None]
            if known:
                values.append(median(known))
        if self.horizon.grows:
            # Growth is no noise: how much each block differs from the one before it.
            steps = [(after - before) / math.sqrt(2) for before, after in zip(values, values[1:])]
            deviation = spread(steps)
        else:
            deviation = spread(values)
        second = sorted(values)[-2] if len(values) > 1 else 0.0
        return (NOISE_FLOOR if math.isnan(deviation) else max(deviation, NOISE_FLOOR)), second

    def _full(self, load: Sequence[float]) -> tuple[Optional[float], ...]:
        full: list[Optional[float]] = [None] * (max(self._kinds) + 1)
        for kind, own in zip(self._kinds, load):
            full[kind] = own
        return tuple(full)


def reference(points: Sequence[Point], horizon: Horizon, begin: float, until: float) -> Reference:
    """The past that starts in ``begin`` … ``until``."""
    return Reference([point for point in points if begin <= point.start < until], horizon)


def compare(
    past: Reference, points: Sequence[Point], now: float, since: float
) -> Union[Comparison, Shortage]:
    """Judge the newest of the points (in order of time) that do not begin before ``since``.

    ``now`` is the end of the newest span.
    """
    horizon = past.horizon
    if past.shortage is not None:
        return past.shortage
    begin = max(now - horizon.recent, since)
    newest = [point for point in points if begin <= point.start < now]
    if len(newest) < horizon.least:
        return Shortage("recent", len(newest), horizon.least)
    found = [one for one in map(past.excess, newest) if one is not None]
    if len(found) < horizon.least:
        return Shortage("load", len(found), horizon.least)
    excess = median(found)
    if excess < math.log(INFO_RATIO) - _TOLERANCE:
        return Comparison(excess, len(found), len(past), None, drifted=False)
    deviation, second = past.noise
    above = sum(one >= math.log(CALM_RATIO) - _TOLERANCE for one in found)
    drifted = (
        excess >= NOISE_Z * deviation
        and excess > second
        and above >= _LASTING_SHARE * len(found)
    )  # fmt: skip
    return Comparison(excess, len(found), len(past), deviation, drifted)


def onset(past: Reference, points: Sequence[Point], excess: float) -> Optional[float]:
    """When the drift began: the start of the run of spans that are closer to it than to the past.

    The run may contain others, as long as they are fewer: the best split by signs.
    """
    score = best = 0
    began = None
    for point in reversed(points):
        own = past.excess(point)
        if own is None:
            continue
        score += 1 if own >= excess / 2 else -1
        if score > best:
            best, began = score, point.start
        if score < best - _NEAREST:
            break
    return began
