"""Cohorts, the units (hosts, enclosures …) that OSDs share, and the reference of each OSD.

All figures of the detector are lists in one order, the *layout's*: by cohort, and within a cohort
by group, so that every group is a slice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Callable, Optional

from ....model.frame import Roster, Watched

# From narrow to wide. If two units have the same members the narrower one is used.
KINDS = ("device", "host", "enclosure", "rack")


@dataclass(frozen=True)
class Unit:
    """OSDs of one cohort that share a device, host, enclosure or rack.

    ``members`` are positions in the cohort, ``parts`` the indexes of the units inside it.
    """

    kind: str
    id: str
    members: tuple[int, ...]
    parts: tuple[int, ...] = ()

    @cached_property  # made every minute otherwise, which makes the garbage collector run
    def key(self) -> tuple[str, str]:
        return (self.kind, self.id)

    def pick(self, figures: Sequence[float]) -> Sequence[float]:
        """Return the members' figures out of the cohort's."""
        first, last = self.members[0], self.members[-1]
        if last - first == len(self.members) - 1:  # ascending, so they are adjacent
            return figures[first : last + 1]
        return [figures[place] for place in self.members]


@dataclass(frozen=True)
class Group:
    """OSDs of one cohort with the same reference: themselves, or (``wide``) the whole cohort."""

    start: int
    end: int
    wide: bool


@dataclass(frozen=True)
class Cohort:
    """OSDs that should perform alike.

    ``start`` and ``end`` are positions in the layout; all other places count from ``start``.
    ``position_of`` names by place the position on the host: the drive, or else the OSD's rank
    among the cohort's OSDs of the host. The sizes are numbers of OSDs by position and by host.
    """

    name: str
    start: int
    end: int
    members: tuple[Watched, ...]
    groups: tuple[Group, ...]
    units: tuple[Unit, ...]
    place: dict[int, int]
    group_of: tuple[int, ...]
    position_of: tuple[str, ...]
    position_sizes: Mapping[str, int]
    host_sizes: Mapping[str, int]

    @property
    def size(self) -> int:
        return self.end - self.start

    @cached_property
    def hosts_of(self) -> Mapping[tuple[str, str], Sequence[tuple[str, str]]]:
        """The hosts, as keys, of each unit that consists of several."""
        found = {}
        for unit in self.units:
            parts = [self.units[at] for at in unit.parts]
            hosts = [part.key for part in parts if part.kind == "host"]
            if len(hosts) > 1:
                found[unit.key] = hosts
        return found


class Topology:
    """The order of a roster's OSDs, and the cohorts in it."""

    def __init__(self, roster: Roster, group_members: int) -> None:
        self.roster = roster
        index = {watched.osd: at for at, watched in enumerate(roster.members)}
        by_cohort: dict[str, list[Watched]] = defaultdict(list)
        for watched in roster.members:
            by_cohort[watched.cohort].append(watched)
        self.cohorts: list[Cohort] = []
        self.members: list[Watched] = []
        for name in sorted(by_cohort):
            cohort = _cohort(name, len(self.members), by_cohort[name], group_members)
            self.cohorts.append(cohort)
            self.members.extend(cohort.members)
        self.ids = [watched.osd for watched in self.members]
        self.place = {osd: at for at, osd in enumerate(self.ids)}
        self._pick = _picker([index[osd] for osd in self.ids])

    def pick(self, figures: Sequence[float]) -> Sequence[float]:
        """Return the roster's figures in the layout's order."""
        return self._pick(figures)


def _picker(order: Sequence[int]) -> Callable[[Sequence[float]], Sequence[float]]:
    if list(order) == list(range(len(order))):
        return lambda figures: figures
    if len(order) > 1:
        return itemgetter(*order)
    return lambda figures: tuple(figures[at] for at in order)


def _cohort(name: str, start: int, watched: Sequence[Watched], group_members: int) -> Cohort:
    shared = _shared(watched)
    key = {member.osd: _finest(member, shared, group_members) for member in watched}
    counts: dict[tuple[int, str], int] = defaultdict(int)
    for group in key.values():
        counts[group] += 1
    whole = (len(KINDS), "")  # sorts after every unit
    for osd, group in key.items():
        if counts[group] < group_members:
            key[osd] = whole
    members = sorted(watched, key=lambda member: (key[member.osd], member.osd))
    place = {member.osd: at for at, member in enumerate(members)}
    positions = _positions(members)
    groups = tuple(_groups([key[member.osd] for member in members], whole))
    return Cohort(
        name,
        start,
        start + len(members),
        tuple(members),
        groups,
        tuple(_units(shared, place)),
        place,
        tuple(at for at, group in enumerate(groups) for _ in range(group.start, group.end)),
        positions,
        Counter(positions),
        Counter(member.host for member in members),
    )


def _positions(members: Sequence[Watched]) -> tuple[str, ...]:
    """Return by place the name of the drive on its host (``sdb``), else the rank on the host."""
    ranks: dict[int, int] = {}
    seen: dict[str, int] = defaultdict(int)
    for member in sorted(members, key=lambda member: member.osd):
        ranks[member.osd] = seen[member.host]
        seen[member.host] += 1
    found = []
    for member in members:
        _, _, drive = (member.device or member.name).partition("/")
        found.append(drive or f"number {ranks[member.osd] + 1}")
    return tuple(found)


def _of(member: Watched, kind: str) -> Optional[str]:
    value: Optional[str] = getattr(member, kind)
    return value


def _shared(watched: Sequence[Watched]) -> dict[tuple[str, str], list[Watched]]:
    shared: dict[tuple[str, str], list[Watched]] = defaultdict(list)
    for member in watched:
        for kind in KINDS:
            unit = _of(member, kind)
            if unit:
                shared[kind, unit].append(member)
    return shared


def _finest(
    member: Watched, shared: dict[tuple[str, str], list[Watched]], group_members: int
) -> tuple[int, str]:
    """Return the smallest unit of the OSD with enough members; the whole cohort if none."""
    choices = []
    for rank, kind in enumerate(KINDS):
        unit = _of(member, kind)
        if unit and kind != "device" and len(shared[kind, unit]) >= group_members:
            choices.append((len(shared[kind, unit]), rank, unit))
    return min(choices)[1:] if choices else (len(KINDS), "")


def _groups(keys: Sequence[tuple[int, str]], whole: tuple[int, str]) -> list[Group]:
    groups = []
    start = 0
    for at in range(1, len(keys) + 1):
        if at == len(keys) or keys[at] != keys[start]:
            groups.append(Group(start, at, keys[start] == whole))
            start = at
    return groups


def _units(shared: dict[tuple[str, str], list[Watched]], place: dict[int, int]) -> list[Unit]:
    """Return the units with at least two OSDs but not the whole cohort; each set of OSDs once."""
    units = []
    seen = set()
    for kind, unit in sorted(shared, key=lambda key: (KINDS.index(key[0]), key[1])):
        members = tuple(sorted(place[member.osd] for member in shared[kind, unit]))
        if 2 <= len(members) < len(place) and members not in seen:
            seen.add(members)
            units.append(Unit(kind, unit, members))
    return [replace(unit, parts=parts) for unit, parts in zip(units, _parts(units))]


def _parts(units: Sequence[Unit]) -> list[tuple[int, ...]]:
    """Return for each unit the indexes of the units that lie completely in it, without devices.

    The units are counted by position, so the time is linear.
    """
    units_of: dict[int, list[int]] = defaultdict(list)
    for at, unit in enumerate(units):
        for place in unit.members:
            units_of[place].append(at)
    parts = []
    for unit in units:
        shared: dict[int, int] = defaultdict(int)
        for place in unit.members:
            for at in units_of[place]:
                shared[at] += 1
        parts.append(
            tuple(
                at
                for at, count in shared.items()
                if count == len(units[at].members) < len(unit.members)
                and units[at].kind != "device"
            )
        )
    return parts
