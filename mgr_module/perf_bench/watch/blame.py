"""Whom to blame for OSDs that are in trouble at the same time: one cause, one name.

The widest unit (device, host, enclosure, rack, cluster) of which most OSDs are in trouble is named
once instead of its OSDs. A wider unit needs that of most of its hosts too: a rack is not at fault
because of one large host in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple, Optional

from ..model.finding import Target, Watched

# A unit is at fault instead of its OSDs if this part of them is. A larger share names OSDs one by
# one although their host is the cause, a smaller one blames a host for a few bad drives in it.
SHARE = 0.6
# From narrow to wide. Of units with the same OSDs the narrower one is named.
KINDS = ("device", "host", "enclosure", "rack")
CLUSTER = Target("cluster", "cluster")


class Unit(NamedTuple):
    """Two or more OSDs that share something; ``hosts`` are the same OSDs, host by host."""

    kind: str
    id: str
    osds: frozenset[int]
    hosts: tuple[frozenset[int], ...]


class Blamed(NamedTuple):
    """What is at fault, and its OSDs that are in trouble; ``unit`` is None for a single OSD."""

    target: Target
    osds: frozenset[int]
    unit: Optional[Unit] = None


def units_of(members: Sequence[Watched]) -> list[Unit]:
    """Return the units of at least two OSDs, the widest first, each set of OSDs once."""
    shared: dict[tuple[str, str], list[Watched]] = defaultdict(list)
    for kind in KINDS:
        for member in members:
            name = getattr(member, kind)
            if name:
                shared[kind, name].append(member)
    shared["cluster", "cluster"] = list(members)
    units: dict[frozenset[int], Unit] = {}
    for (kind, name), inside in shared.items():
        osds = frozenset(member.osd for member in inside)
        if len(osds) > 1 and osds not in units:
            by_host: dict[str, set[int]] = defaultdict(set)
            for member in inside:
                by_host[member.host].add(member.osd)
            units[osds] = Unit(kind, name, osds, tuple(map(frozenset, by_host.values())))
    return sorted(units.values(), key=lambda unit: -len(unit.osds))


def causes(osds: Collection[int], units: Sequence[Unit]) -> list[Blamed]:
    """Divide OSDs in trouble into what is at fault: units, widest first, then single OSDs.

    ``units`` are those of ``units_of``; each OSD is in one cause only.
    """
    trouble, left = frozenset(osds), set(osds)
    found = []
    for unit in units:
        mine = unit.osds & left
        if len(mine) >= max(2, SHARE * len(unit.osds)) and _most_hosts(unit, trouble):
            found.append(Blamed(_target(unit), frozenset(mine), unit))
            left -= mine
    alone = (Blamed(Target("osd", str(osd)), frozenset((osd,))) for osd in sorted(left))
    return [*found, *alone]


def _most_hosts(unit: Unit, trouble: frozenset[int]) -> bool:
    if len(unit.hosts) == 1:
        return True
    sick = sum(len(host & trouble) >= max(1, SHARE * len(host)) for host in unit.hosts)
    return sick >= max(2, SHARE * len(unit.hosts))


def _target(unit: Unit) -> Target:
    if unit.kind == "device":  # has no page of its own: its first OSD stands for it
        return Target("osd", str(min(unit.osds)))
    return Target(unit.kind, unit.id)
