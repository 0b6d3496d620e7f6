"""Bad states of paths and parts, kept while the facts of a host do not tell them.

What a host does not tell is not known, neither gone nor fine: a program that hangs or whose output
ends in the middle must not close a finding. A state counts as long as facts do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Optional

from ...model.hardware import (
    BAD_STATUS,
    STALE_SECONDS,
    UNKNOWN,
    Element,
    EnclosureFacts,
    HostFacts,
    KnownHost,
    Path,
    Slot,
)
from .identity import enclosures_by_id, map_keys

_PATH, _STATUS, _FAULT, _ELEMENT = "path", "status", "fault", "element"
_FAILED, _FAULTY = "failed", "faulty"
# The checker's words for a path that can be used; UNKNOWN is a word that we do not know.
_USABLE = ("ready", "ghost", UNKNOWN)
Bad = Mapping[str, tuple[str, float]]


def is_lost(path: Path) -> bool:
    """Whether the path is known to be lost."""
    return path.state == _FAILED or (path.checker or UNKNOWN) not in _USABLE


def is_active(path: Path) -> bool:
    """Whether the path is known to be active."""
    return path.state == "active" and path.checker != UNKNOWN and not is_lost(path)


def bad_told(before: Bad, facts: HostFacts) -> dict[str, tuple[str, float]]:
    """By path or part its bad state and when it was told last, after these facts."""
    told = dict(_told(facts))
    oldest = facts.collected_at - STALE_SECONDS
    kept = {key: one for key, one in before.items() if key not in told and one[1] > oldest}
    return {**kept, **{key: (bad, facts.collected_at) for key, bad in told.items() if bad}}


def elements_told(
    before: Mapping[str, tuple[int, float]], facts: HostFacts
) -> dict[str, tuple[int, float]]:
    """By enclosure its elements, and when so many were told last: the list of one may be cut."""
    told = dict(before)
    for key, one in enclosures_by_id(facts).items():
        count, at = len(one.elements), facts.collected_at
        most, told_at = before.get(key, (0, at))
        told[key] = (count, at) if count >= most or at - told_at >= STALE_SECONDS else before[key]
    return told


def tells_all_parts(host: KnownHost) -> bool:
    """Whether its facts tell all slots of each enclosure, and as many elements as before."""
    return all(
        one.elements
        and len(one.elements) >= host.memory.elements.get(one.id.lower(), (0, 0.0))[0]
        and all(slot.fault is not None or is_told(slot.status) for slot in one.slots)
        for one in host.facts.enclosures or ()
    )


def is_told(status: Optional[str]) -> bool:
    """Whether this is the status of a part, not that it is unknown."""
    return status not in (None, UNKNOWN)


def as_told_last(facts: HostFacts, bad: Bad) -> HostFacts:
    """The same facts, with the bad states that they do not tell."""
    known = {key: state for key, (state, _) in bad.items()}
    if not known:
        return facts
    enclosures, maps, keys = facts.enclosures, facts.multipath, map_keys(facts)
    own = enclosures_by_id(facts).values()
    return replace(
        facts,
        enclosures=enclosures
        and tuple(_enclosure(one, known) if one in own else one for one in enclosures),
        multipath=maps
        and tuple(replace(one, paths=_paths(keys[one.name], one.paths, known)) for one in maps),
        block=facts.block
        and tuple(
            replace(one, paths=_paths(keys[one.device], one.paths, known)) if one.paths else one
            for one in facts.block
        ),
    )


def _key(kind: str, *names: Optional[str]) -> str:
    # no name has a control character
    return "\n".join((kind, *(name or "" for name in names)))


def _told(facts: HostFacts) -> Iterator[tuple[str, str]]:
    """The known states of paths and parts: "" if it is good."""
    keys = map_keys(facts)
    for map_ in facts.maps():
        for path in map_.paths:
            if is_lost(path) or is_active(path):
                yield _key(_PATH, keys[map_.name], path.device), _FAILED if is_lost(path) else ""
    for id_, enclosure in enclosures_by_id(facts).items():
        for slot in enclosure.slots:
            if is_told(slot.status):
                yield _key(_STATUS, id_, str(slot.slot)), _bad(slot.status)
            if slot.fault is not None:
                yield _key(_FAULT, id_, str(slot.slot)), _FAULTY if slot.fault else ""
        # Parts of sub-enclosures may have the same name: a bad one counts.
        for one in sorted(enclosure.elements, key=lambda one: bool(_bad(one.status))):
            if is_told(one.status):
                yield _key(_ELEMENT, id_, one.type, one.name), _bad(one.status)


def _bad(status: Optional[str]) -> str:
    return status if status in BAD_STATUS else ""


def _paths(map_: str, paths: Sequence[Path], bad: Mapping[str, str]) -> tuple[Path, ...]:
    return tuple(
        path
        if is_active(path) or _key(_PATH, map_, path.device) not in bad
        else replace(path, state=_FAILED)
        for path in paths
    )


def _enclosure(one: EnclosureFacts, bad: Mapping[str, str]) -> EnclosureFacts:
    id_ = one.id.lower()
    told = {
        (element.type, element.name or "") for element in one.elements if is_told(element.status)
    }
    left: dict[tuple[str, str], str] = {}
    for key, status in bad.items():
        kind, of, *names = key.split("\n")
        if kind == _ELEMENT and of == id_ and tuple(names) not in told:
            left[names[0], names[1]] = status
    others = [element for element in one.elements if (element.type, element.name or "") not in left]
    kept = [Element(type_, name or None, status) for (type_, name), status in left.items()]
    return replace(
        one, slots=tuple(_slot(id_, slot, bad) for slot in one.slots), elements=(*others, *kept)
    )


def _slot(enclosure: str, slot: Slot, bad: Mapping[str, str]) -> Slot:
    status, fault = slot.status, slot.fault
    if not is_told(status):
        status = bad.get(_key(_STATUS, enclosure, str(slot.slot)), status)
    if fault is None and _key(_FAULT, enclosure, str(slot.slot)) in bad:
        fault = True
    return replace(slot, status=status, fault=fault)
