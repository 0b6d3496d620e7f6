"""Errors of the PCIe links of NVMe drives, as both ends of each have seen them.

Source: Documentation/ABI/testing/sysfs-bus-pci-devices-aer of the kernel (from 4.19, where Advanced
Error Reporting is on). It warns that errors of a drive may be counted by its link partner alone, so
those of the port that the drive stands on are added.
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
# What of the correctable is the link's own, in the words of newer kernels and of the documentation.
# Left out is what drives say of harmless requests all day ("NonFatalErr", "Advisory Non-Fatal").
_OF_LINK = frozenset(
    (
        *("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout"),
        *("Receiver Error", "Bad TLP", "Bad DLLP", "RELAY_NUM Rollover", "Replay Timer Timeout"),
    )
)
_TOTAL = "TOTAL_"


def pcie(tree: HostFiles) -> list[dict[str, Any]]:
    """The section ``pcie``: one entry a drive and way to it; empty where nothing is counted."""
    found = []
    for name in disks(tree):
        for controller in _controllers(tree, name):
            drive = tree.real(f"{controller}/device")
            if drive is None:
                continue
            ends = (drive, drive.rpartition("/")[0])
            counts = {
                key: _sum(_counted(tree, end, file) for end in ends) for key, file in _FILES.items()
            }
            if any(count is not None for count in counts.values()):
                found.append(known({"device": name, "address": drive.rpartition("/")[2], **counts}))
    return found


def _controllers(tree: HostFiles, name: str) -> list[str]:
    """Of a drive with one way its controller; with several its subsystem's, which links to them."""
    real = tree.real(f"sys/class/block/{name}/device") if name.startswith("nvme") else None
    if real is None:
        return []
    if _CONTROLLER.match(real.rpartition("/")[2]):
        return [real]
    return [f"{real}/{one}" for one in tree.names(real) if _CONTROLLER.match(one)]


def _counted(tree: HostFiles, end: str, file: str) -> Optional[int]:
    """What one end counts; None where it counts nothing at all."""
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


def _sum(counts: Iterable[Optional[int]]) -> Optional[int]:
    told = [count for count in counts if count is not None]
    return sum(told) if told else None
