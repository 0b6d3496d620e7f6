"""From the facts of hosts to enclosures and the OSDs in their slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Optional, TypeVar

from ...model.drive import NO_OSDS, OsdsOnDrive
from ...model.enclosure import Bay, Enclosure, HostHistory
from ...model.facts import (
    BAD_STATUS,
    NOT_INSTALLED,
    STALE_SECONDS,
    EnclosureFacts,
    HostFacts,
    MultipathFacts,
)
from ...model.osd import Osd
from .drives import Drives, tenants

# One enclosure as several hosts see it, put together: each may see half of its disks only.


def without_states(seen: Enclosure) -> Enclosure:
    """The enclosure of a host whose facts are too old to say how its parts are."""
    return replace(
        seen,
        bays=tuple(
            replace(bay, slot=replace(bay.slot, status=None, fault=None)) for bay in seen.bays
        ),
        elements=tuple(replace(element, status=None) for element in seen.elements),
    )


def joined(first: Enclosure, second: Enclosure) -> Enclosure:
    """As both tell of it: of a part's states the worst counts."""
    bays = {bay.slot.slot: bay for bay in first.bays}
    for bay in second.bays:
        known = bays.get(bay.slot.slot)
        bays[bay.slot.slot] = bay if known is None else _joined_bays(known, bay)
    elements = {(one.type, one.name): one for one in first.elements}
    for one in second.elements:
        before = elements.get((one.type, one.name))
        status = one.status if before is None else _worst(before.status, one.status)
        elements[one.type, one.name] = replace(one, status=status)
    return replace(
        first,
        serial=first.serial or second.serial,
        vendor=first.vendor or second.vendor,
        model=first.model or second.model,
        hosts=tuple(sorted({*first.hosts, *second.hosts})),
        bays=tuple(bays[number] for number in sorted(bays)),
        elements=tuple(elements.values()),
        paths={**first.paths, **second.paths},
        osds=first.osds | second.osds,
    )


def _joined_bays(first: Bay, second: Bay) -> Bay:
    """The slot as that host has it which has a disk in it, an OSD's rather; the worst state."""
    known, other = (second, first) if _weight(second) > _weight(first) else (first, second)
    slot = replace(
        known.slot,
        status=_worst(known.slot.status, other.slot.status),
        fault=known.slot.fault or other.slot.fault,
    )
    return replace(known, slot=slot)


def _weight(bay: Bay) -> tuple[bool, bool]:
    return bool(bay.on), bay.slot.device is not None


def _worst(known: Optional[str], other: Optional[str]) -> Optional[str]:
    """A state that is bad, the worst; else the first one's, if that is known."""
    bad = next((one for one in BAD_STATUS if one in (known, other)), None)
    return bad or known or other


T = TypeVar("T")
# Kinds of CRUSH buckets that are enclosures.
_SHELVES = ("enclosure", "chassis")


def enclosures_of(
    facts: Mapping[str, HostFacts],
    memories: Mapping[str, HostHistory],
    osds: Sequence[Osd],
    drives: Drives,
) -> list[Enclosure]:
    """All enclosures: those that hosts told, by host, then those that the map or a path names.

    Where several hosts tell of one, those whose facts are stale beside the newest say nothing of
    the state of its parts; of the others the worst counts.
    """
    found: dict[str, Enclosure] = {}
    by_serial: dict[str, str] = {}
    newest = _newest(facts)
    for host in sorted(facts):
        for told in facts[host].enclosures or ():
            seen = _one(told, host, drives.get(host, {}))
            if newest[seen.id] - facts[host].collected_at >= STALE_SECONDS:
                seen = without_states(seen)
            # It is known by its identifier, else by its serial number.
            other = by_serial.setdefault(seen.serial, seen.id) if seen.serial else seen.id
            key = seen.id if seen.id in found else other
            found[key] = joined(found[key], seen) if key in found else seen
    for host, memory in memories.items():
        _miss(found, facts.get(host), host, memory)
    placed = {osd for one in found.values() for osd in one.osds}
    return [*found.values(), *_mapped([osd for osd in osds if osd.id not in placed])]


def _one(told: EnclosureFacts, host: str, on: Mapping[str, OsdsOnDrive]) -> Enclosure:
    bays = tuple(Bay(slot, host, on.get(slot.device or "", NO_OSDS)) for slot in told.slots)
    return Enclosure(
        id=told.id.lower(),
        serial=told.serial or None,
        vendor=told.vendor or None,
        model=told.model or None,
        hosts=(host,),
        bays=bays,
        elements=told.elements,
        paths={} if told.paths is None else {host: told.paths},
        osds=frozenset(osd for bay in bays for osd in bay.on.osds),
    )


def _newest(facts: Mapping[str, HostFacts]) -> dict[str, float]:
    """By enclosure when its newest facts were collected."""
    found: dict[str, float] = {}
    for one in facts.values():
        for told in one.enclosures or ():
            key = told.id.lower()
            found[key] = max(one.collected_at, found.get(key, one.collected_at))
    return found


def _miss(
    found: dict[str, Enclosure], facts: Optional[HostFacts], host: str, memory: HostHistory
) -> None:
    """Enclosures that a host had once and tells no more, with the OSDs that stood in them."""
    if facts is None or facts.enclosures is None:
        return
    now = {told.id.lower() for told in facts.enclosures}
    for shelf in memory.shelves:
        if shelf not in now:
            stood = {osd for osds in memory.slots.get(shelf, {}).values() for osd in osds}
            seen = found.get(shelf) or Enclosure(shelf)
            found[shelf] = replace(seen, missing=(*seen.missing, host), osds=seen.osds | stood)


def _mapped(osds: Sequence[Osd]) -> list[Enclosure]:
    """Those of OSDs that no host placed: as CRUSH has them, else by the expander to them."""
    by_name: dict[tuple[str, str], list[Osd]] = {}
    for osd in osds:
        name = next((osd.location[kind] for kind in _SHELVES if kind in osd.location), None)
        if name is not None:
            by_name.setdefault(("map", name), []).append(osd)
        elif osd.expander is not None:
            by_name.setdefault(("path", osd.expander), []).append(osd)
    return [
        Enclosure(
            id=name,
            hosts=tuple(sorted({osd.host for osd in members})),
            osds=frozenset(osd.id for osd in members),
            source=source,
        )
        for (source, name), members in sorted(by_name.items())
    ]


def remembered(before: HostHistory, facts: HostFacts, osds: Sequence[Osd]) -> HostHistory:
    """The memory of a host after these facts; what they do not tell of stays.

    ``osds`` are those of this host.
    """
    on = tenants(facts, osds)
    paths, drops, active = dict(before.paths), dict(before.drops), dict(before.active)
    for one in facts.multipath or ():
        name, now = name_of(one), len(active_paths(one))
        if now < active.get(name, now):
            drops[name] = (*drops.get(name, ()), facts.collected_at)[-_DROPS:]
        paths[name] = max(now, paths.pop(name, 0))
        active[name] = now
    slots, shelves = dict(before.slots), dict(before.shelves)
    for shelf in facts.enclosures or ():
        key = shelf.id.lower()
        slots[key] = _stood(slots.pop(key, {}), shelf, on)
        shelves[key] = max(shelf.paths or 1, shelves.pop(key, 1))
    return HostHistory(
        _newest_of(paths, _MAPS),
        _newest_of(drops, _MAPS),
        _newest_of(active, _MAPS),
        _newest_of(slots, _SHELVES_KEPT),
        _newest_of(shelves, _SHELVES_KEPT),
    )


def _stood(
    before: Mapping[str, Sequence[int]], shelf: EnclosureFacts, on: Mapping[str, OsdsOnDrive]
) -> dict[str, Sequence[int]]:
    """By slot the OSDs that stood in it last; one that stands elsewhere now has left its slot."""
    here = {str(slot.slot): on.get(slot.device or "", NO_OSDS).osds for slot in shelf.slots}
    moved = {osd for osds in here.values() for osd in osds}
    left = {slot: [osd for osd in osds if osd not in moved] for slot, osds in before.items()}
    return {slot: osds for slot, osds in [*left.items(), *here.items()] if osds}


# Times that are remembered of a device; devices and enclosures of a host, those told of last.
_DROPS, _MAPS, _SHELVES_KEPT = 20, 20_000, 512


def _newest_of(entries: dict[str, T], most: int) -> dict[str, T]:
    return entries if len(entries) <= most else dict(list(entries.items())[-most:])


def name_of(one: MultipathFacts) -> str:
    """What a multipath device is remembered by."""
    return one.wwid or one.name


def active_paths(one: MultipathFacts) -> list[str]:
    """The devices of the paths that carry data, or could."""
    return [
        path.device
        for path in one.paths
        if (path.state or "active") == "active" and (path.checker or "ready") in ("ready", "ghost")
    ]


def left_slots(shelf: Enclosure, memories: Mapping[str, HostHistory]) -> dict[int, list[int]]:
    """By slot that is empty now the OSDs that stood there, and stand in no slot of it now."""
    stood: dict[int, Sequence[int]] = {}
    for host in shelf.hosts:
        memory = memories.get(host, HostHistory())
        stood.update({int(slot): osds for slot, osds in memory.slots.get(shelf.id, {}).items()})
    empty = {
        bay.slot.slot
        for bay in shelf.bays
        if bay.slot.device is None or bay.slot.status == NOT_INSTALLED
    }
    placed = {osd for bay in shelf.bays for osd in bay.on.osds}
    left = {
        slot: [osd for osd in osds if osd not in placed]
        for slot, osds in sorted(stood.items())
        if slot in empty
    }
    return {slot: osds for slot, osds in left.items() if osds}
