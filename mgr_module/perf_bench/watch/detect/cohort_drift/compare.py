"""Compares the newest two days of a cohort with the month before, hour by hour at the same load.

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
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import sub
from typing import NamedTuple, Optional, Union

from ....model.finding import Gap
from ....model.history import DAY
from ....model.statistics import median, spread

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
# A load that is not known is like another one that is not, and like no other.
UNKNOWN_LOAD = -1e9
# The past hours that an hour is compared with, at most ``_A_DAY`` of one day.
_NEAREST, _A_DAY, _LEAST_ALIKE, _LEAST_DAYS = 12, 3, 6, 3
# Days of the past differ at equal load too: the drift must be so many of their robust standard
# deviations, and more than all but one of them.
NOISE_Z = 4.0
# Lower bound of that deviation. Hosts differ by .03 to .04 from day to day (DETECTION).
NOISE_FLOOR = 0.02
# Part of the newest hours that must be above CALM_RATIO.
_LASTING_SHARE = 0.75
# Hours of a day whose own excess is computed, for the noise.
_SAMPLED = 6
_TOLERANCE = 1e-9

# The newest two days are compared, if 24 of their hours can be, with those of the month before that
# began before the last whole day: a single slow day is no drift. In 55 cohorts of the trial "hard"
# (docs/benchmarks.md) one day had five findings, two days had none.
KEPT_SECONDS, RECENT_SECONDS = 30.0 * DAY, 2.0 * DAY
LEAST_RECENT = 24
# The past needs so many hours on so many days: seven days have one of each day of the week.
LEAST_PAST, LEAST_DAYS = 100, 7
# A drift that has been open for so long is the new level.
SETTLED_SECONDS = 14.0 * DAY

# By code why there is no judgement: so many of the hours that it needs are there.
_SHORT = {
    "past": f"no judgement yet: needs {LEAST_PAST} hours with data on {LEAST_DAYS} days before the "
    "newest two days, has {}",
    "recent": f"no judgement: of the newest {RECENT_SECONDS / 3600:.0f} hours {{}} have data, and "
    f"it needs {LEAST_RECENT}; hours with recovery do not count",
    "load": "no judgement: for {} of the newest hours there is a past of like load, and it needs "
    f"{LEAST_RECENT}",
}


class Point(NamedTuple):
    """One hour of one channel: ln latency, and ln loads, UNKNOWN_LOAD where unknown."""

    start: float
    level: float
    load: tuple[float, ...]


@dataclass(frozen=True)
class Comparison:
    """The newest hours against their past. ``excess`` and the like are in ln units.

    ``excess`` is the median of the ``judged`` newest hours, ``noise`` what days of the past differ
    by (None unless the excess was large enough to ask), ``past`` the number of past hours.
    """

    excess: float
    judged: int
    past: int
    noise: Optional[float]
    drifted: bool

    @property
    def ratio(self) -> float:
        return math.exp(self.excess)


# A judgement, or why there is none.
Outcome = Union[Comparison, Gap]


def short(code: str, have: int) -> Gap:
    """Why there is no judgement."""
    return Gap(code, _SHORT[code].format(have))


def past_end(now: float) -> float:
    """The end of the past, as seen from ``now`` (unix seconds)."""
    return math.floor((now - RECENT_SECONDS) / DAY) * DAY


class Past:
    """The past of one cohort in one channel."""

    def __init__(self, points: Sequence[Point]) -> None:
        # In the order of the first kind of load, of which a search takes a narrow part.
        self._points = sorted(points, key=lambda point: (point.load[0], point.start))
        self._firsts = [point.load[0] for point in self._points]

    def __len__(self) -> int:
        return len(self._points)

    @property
    def shortage(self) -> Optional[Gap]:
        """Whether the past is too short."""
        by_day = Counter(point.start // DAY for point in self._points)
        full = sum(count >= _A_DAY for count in by_day.values())
        if len(self) < LEAST_PAST or full < LEAST_DAYS:
            return short("past", len(self))
        return None

    def excess(self, point: Point, without: Optional[float] = None) -> Optional[float]:
        """How much slower an hour is than the past at this load; None if that is not known.

        ``without`` is a day that is left out of the past.
        """
        load, caliper = point.load, CALIPER + _TOLERANCE
        low, high = load[0] - caliper, load[0] + caliper
        near = self._points[bisect_left(self._firsts, low) : bisect_right(self._firsts, high)]
        for kind, own in enumerate(load[1:], 1):
            low, high = own - caliper, own + caliper
            near = [one for one in near if low <= one.load[kind] <= high]
        days: Counter[float] = Counter()
        chosen: list[float] = []
        for one in sorted(near, key=lambda one: (max(map(abs, map(sub, load, one.load))), one)):
            day = one.start // DAY
            if day != without and days[day] < _A_DAY and len(chosen) < _NEAREST:
                days[day] += 1
                more = max(map(sub, load, one.load))
                chosen.append(one.level + LOAD_SLOPE * max(0.0, more))
        if len(chosen) < _LEAST_ALIKE or len(days) < _LEAST_DAYS:
            return None
        return point.level - median(chosen)

    @cached_property
    def noise(self) -> tuple[float, float]:
        """The robust standard deviation of the past's days, and the second largest of them."""
        by_day: dict[float, list[Point]] = {}
        for point in sorted(self._points):
            by_day.setdefault(point.start // DAY, []).append(point)
        values = []
        for day, points in by_day.items():
            some = points[:: -(-len(points) // _SAMPLED)]
            found = [self.excess(point, day) for point in some]
            known = [one for one in found if one is not None]
            if known:
                values.append(median(known))
        deviation = spread(values)
        second = sorted(values)[-2] if len(values) > 1 else 0.0
        return (NOISE_FLOOR if math.isnan(deviation) else max(deviation, NOISE_FLOOR)), second


def compare(past: Past, points: Sequence[Point], now: float, since: float) -> Outcome:
    """Judge the newest of the points (in order of time) that do not begin before ``since``.

    ``now`` is the end of the newest hour.
    """
    shortage = past.shortage
    if shortage is not None:
        return shortage
    begin = max(now - RECENT_SECONDS, since)
    newest = [point for point in points if begin <= point.start < now]
    if len(newest) < LEAST_RECENT:
        return short("recent", len(newest))
    found = [one for one in map(past.excess, newest) if one is not None]
    if len(found) < LEAST_RECENT:
        return short("load", len(found))
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


def onset(past: Past, points: Sequence[Point], excess: float) -> Optional[float]:
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
