"""Whom OSDs are compared with, and by how much they differ.

First the cohorts, and the units (hosts, enclosures …) that OSDs share. Then the figures of a cohort
in a window: excess over the peers, scales, load. They are natural logarithms; NaN is no data.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar, NamedTuple, Optional

from ...model.finding import Mark, Roster, Watched
from ...model.statistics import against_others, median_of_sorted, sample, valid
from ..blame import units_of

UnitKey = tuple[str, str]
# OSDs with one of these are no reference for their peers.
_NO_REFERENCE = Mark.RECOVERING | Mark.DISTURBED


class Group(NamedTuple):
    """Members with the same reference: the others of their unit, or (no ``key``) all others."""

    start: int
    end: int
    key: Optional[UnitKey]


class Cohort:
    """OSDs that should perform alike; figures of them are lists by *place*, group by group.

    ``position_of`` names by place the position on the host: the drive, or else the OSD's rank among
    the cohort's OSDs of the host; ``position_sizes`` says how many OSDs are at each. ``index`` has
    the OSDs' places in the roster.
    """

    def __init__(
        self, name: str, watched: Sequence[Watched], index: Mapping[int, int], group_members: float
    ) -> None:
        self.name, self.size = name, len(watched)
        self.units = [unit for unit in units_of(watched) if len(unit.osds) < len(watched)]
        # The narrowest unit comes last; a device is no reference for its own OSDs.
        finest: dict[int, int] = {}
        for number, unit in enumerate(self.units):
            if unit.kind != "device" and len(unit.osds) >= group_members:
                finest.update(dict.fromkeys(unit.osds, number))
        counts, whole = Counter(finest.values()), len(self.units)

        def unit_of(one: Watched) -> int:
            number = finest.get(one.osd, whole)
            return number if counts[number] >= group_members else whole

        self.members = sorted(watched, key=lambda one: (unit_of(one), one.osd))
        self.place = {member.osd: at for at, member in enumerate(self.members)}
        self.groups: list[Group] = []
        self.group_of: list[Group] = []
        for number, some in groupby(self.members, unit_of):
            start, count = len(self.group_of), len(list(some))
            key = (self.units[number].kind, self.units[number].id) if number < whole else None
            self.groups.append(Group(start, start + count, key))
            self.group_of += [self.groups[-1]] * count
        self.position_of = _positions(self.members)
        self.position_sizes = Counter(self.position_of)
        self._order = [index[member.osd] for member in self.members]

    def pick(self, figures: Sequence[float]) -> list[float]:
        """The roster's figures by place."""
        return [figures[at] for at in self._order]


class Topology:
    """The cohorts of a roster; ``cohort_of`` is by OSD."""

    def __init__(self, roster: Roster, group_members: float) -> None:
        self.roster = roster
        by_cohort: dict[str, list[Watched]] = defaultdict(list)
        for watched in roster.members:
            by_cohort[watched.cohort].append(watched)
        index = {watched.osd: at for at, watched in enumerate(roster.members)}
        self.cohorts = [
            Cohort(name, by_cohort[name], index, group_members) for name in sorted(by_cohort)
        ]
        self.cohort_of = {one.osd: cohort for cohort in self.cohorts for one in cohort.members}


def _positions(members: Sequence[Watched]) -> list[str]:
    """Return by place the name of the drive on its host (``sdb``), else the rank on the host."""
    ranks: dict[int, int] = {}
    seen: dict[str, int] = defaultdict(int)
    for member in sorted(members, key=lambda member: member.osd):
        seen[member.host] += 1
        ranks[member.osd] = seen[member.host]
    drives = ((one, (one.device or one.name).partition("/")[2]) for one in members)
    return [drive or f"number {ranks[one.osd]}" for one, drive in drives]


# --- figures of a window ---------------------------------------------------------------------


class View(NamedTuple):
    """What is judged of a minute, a segment or hours, by place.

    ``centre`` is the cohort's median, ``scale`` its members'. ``level`` is ln of the latency,
    ``excess`` that over the peers; ``out`` are judged more strictly. A segment has the excess of
    its ``minutes``.
    """

    start: float
    number: int
    centre: float
    scale: float
    excess: Sequence[float]
    level: Sequence[float]
    ops: Sequence[float]
    out: frozenset[int]
    minutes: Sequence[Sequence[float]] = ()


def no_reference(marks: Mapping[int, int]) -> frozenset[int]:
    """Return the places that are no reference for others.

    OSDs that scrub are a reference: with 100 PGs per OSD and 1 % of the PGs scrubbing, 63 % of the
    OSDs scrub at any instant.
    """
    return frozenset(place for place, mark in marks.items() if mark & _NO_REFERENCE)


def residuals(
    cohort: Cohort, level: Sequence[float], out: frozenset[int]
) -> tuple[list[float], Mapping[Group, float], float]:
    """Compare each OSD with the median of the others of its group, without those in ``out``.

    Returns by place the excess over them, by group how far it is above the cohort, and the cohort's
    median, which is NaN if nobody has data.
    """
    reference = level
    if out:
        reference = [math.nan if at in out else value for at, value in enumerate(level)]
    some = valid(sample(reference))
    if not some:
        return [math.nan] * cohort.size, {}, math.nan
    centre = median_of_sorted(some)
    whole = None
    excess: list[float] = []
    above: dict[Group, float] = {}
    for group in cohort.groups:
        ordered = valid(reference[group.start : group.end]) if group.key else []
        if len(ordered) < 3:
            whole = whole or valid(reference)
            ordered = whole
        above[group] = median_of_sorted(ordered) - centre
        excess += against_others(level[group.start : group.end], ordered)
    for place in out:
        excess[place] = level[place] - centre - above[cohort.group_of[place]]
    return excess, above, centre


def load_against(rates: Sequence[float]) -> list[float]:
    """Return ln of the ratio of each load (bytes/s) to their median; 0 for unknown."""
    ordered = sorted([rate for rate in rates if rate >= 0])
    if not ordered:
        return [0.0] * len(rates)
    usual = math.log(ordered[len(ordered) // 2] + 1)
    return [math.log(rate + 1) - usual if rate >= 0 else 0.0 for rate in rates]


class Slope:
    """How much latency rises with load within a group, learned from points without outliers."""

    KEPT: ClassVar[Mapping[str, Any]] = {"products": float, "squares": float}
    # The part that is kept for a minute: half of what was learned is 6 h old at most.
    _KEEP = 0.5 ** (1 / 360)

    def __init__(self, most: float) -> None:
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
        self.products = self.products * self._KEEP + share * sum([a * b for a, b in pairs])
        self.squares = self.squares * self._KEEP + share * sum([b * b for _, b in pairs])

    def explained(self, excess: Sequence[float], load: Sequence[float]) -> list[float]:
        """Return by place what load explains of the excess; an empty list for nothing of any.

        Nothing of an OSD that is slower with less load than its peers; and a faster one does not
        rise above them, else the noise of an OSD with little load would.
        """
        slope = self.value
        if slope < 0.01:
            return []
        return [
            slope * more if more > 0 else max(own, slope * more) if own < 0 else 0.0
            for own, more in zip(excess, load)
        ]


def medians(rows: Sequence[Sequence[float]], least: int, *, lower: bool = False) -> list[float]:
    """Return each column's median, or its lower one; NaN for fewer than ``least`` values in it."""
    found = []
    for own in zip(*rows):
        ordered = valid(own)
        count = len(ordered)
        if count < least:
            found.append(math.nan)
        else:
            low, high = ordered[(count - 1) // 2], ordered[count // 2]
            found.append(low if lower else (low + high) / 2)
    return found
