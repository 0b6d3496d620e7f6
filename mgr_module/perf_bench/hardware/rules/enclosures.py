"""Build enclosures and the OSDs in their slots from the facts of hosts."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Optional, TypeVar, Union

from ...model.hardware import (
    NO_OSDS,
    STALE_SECONDS,
    UNKNOWN,
    Bay,
    DiskId,
    Drives,
    Element,
    Enclosure,
    EnclosureFacts,
    HostFacts,
    HostHistory,
    KnownHost,
    MultipathFacts,
    OsdsOnDrive,
    Path,
    Slot,
    is_own,
    worst,
)
from ...model.osd import ENCLOSURE_BUCKETS, Osd, osds_by_host
from .identity import (
    disk_ids,
    enclosures_by_id,
    ids_of,
    map_keys,
    osds_by_device,
    osds_on,
    same_enclosure,
)

# Merging one enclosure as seen by several hosts: each may see only some of its disks.


def without_states(seen: Enclosure) -> Enclosure:
    """The enclosure without the states of its parts, for facts that are stale."""
    return replace(
        seen,
        bays=tuple(
            replace(bay, slot=replace(bay.slot, status=None, fault=None)) for bay in seen.bays
        ),
        elements=tuple(replace(element, status=None) for element in seen.elements),
    )


def joined(first: Enclosure, second: Enclosure) -> Enclosure:
    """Merge two hosts' views of an enclosure; the worst state of each part counts."""
    bays = {bay.slot.slot: bay for bay in first.bays}
    for bay in second.bays:
        known = bays.get(bay.slot.slot)
        bays[bay.slot.slot] = bay if known is None else _joined_bays(known, bay)
    elements: dict[tuple[str, Optional[str]], Element] = {}
    # Parts of sub-enclosures may have the same name: the worst of them counts, too.
    for one in (*first.elements, *second.elements):
        before = elements.get((one.type, one.name))
        status = one.status if before is None else worst(before.status, one.status)
        elements[one.type, one.name] = replace(one, status=status)
    paths, ids = dict(first.paths), dict(first.ids)
    for host, count in second.paths.items():
        paths[host] = paths.get(host, 0) + count
    for host, names in second.ids.items():
        ids[host] = {**ids.get(host, {}), **names}
    return replace(
        first,
        serial=first.serial or second.serial,
        vendor=first.vendor or second.vendor,
        model=first.model or second.model,
        hosts=tuple(sorted({*first.hosts, *second.hosts})),
        bays=tuple(bays[number] for number in sorted(bays)),
        elements=tuple(elements.values()),
        paths=paths,
        ids=ids,
        osds=first.osds | second.osds,
    )


def _joined_bays(first: Bay, second: Bay) -> Bay:
    """Merge two hosts' views of a slot: prefer one with an OSD, then one with a disk."""
    known, other = sorted((first, second), key=lambda bay: (not bay.on, bay.slot.device is None))
    slot = replace(
        known.slot,
        status=worst(known.slot.status, other.slot.status),
        fault=known.slot.fault or other.slot.fault,
    )
    return replace(known, slot=slot)


T = TypeVar("T")


def enclosures_of(
    hosts: Mapping[str, KnownHost], osds: Sequence[Osd], drives: Drives, now: float
) -> list[Enclosure]:
    """All enclosures: those in facts, by host, then those named by CRUSH or a SAS expander.

    Stale facts say nothing about the states of its parts. If several hosts see an enclosure, the
    worst state counts.
    """
    by_id = _seen(hosts, drives, now)
    seen_in = {osd for one in by_id.values() for osd in one.osds}
    of_hosts = osds_by_host(osds)
    for host, told in hosts.items():
        own = {osd.id for osd in of_hosts.get(host, ())}
        for name, left in _gone(told, seen_in, own).items():
            seen = [key for key, one in by_id.items() if name in (key, *ids_of(one))]
            known = seen if is_own(name) else []
            key = known[0] if len(known) == 1 else _key(name, host, by_id)
            if key not in by_id and not left:
                continue  # nothing of the cluster is missing with it
            found = by_id.get(key) or Enclosure(key)
            if host not in (*found.hosts, *found.missing):  # else it sees it by another name
                found = replace(found, missing=(*found.missing, host))
            by_id[key] = replace(found, osds=found.osds | left)
    placed = {osd for one in by_id.values() for osd in one.osds}
    return [*by_id.values(), *_mapped([osd for osd in osds if osd.id not in placed])]


def _seen(hosts: Mapping[str, KnownHost], drives: Drives, now: float) -> dict[str, Enclosure]:
    """The enclosures in facts; those that several hosts see, or one sees twice, once."""
    facts = {host: one.facts for host, one in hosts.items()}
    by_id: dict[str, Enclosure] = {}
    # Another view of an enclosure has its ID, or a disk of it in the same slot.
    by_sign: dict[object, str] = {}
    told = Counter(
        name for one in facts.values() for of in one.enclosures or () for name in _names(of)
    )
    for host in sorted(facts):
        on = drives.get(host, {})
        reported = facts[host].enclosures or ()
        several = any(told[name] > 1 for one in reported for name in _names(one))
        ids = disk_ids(facts[host], osds_on(on)) if several else {}
        for one in reported:
            seen = _one(one, host, on, ids)
            if not hosts[host].facts.is_fresh(now):
                seen = without_states(seen)
            signs = _signs_of(seen) if several else []
            maybe = dict.fromkeys(by_sign[sign] for sign in signs if sign in by_sign)
            key = next((one for one in maybe if same_enclosure(by_id[one], seen)), None)
            if key is None:
                key = _key(seen.id, host, by_id)
                by_id[key] = replace(seen, id=key)
            else:
                by_id[key] = joined(by_id[key], seen)
            for sign in signs:
                by_sign.setdefault(sign, key)
    return by_id


def _names(reported: EnclosureFacts) -> set[str]:
    """What another view of an enclosure shares with it: without any of these there is none."""
    return {reported.id.lower(), reported.serial or ""} - {""}


def _signs_of(seen: Enclosure) -> list[object]:
    """The ID of an enclosure, and what another view of one of its slots may share with this one."""
    signs: list[object] = [seen.id]
    for bay in seen.bays:
        if bay.disk is not None:
            names = [name for name in bay.disk[:2] if name]
            signs += [
                (bay.slot.slot, name)
                for name in (*names, (bay.host, bay.disk.device), *bay.on.osds)
            ]
    return signs


def _key(number: str, host: str, taken: Mapping[str, Enclosure]) -> str:
    """The name of an enclosure: its ID, after its host's name if that is no ID, or of another."""
    if is_own(number) and number not in taken:
        return number
    names = (f"{host}-{number}{f'-{count}' if count > 1 else ''}" for count in itertools.count(1))
    return next(name for name in names if name not in taken)


def _one(
    reported: EnclosureFacts,
    host: str,
    on: Mapping[str, OsdsOnDrive],
    ids: Mapping[str, DiskId],
) -> Enclosure:
    bays = tuple(
        Bay(slot, host, on.get(device, NO_OSDS), _disk_of(device, ids))
        for slot in reported.slots
        for device in [slot.device or ""]
    )
    return Enclosure(
        id=reported.id.lower(),
        serial=reported.serial or None,
        vendor=reported.vendor or None,
        model=reported.model or None,
        hosts=(host,),
        bays=bays,
        elements=reported.elements,
        paths={} if reported.paths is None else {host: reported.paths},
        ids={host: {reported.id.lower(): reported.paths}},
        osds=frozenset(osd for bay in bays for osd in bay.on.osds),
    )


def _disk_of(device: str, ids: Mapping[str, DiskId]) -> Optional[DiskId]:
    return ids.get(device, DiskId(None, None, device)) if device else None


def _gone(host: KnownHost, seen_in: AbstractSet[int], own: AbstractSet[int]) -> dict[str, set[int]]:
    """The enclosures that a host no longer reports, with those of its OSDs that were in them.

    Those of ``seen_in`` that the host ties to a drive were moved, or have a new drive.
    """
    if host.facts.enclosures is None:
        return {}
    slots, present = host.memory.slots, {one.id.lower() for one in host.facts.enclosures}
    moved = seen_in & host.facts.devices_by_osd().keys()
    return {
        name: ({osd for osds in slots.get(name, {}).values() for osd in osds} & own) - moved
        for name in host.memory.enclosure_paths
        if name not in present
    }


def _mapped(osds: Sequence[Osd]) -> list[Enclosure]:
    """The enclosures of OSDs that no facts place: by CRUSH bucket, else by SAS expander."""
    by_name: dict[tuple[str, str], list[Osd]] = {}
    for osd in osds:
        name = next(
            (osd.location[kind] for kind in ENCLOSURE_BUCKETS if kind in osd.location), None
        )
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
    """The history of a host after these facts; entries that the facts do not mention stay.

    ``osds`` are those of this host.
    """
    on = osds_by_device(facts, osds)
    paths, drops, active = dict(before.paths), dict(before.drops), dict(before.active)
    keys = map_keys(facts)
    for one in facts.maps():
        name, now = keys[one.name], len(active_paths(one))
        if now < active.get(name, now):
            drops[name] = (*drops.get(name, ()), facts.collected_at)[-_DROPS:]
        paths[name] = max(now, paths.pop(name, 0))
        # A path whose state is not told has not come back.
        known = all(is_lost(path) or is_active(path) for path in one.paths)
        active[name] = now if known else min(now, active.pop(name, now))
    slots, enclosure_paths = dict(before.slots), dict(before.enclosure_paths)
    elements, at = dict(before.elements), facts.collected_at
    for key, enclosure in enclosures_by_id(facts).items():
        slots[key] = _last_in_slots(slots.pop(key, {}), enclosure, on)
        enclosure_paths[key] = max(enclosure.paths or 1, enclosure_paths.pop(key, 1))
        told, (most, told_at) = _told(enclosure), elements.pop(key, (0, at))
        lasts = told < most and at - told_at < STALE_SECONDS
        elements[key] = (most, told_at) if lasts else (told, at)
    return HostHistory(
        _newest_of(paths, _MAPS),
        _newest_of(drops, _MAPS),
        _newest_of(active, _MAPS),
        _newest_of(slots, _MOST_ENCLOSURES),
        _newest_of(enclosure_paths, _MOST_ENCLOSURES),
        elements=_newest_of(elements, _MOST_ENCLOSURES),
    )


def _last_in_slots(
    before: Mapping[str, Sequence[int]], enclosure: EnclosureFacts, on: Mapping[str, OsdsOnDrive]
) -> dict[str, Sequence[int]]:
    """By slot the OSDs that were in it last; an OSD that is in another slot now has moved."""
    here = {str(slot.slot): on.get(slot.device or "", NO_OSDS).osds for slot in enclosure.slots}
    moved = {osd for osds in here.values() for osd in osds}
    left = {slot: [osd for osd in osds if osd not in moved] for slot, osds in before.items()}
    return {slot: osds for slot, osds in [*left.items(), *here.items()] if osds}


# Limits of a host's history: drops of one device; devices and enclosures, the newest ones.
_DROPS, _MAPS, _MOST_ENCLOSURES = 20, 20_000, 512


def _newest_of(entries: dict[str, T], most: int) -> dict[str, T]:
    return entries if len(entries) <= most else dict(list(entries.items())[-most:])


# The checker's words for a path that can be used; UNKNOWN is a word that we do not know.
_USABLE = ("ready", "ghost", UNKNOWN)


def is_lost(path: Path) -> bool:
    """Whether the path is known to be lost."""
    return path.state == "failed" or (path.checker or UNKNOWN) not in _USABLE


def is_active(path: Path) -> bool:
    """Whether the path is known to be active."""
    return path.state == "active" and path.checker != UNKNOWN and not is_lost(path)


def is_told(part: Union[Element, Slot]) -> bool:
    """Whether a state of a part is told."""
    return _states(part) > 0


def _states(part: Union[Element, Slot]) -> int:
    return (part.status not in (None, UNKNOWN)) + (getattr(part, "fault", None) is not None)


def _told(enclosure: EnclosureFacts) -> int:
    """The states that are told of its parts: of a slot two, its status and whether it is faulty."""
    parts: list[Union[Element, Slot]] = [*enclosure.slots, *enclosure.elements]
    return sum(map(_states, parts))


def told_less(host: KnownHost) -> set[str]:
    """The enclosures of which a host tells less than before, as where an output was cut.

    What it does not tell is not known, neither gone nor fine.
    """
    return {
        key
        for key, one in enclosures_by_id(host.facts).items()
        if _told(one) < host.memory.elements.get(key, (0, 0.0))[0]
    }


def active_paths(one: MultipathFacts) -> list[str]:
    """The devices of the paths that are not known to be lost."""
    return [path.device for path in one.paths if not is_lost(path)]
