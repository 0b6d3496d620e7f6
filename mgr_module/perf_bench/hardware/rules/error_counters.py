"""Error counters of links and media in the facts of hosts, and their trends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Optional

from ...model.checksum import (
    DISK_KINDS,
    FAILING,
    GROWN,
    MEDIA,
    PCIE_KINDS,
    PENDING,
    PHY_KINDS,
    WARNING_KINDS,
    Errors,
)
from ...model.counter_trend import CounterTrend
from ...model.drive import NO_OSDS
from ...model.enclosure import Enclosure, HostHistory
from ...model.facts import STALE_SECONDS, HostFacts, Smart
from .drives import Drives
from .identity import by_disk

# Enclosure and slot of an OSD whose enclosure is unknown.
NOWHERE: tuple[Optional[str], Optional[int]] = (None, None)
# Counters that a disk keeps for its life.
_LASTING = ("udma_crc", MEDIA, GROWN)


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
    names = {device: disk for disk, devices in by_disk(facts).items() for device in devices}
    told: dict[str, dict[str, _Count]] = {}
    for smart in facts.smart or ():
        disk = names.get(smart.device, smart.device)
        for kind, count in _of_disk(smart):
            known = told.setdefault(disk, {}).get(kind)
            if count is not None and (known is None or count > (known.number or 0)):
                told[disk][kind] = _Count(disk, disk, kind, count, smart.device)
    devices = {disk: device for device, disk in reversed(list(names.items()))}
    for disk in {**devices, **told}:
        for kind in DISK_KINDS:
            silent = _Count(disk, disk, kind, None, devices.get(disk, disk))
            yield told.get(disk, {}).get(kind, silent)
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
            least = known.count if one.kind in _LASTING else 0
            trends[key] = known.read(max(one.number, least), facts.collected_at)
    return trends


def errors_told(
    facts: Mapping[str, HostFacts],
    memories: Mapping[str, HostHistory],
    enclosures: Sequence[Enclosure],
    drives: Drives,
) -> list[Errors]:
    """All counters of all hosts that are not 0, with their OSDs, enclosures and slots."""
    places, slots = placed(enclosures), _slots(enclosures)
    errors = []
    for host in sorted(facts):
        on = drives.get(host, {})
        growths = memories.get(host, HostHistory()).errors
        for one in _counts(facts[host]):
            growth = growths.get(f"{one.source} {one.kind}")
            if growth is None or not (growth.count or growth.grew):
                continue
            on_disk = on.get(one.device or "", NO_OSDS)
            by_osd = places.get(-1 if on_disk.first is None else on_disk.first, NOWHERE)
            enclosure, slot = slots.get((host, one.device), by_osd)
            errors.append(
                Errors(
                    host,
                    one.kind,
                    growth,
                    one.disk,
                    on_disk,
                    one.device,
                    one.phy,
                    enclosure,
                    slot,
                    expander_of(one.phy),
                )
            )
    return errors


def placed(enclosures: Sequence[Enclosure]) -> dict[int, tuple[Optional[str], Optional[int]]]:
    """By OSD its enclosure and slot."""
    return {
        osd: (enclosure.id, bay.slot.slot)
        for enclosure in enclosures
        for bay in enclosure.bays
        for osd in bay.on.osds
    }


def _slots(
    enclosures: Sequence[Enclosure],
) -> dict[tuple[str, Optional[str]], tuple[Optional[str], Optional[int]]]:
    """By host and device name the enclosure and slot of the disk."""
    return {
        (bay.host, bay.slot.device): (enclosure.id, bay.slot.slot)
        for enclosure in enclosures
        for bay in enclosure.bays
        if bay.slot.device
    }


def expander_of(phy: Optional[str]) -> Optional[str]:
    """A phy's expander, "1:0" of "phy-1:0:12", or host adapter, "1" of "phy-1:3"."""
    _, dash, address = (phy or "").partition("-")
    return address.rpartition(":")[0] or None if dash else None
