"""One enclosure as several hosts see it, put together: each may see half of its disks only."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

from ..model.enclosure import Bay, Enclosure
from ..model.facts import BAD_STATUS


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
