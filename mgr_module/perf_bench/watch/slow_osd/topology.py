"""Cohorts, the units (hosts, enclosures …) that OSDs share, and the reference of each OSD."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Callable, NamedTuple

from ...model.finding import Roster, Watched
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
    """OSDs that should perform alike; figures of them are lists by *place*, group by group.

    ``position_of`` names by place the position on the host: the drive, or else the OSD's rank among
    the cohort's OSDs of the host; ``position_sizes`` says how many OSDs are at each. ``pick``
    returns the roster's figures by place.
    """

    name: str
    members: tuple[Watched, ...]
    groups: tuple[Group, ...]
    units: tuple[Unit, ...]
    unit_places: tuple[Places, ...]
    place: Mapping[int, int]
    group_of: tuple[int, ...]
    position_of: tuple[str, ...]
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
    counts = Counter(finest.values())
    whole = len(units)
    key = {}
    for one in watched:
        number = finest.get(one.osd, whole)
        key[one.osd] = number if counts[number] >= group_members else whole
    members = tuple(sorted(watched, key=lambda member: (key[member.osd], member.osd)))
    place = {member.osd: at for at, member in enumerate(members)}
    positions = _positions(members)
    groups = _groups([key[member.osd] for member in members], whole)
    return Cohort(
        name,
        members,
        groups,
        tuple(units),
        tuple(_unit_places(units, members, place)),
        place,
        tuple(at for at, group in enumerate(groups) for _ in range(group.start, group.end)),
        positions,
        Counter(positions),
        _picker([index[member.osd] for member in members], len(index)),
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
