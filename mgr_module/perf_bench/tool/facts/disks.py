"""Disks, the OSDs on them, SAS phys, SMART counters, and errors of the PCIe links of NVMe drives.

Sources: Documentation/ABI/{stable,testing}/sysfs-block, sysfs-class-scsi_…,
sysfs-bus-pci-devices-aer (from 4.19, where Advanced Error Reporting is on) and
drivers/scsi/scsi_transport_sas.c of the kernel; smartctl's and nvme-cli's JSON.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from ...model.hardware import wwid_of
from ...model.json_fields import LARGEST_COUNT
from .host_files import HostCommands, HostFiles, printable

_BLOCK = "sys/class/block"
_PHYS = "sys/class/sas_phy"
_CONTROLLER = re.compile(r"nvme\d+")
# A path by its controller: nvme0c1n1 of nvme0n1.
_NVME_PATH = re.compile(r"(nvme\d+)c\d+(n\d+)$")
_COUNTS = {
    "invalid_dword": "invalid_dword_count",
    "running_disparity": "running_disparity_error_count",
    "loss_of_dword_sync": "loss_of_dword_sync_count",
    "phy_reset_problem": "phy_reset_problem_count",
}
# smartctl's names of ATA attributes in lower case, and what they count. Their numbers mean what the
# maker wants. Source: drivedb.h of smartmontools. Left out are two with the number 197:
# Current_Pending_ECC_Cnt "may flip 0 <> 1", and Total_Pending_Sectors never falls.
_UNCORRECTABLE, _PENDING, _UDMA_CRC = "uncorrectable", "pending", "udma_crc"
_ATTRIBUTES = {
    **dict.fromkeys(("reported_uncorrect", "reported_uncorr_errors"), _UNCORRECTABLE),
    **dict.fromkeys(("reported_ue_counts", "uncorrectable_error_cnt"), _UNCORRECTABLE),
    **dict.fromkeys(("uncorrectable_ecc_ct", "uncorrectable_ecc_cnt"), _UNCORRECTABLE),
    **dict.fromkeys(("uncorrectable_err_ct", "uncorrectable_sectors"), _UNCORRECTABLE),
    **dict.fromkeys(("current_pending_sector", "pending_sector_count"), _PENDING),
    **dict.fromkeys(("udma_crc_error_count", "crc_error_count", "crc_errors"), _UDMA_CRC),
    **dict.fromkeys(("sata_crc_error_count", "sata_crc_error", "sata_fis_crc_errors"), _UDMA_CRC),
}
_NVME_LOG = "nvme_smart_health_information_log"
# In smartctl's exit status: the disk's own check says that it is failing.
_DISK_FAILING = 8
# Digits of the largest number of 128 bits, which NVMe's counters have.
_DIGITS = 39
# The folder of an OSD, below var/lib/ceph/osd, or below the cluster's fsid (cephadm).
_OSD = re.compile(r"(?:ceph-|osd\.)(\d+)$")
_FSID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


def disks(tree: HostFiles) -> list[str]:
    """The names of the disks: block devices that are neither mappings nor partitions.

    The kernel hides the paths of NVMe multipath, as nvme0c1n1 to nvme0n1: they are no disks.
    """
    return in_order(
        name
        for name in tree.names(_BLOCK)
        if tree.has(f"{_BLOCK}/{name}/device")
        and not tree.has(f"{_BLOCK}/{name}/partition")
        and not tree.count(f"{_BLOCK}/{name}/hidden")
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Sorted in the kernel's order: sdz before sdaa."""
    return sorted(names, key=lambda name: (len(name), name))


def block(tree: HostFiles) -> Optional[list[dict[str, Any]]]:
    """The section ``block``; None if the kernel lists no block devices at all."""
    if not tree.names(_BLOCK):
        return None
    paths = _nvme_paths(tree)
    return [known({**_disk(tree, name), "paths": paths.get(name)}) for name in disks(tree)]


def _nvme_paths(tree: HostFiles) -> dict[str, list[dict[str, Any]]]:
    """By NVMe drive the paths to it that the kernel joins, each in the state of its controller."""
    paths: dict[str, list[dict[str, Any]]] = {}
    for name in in_order(tree.names(_BLOCK)):
        match = _NVME_PATH.match(name)
        if match:
            state = tree.text(f"{_BLOCK}/{name}/device/state")
            drive = "".join(match.groups())
            paths.setdefault(drive, []).append(known({"device": name, "state": state}))
    return paths


def _disk(tree: HostFiles, name: str) -> dict[str, Any]:
    place = f"{_BLOCK}/{name}"
    rotational = tree.count(f"{place}/queue/rotational")
    return {
        "device": name,
        "holder": next(iter(_holders(tree, name)), None),
        "wwid": _wwid(tree, place),
        "serial": serial(tree, place),
        "model": tree.text(f"{place}/device/model"),
        "rotational": None if rotational is None else rotational == 1,
    }


def _wwid(tree: HostFiles, place: str) -> Optional[str]:
    return tree.text(f"{place}/device/wwid") or tree.text(f"{place}/wwid")


def serial(tree: HostFiles, place: str) -> Optional[str]:
    """A device's serial number: NVMe's and virtio's file, else SCSI's page 0x80."""
    for file in ("device/serial", "serial"):
        text = tree.text(f"{place}/{file}")
        if text:
            return text
    # A header of four bytes; its last two are the length of the text.
    page = tree.data(f"{place}/device/vpd_pg80") or b""
    length = int.from_bytes(page[2:4], "big")
    return printable(page[4 : 4 + length].decode("ascii", "replace")) or None


def _holders(tree: HostFiles, name: str) -> list[str]:
    """The device-mapper devices on a disk or its partitions."""
    parts = [one for one in tree.names(f"{_BLOCK}/{name}") if tree.has(f"{_BLOCK}/{one}/partition")]
    return [holder for one in (name, *parts) for holder in tree.names(f"{_BLOCK}/{one}/holders")]


def below(tree: HostFiles, name: str) -> list[str]:
    """The disks below a block device: itself, or those below its mappings, each by one path."""
    slaves = tree.names(f"{_BLOCK}/{name}/slaves")
    if slaves:
        found = in_order({disk for slave in slaves for disk in below(tree, slave)})
        is_map = (tree.text(f"{_BLOCK}/{name}/dm/uuid") or "").startswith("mpath-")
        return found[:1] if is_map else found
    if tree.has(f"{_BLOCK}/{name}/partition"):
        real = tree.real(f"{_BLOCK}/{name}") or ""
        return [real.split("/")[-2]] if "/" in real else []
    return [name]


def osds(tree: HostFiles) -> list[dict[str, Any]]:
    """The section ``osds``: OSDs whose block device is found; not those in files.

    Left out is a number that two clusters have on different disks of this host, and the device of
    an OSD on several disks of which none is its disk for sure.
    """
    below_osd: dict[int, set[tuple[str, ...]]] = {}
    for folder, number in _osd_folders(tree):
        real = tree.real(f"{folder}/block")
        name = real.rpartition("/")[2] if real else ""
        if name and tree.has(f"{_BLOCK}/{name}"):
            on = below(tree, name)
            if on:
                below_osd.setdefault(number, set()).add(tuple(on))
    one_place = {
        osd: disks for osd, places in below_osd.items() if len(places) == 1 for disks in places
    }
    users = Counter(disk for on in one_place.values() for disk in on)
    return [
        known({"id": osd, "device": _own(tree, on, users)}) for osd, on in sorted(one_place.items())
    ]


def _own(tree: HostFiles, on: Sequence[str], users: Mapping[str, int]) -> Optional[str]:
    """The disk of an OSD on several, as with a cache of LVM: what only it has, or what rotates."""
    own = [disk for disk in on if users[disk] == 1] or on
    rotating = [disk for disk in own if tree.count(f"{_BLOCK}/{disk}/queue/rotational") == 1]
    for found in (own, rotating):
        if len(found) == 1:
            return found[0]
    return None


def _osd_folders(tree: HostFiles) -> list[tuple[str, int]]:
    clusters = [name for name in tree.names("var/lib/ceph") if _FSID.match(name)]
    return [
        (f"{parent}/{name}", int(match.group(1)))
        for parent in (f"var/lib/ceph/{one}" for one in ("osd", *clusters))
        for name in tree.names(parent)
        for match in [_OSD.match(name)]
        if match
    ]


def phys(tree: HostFiles) -> Optional[list[dict[str, Any]]]:
    """The section ``phys``; a phy belongs to the disk with the same SAS port.

    None if the kernel has no SAS transport class.
    """
    if not tree.has(_PHYS):
        return None
    ports: dict[str, str] = {}
    for name in disks(tree):
        parts = (tree.real(f"{_BLOCK}/{name}") or "").split("/")
        port = next((part for part in reversed(parts) if part.startswith("port-")), None)
        if port is not None:
            ports.setdefault(port, name)
    entries = []
    for name in tree.names(_PHYS):
        port = (tree.real(f"{_PHYS}/{name}/device/port") or "").rpartition("/")[2]
        counts = {key: tree.count(f"{_PHYS}/{name}/{file}") for key, file in _COUNTS.items()}
        rate = tree.text(f"{_PHYS}/{name}/negotiated_linkrate")
        entries.append(
            known({"phy": name, "device": ports.get(port), **counts, "negotiated_linkrate": rate})
        )
    return entries


def smart(tree: HostFiles, programs: HostCommands) -> list[dict[str, Any]]:
    """The section ``smart``; a disk is read through the first of its paths that answers."""
    told: set[str] = set()
    entries = []
    for name in disks(tree):
        if not name.startswith(("sd", "nvme")):
            continue
        # Namespaces of an NVMe drive are one disk. A serial number does not make two disks one:
        # actuators of one drive have the same, and so have all disks of some controllers.
        controller = _CONTROLLER.match(name)
        place = f"{_BLOCK}/{name}"
        own = wwid_of(_wwid(tree, place))
        key = controller.group() if controller else f"{own} {serial(tree, place)}" if own else name
        if key in told:
            continue
        counts = _smart(programs, name)
        if counts:
            told.add(key)
            entries.append({"device": name, **counts})
    return entries


def _smart(programs: HostCommands, name: str) -> dict[str, Any]:
    answer = programs.json("smartctl", "--json=c", "-H", "-A", "-l", "error", f"/dev/{name}")
    if answer == {}:  # in trees that were recorded by earlier versions
        answer = programs.json("smartctl", "--json=c", "-A", "-l", "error", f"/dev/{name}")
    log = answer or {}
    if not name.startswith("nvme") and _NVME_LOG not in log:
        return _of_ata_or_scsi(log)
    return _of_nvme(_get(log, _NVME_LOG)) or _of_nvme(
        programs.json("nvme", "smart-log", "--output-format=json", f"/dev/{name}")
    )


def _of_nvme(log: Any) -> dict[str, Any]:
    warning = _get(log, "critical_warning")
    if isinstance(warning, Mapping):  # as newer nvme-cli tells it bit by bit
        warning = warning.get("value")
    return known(
        {
            "media_errors": _count(_get(log, "media_errors")),
            "critical_warning": _count(warning),
        }
    )


def _of_ata_or_scsi(log: Mapping[str, Any]) -> dict[str, Any]:
    counts = _attributes(log)
    return known(
        {
            "udma_crc_errors": counts.get(_UDMA_CRC),
            "pending_sectors": counts.get(_PENDING),
            "media_errors": counts.get(_UNCORRECTABLE, _uncorrected(log)),
            "grown_defects": _count(log.get("scsi_grown_defect_list")),
            "failing": _failing(log),
        }
    )


def _attributes(log: Mapping[str, Any]) -> dict[str, int]:
    """The raw values of the ATA attributes whose meaning is known; the highest of each."""
    values: dict[str, int] = {}
    for entry in _table(log):
        meaning = _ATTRIBUTES.get(str(_get(entry, "name")).lower())
        value = _count(_get(entry, "raw", "value"))
        if meaning is not None and value is not None:
            values[meaning] = max(value, values.get(meaning, 0))
    return values


def _table(log: Mapping[str, Any]) -> list[Any]:
    table = _get(log, "ata_smart_attributes", "table")
    return table if isinstance(table, list) else []


def _failing(log: Mapping[str, Any]) -> Optional[bool]:
    """Whether the disk says that it is failing: by its own check, or a value below its limit."""
    passed = _get(log, "smart_status", "passed")
    status = _count(_get(log, "smartctl", "exit_status")) or 0
    table = [
        (_get(entry, "flags", "prefailure"), _get(entry, "when_failed")) for entry in _table(log)
    ]
    below = any(early is True and str(failed).lower() == "now" for early, failed in table)
    if passed is False or status & _DISK_FAILING or below:
        return True
    told = bool(table) and all(None not in one for one in table)
    return False if passed is True or told else None


def _uncorrected(log: Mapping[str, Any]) -> Optional[int]:
    """Uncorrected errors of a SCSI disk, from its error counter log; None if unknown."""
    counters = log.get("scsi_error_counter_log")
    told = counters.values() if isinstance(counters, Mapping) else ()
    return _total([_count(_get(one, "total_uncorrected_errors")) for one in told])


def _total(counts: Sequence[Optional[int]]) -> Optional[int]:
    """Their sum; None without any, and if one is unknown: the sum would fall."""
    told = [count for count in counts if count is not None]
    return sum(told) if told and len(told) == len(counts) else None


def _get(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _count(value: Any) -> Optional[int]:
    """A counter, also as nvme-cli of several versions prints it: 3, 3.0, "3" or "3.000000".

    None for more than the facts may have, as of drives that report all bits set.
    """
    if isinstance(value, str):
        whole, _, fraction = value.partition(".")
        digits = whole.isascii() and whole.isdigit() and len(whole) <= _DIGITS
        value = int(whole) if digits and not fraction.strip("0") else None
    elif isinstance(value, float):
        value = int(value) if value.is_integer() else None
    counts = isinstance(value, int) and not isinstance(value, bool)
    return value if counts and 0 <= value <= LARGEST_COUNT else None


def known(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry without its None values."""
    return {key: value for key, value in entry.items() if value is not None}


# --- errors of PCIe links: a drive's may be counted by its link partner alone, so both ends count


_OF_NVME = re.compile(r"nvme\d+$")
_AER = {
    "correctable": "aer_dev_correctable",
    "nonfatal": "aer_dev_nonfatal",
    "fatal": "aer_dev_fatal",
}
# Correctable errors of the link, as newer kernels and the documentation name them. Left out are
# "NonFatalErr" and "Advisory Non-Fatal", which drives report for harmless requests all day.
_LINK_ERRORS = frozenset(
    (
        *("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout"),
        *("Receiver Error", "Bad TLP", "Bad DLLP", "RELAY_NUM Rollover", "Replay Timer Timeout"),
    )
)
_TOTAL = "TOTAL_"


def pcie(tree: HostFiles) -> list[dict[str, Any]]:
    """The section ``pcie``: one entry for each path to a drive; empty if nothing is counted."""
    found = []
    for name in disks(tree):
        for controller in _controllers(tree, name):
            drive = tree.real(f"{controller}/device")
            if drive is None:
                continue
            ends = (drive, drive.rpartition("/")[0])
            counts = {key: _sum(tree, ends, file) for key, file in _AER.items()}
            if any(count is not None for count in counts.values()):
                found.append(known({"device": name, "address": drive.rpartition("/")[2], **counts}))
    return found


def _controllers(tree: HostFiles, name: str) -> list[str]:
    """The controllers of a drive: one, or with NVMe multipath all of its subsystem."""
    real = tree.real(f"sys/class/block/{name}/device") if name.startswith("nvme") else None
    if real is None:
        return []
    if _OF_NVME.match(real.rpartition("/")[2]):
        return [real]
    return [f"{real}/{one}" for one in tree.names(real) if _OF_NVME.match(one)]


def _counted(tree: HostFiles, end: str, file: str) -> Optional[int]:
    """The count of one end of the link; None if it counts nothing."""
    total, of_link = None, None
    for line in tree.lines(f"{end}/{file}"):
        name, _, text = line.rpartition(" ")
        if not (text.isascii() and text.isdigit()):
            continue
        if name.strip().startswith(_TOTAL):
            total = int(text)
        elif name.strip() in _LINK_ERRORS:
            of_link = (of_link or 0) + int(text)
    return total if of_link is None else of_link


def _sum(tree: HostFiles, ends: Iterable[str], file: str) -> Optional[int]:
    """The counts of the ends that count."""
    return _total([_counted(tree, end, file) for end in ends if tree.has(f"{end}/{file}")])
