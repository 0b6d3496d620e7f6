"""Claims about enclosures: one for each faulty enclosure, with all reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import ENCLOSURE_FAULT
from ...model.hardware import (
    BAD_STATUS,
    FELL_TOGETHER,
    NOT_THERE,
    PARTS,
    PATHS,
    Enclosure,
    HardwareSnapshot,
)
from ...model.phrases import listed, osd_names
from .correlated_failures import LEAST, together
from .enclosures import is_told, told_less
from .identity import shared_drive_groups

_ACTIVATE = "ceph-volume lvm activate --all"


@dataclass(frozen=True)
class FaultReason:
    """One reason to suspect an enclosure; ``since`` is unix seconds."""

    what: str
    text: str
    since: float
    severity: Severity = Severity.WARNING
    osds: Sequence[int] = ()


def enclosure_claims(snapshot: HardwareSnapshot) -> list[Claim]:
    """One claim for each enclosure with reasons."""
    found = [(one, suspects(snapshot, one)) for one in snapshot.enclosures]
    return [_claim(one, reasons) for one, reasons in found if reasons]


def suspects(snapshot: HardwareSnapshot, enclosure: Enclosure) -> list[FaultReason]:
    """The reasons to suspect an enclosure, the most severe first."""
    fresh = [host for host in enclosure.hosts if _fresh(snapshot, host)]
    reasons = [*_gone(snapshot, enclosure), *_fallen(snapshot, enclosure)]
    if fresh:
        since = min(snapshot.hosts[host].facts.collected_at for host in fresh)
        reasons += _bad_parts(enclosure, since)
        reasons += _paths(snapshot, enclosure, since)
    return sorted(reasons, key=lambda one: one.severity is not Severity.ERROR)


def _fresh(snapshot: HardwareSnapshot, host: str) -> bool:
    return host in snapshot.hosts and snapshot.hosts[host].facts.is_fresh(snapshot.now)


def _gone(snapshot: HardwareSnapshot, enclosure: Enclosure) -> Iterator[FaultReason]:
    """A host that reports and no longer sees the enclosure, as after booting before it."""
    for host in enclosure.missing:
        down = [osd for osd in sorted(enclosure.osds) if osd in snapshot.fell]
        if down and _fresh(snapshot, host) and not set(enclosure.hosts) - set(enclosure.missing):
            yield FaultReason(
                NOT_THERE,
                f"{host} reports facts but no longer sees it, and {osd_names(down)} in it "
                f"{'is' if len(down) == 1 else 'are'} down: check its power and cables, then run "
                f"'{_ACTIVATE}' on {host}",
                snapshot.hosts[host].facts.collected_at,
                Severity.ERROR,
                down,
            )


def _fallen(snapshot: HardwareSnapshot, enclosure: Enclosure) -> Iterator[FaultReason]:
    """OSDs that went down together while their hosts stayed up."""
    if len(snapshot.fell.keys() & enclosure.osds) < LEAST:
        return
    down = together(snapshot.fell, enclosure.osds, _shared_drives(snapshot, enclosure))
    if not down or not _a_host_answers(snapshot, down):
        return
    since = min(snapshot.fell[osd] for osd in down)
    whole = len(down) == len(enclosure.osds)
    yield FaultReason(
        FELL_TOGETHER,
        f"{len(down)} of its {len(enclosure.osds)} OSDs went down within minutes of each other "
        f"({osd_names(down)}): check its power and cables, and dmesg on its hosts",
        since,
        Severity.ERROR if whole else Severity.WARNING,
        down,
    )


def _shared_drives(snapshot: HardwareSnapshot, enclosure: Enclosure) -> Mapping[int, int]:
    hosts = {snapshot.osds[osd].host for osd in enclosure.osds if osd in snapshot.osds}
    return shared_drive_groups(
        drive for host in hosts for drive in snapshot.drives.get(host, {}).values()
    )


def _a_host_answers(snapshot: HardwareSnapshot, down: Sequence[int]) -> bool:
    """Whether a host of these OSDs is alive: one of its OSDs is up, or it has sent facts since.

    Otherwise the host is down, which Ceph itself reports.
    """
    last_at = max(snapshot.fell[osd] for osd in down)
    hosts = {snapshot.osds[osd].host for osd in down if osd in snapshot.osds}
    told = {host for host, one in snapshot.hosts.items() if one.facts.collected_at > last_at}
    up = {osd.host for osd in snapshot.osds.values() if osd.up and osd.id not in snapshot.fell}
    return not hosts.isdisjoint(told | up)


def _bad_parts(enclosure: Enclosure, since: float) -> Iterator[FaultReason]:
    """Elements and slots with a bad status."""
    bad = [
        (one.status or "", f"{one.name or one.type} is {one.status}")
        for one in enclosure.elements
        if one.status in BAD_STATUS
    ]
    osds: list[int] = []
    for bay in enclosure.bays:
        if bay.slot.status in BAD_STATUS or bay.slot.fault:
            osds += bay.on.all
            word = (bay.slot.status if bay.slot.status in BAD_STATUS else None) or "faulty"
            of = f" ({osd_names(bay.on.all)})" if bay.on else ""
            bad.append((word, f"slot {bay.slot.slot}{of} is {word}"))
    if bad:
        grave = any(status in BAD_STATUS[:2] for status, _ in bad)
        yield FaultReason(
            PARTS,
            listed([text for _, text in bad]),
            since,
            Severity.ERROR if grave and len(bad) > 1 else Severity.WARNING,
            osds,
        )


def _paths(snapshot: HardwareSnapshot, enclosure: Enclosure, since: float) -> Iterator[FaultReason]:
    """Fewer paths to the enclosure than before."""
    for host, now in sorted(enclosure.paths.items()):
        if not _fresh(snapshot, host):
            continue
        past, told = snapshot.hosts[host].memory.enclosure_paths, enclosure.ids.get(host, {})
        most = sum(max(one, past.get(name, 0)) for name, one in told.items() if one is not None)
        if now < most:
            text = f"{host} reaches it over {now} of {most} paths"
            yield FaultReason(PATHS, text, since)


def _claim(enclosure: Enclosure, reasons: Sequence[FaultReason]) -> Claim:
    name = enclosure.id if not enclosure.make else f"{enclosure.id} ({enclosure.make})"
    evidence: dict[str, Any] = {
        "reasons": [reason.what for reason in reasons],
        "hosts": list(enclosure.hosts or enclosure.missing),
        "osds": sorted({osd for reason in reasons for osd in reason.osds}),
        "osds_in_all": len(enclosure.osds),
        "serial": enclosure.serial,
    }
    return Claim(
        ENCLOSURE_FAULT.code,
        reasons[0].severity,
        Target("enclosure", enclosure.id),
        f"enclosure {name}: {'; '.join(reason.text for reason in reasons)}",
        evidence,
        min(reason.since for reason in reasons),
    )


def is_looked_at(snapshot: HardwareSnapshot, enclosure: Enclosure) -> bool:
    """Whether hosts tell the states of its parts now, as many as before.

    CRUSH and metadata tell none.
    """
    fresh = [host for host in enclosure.hosts if _fresh(snapshot, host)]
    slots = [bay.slot for bay in enclosure.bays]
    return any((*map(is_told, slots), *map(is_told, enclosure.elements))) and any(
        told_less(snapshot.hosts[host]).isdisjoint(enclosure.ids.get(host, ())) for host in fresh
    )
