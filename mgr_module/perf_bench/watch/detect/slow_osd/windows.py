"""The figures of one cohort in one channel, for a minute and for a segment, in ln units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Optional

from ....model.frame import Mark
from ....model.statistics import against_others, median_of_sorted, sample, valid
from .topology import Cohort

# Marks of OSDs that are no reference for their peers. Scrubbing is another one, but only while few
# OSDs scrub (see ``excluded_places``).
_NO_REFERENCE = Mark.RESTARTED | Mark.NEW | Mark.RECOVERING | Mark.REWEIGHTED | Mark.DISTURBED


@dataclass(frozen=True)
class Minute:
    """One channel of a cohort in a minute, by position; ``level`` is ln of the mean seconds."""

    start: float
    level: Sequence[float]
    ops: Sequence[float]
    load: Sequence[float]  # ln of the ratio of its bytes/s to the group's; 0 if unknown
    marks: Mapping[int, int]  # by position, only those with marks


@dataclass
class Residuals:
    """The excess of each OSD over its group, and the effect of each group over ``centre``.

    ``centre`` is the cohort's median, ``references`` the number of OSDs that it is made of.
    """

    excess: list[float]
    effects: list[float]
    centre: float
    references: int
    out: frozenset[int] = frozenset()  # positions that are judged more strictly
    resting: bool = False  # True if too many are out to judge the cohort


@dataclass(frozen=True)
class Segment:
    """15 minutes: medians of the minutes. ``excluded`` are positions to judge more strictly."""

    start: float
    excess: Sequence[float]
    effects: Sequence[float]
    centre: float
    ops: Sequence[float]
    excluded: frozenset[int]
    resting: bool  # too much of the cohort was excluded
    minutes: Sequence[Sequence[float]]  # the excess in each
    load: Sequence[float] = ()  # mean of what load explained, already taken out; empty for none

    def with_load(self, part: Optional[Sequence[float]] = None) -> Segment:
        """Return the segment with the excess as it is before load is taken out.

        With a ``part`` (by position, ln) of what load explained only that is put back.
        """
        more = self.load if part is None else part
        minutes = [[own + each for own, each in zip(minute, more)] for minute in self.minutes]
        excess = [own + each for own, each in zip(self.excess, more)]
        return replace(self, excess=excess, minutes=minutes, load=())

    def share_above(self, place: int, bound: float) -> float:
        """Return the part of its minutes in which its excess was at least ``bound``, 0 to 1."""
        own = [minute[place] for minute in self.minutes if not math.isnan(minute[place])]
        return sum(value >= bound for value in own) / max(1, len(own))


def excluded_places(
    marks: Mapping[int, int], size: int, suspend_share: float
) -> tuple[frozenset[int], bool]:
    """Return the positions that are no reference, and whether they are too many to judge at all.

    With 100 PGs per OSD and 1 % of the PGs scrubbing, 63 % of the OSDs scrub at any instant. Then
    scrubbing is normal, and OSDs that scrub are not excluded.
    """
    if not marks:
        return frozenset(), False
    hard = frozenset(place for place, mark in marks.items() if mark & _NO_REFERENCE)
    if len(hard) > suspend_share * size:
        return hard, True
    soft = frozenset(place for place, mark in marks.items() if mark & Mark.SCRUBBING)
    both = hard | soft
    return (both if len(both) <= suspend_share * size else hard), False


def residuals(cohort: Cohort, level: Sequence[float], out: frozenset[int]) -> Residuals:
    """Compare each OSD with the median of the others of its group, without those in ``out``."""
    reference = level
    if out:
        reference = [math.nan if at in out else value for at, value in enumerate(level)]
    some = valid(sample(reference))
    if not some:
        return Residuals([math.nan] * cohort.size, [math.nan] * len(cohort.groups), math.nan, 0)
    centre = median_of_sorted(some)
    whole = None
    excess: list[float] = []
    centres: list[float] = []
    for group in cohort.groups:
        ordered = [] if group.wide else valid(reference[group.start : group.end])
        if len(ordered) < 3:
            whole = whole or valid(reference)
            ordered = whole
        centres.append(median_of_sorted(ordered))
        excess += against_others(level[group.start : group.end], ordered)
    for place in out:
        excess[place] = level[place] - centres[cohort.group_of[place]]
    return Residuals(excess, [own - centre for own in centres], centre, len(some))


def load_against(rates: Sequence[float]) -> list[float]:
    """Return ln of the ratio of each load (bytes/s) to their median; 0 for unknown."""
    ordered = sorted([rate for rate in rates if rate >= 0])
    if not ordered:
        return [0.0] * len(rates)
    usual = math.log(ordered[len(ordered) // 2] + 1)
    return [math.log(rate + 1) - usual if rate >= 0 else 0.0 for rate in rates]


class Slope:
    """How much latency rises with load within a group, learned from points without outliers."""

    def __init__(self, half_life: float, most: float) -> None:
        self._keep = 0.5 ** (1 / (60 * half_life))
        self._most = most
        self.products = 0.0
        self.squares = 0.0

    @property
    def value(self) -> float:
        # The 1 keeps the slope near 0 until there are about 100 points with a spread of 0.1.
        return min(self._most, max(0.0, self.products / (self.squares + 1.0)))

    def learn(self, excess: Sequence[float], load: Sequence[float], bound: float) -> None:
        """Add a minute; points with |excess| over ``bound`` have other causes and are ignored."""
        step = max(1, len(excess) // 1000)
        pairs = [
            (own, more)
            for own, more in zip(excess[::step], load[::step])
            if -bound < own < bound and more
        ]
        share = step / max(1, len(excess))  # large and small cohorts have the same weight
        self.products *= self._keep
        self.squares *= self._keep
        self.products += sum([own * more for own, more in pairs]) * share
        self.squares += sum([more * more for _, more in pairs]) * share

    def without_load(self, excess: list[float], load: Sequence[float]) -> list[float]:
        """Return the excess less what load explains.

        The excess of an OSD that is slower with less load than its peers is not changed, and that
        of a faster one does not rise above 0: else the noise of an OSD with little load would.
        """
        slope = self.value
        if slope < 0.01:
            return excess
        return [
            own - slope * more if more > 0 else min(0.0, own - slope * more) if own < 0 else own
            for own, more in zip(excess, load)
        ]


class RunningScale:
    """A running mean of a scale; a value counts as at most twice the mean."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self.value = math.nan
        self.count = 0

    def learn(self, value: float) -> None:
        """Add a value; NaN is ignored."""
        if math.isnan(value):
            return
        self.count = min(self.count + 1, self._memory)
        if self.count == 1:
            self.value = value
        else:
            bounded = min(value, max(2 * self.value, 0.02))
            self.value += (bounded - self.value) / self.count
