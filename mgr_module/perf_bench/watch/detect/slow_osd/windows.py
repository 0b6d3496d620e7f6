"""What a channel's figures of one cohort are in one minute and in one segment, in ln units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....model.frame import Mark
from ....model.statistics import against_others, median, sample, valid
from .topology import Cohort

# Whose figures say little about its peers. A scrub counts only while few scrub (see ``barred``).
_NO_REFERENCE = Mark.RESTARTED | Mark.NEW | Mark.RECOVERING | Mark.REWEIGHTED | Mark.DISTURBED


@dataclass(frozen=True)
class Minute:
    """One channel of one cohort in one minute, by place: ``level`` is ln of the mean latency."""

    start: float
    level: Sequence[float]
    ops: Sequence[float]
    load: Sequence[float]  # ln of its bytes/s over the group's; 0 where unknown
    marks: Mapping[int, int]  # only the places that have any


@dataclass
class Residuals:
    """How each OSD stands against its group, and each group against the cohort's ``centre``."""

    excess: list[float]
    effects: list[float]
    centre: float
    references: int
    out: frozenset[int] = frozenset()  # judged more strictly
    resting: bool = False  # too many are out


@dataclass(frozen=True)
class Segment:
    """15 minutes: medians over the minutes. ``excluded`` are places to judge more strictly."""

    start: float
    excess: Sequence[float]
    effects: Sequence[float]
    centre: float
    ops: Sequence[float]
    excluded: frozenset[int]
    resting: bool  # too much of the cohort was excluded
    minutes: Sequence[Sequence[float]]  # the excess in each

    def share_above(self, place: int, bound: float) -> float:
        """The part of its minutes in which its excess was at least that."""
        own = [minute[place] for minute in self.minutes if not math.isnan(minute[place])]
        return sum(value >= bound for value in own) / max(1, len(own))


def excluded_places(
    marks: Mapping[int, int], size: int, suspend_share: float
) -> tuple[frozenset[int], bool]:
    """The places that are no reference, and whether they are too many to go by.

    At 100 PGs an OSD and 1 % of the PGs scrubbing, 63 % of the OSDs scrub at any instant: then
    scrubbing is how the peers live, and excluding it would blind the detector.
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
    """Each against the median of the others of its group; those in ``out`` are no others."""
    reference = level
    if out:
        reference = [math.nan if at in out else value for at, value in enumerate(level)]
    some = valid(sample(reference))
    if not some:
        return Residuals([math.nan] * cohort.size, [math.nan] * len(cohort.groups), math.nan, 0)
    centre = median(some)
    whole = None
    excess: list[float] = []
    centres: list[float] = []
    for group in cohort.groups:
        ordered = [] if group.wide else valid(reference[group.start : group.end])
        if len(ordered) < 3:
            whole = whole or valid(reference)
            ordered = whole
        centres.append(median(ordered))
        excess += against_others(level[group.start : group.end], ordered)
    for place in out:
        excess[place] = level[place] - centres[cohort.group_of[place]]
    return Residuals(excess, [own - centre for own in centres], centre, len(some))


def load_against(rates: Sequence[float]) -> list[float]:
    """Loads in bytes/s as ln of them over their median; 0 for unknown."""
    ordered = sorted([rate for rate in rates if rate >= 0])
    if not ordered:
        return [0.0] * len(rates)
    usual = math.log(ordered[len(ordered) // 2] + 1)
    return [math.log(rate + 1) - usual if rate >= 0 else 0.0 for rate in rates]


class Slope:
    """How much latency rises with load within a group: pooled, on unsuspicious points only."""

    def __init__(self, half_life: float, most: float) -> None:
        self._keep = 0.5 ** (1 / (60 * half_life))
        self._most = most
        self.products = 0.0
        self.squares = 0.0

    @property
    def value(self) -> float:
        # 1 in the denominator: a hundred points with a spread of .1 before it says anything
        return min(self._most, max(0.0, self.products / (self.squares + 1.0)))

    def learn(self, excess: Sequence[float], load: Sequence[float], bound: float) -> None:
        """One minute more; points with |excess| over ``bound`` are not what load does."""
        step = max(1, len(excess) // 1000)
        pairs = [
            (own, more)
            for own, more in zip(excess[::step], load[::step])
            if -bound < own < bound and more
        ]
        share = step / max(1, len(excess))  # of a large cohort no more weight than of a small
        self.products *= self._keep
        self.squares *= self._keep
        self.products += sum([own * more for own, more in pairs]) * share
        self.squares += sum([more * more for _, more in pairs]) * share

    def without_load(self, excess: list[float], load: Sequence[float]) -> list[float]:
        """What load does not explain. Slower with less load than its peers is left as it is."""
        slope = self.value
        if slope < 0.01:
            return excess
        return [
            own - slope * more if more > 0 or own < 0 else own for own, more in zip(excess, load)
        ]


class RunningScale:
    """A running mean of a scale: one outlier in it counts as no more than twice the mean."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self.value = math.nan
        self.count = 0

    def learn(self, value: float) -> None:
        """NaN is not learned."""
        if math.isnan(value):
            return
        self.count = min(self.count + 1, self._memory)
        if self.count == 1:
            self.value = value
        else:
            bounded = min(value, max(2 * self.value, 0.02))
            self.value += (bounded - self.value) / self.count
