"""From the facts of hosts and the metadata of OSDs to drives and the OSDs on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

from ...model.drive import NO_OSDS, OsdsOnDrive
from ...model.facts import HostFacts
from ...model.osd import Osd

# By host, and by every device of it, the OSDs on that disk, whichever path it is known by.
Drives = Mapping[str, Mapping[str, OsdsOnDrive]]


def drives_of(facts: Mapping[str, HostFacts], osds: Sequence[Osd]) -> Drives:
    """The drives of all hosts that told facts or have OSDs."""
    by_host = osds_by_host(osds)
    return {host: tenants(facts.get(host), by_host.get(host, ())) for host in {**by_host, **facts}}


def tenants(facts: Optional[HostFacts], osds: Iterable[Osd]) -> dict[str, OsdsOnDrive]:
    """By every device of one host the OSDs on that disk; ``osds`` are those of this host.

    Of where an OSD has its data, the host's own word counts before the OSD's metadata.
    """
    found: dict[str, OsdsOnDrive] = {}
    told = {} if facts is None else facts.devices_by_osd()
    for osd in osds:
        every, data = _names(osd.device), _names(osd.data_device or osd.device)
        beside = every - data
        data = {told[osd.id]} if osd.id in told else data
        for device in data:
            found[device] = found.get(device, NO_OSDS).with_(OsdsOnDrive(osds=(osd.id,)))
        for device in beside - data:
            found[device] = found.get(device, NO_OSDS).with_(OsdsOnDrive(db_of=(osd.id,)))
    for alike in [] if facts is None else _alike(facts):
        those = NO_OSDS
        for device in alike:
            those = those.with_(found.get(device, NO_OSDS))
        if those:
            found.update(dict.fromkeys(alike, those))
    return found


def shared_drive_groups(drives: Iterable[OsdsOnDrive]) -> dict[int, int]:
    """By OSD the lowest one that it shares a drive with, be it through others."""
    above: dict[int, int] = {}

    def lowest(osd: int) -> int:
        while above.setdefault(osd, osd) != osd:
            osd = above[osd]
        return osd

    for drive in drives:
        first, *others = sorted({lowest(osd) for osd in drive.all}) or [-1]
        above.update(dict.fromkeys(others, first))
    return {osd: lowest(osd) for osd in list(above)}


def osds_by_host(osds: Sequence[Osd]) -> dict[str, list[Osd]]:
    """By host, as OSDs call it, those on it."""
    found: dict[str, list[Osd]] = {}
    for osd in osds:
        found.setdefault(osd.host, []).append(osd)
    return found


def by_disk(facts: HostFacts) -> dict[str, list[str]]:
    """By serial number (or WWID) the devices that are one disk."""
    found: dict[str, list[str]] = {}
    for disk in facts.block or ():
        key = disk.serial or disk.wwid
        if key:
            found.setdefault(key, []).append(disk.device)
    return found


def _names(devices: Optional[str]) -> set[str]:
    return {name for name in (devices or "").split(",") if name}


def _alike(facts: HostFacts) -> list[list[str]]:
    """Devices that are one disk: paths of one map, or disks of one serial number."""
    groups = [[path.device for path in one.paths] for one in facts.multipath or ()]
    return [*groups, *by_disk(facts).values()]
