"""Error counters of links and media in the facts of hosts, and their trends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Optional

from ...model.checksum import MEDIA, PCIE_KINDS, PENDING, PHY_KINDS, Errors
from ...model.counter_trend import CounterTrend
from ...model.drive import NO_OSDS
from ...model.enclosure import Enclosure, HostHistory
from ...model.facts import STALE_SECONDS, HostFacts
from .drives import Drives
from .identity import by_disk

# Enclosure and slot of an OSD whose enclosure is unknown.
NOWHERE: tuple[Optional[str], Optional[int]] = (None, None)
_SMART_KINDS = ("udma_crc", PENDING, MEDIA)


class _Count(NamedTuple):
    """A counter in the facts; ``source`` (disk, phy or address) and kind are its key in history."""

    source: str
    disk: str
    kind: str
    number: int
    device: Optional[str]
    phy: Optional[str] = None


def _counts(facts: HostFacts) -> Iterator[_Count]:
    """All error counters in the facts; those of a disk once, however many paths it has."""
    names = {device: disk for disk, devices in by_disk(facts).items() for device in devices}
    seen: set[tuple[str, str]] = set()
    for smart in facts.smart or ():
        disk = names.get(smart.device, smart.device)
        counts = smart.udma_crc_errors, smart.pending_sectors, smart.media_errors
        for kind, count in zip(_SMART_KINDS, counts):
            if count is not None and (disk, kind) not in seen:
                seen.add((disk, kind))
                yield _Count(disk, disk, kind, count, smart.device)
    for phy in facts.phys or ():
        for kind in PHY_KINDS:
            count = getattr(phy, kind)
            if count is not None:
                disk = names.get(phy.device or "", phy.device or phy.phy)
                yield _Count(phy.phy, disk, kind, count, phy.device, phy.phy)
    for link in facts.pcie or ():
        for kind, name in PCIE_KINDS.items():
            count = getattr(link, name)
            if count is not None:
                disk = names.get(link.device, link.device)
                yield _Count(link.address or link.device, disk, kind, count, link.device)


def silent_disks(facts: HostFacts) -> dict[str, list[str]]:
    """The device names of disks that are there and whose SMART counters these facts lack.

    A disk that hangs does not answer in time: that it tells nothing does not mean that it is good.
    """
    told = {smart.device for smart in facts.smart or ()}
    return {disk: names for disk, names in by_disk(facts).items() if told.isdisjoint(names)}


def _silent(facts: HostFacts, known: Mapping[str, CounterTrend]) -> Iterator[_Count]:
    """The counters that disks told before, which tell none in these facts."""
    for disk, names in silent_disks(facts).items():
        for kind in _SMART_KINDS:
            trend = known.get(f"{disk} {kind}")
            if trend is not None and facts.collected_at - trend.at < STALE_SECONDS:
                yield _Count(disk, disk, kind, trend.count, names[0])


def grown(before: Mapping[str, CounterTrend], facts: HostFacts) -> dict[str, CounterTrend]:
    """The trends after these facts, by "source kind".

    Counters not in the facts are dropped, except those of disks that are there.
    """
    keys = [f"{one.source} {one.kind}" for one in _silent(facts, before)]
    return {**{key: before[key] for key in keys}, **_read(before, facts)}


def _read(before: Mapping[str, CounterTrend], facts: HostFacts) -> dict[str, CounterTrend]:
    trends: dict[str, CounterTrend] = {}
    for one in _counts(facts):
        key = f"{one.source} {one.kind}"
        known = before.get(key)
        if known is None:
            trends[key] = CounterTrend.first(one.number, facts.collected_at)
        else:
            trends[key] = known.read(one.number, facts.collected_at)
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
        for one in (*_counts(facts[host]), *_silent(facts[host], growths)):
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
