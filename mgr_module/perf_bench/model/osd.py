"""An OSD: its location, devices, properties and write-ahead log, and the options it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

# CRUSH bucket types that are enclosures: Ceph's own, and the one that operators add.
ENCLOSURE_BUCKETS = ("enclosure", "chassis")


@dataclass(frozen=True)
class Osd:
    """One OSD, from the cluster's maps and its metadata. An unknown value is None, never "".

    ``host`` is the host name in its metadata, else its CRUSH host. ``devices`` has the kernel
    names of all its devices ("sda" or "sda,nvme0n1"), ``data_device`` that of the one with its
    data, ``device_id`` Ceph's name of that one ("VENDOR_MODEL_SERIAL"). ``location`` has its CRUSH
    buckets by type, ``also_in`` the types and names of others above it, as of a second root.
    ``expander`` is the address of the SAS expander on the path to its device, the lowest of
    several. ``primary_affinity`` and ``reweight`` are 0 to 1, as the OSD map has them.
    ``created_at`` is when it was made (unix seconds): what is older is of another OSD that had its
    ID, as before a drive was replaced. ``in_file``: its data are in a file, whose disk it shares.
    """

    id: int
    host: str
    device_class: Optional[str] = None
    up: bool = True
    in_cluster: bool = True
    devices: Optional[str] = None
    data_device: Optional[str] = None
    model: Optional[str] = None
    rotational: Optional[bool] = None
    location: Mapping[str, str] = field(default_factory=dict)
    also_in: frozenset[tuple[str, str]] = frozenset()
    expander: Optional[str] = None
    device_id: Optional[str] = None
    primary_affinity: Optional[float] = None
    reweight: Optional[float] = None
    created_at: Optional[float] = None
    in_file: bool = False

    @property
    def own_device(self) -> Optional[str]:
        """The device that has its data and no other OSD's; None for one in a file, as on a disk."""
        return None if self.in_file else self.data_device or self.devices

    @property
    def name(self) -> str:
        return f"osd.{self.id}"

    @property
    def buckets(self) -> frozenset[tuple[str, str]]:
        """The types and names of all CRUSH buckets above it."""
        return self.also_in.union(self.location.items())

    @property
    def option_suffix(self) -> str:
        """The suffix of the options that the OSD uses, "hdd" or "ssd", by Ceph's own rule."""
        rotates = self.rotational
        return "hdd" if rotates or (rotates is None and self.device_class == "hdd") else "ssd"

    @property
    def peer_group(self) -> tuple[str, str]:
        """The OSDs it is compared with: the same device class and, if known, model."""
        return (self.device_class or "", self.model or "")


@dataclass(frozen=True)
class Member:
    """An OSD as the watch sees it, with the properties that decide its peers.

    ``weight`` is its CRUSH weight times its reweight. ``release`` is Ceph's number ("18.2.7"),
    ``created_at`` unix seconds. ``separate`` names the parts on devices of their own: "", "db",
    "wal" or "db+wal". ``cpu`` is the name of its host's processor.
    """

    osd: Osd
    weight: float = 0.0
    release: Optional[str] = None
    created_at: Optional[float] = None
    separate: str = ""
    cpu: Optional[str] = None


def osds_by_host(osds: Sequence[Osd]) -> dict[str, list[Osd]]:
    """The OSDs of each host, by the name in their metadata."""
    by_host: dict[str, list[Osd]] = {}
    for osd in osds:
        by_host.setdefault(osd.host, []).append(osd)
    return by_host


# --- The location of an OSD's write-ahead log, from its metadata ---


@dataclass(frozen=True)
class Wal:
    """The write-ahead log of an OSD; unknown values are None.

    ``spinning``: its data is on a rotational device. ``on_flash``: its log is on flash. Writes up
    to about ``deferred_bytes`` go to the log first (``bluestore_prefer_deferred_size`` or its
    ``_hdd``, ``_ssd``; 0: none do). ``dedicated`` is the separate device with the log: "wal" or
    "db", or "" if the log is on the data device.
    """

    spinning: Optional[bool] = None
    on_flash: Optional[bool] = None
    deferred_bytes: int = 0
    dedicated: str = ""


# --- The options of OSDs that this module sets, and those that limit a bench ---


BENCH_MAX_BLOCK_SIZE = "osd_bench_max_block_size"
BENCH_SMALL_MAX_IOPS = "osd_bench_small_size_max_iops"
BENCH_LARGE_MAX_THROUGHPUT = "osd_bench_large_size_max_throughput"
BENCH_DURATION = "osd_bench_duration"
# By ``Osd.option_suffix``. An OSD that uses mClock sets it when it first starts.
MCLOCK_CAPACITY = {
    "hdd": "osd_mclock_max_capacity_iops_hdd",
    "ssd": "osd_mclock_max_capacity_iops_ssd",
}

# A round may raise two of the four limits of benches; ``mclock propose --apply`` sets capacities.
TOUCHED = (
    BENCH_MAX_BLOCK_SIZE,
    BENCH_SMALL_MAX_IOPS,
    BENCH_LARGE_MAX_THROUGHPUT,
    BENCH_DURATION,
    *MCLOCK_CAPACITY.values(),
)
