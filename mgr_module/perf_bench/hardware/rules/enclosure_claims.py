"""What is wrong with enclosures: one claim an enclosure, with all that speaks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...model.enclosure import Enclosure, HostHistory
from ...model.facts import BAD_STATUS, STALE_SECONDS, HostFacts
from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import ENCLOSURE_FAULT
from ...model.osd import Osd
from ...model.phrases import listed, osd_names
from .correlated_failures import LEAST, together
from .drives import Drives, shared_drive_groups
from .enclosures import left_slots

_ACTIVATE = "ceph-volume lvm activate --all"


@dataclass(frozen=True)
class HardwareSnapshot:
    """All that is looked at. ``fell`` is by OSD that is down when it went down (unix seconds)."""

    now: float
    enclosures: Sequence[Enclosure]
    osds: Mapping[int, Osd]
    facts: Mapping[str, HostFacts] = field(default_factory=dict)
    memories: Mapping[str, HostHistory] = field(default_factory=dict)
    fell: Mapping[int, float] = field(default_factory=dict)
    drives: Drives = field(default_factory=dict)


@dataclass(frozen=True)
class FaultReason:
    """One thing that speaks against an enclosure, and since when."""

    what: str
    text: str
    since: float
    severity: Severity = Severity.WARNING
    osds: Sequence[int] = ()


def enclosure_claims(floor: HardwareSnapshot) -> list[Claim]:
    """One for each enclosure that something is wrong with."""
    found = []
    for shelf in floor.enclosures:
        reasons = suspects(floor, shelf)
        if reasons:
            found.append(_claim(shelf, reasons))
    return found


def suspects(floor: HardwareSnapshot, shelf: Enclosure) -> list[FaultReason]:
    """All that speaks against it, the gravest first."""
    told = [host for host in shelf.hosts if _fresh(floor, host)]
    found = [*_gone(floor, shelf), *_fallen(floor, shelf)]
    if told:
        at = min(floor.facts[host].collected_at for host in told)
        found += [*_bad_parts(shelf, at), *_empty(floor, shelf, at), *_paths(floor, shelf, at)]
    return sorted(found, key=lambda one: one.severity is not Severity.ERROR)


def _fresh(floor: HardwareSnapshot, host: str) -> bool:
    facts = floor.facts.get(host)
    return facts is not None and floor.now - facts.collected_at < STALE_SECONDS


def _gone(floor: HardwareSnapshot, shelf: Enclosure) -> Iterator[FaultReason]:
    """A host that answers, and has the enclosure no more: it was up before its enclosure."""
    for host in shelf.missing:
        down = [osd for osd in sorted(shelf.osds) if osd in floor.fell]
        if down and _fresh(floor, host) and not set(shelf.hosts) - set(shelf.missing):
            yield FaultReason(
                "not there",
                f"{host} answers and has it no more, {osd_names(down)} on it "
                f"{'is' if len(down) == 1 else 'are'} down: see to its power and cables, then "
                f"'{_ACTIVATE}' on {host}",
                floor.facts[host].collected_at,
                Severity.ERROR,
                down,
            )


def _fallen(floor: HardwareSnapshot, shelf: Enclosure) -> Iterator[FaultReason]:
    """OSDs that fell together, where their hosts did not."""
    if len(floor.fell.keys() & shelf.osds) < LEAST:
        return
    down = together(floor.fell, shelf.osds, _shared_drives(floor, shelf))
    if not down or not _a_host_answers(floor, down):
        return
    at = min(floor.fell[osd] for osd in down)
    whole = len(down) == len(shelf.osds)
    yield FaultReason(
        "fell together",
        f"{len(down)} of its {len(shelf.osds)} OSDs went down within minutes of each other "
        f"({osd_names(down)}): see to its power and cables, and to dmesg of its hosts",
        at,
        Severity.ERROR if whole else Severity.WARNING,
        down,
    )


def _shared_drives(floor: HardwareSnapshot, shelf: Enclosure) -> Mapping[int, int]:
    hosts = {floor.osds[osd].host for osd in shelf.osds if osd in floor.osds}
    return shared_drive_groups(
        drive for host in hosts for drive in floor.drives.get(host, {}).values()
    )


def _a_host_answers(floor: HardwareSnapshot, down: Sequence[int]) -> bool:
    """Whether some host of these OSDs is alive: an OSD of it is up, or it has told facts since.

    Else it is the host that is down, and Ceph says so itself.
    """
    at = max(floor.fell[osd] for osd in down)
    hosts = {floor.osds[osd].host for osd in down if osd in floor.osds}
    for host in hosts:
        facts = floor.facts.get(host)
        if facts is not None and facts.collected_at > at:
            return True
        if any(
            osd.host == host and osd.id not in floor.fell and osd.up for osd in floor.osds.values()
        ):
            return True
    return False


def _bad_parts(shelf: Enclosure, at: float) -> Iterator[FaultReason]:
    """Elements and slots that say themselves that they are bad."""
    bad = [
        (element.status or "", f"{element.name or element.type} is {element.status}")
        for element in shelf.elements
        if element.status in BAD_STATUS
    ]
    for bay in shelf.bays:
        if bay.slot.status in BAD_STATUS or bay.slot.fault:
            osd = f" ({osd_names(bay.on.all)})" if bay.on else ""
            word = (bay.slot.status if bay.slot.status in BAD_STATUS else None) or "faulty"
            bad.append((word, f"slot {bay.slot.slot}{osd} is {word}"))
    if bad:
        grave = any(status in BAD_STATUS[:2] for status, _ in bad)
        yield FaultReason(
            "parts",
            listed([text for _, text in bad]),
            at,
            Severity.ERROR if grave and len(bad) > 1 else Severity.WARNING,
            [osd for bay in shelf.bays if bay.slot.fault for osd in bay.on.all],
        )


def _empty(floor: HardwareSnapshot, shelf: Enclosure, at: float) -> Iterator[FaultReason]:
    """Slots without a disk that held OSDs, which are down now."""
    down = {
        slot: [osd for osd in osds if osd in floor.fell]
        for slot, osds in left_slots(shelf, floor.memories).items()
    }
    left = {slot: osds for slot, osds in down.items() if osds}
    if left:
        texts = [f"slot {slot} is empty and held {osd_names(osds)}" for slot, osds in left.items()]
        every = [osd for osds in left.values() for osd in osds]
        yield FaultReason("empty slots", listed(texts), at, osds=every)


def _paths(floor: HardwareSnapshot, shelf: Enclosure, at: float) -> Iterator[FaultReason]:
    """Fewer ways to it than there were."""
    for host, now in sorted(shelf.paths.items()):
        most = floor.memories.get(host, HostHistory()).shelves.get(shelf.id, now)
        if now < most and _fresh(floor, host):
            yield FaultReason("paths", f"{host} reaches it over {now} of {most} ways", at)


def _claim(shelf: Enclosure, reasons: Sequence[FaultReason]) -> Claim:
    name = shelf.id if not shelf.make else f"{shelf.id} ({shelf.make})"
    evidence: dict[str, Any] = {
        "reasons": [reason.what for reason in reasons],
        "hosts": list(shelf.hosts or shelf.missing),
        "osds": sorted({osd for reason in reasons for osd in reason.osds}),
        "osds_in_all": len(shelf.osds),
        "serial": shelf.serial,
    }
    return Claim(
        ENCLOSURE_FAULT.code,
        reasons[0].severity,
        Target("enclosure", shelf.id),
        f"enclosure {name}: {'; '.join(reason.text for reason in reasons)}",
        evidence,
        min(reason.since for reason in reasons),
    )


def worst_state(reasons: Sequence[FaultReason]) -> str:
    """The state of an enclosure in a word."""
    if not reasons:
        return "ok"
    return "fault" if reasons[0].severity is Severity.ERROR else "degraded"
