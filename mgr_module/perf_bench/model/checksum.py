"""Checksums: the time that OSDs spend on them, and error counters of links and media."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .counter_trend import CounterTrend
from .drive import NO_OSDS, OsdsOnDrive
from .osd import Osd

# Half of the share in the field case, see hardware/rules/checksums.py.
HOT_SHARE = 0.2

# Kinds of error counters of links and of media. BlueStore counts reads that succeeded when repeated
# and reads that failed for good; disks count the others, or say them of themselves.
PHY_KINDS = ("invalid_dword", "running_disparity", "loss_of_dword_sync", "phy_reset_problem")
# By kind the name of the counter in the facts of a link.
PCIE_CORRECTED, PCIE_NONFATAL, PCIE_FATAL = "pcie_correctable", "pcie_nonfatal", "pcie_fatal"
PCIE_KINDS = {PCIE_CORRECTED: "correctable", PCIE_NONFATAL: "nonfatal", PCIE_FATAL: "fatal"}
LINK_KINDS = ("udma_crc", *PHY_KINDS, *PCIE_KINDS)
RETRIES, EIO = "read_retries", "read_errors"
PENDING, MEDIA, GROWN = "pending_sectors", "media_errors", "grown_defects"
MEDIA_COUNTS = (RETRIES, EIO, PENDING, MEDIA, GROWN)
FAILING = "failing"
# The bits of the critical warning of NVMe drives, lowest first (NVM Express base specification,
# SMART / Health Information log page).
WARNING_KINDS = (
    "spare_blocks_low",
    "temperature_warning",
    "reliability_degraded",
    "read_only",
    "memory_backup_failed",
    "persistent_memory_unreliable",
)
# A drive that is too warm has no bad medium.
FAILING_KINDS = (FAILING, *(kind for kind in WARNING_KINDS if kind != "temperature_warning"))
MEDIA_KINDS = (*MEDIA_COUNTS, FAILING, *WARNING_KINDS)
DISK_KINDS = ("udma_crc", PENDING, MEDIA, GROWN, FAILING, *WARNING_KINDS)

LOWER_BOUND = (
    "checksums of reads from the device only: those of writes, of RocksDB and of the messenger "
    "are not counted by OSDs, so this is a lower bound"
)


@dataclass(frozen=True)
class Share:
    """The share (0 to 1) of the time of its op ``threads`` that an OSD spent on checksums.

    From ``begin`` to ``end`` (unix seconds).
    """

    begin: float
    end: float
    share: float
    threads: int


@dataclass(frozen=True)
class ChecksumAnswer:
    """An OSD's counters since it started, as it answered at ``at`` (unix seconds).

    ``seconds`` is the time spent on checksums, ``bytes`` counts reads past its cache.
    """

    osd: int
    at: float
    seconds: float
    bytes: int
    retries: Optional[int] = None
    errors: Optional[int] = None


@dataclass(frozen=True)
class Errors:
    """An error counter with its disk or link; ``on`` has the OSDs on the disk.

    ``disk`` is the same for all paths of a disk. ``expander`` is a phy's SAS expander, as "1:0", or
    its host adapter, as "1".
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


@dataclass(frozen=True)
class OsdChecksums:
    """What an OSD spends on checksums now; None means not known.

    ``share`` (0 to 1) is of its op threads' time over ``seconds``, ``peers`` the median of its
    class. ``rate`` is bytes/s. ``hot_since`` and ``peak_at`` are unix seconds, ``peak`` is the
    highest share of a day.
    """

    osd: Osd
    share: Optional[float] = None
    seconds: Optional[float] = None
    threads: Optional[int] = None
    peers: Optional[float] = None
    rate: Optional[float] = None
    hot_since: Optional[float] = None
    peak: Optional[float] = None
    peak_at: Optional[float] = None


@dataclass(frozen=True)
class HostChecksums:
    """A host's processor, and the rate of one of its cores (bytes/s)."""

    name: str
    cpu: Optional[str] = None
    core_rate: Optional[float] = None
