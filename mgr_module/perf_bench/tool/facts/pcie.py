"""Errors of the PCIe links of NVMe drives, summed over both ends of each link.

Source: Documentation/ABI/testing/sysfs-bus-pci-devices-aer of the kernel (from 4.19, where Advanced
Error Reporting is on). It warns that a drive's errors may be counted by its link partner alone, so
the counts of the port above the drive are added.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Optional

from .disks import disks, known
from .host_files import HostFiles

_CONTROLLER = re.compile(r"nvme\d+$")
_FILES = {
    "correctable": "aer_dev_correctable",
    "nonfatal": "aer_dev_nonfatal",
    "fatal": "aer_dev_fatal",
}
# Correctable errors of the link, as newer kernels and the documentation name them. Left out are
# "NonFatalErr" and "Advisory Non-Fatal", which drives report for harmless requests all day.
_OF_LINK = frozenset(
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
            counts = {key: _sum(tree, ends, file) for key, file in _FILES.items()}
            if any(count is not None for count in counts.values()):
                found.append(known({"device": name, "address": drive.rpartition("/")[2], **counts}))
    return found


def _controllers(tree: HostFiles, name: str) -> list[str]:
    """The controllers of a drive: one, or with NVMe multipath all of its subsystem."""
    real = tree.real(f"sys/class/block/{name}/device") if name.startswith("nvme") else None
    if real is None:
        return []
    if _CONTROLLER.match(real.rpartition("/")[2]):
        return [real]
    return [f"{real}/{one}" for one in tree.names(real) if _CONTROLLER.match(one)]


def _counted(tree: HostFiles, end: str, file: str) -> Optional[int]:
    """The count of one end of the link; None if it counts nothing."""
    total, of_link = None, None
    for line in tree.lines(f"{end}/{file}"):
        name, _, text = line.rpartition(" ")
        if not (text.isascii() and text.isdigit()):
            continue
        if name.strip().startswith(_TOTAL):
            total = int(text)
        elif name.strip() in _OF_LINK:
            of_link = (of_link or 0) + int(text)
    return total if of_link is None else of_link


def _sum(tree: HostFiles, ends: Iterable[str], file: str) -> Optional[int]:
    """The counts of the ends that count; None if that of one cannot be read: the sum would fall."""
    counts = [_counted(tree, end, file) for end in ends if tree.has(f"{end}/{file}")]
    told = [count for count in counts if count is not None]
    return sum(told) if told and len(told) == len(counts) else None
