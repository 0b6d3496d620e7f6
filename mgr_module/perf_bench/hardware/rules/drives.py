"""Find the OSDs on each drive, from the facts of hosts and the metadata of OSDs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

from ...model.drive import NO_OSDS, OsdsOnDrive
from ...model.facts import HostFacts
from ...model.osd import Osd, osds_by_host

# By host and device name the OSDs on that disk; each path of a disk has an entry.
Drives = Mapping[str, Mapping[str, OsdsOnDrive]]
# multipathd's name of a path whose device has gone; paths of different disks have it.
NO_DEVICE = "-"


def drives_of(facts: Mapping[str, HostFacts], osds: Sequence[Osd]) -> Drives:
    """The drives of all hosts that have facts or OSDs."""
    by_host = osds_by_host(osds)
    return {
        host: osds_by_device(facts.get(host), by_host.get(host, ()))
        for host in {**by_host, **facts}
    }


def osds_by_device(facts: Optional[HostFacts], osds: Iterable[Osd]) -> dict[str, OsdsOnDrive]:
    """The OSDs on each device of one host; ``osds`` are those of this host.

    For an OSD's data device, the facts have precedence over the OSD's metadata.
    """
    by_device: dict[str, OsdsOnDrive] = {}
    data_devices = {} if facts is None else facts.devices_by_osd()
    for osd in osds:
        every, data = _names(osd.devices), _names(osd.data_device or osd.devices)
        db_devices = every - data
        if osd.id in data_devices:
            data = {data_devices[osd.id]}
        elif not osd.up:
            # Its metadata is of its last start: another OSD's disk may have the name now. Where
            # none has, it is its own, as of OSDs that nobody started after a boot.
            data = data - set(data_devices.values())
        for device in data:
            by_device[device] = by_device.get(device, NO_OSDS).with_(OsdsOnDrive(osds=(osd.id,)))
        for device in db_devices - data:
            by_device[device] = by_device.get(device, NO_OSDS).with_(OsdsOnDrive(db_of=(osd.id,)))
    for paths in [] if facts is None else _paths(facts):
        on_disk = NO_OSDS
        for device in paths:
            on_disk = on_disk.with_(by_device.get(device, NO_OSDS))
        if on_disk:
            by_device.update(dict.fromkeys(paths, on_disk))
    return by_device


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


def by_disk(facts: HostFacts) -> dict[str, list[str]]:
    """By serial number the device names of one disk; by WWID where that names several disks.

    All logical drives of a RAID controller may have the controller's serial number. Namespaces of
    an NVMe drive are one disk, though their WWIDs differ.
    """
    wwids: dict[Optional[str], set[str]] = {}
    for disk in facts.block or ():
        if disk.wwid and not disk.device.startswith("nvme"):
            wwids.setdefault(disk.serial, set()).add(disk.wwid)
    devices: dict[str, list[str]] = {}
    for disk in facts.block or ():
        shared = len(wwids.get(disk.serial, ())) > 1
        key = (shared and disk.wwid) or disk.serial or disk.wwid
        if key:
            devices.setdefault(key, []).append(disk.device)
    return devices


def _names(devices: Optional[str]) -> set[str]:
    return {name for name in (devices or "").split(",") if name}


def _paths(facts: HostFacts) -> list[list[str]]:
    """The device names of each disk: paths of one multipath device, or one serial number."""
    groups = [
        [path.device for path in one.paths if path.device != NO_DEVICE]
        for one in facts.multipath or ()
    ]
    return [*groups, *by_disk(facts).values()]
