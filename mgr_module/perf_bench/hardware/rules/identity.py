"""What is one disk and one enclosure: each decided here, for all who show or judge them.

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

from ...model.facts import EnclosureFacts, HostFacts, MultipathFacts, is_own, wwid_of
from ...model.hardware import Bay, DiskId, Enclosure
from ...model.osd import Osd

# By device name the OSDs with their data on it.
OsdsOn = Mapping[str, Collection[int]]
# multipathd's name of a path whose device has gone; paths of different disks have it.
NO_DEVICE = "-"
# Begins the name of a server, as an enclosure without slots: its serial number follows.
SERVER = "server-"
# Virtual disks, which have no paths.
_VIRTUAL = ("vd", "xvd")
# The namespaces of one subsystem have one number before "n" in the kernel's names.
_NAMESPACE = re.compile(r"(nvme\d+)n\d+$")


def is_world_wide(number: str) -> bool:
    """Whether the ID of an enclosure is that of one in the world, as the name of a server is not.

    That is a serial number, and a server's parts are those of one host.
    """
    return is_own(number) and not number.startswith(SERVER)


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
    found = _merged([[name] for name in serials], joined, osds)
    return _merged(found, namespaces.values(), {}) if namespaces else found


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


def by_disk(facts: HostFacts, on: Optional[OsdsOn] = None) -> dict[str, list[str]]:
    """By a name of each disk its device names: its serial number, if no other disk has that.

    Else its WWID or first device. Disks without serial number and WWID are left out.
    """
    found = disks(facts, on)
    signs = _signs(facts, found)
    serials, wwids = (Counter(told) for told in zip(*signs)) if signs else (Counter(), Counter())
    named: dict[str, list[str]] = {}
    for names, (serial, wwid) in zip(found, signs):
        if serial and serials[serial] == 1:
            named[serial] = names
        elif wwid and wwids[wwid] == 1:
            named[wwid] = names
        elif serial or wwid:
            named[names[0]] = names
    return named


_Sign = tuple[Optional[str], Optional[str]]


def _signs(facts: HostFacts, found: Sequence[Sequence[str]]) -> list[_Sign]:
    """The first serial number and WWID that the names of each disk have."""
    told = {disk.device: disk for disk in facts.block or ()}
    here = [[told[name] for name in names if name in told] for names in found]
    return [
        (
            next((one.serial for one in disk if one.serial), None),
            next((one.wwid for one in disk if one.wwid), None),
        )
        for disk in here
    ]


def disk_ids(facts: HostFacts, on: OsdsOn) -> dict[str, DiskId]:
    """By device name WWID and serial number of its disk, where no other disk of the host has it."""
    found = disks(facts, on)
    signs = [(serial, wwid_of(wwid)) for serial, wwid in _signs(facts, found)]
    counts = Counter(sign for pair in signs for sign in pair)
    return {
        name: DiskId(
            wwid if counts[wwid] == 1 else None, serial if counts[serial] == 1 else None, names[0]
        )
        for names, (serial, wwid) in zip(found, signs)
        for name in names
    }


def same_enclosure(first: Enclosure, second: Enclosure) -> bool:
    """Whether two views are of one enclosure.

    They have one logical ID, and most slots that both see do not contradict. Or they have one
    serial number, or an ID that is none, and most of these slots have the same disks.
    """
    bays = {bay.slot.slot: bay for bay in first.bays}
    told = [_same_disk(bays[bay.slot.slot], bay) for bay in second.bays if bay.slot.slot in bays]
    agree, contradict = told.count(True), told.count(False)
    ids = _ids(first) & _ids(second)
    if any(map(is_world_wide, ids)):
        return contradict <= agree
    serial = first.serial is not None and first.serial == second.serial
    return (serial or bool(ids)) and agree > contradict


def _ids(enclosure: Enclosure) -> set[str]:
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
