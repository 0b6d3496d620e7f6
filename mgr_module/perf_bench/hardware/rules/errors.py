"""Errors of links and media: the counters in the facts of hosts, and whom they accuse.

No published threshold separates good links from bad ones. A link counts some errors when it comes
up, as when a disk is plugged in or a host starts. So a link is accused if its count grew in two
readings within a day, by ten errors in all, or by two where errors took the link down. A medium is
accused by one read that failed for good, by three reads that succeeded only when repeated, by new
errors that the disk counts, by sectors that it cannot read now, and by a warning of the disk.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import LINK_ERRORS, MEDIA_ERRORS
from ...model.hardware import (
    DISK_KINDS,
    EIO,
    FAILING,
    FAILING_KINDS,
    GROWN,
    LINK_KINDS,
    MEDIA,
    NO_OSDS,
    PCIE_CORRECTED,
    PCIE_FATAL,
    PCIE_KINDS,
    PCIE_NONFATAL,
    PENDING,
    PHY_KINDS,
    RETRIES,
    STALE_SECONDS,
    WARNING_KINDS,
    CounterTrend,
    Drives,
    Enclosure,
    Errors,
    HostFacts,
    KnownHost,
    Smart,
)
from ...model.phrases import listed, osd_names, unit_named
from .identity import by_disk

# Enclosure and slot of an OSD whose enclosure is unknown.
NOWHERE: tuple[Optional[str], Optional[int]] = (None, None)
# Counters that a disk keeps for its life.
_LASTING = ("udma_crc", MEDIA, GROWN)

LINK_TIMES = 2
# Errors within a day that accuse a link (by kind, else _LEAST) or a medium.
_LEAST = 10
LINK_LEAST: Mapping[str, int] = {PCIE_FATAL: 2}
MEDIA_LEAST: Mapping[str, int] = {RETRIES: 3, EIO: 1, MEDIA: 1, GROWN: 1}
# Cables and expanders are looked for among the disks that count errors, not among all: an enclosure
# is accused if it has this share of those, and so many, a host from so many on. watch/blame.py,
# which asks for most of all OSDs, would name three disks behind one bad cable one by one.
_SHARE = 0.75
_DISKS = 3
# Counters that evidence lists.
_SHOWN = 20
_TEXTS = {
    "udma_crc": "CRC errors of its link",
    "invalid_dword": "invalid dwords",
    "running_disparity": "disparity errors",
    "loss_of_dword_sync": "losses of sync",
    "phy_reset_problem": "failed resets of the phy",
    PCIE_CORRECTED: "PCIe errors that its link corrected",
    PCIE_NONFATAL: "PCIe errors that nothing corrected",
    PCIE_FATAL: "PCIe errors that took its link down",
    RETRIES: "reads that succeeded only when repeated",
    EIO: "reads that failed for good",
    MEDIA: "media errors counted by the disk",
    PENDING: "sectors that cannot be read",
    GROWN: "bad sectors that the disk replaced",
    FAILING: "the disk says that it is failing",
    "spare_blocks_low": "its spare blocks are used up",
    "temperature_warning": "its temperature is out of range",
    "reliability_degraded": "it says that it is not reliable any more",
    "read_only": "its medium can only be read",
    "memory_backup_failed": "the power backup of its memory has failed",
    "persistent_memory_unreliable": "its persistent memory region is not reliable any more",
}
_MEDIA_ADVICE = "look at 'smartctl -x' of the disk, and replace the disk if the errors continue"
_LINK_ADVICE = (
    "usual causes are cables, connectors and slots: reseat or replace the cable before the disk"
)


class _Count(NamedTuple):
    """A counter of a disk or link that is there; ``number`` is None if the facts do not tell it.

    ``source`` (disk, phy or address) and kind are its key in history.
    """

    source: str
    disk: str
    kind: str
    number: Optional[int]
    device: Optional[str]
    phy: Optional[str] = None


def _counts(facts: HostFacts) -> Iterator[_Count]:
    """All error counters in the facts; those of a disk once, however many paths it has."""
    disks = by_disk(facts)
    names = {device: disk for disk, devices in disks.items() for device in devices}
    told: dict[tuple[str, str], _Count] = {}
    for smart in facts.smart or ():
        disk = names.get(smart.device, smart.device)
        for kind, count in _of_disk(smart):
            known = told.get((disk, kind))
            if known is None or known.number is None or (count or 0) > known.number:
                told[disk, kind] = _Count(disk, disk, kind, count, smart.device)
    for disk, devices in disks.items():
        for kind in DISK_KINDS:
            told.setdefault((disk, kind), _Count(disk, disk, kind, None, devices[0]))
    yield from told.values()
    for phy in facts.phys or ():
        for kind in PHY_KINDS:
            disk = names.get(phy.device or "", phy.device or phy.phy)
            yield _Count(phy.phy, disk, kind, getattr(phy, kind), phy.device, phy.phy)
    for link in facts.pcie or ():
        for kind, name in PCIE_KINDS.items():
            disk = names.get(link.device, link.device)
            source = link.address or link.device
            yield _Count(source, disk, kind, getattr(link, name), link.device)


def _of_disk(smart: Smart) -> Iterator[tuple[str, Optional[int]]]:
    """By kind what the disk counts; what it says of itself counts 1 if it is so."""
    yield "udma_crc", smart.udma_crc_errors
    yield PENDING, smart.pending_sectors
    yield MEDIA, smart.media_errors
    yield GROWN, smart.grown_defects
    yield FAILING, None if smart.failing is None else int(smart.failing)
    warning = smart.critical_warning
    for bit, kind in enumerate(WARNING_KINDS):
        yield kind, None if warning is None else warning >> bit & 1


def smart_of(facts: HostFacts, device: str) -> Optional[dict[str, int]]:
    """By kind what the disk behind a device counts, over any of its paths; None: not told."""
    paths = next((names for names in by_disk(facts).values() if device in names), [device])
    told = [
        {kind: count for kind, count in _of_disk(smart) if count is not None}
        for smart in facts.smart or ()
        if smart.device in paths
    ]
    return max(told, key=len, default=None) or None


def silent_disks(facts: HostFacts) -> dict[str, list[str]]:
    """The device names of disks that are there and whose media these facts do not tell.

    A disk that hangs does not answer in time: that it tells nothing does not mean that it is good.
    """
    told = {
        smart.device
        for smart in facts.smart or ()
        if (smart.pending_sectors, smart.media_errors) != (None, None)
    }
    disks = by_disk(facts)
    named = {name for names in disks.values() for name in names}
    used = {one: [one] for one in facts.devices_by_osd().values() if one not in named}
    return {disk: names for disk, names in {**used, **disks}.items() if told.isdisjoint(names)}


def grown(before: Mapping[str, CounterTrend], facts: HostFacts) -> dict[str, CounterTrend]:
    """The trends after these facts, by "source kind".

    A counter that these facts do not tell stays as it was, as long as facts count. One of a disk
    or link that is gone is dropped.
    """
    trends: dict[str, CounterTrend] = {}
    for one in _counts(facts):
        key = f"{one.source} {one.kind}"
        known = before.get(key)
        if one.number is None:
            if known is not None and facts.collected_at - known.at < STALE_SECONDS:
                trends[key] = known
        elif known is None:
            trends[key] = CounterTrend.first(one.number, facts.collected_at)
        else:
            # Disks keep these over restarts. One that falls flips or is a rate, as some makers'
            # are: only what is above its highest value are new errors.
            least = known.newest if one.kind in _LASTING else 0
            trends[key] = known.read(max(one.number, least), facts.collected_at)
    return trends


def errors_told(
    hosts: Mapping[str, KnownHost], enclosures: Sequence[Enclosure], drives: Drives
) -> list[Errors]:
    """All counters of all hosts that are not 0, with their OSDs, enclosures and slots."""
    places = placed(enclosures)
    errors = []
    for host, known in sorted(hosts.items()):
        on = drives.get(host, {})
        for one in _counts(known.facts):
            growth = known.memory.errors.get(f"{one.source} {one.kind}")
            if growth is None or not (growth.newest or growth.grew):
                continue
            on_disk = on.get(one.device or "", NO_OSDS)
            by_osd = places.get(-1 if on_disk.first is None else on_disk.first, NOWHERE)
            enclosure, slot = places.get((host, one.device), by_osd)
            place = on_disk, one.device, one.phy, enclosure, slot, expander_of(one.phy)
            errors.append(Errors(host, one.kind, growth, one.disk, *place))
    return errors


# By OSD, and by host and device name of a disk, its enclosure and slot.
Places = Mapping[object, tuple[Optional[str], Optional[int]]]


def placed(enclosures: Sequence[Enclosure]) -> Places:
    """Where OSDs and disks are."""
    places: dict[object, tuple[Optional[str], Optional[int]]] = {}
    for enclosure in enclosures:
        for bay in enclosure.bays:
            here = enclosure.id, bay.slot.slot
            places.update(dict.fromkeys(bay.on.osds, here))
            if bay.slot.device:
                places[bay.host, bay.slot.device] = here
    return places


def expander_of(phy: Optional[str]) -> Optional[str]:
    """A phy's expander, "1:0" of "phy-1:0:12", or host adapter, "1" of "phy-1:3"."""
    _, dash, address = (phy or "").partition("-")
    return address.rpartition(":")[0] or None if dash else None


# --- whom they accuse ---


def link_claims(everything: Sequence[Errors], now: float) -> list[Claim]:
    """One claim for each enclosure, host or OSD whose links count errors."""
    bad = [
        one
        for one in everything
        if one.kind in LINK_KINDS
        and _fresh(one, now)
        and one.growth.times(now) >= LINK_TIMES
        and (one.growth.per_day(now) or 0) >= LINK_LEAST.get(one.kind, _LEAST)
    ]
    return _claims(LINK_ERRORS.code, bad, now)


def media_claims(everything: Sequence[Errors], now: float) -> list[Claim]:
    """One claim for each enclosure, host or OSD whose media count errors."""
    bad = [one for one in everything if _fresh(one, now) and _is_bad_medium(one, now)]
    return _claims(MEDIA_ERRORS.code, bad, now)


def _fresh(one: Errors, now: float) -> bool:
    return now - one.growth.at < STALE_SECONDS


def _is_bad_medium(one: Errors, now: float) -> bool:
    if one.kind == PENDING or one.kind in FAILING_KINDS:
        return one.growth.newest > 0
    least = MEDIA_LEAST.get(one.kind)
    return least is not None and (one.growth.per_day(now) or 0) >= least


def _claims(code: str, bad: Sequence[Errors], now: float) -> list[Claim]:
    bad = _on_disks(bad)
    on_host: dict[str, set[str]] = defaultdict(set)
    inside: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in bad:
        on_host[one.host].add(one.disk)
        if one.enclosure is not None:
            inside[one.enclosure].add((one.host, one.disk))
    # The enclosures that contain most of the disks with errors of their hosts.
    accused = {
        enclosure
        for enclosure, disks in inside.items()
        for of_hosts in [sum(len(on_host[host]) for host in {host for host, _ in disks})]
        if len(disks) >= max(_DISKS, _SHARE * of_hosts)
    }
    rest = Counter(
        host for host, _ in {(e.host, e.disk) for e in bad if e.enclosure not in accused}
    )
    groups: dict[Target, list[Errors]] = defaultdict(list)
    for one in bad:
        target = Target("host", one.host)
        if one.enclosure is not None and one.enclosure in accused:
            target = Target("enclosure", one.enclosure)
        elif len(one.on.all) == 1 and rest[one.host] < _DISKS:
            target = Target("osd", str(one.on.all[0]))
        groups[target].append(one)
    return [
        _claim(code, target, groups[target], now)
        for target in sorted(groups, key=lambda target: (target.kind, target.id))
    ]


def _on_disks(bad: Sequence[Errors]) -> list[Errors]:
    """The same errors; those that OSDs count are on the disk that counts errors too, if any does.

    Else a failing disk would count as two.
    """
    by_osd = (RETRIES, EIO)
    disks = {(e.host, osd): e.disk for e in bad if e.kind not in by_osd for osd in e.on.all}
    return [
        replace(one, disk=disks.get((one.host, one.on.all[0]), one.disk))
        if one.kind in by_osd and one.on.all
        else one
        for one in bad
    ]


def _claim(code: str, target: Target, bad: Sequence[Errors], now: float) -> Claim:
    worst = sorted(bad, key=lambda one: -(one.growth.per_day(now) or 0))
    texts = [_text(one, now, named=target.kind != "osd") for one in worst]
    evidence: dict[str, Any] = {
        "osds": sorted({osd for one in bad for osd in one.on.all}),
        "host": ", ".join(sorted({one.host for one in bad})),
        "errors": [
            {
                "device": one.device or one.phy,
                "kind": one.kind,
                "count": one.growth.newest,
                "per_day": one.growth.per_day(now),
            }
            for one in worst[:_SHOWN]
        ],
    }
    advice = _MEDIA_ADVICE if code == MEDIA_ERRORS.code else _LINK_ADVICE
    return Claim(
        code,
        Severity.WARNING,
        target,
        f"{_name(target, worst[0])} within a day: {listed(texts)}; {advice}",
        evidence,
        min(one.growth.since(now) or one.growth.at for one in bad),
    )


def _name(target: Target, one: Errors) -> str:
    if target.kind == "osd":
        return f"{target} ({one.host}{f', {one.device}' if one.device else ''})"
    return unit_named(target.kind, target.id)


def _text(one: Errors, now: float, named: bool) -> str:
    errors = _TEXTS[one.kind]
    if one.kind in FAILING_KINDS:
        return f"{errors} ({_who(one)})" if named else errors
    count = one.growth.newest if one.kind == PENDING else one.growth.per_day(now)
    return f"{errors} of {_who(one)} ({count})" if named else f"{errors} ({count})"


def _who(one: Errors) -> str:
    name = one.phy or one.device or one.disk
    if len(one.on.all) == 1:
        return osd_names(one.on.all)
    return f"{name} with {osd_names(one.on.all)}" if one.on else name
