"""Cohorts, the units (hosts, enclosures …) that OSDs share, and the reference of each OSD.

All figures of the detector are lists in one order, the *layout's*: by cohort, and within a cohort
by group, so that every group is a slice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Callable, NamedTuple

from ...model.frame import Roster, Watched
from ..blame import Unit, units_of

UnitKey = tuple[str, str]


class Group(NamedTuple):
    """OSDs of one cohort with the same reference: themselves, or (``wide``) the whole cohort."""

    start: int
    end: int
    wide: bool


class Places(NamedTuple):
    """A unit of a cohort by the places of its OSDs; ``hosts`` are the keys of those in it."""

    key: UnitKey
    places: tuple[int, ...]
    hosts: tuple[UnitKey, ...]


@dataclass(frozen=True)
class Cohort:
    """OSDs that should perform alike.

    ``start`` and ``end`` are positions in the layout; all other places count from ``start``.
    ``position_of`` names by place the position on the host: the drive, or else the OSD's rank among
    the cohort's OSDs of the host; ``position_sizes`` says how many OSDs are at each.
    """

    name: str
    start: int
    end: int
    members: tuple[Watched, ...]
    groups: tuple[Group, ...]
    units: tuple[Unit, ...]
    unit_places: tuple[Places, ...]
    place: Mapping[int, int]
    group_of: tuple[int, ...]
    position_of: tuple[str, ...]
    position_sizes: Mapping[str, int]

    @property
    def size(self) -> int:
        return self.end - self.start


class Topology:
    """The order of a roster's OSDs, and the cohorts in it."""

    def __init__(self, roster: Roster, group_members: int) -> None:
        self.roster = roster
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
        self.cohort_of = [cohort for cohort in self.cohorts for _ in range(cohort.size)]
        index = {watched.osd: at for at, watched in enumerate(roster.members)}
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
    units = [unit for unit in units_of(watched) if len(unit.osds) < len(watched)]
    # The narrowest unit comes last; a device is no reference for its own OSDs.
    finest: dict[int, int] = {}
    for number, unit in enumerate(units):
        if unit.kind != "device" and len(unit.osds) >= group_members:
            finest.update(dict.fromkeys(unit.osds, number))
    counts = Counter(finest.values())
    whole = len(units)
    key = {
        one.osd: number
        if (number := finest.get(one.osd, whole)) != whole and counts[number] >= group_members
        else whole
        for one in watched
    }
    members = tuple(sorted(watched, key=lambda member: (key[member.osd], member.osd)))
    place = {member.osd: at for at, member in enumerate(members)}
    positions = _positions(members)
    groups = _groups([key[member.osd] for member in members], whole)
    return Cohort(
        name,
        start,
        start + len(members),
        members,
        groups,
        tuple(units),
        tuple(_unit_places(units, members, place)),
        place,
        tuple(at for at, group in enumerate(groups) for _ in range(group.start, group.end)),
        positions,
        Counter(positions),
    )


def _groups(keys: Sequence[int], whole: int) -> tuple[Group, ...]:
    starts = [at for at in range(len(keys)) if at == 0 or keys[at] != keys[at - 1]]
    ends = [*starts[1:], len(keys)]
    return tuple(Group(at, end, keys[at] == whole) for at, end in zip(starts, ends))


def _unit_places(
    units: Sequence[Unit], members: Sequence[Watched], place: Mapping[int, int]
) -> list[Places]:
    known = {(unit.kind, unit.id): unit.osds for unit in units}
    found = []
    for unit in units:
        places = tuple(sorted(place[osd] for osd in unit.osds))
        names = sorted({members[at].host for at in places}) if unit.kind == "rack" else []
        hosts = [("host", name) for name in names if known.get(("host", name), set()) <= unit.osds]
        inside = tuple(key for key in hosts if key in known)
        found.append(Places((unit.kind, unit.id), places, inside if len(inside) > 1 else ()))
    return found


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
