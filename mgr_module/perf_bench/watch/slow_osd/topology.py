"""Cohorts, the units (hosts, enclosures …) that OSDs share, and the reference of each OSD."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Callable, NamedTuple, Optional

from ...model.finding import Roster, Watched
from ..blame import Unit, units_of

UnitKey = tuple[str, str]


class Group(NamedTuple):
    """Members with the same reference: the others of their unit, or (no ``key``) all others."""

    start: int
    end: int
    key: Optional[UnitKey]


@dataclass(frozen=True)
class Cohort:
    """OSDs that should perform alike; figures of them are lists by *place*, group by group.

    ``position_of`` names by place the position on the host: the drive, or else the OSD's rank among
    the cohort's OSDs of the host; ``position_sizes`` says how many OSDs are at each. ``pick``
    returns the roster's figures by place.
    """

    name: str
    members: Sequence[Watched]
    groups: Sequence[Group]
    units: Sequence[Unit]
    place: Mapping[int, int]
    group_of: Sequence[Group]
    position_of: Sequence[str]
    position_sizes: Mapping[str, int]
    pick: Callable[[Sequence[float]], Sequence[float]]

    @property
    def size(self) -> int:
        return len(self.members)


class Topology:
    """The cohorts of a roster; ``cohort_of`` is by OSD."""

    def __init__(self, roster: Roster, group_members: int) -> None:
        self.roster = roster
        by_cohort: dict[str, list[Watched]] = defaultdict(list)
        for watched in roster.members:
            by_cohort[watched.cohort].append(watched)
        index = {watched.osd: at for at, watched in enumerate(roster.members)}
        self.cohorts = [
            _cohort(name, by_cohort[name], index, group_members) for name in sorted(by_cohort)
        ]
        self.cohort_of = {one.osd: cohort for cohort in self.cohorts for one in cohort.members}


def _picker(order: Sequence[int], whole: int) -> Callable[[Sequence[float]], Sequence[float]]:
    if list(order) == list(range(whole)):
        return lambda figures: figures
    if len(order) > 1:
        return itemgetter(*order)
    return lambda figures: tuple(figures[at] for at in order)


def _cohort(
    name: str, watched: Sequence[Watched], index: Mapping[int, int], group_members: int
) -> Cohort:
    units = [unit for unit in units_of(watched) if len(unit.osds) < len(watched)]
    # The narrowest unit comes last; a device is no reference for its own OSDs.
    finest: dict[int, int] = {}
    for number, unit in enumerate(units):
        if unit.kind != "device" and len(unit.osds) >= group_members:
            finest.update(dict.fromkeys(unit.osds, number))
    counts, whole = Counter(finest.values()), len(units)

    def unit_of(one: Watched) -> int:
        number = finest.get(one.osd, whole)
        return number if counts[number] >= group_members else whole

    members = sorted(watched, key=lambda one: (unit_of(one), one.osd))
    groups: list[Group] = []
    for number, some in groupby(members, unit_of):
        start = groups[-1].end if groups else 0
        key = (units[number].kind, units[number].id) if number < whole else None
        groups.append(Group(start, start + len(list(some)), key))
    positions = _positions(members)
    return Cohort(
        name,
        members,
        groups,
        units,
        {member.osd: at for at, member in enumerate(members)},
        [group for group in groups for _ in range(group.start, group.end)],
        positions,
        Counter(positions),
        _picker([index[member.osd] for member in members], len(index)),
    )


def _positions(members: Sequence[Watched]) -> list[str]:
    """Return by place the name of the drive on its host (``sdb``), else the rank on the host."""
    ranks: dict[int, int] = {}
    seen: dict[str, int] = defaultdict(int)
    for member in sorted(members, key=lambda member: member.osd):
        seen[member.host] += 1
        ranks[member.osd] = seen[member.host]
    drives = ((one, (one.device or one.name).partition("/")[2]) for one in members)
    return [drive or f"number {ranks[one.osd]}" for one, drive in drives]
