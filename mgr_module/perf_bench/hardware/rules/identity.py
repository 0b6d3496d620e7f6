"""What is one disk and one enclosure, and which OSDs are on a disk: for all who show or judge them.

A serial number alone joins nothing. RAID controllers give theirs to all logical drives, expanders
have the firmware's, virtual disks what the hypervisor cut off. Joined is what has a second sign
that does not come from the serial number, and never what different OSDs are on by their own
metadata. Commands that take more than one OSD ask for more: ``share_device``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Optional

from ...model.hardware import (
    NO_OSDS,
    Bay,
    DiskId,
    Drives,
    Enclosure,
    EnclosureFacts,
    HostFacts,
    MultipathFacts,
    OsdsOnDrive,
    is_own,
    wwid_of,
)
from ...model.osd import Osd, osds_by_host

# By device name the OSDs with their data on it.
OsdsOn = Mapping[str, Collection[int]]
# multipathd's name of a path whose device has gone; paths of different disks have it.
NO_DEVICE = "-"
# Virtual disks, which have no paths.
_VIRTUAL = ("vd", "xvd")
# The namespaces of one subsystem have one number before "n" in the kernel's names.
_NAMESPACE = re.compile(r"(nvme\d+)n\d+$")


def paths_of(one: MultipathFacts) -> list[str]:
    """The device names of a map's paths."""
    return [path.device for path in one.paths if path.device != NO_DEVICE]


def map_keys(facts: HostFacts) -> dict[str, str]:
    """By name of a multipath device its key in the history: its WWID, if no other has that."""
    wwids = {one.name: (one.wwid or "").lower() for one in facts.maps()}
    counts = Counter(wwids.values())
    return {
        name: wwid if counts[wwid] == 1 and is_own(wwid) else name for name, wwid in wwids.items()
    }


def enclosures_by_id(facts: HostFacts) -> dict[str, EnclosureFacts]:
    """The enclosures by ID, in lower case; without those whose ID others of the host have, too."""
    seen = facts.enclosures or ()
    ids = Counter(one.id.lower() for one in seen)
    return {one.id.lower(): one for one in seen if ids[one.id.lower()] == 1}


def disks(facts: HostFacts, on: Optional[OsdsOn] = None) -> list[list[str]]:
    """The device names of each disk of a host: of one map, or of one WWID, or NVMe's namespaces.

    ``on`` are the OSDs by their metadata; without it those that the facts tie to a device. Names
    that have different OSDs are different disks, whatever else says that they are one.
    """
    osds = _tied(facts) if on is None else on
    serials = {disk.device: disk.serial for disk in facts.block or ()}
    signs: dict[str, list[str]] = {}
    namespaces: dict[tuple[str, str], list[str]] = {}
    for disk in facts.block or ():
        wwid, match = wwid_of(disk.wwid), _NAMESPACE.match(disk.device)
        if wwid and not disk.device.startswith(_VIRTUAL):
            signs.setdefault(wwid, []).append(disk.device)
        if match and disk.serial:
            namespaces.setdefault((match.group(1), disk.serial), []).append(disk.device)
    several = [names for names in signs.values() if len(names) > 1]
    joined = [names for names in several if len({serials[name] for name in names} - {None}) < 2]
    joined += [paths_of(one) for one in facts.multipath or ()]
    return _merged([[name] for name in serials], [*joined, *namespaces.values()], osds)


def differ(names: Iterable[str], on: OsdsOn) -> bool:
    """Whether different OSDs are on these devices, so that they are several disks."""
    having = {tuple(on[name]) for name in names if on.get(name)}
    return any(set(one).isdisjoint(other) for one, other in combinations(having, 2))


def _tied(facts: HostFacts) -> OsdsOn:
    on: dict[str, set[int]] = {}
    for osd, device in facts.devices_by_osd().items():
        on.setdefault(device, set()).add(osd)
    return on


def _merged(found: Sequence[list[str]], joined: Iterable[list[str]], on: OsdsOn) -> list[list[str]]:
    """All names, those together that are so in any of ``joined``, but no different OSDs."""
    of = {name: names for names in found for name in names}
    for one in joined:
        if one and one == of.get(one[0]):
            continue
        whole = list(dict.fromkeys(other for name in one for other in of.get(name, [name])))
        if not differ(whole, on):
            of.update(dict.fromkeys(whole, whole))
    return list({id(names): names for names in of.values()}.values())


def disk_ids(facts: HostFacts, on: Optional[OsdsOn] = None) -> dict[str, DiskId]:
    """By device name WWID and serial number of its disk, where no other disk of the host has it.

    Those are the first that the names of the disk have.
    """
    told = {disk.device: disk for disk in facts.block or ()}
    found = disks(facts, on)
    signs = []
    for names in found:
        here = [told[name] for name in names if name in told]
        serial = next((one.serial for one in here if one.serial), None)
        signs.append((wwid_of(next((one.wwid for one in here if one.wwid), None)), serial))
    counts = Counter(sign for pair in signs for sign in pair)
    return {
        name: DiskId(
            wwid if counts[wwid] == 1 else None, serial if counts[serial] == 1 else None, names[0]
        )
        for names, (wwid, serial) in zip(found, signs)
        for name in names
    }


def by_disk(facts: HostFacts, on: Optional[OsdsOn] = None) -> dict[str, list[str]]:
    """By a name of each disk its device names: its serial number, if no other disk has that.

    Else its WWID or first device. Disks without serial number and WWID are left out.
    """
    named: dict[str, list[str]] = {}
    for name, one in disk_ids(facts, on).items():
        named.setdefault(one.serial or one.wwid or one.device, []).append(name)
    told = {disk.device for disk in facts.block or () if disk.serial or disk.wwid}
    return {disk: names for disk, names in named.items() if not told.isdisjoint(names)}


def same_enclosure(first: Enclosure, second: Enclosure) -> bool:
    """Whether two views are of one enclosure.

    They have one logical ID, and most slots that both see do not contradict. Or they have one
    serial number, or an ID that is none, and most of these slots have the same disks.
    """
    bays = {bay.slot.slot: bay for bay in first.bays}
    told = [_same_disk(bays[bay.slot.slot], bay) for bay in second.bays if bay.slot.slot in bays]
    agree, contradict = told.count(True), told.count(False)
    ids = ids_of(first) & ids_of(second)
    if any(map(is_own, ids)):
        return contradict <= agree
    serial = first.serial is not None and first.serial == second.serial
    return (serial or bool(ids)) and agree > contradict


def ids_of(enclosure: Enclosure) -> set[str]:
    """The IDs by which hosts know it."""
    return {name for names in enclosure.ids.values() for name in names}


def _same_disk(first: Bay, second: Bay) -> Optional[bool]:
    """Whether a slot has the same disk in two views of it; None if they do not tell."""
    if first.on.osds and second.on.osds:
        return not set(first.on.osds).isdisjoint(second.on.osds)
    if first.host == second.host and first.disk and second.disk:
        return first.disk == second.disk
    for one, other in zip((first.disk or ())[:2], (second.disk or ())[:2]):
        if one and other:
            return one == other
    return None


def share_device(
    device: str, one: Osd, other: Osd, tied: Mapping[int, str], is_distinct: bool
) -> bool:
    """Whether both OSDs are on this device for sure, as commands about both need it.

    Their own metadata name it, and where the facts of their host tie them to a device (``tied``),
    these too. Other device IDs contradict. Metadata of an OSD that is down are of its last start,
    and the name may be another's now: they need a device ID that OSDs on no other device have
    (``is_distinct``).
    """
    if one.host != other.host or device not in _data_names(one, tied):
        return False
    if device in _data_names(other, tied):
        if None not in (one.device_id, other.device_id) and one.device_id != other.device_id:
            return False
    elif device not in names_in(other.devices) - names_in(other.data_device):
        return False
    known = (osd.up or osd.id in tied for osd in (one, other))
    return all(known) or (is_distinct and one.device_id == other.device_id)


def _data_names(osd: Osd, tied: Mapping[int, str]) -> set[str]:
    names = names_in(osd.data_device)
    if osd.id not in tied:
        return names
    return names & {tied[osd.id]} if osd.up and names else {tied[osd.id]}


def names_in(devices: Optional[str]) -> set[str]:
    """The names in an OSD's list of devices."""
    return {name for name in (devices or "").split(",") if name}


# --- the OSDs on each drive ---


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
