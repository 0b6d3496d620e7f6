"""Checksums: the time that OSDs spend on them, and the errors that they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .counter_trend import CounterTrend
from .drive import NO_OSDS, OsdsOnDrive

# Half of the field's case, see hardware/rules/checksum_share.py.
HOT_SHARE = 0.2

# What a link counts, and what a medium does. Reads that were right when they were read again, and
# those that failed for good, are counted by BlueStore; the rest by the disk.
PHY_KINDS = ("invalid_dword", "running_disparity", "loss_of_dword_sync", "phy_reset_problem")
# By kind the name of the count in the facts of a link.
PCIE_CORRECTED, PCIE_NONFATAL, PCIE_FATAL = "pcie_correctable", "pcie_nonfatal", "pcie_fatal"
PCIE_KINDS = {PCIE_CORRECTED: "correctable", PCIE_NONFATAL: "nonfatal", PCIE_FATAL: "fatal"}
LINK_KINDS = ("udma_crc", *PHY_KINDS, *PCIE_KINDS)
RETRIES, EIO = "read_retries", "read_errors"
PENDING, MEDIA = "pending_sectors", "media_errors"
MEDIA_KINDS = (RETRIES, EIO, PENDING, MEDIA)

LOWER_BOUND = (
    "checksums of reads from the device only: those of writes, of RocksDB and of the messenger "
    "are not counted by OSDs, so this is a lower bound"
)


@dataclass(frozen=True)
class CounterWindow:
    """What share of its op threads' time an OSD spent on checksums from ``begin`` to ``end``.

    Times are unix seconds. ``judged`` is False where a round of ours made it read.
    """

    begin: float
    end: float
    share: float
    judged: bool = True


@dataclass(frozen=True)
class ChecksumAnswer:
    """What an OSD said of itself when it was asked at ``at`` (unix seconds), since it started.

    ``seconds`` is the time spent on checksums, ``bytes`` what was read past its cache.
    """

    osd: int
    at: float
    seconds: float
    bytes: int
    retries: Optional[int] = None
    errors: Optional[int] = None


@dataclass(frozen=True)
class Errors:
    """A count of errors and what it is about; ``on`` are the OSDs on the disk.

    ``disk`` names the disk whatever path it is known by. ``expander`` is the part of a SAS
    domain that a phy belongs to, as "1:0"; "1" is what hangs on the host adapter itself.
    """

    host: str
    kind: str
    growth: CounterTrend
    disk: str
    on: OsdsOnDrive = NO_OSDS
    device: Optional[str] = None
    phy: Optional[str] = None
    enclosure: Optional[str] = None
    slot: Optional[int] = None
    expander: Optional[str] = None
