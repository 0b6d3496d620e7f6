"""Find the OSDs on each drive, from the facts of hosts and the metadata of OSDs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

from ...model.facts import HostFacts
from ...model.hardware import NO_OSDS, Drives, OsdsOnDrive
from ...model.osd import Osd, osds_by_host
from .identity import OsdsOn, disks, names_in


def drives_of(facts: Mapping[str, HostFacts], osds: Sequence[Osd]) -> Drives:
    """The drives of all hosts that have facts or OSDs."""
    by_host = osds_by_host(osds)
    return {
        host: osds_by_device(facts.get(host), by_host.get(host, ()))
        for host in {**by_host, **facts}
    }


def osds_by_device(facts: Optional[HostFacts], osds: Sequence[Osd]) -> dict[str, OsdsOnDrive]:
    """The OSDs on each device of one host; ``osds`` are those of this host.

    For an OSD's data device, the facts have precedence over the OSD's metadata.
    """
    by_device: dict[str, OsdsOnDrive] = {}
    named: dict[str, set[int]] = {}
    data_devices = {} if facts is None else facts.devices_by_osd()
    data_by_osd = _data_by_osd(facts, osds)
    ids = {name: osd.device_id for osd in osds if osd.up for name in data_by_osd[osd.id]}
    for osd in osds:
        data = data_by_osd[osd.id]
        others = names_in(osd.devices) - data
        if osd.id in data_devices:
            data = {data_devices[osd.id]}
        elif not osd.up:
            # Its metadata is of its last start: another OSD's disk may have the name now. Where
            # none has, it is its own, as of OSDs that nobody started after a boot.
            data = data - set(data_devices.values())
            data = {
                name
                for name in data
                if None in (osd.device_id, ids.get(name)) or osd.device_id == ids[name]
            }
        for device in data | (data_by_osd[osd.id] if osd.id in data_devices else set()):
            named.setdefault(device, set()).add(osd.id)
        for device in data:
            by_device[device] = by_device.get(device, NO_OSDS).with_(OsdsOnDrive(osds=(osd.id,)))
        for device in others - data:
            by_device[device] = by_device.get(device, NO_OSDS).with_(OsdsOnDrive(db_of=(osd.id,)))
    for names in [] if facts is None else disks(facts, named):
        on_disk = NO_OSDS
        for device in names:
            on_disk = on_disk.with_(by_device.get(device, NO_OSDS))
        if on_disk:
            by_device.update(dict.fromkeys(names, on_disk))
    return by_device


def osds_on(by_device: Mapping[str, OsdsOnDrive]) -> OsdsOn:
    """By device name the OSDs with their data on it."""
    return {name: one.osds for name, one in by_device.items()}


def _data_by_osd(facts: Optional[HostFacts], osds: Sequence[Osd]) -> dict[int, set[str]]:
    """By OSD the devices with its data by its metadata: all of them where it is not clear.

    Several are paths to one disk, or that disk and its cache (LVM): a cache that several OSDs have
    is none's disk, nor is one that does not rotate where the other does.
    """
    told = {osd.id: names_in(osd.data_device or osd.devices) for osd in osds}
    users = Counter(name for names in told.values() for name in names)
    rotating = {disk.device for disk in (facts.block if facts else None) or () if disk.rotational}
    found = {}
    for osd, names in told.items():
        own = {name for name in names if users[name] == 1} or names
        found[osd] = own & rotating or own
    return found


def shared_drive_groups(drives: Iterable[OsdsOnDrive]) -> dict[int, int]:
    """By OSD the lowest OSD of its group; a group shares drives, directly or through others."""
    above: dict[int, int] = {}

    def lowest(osd: int) -> int:
        while above.setdefault(osd, osd) != osd:
            osd = above[osd]
        return osd

    for drive in drives:
        first, *others = sorted({lowest(osd) for osd in drive.all}) or [-1]
        above.update(dict.fromkeys(others, first))
    return {osd: lowest(osd) for osd in list(above)}
