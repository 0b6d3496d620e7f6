"""What devices and the software below OSDs do that Ceph tells in one word, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from ...model.finding_kinds import CRC_HOTSPOT
from ...model.phrases import listed
from .wording import ids, osds, release_of, some, target_of, verb

_STALLED = (
    "BLOCK_DEVICE_STALLED_READ_ALERT",
    "DB_DEVICE_STALLED_READ_ALERT",
    "WAL_DEVICE_STALLED_READ_ALERT",
)
# ceph-volume handles disks of several paths from here on.
_MULTIPATH = (18, 2, 1)
# libceph-common carries another implementation of CRC32C from here on.
_CRC32C = (20,)


def stalled_reads(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Reads that devices answered seconds late: how missed interrupts look from above."""
    told = {check: chart.checks[check] for check in _STALLED if check in chart.checks}
    if told:
        yield Advice(
            "STALLED_READS",
            Severity.WARNING,
            CLUSTER,
            f"{'; '.join(told.values())}: where stalls last some 30 s, it is a drive whose "
            "interrupts go astray ('completion polled' in dmesg), else one that fails",
            "dmesg -T | grep -i 'nvme.*timeout'",
            "Ceph: A Journey to 1 TiB/s (Clyso, 2024); Ceph's documentation: health checks",
            evidence=told,
        )


def old_multipath(chart: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs of hosts with disks of several paths, of a release that knows them badly."""
    old: list[OsdDetails] = []
    for _, patients, facts in chart.hosts():
        if facts and facts.multipath:
            old += [p for p in patients if p.release and release_of(p) < _MULTIPATH]
    if old:
        yield Advice(
            "OLD_MULTIPATH",
            Severity.INFO,
            target_of(old),
            f"{osds(old)} of {_releases(old)} {verb(old, 'stands', 'stand')} on a host with disks "
            "of several paths: "
            "ceph-volume before 18.2.1 may list single paths of them or nothing, so a new OSD can "
            "end up on a bare path",
            "ceph perf-bench multipath ls",
            "40GiB/s S3 Throughput With 22TB Spinners (Pawsey / IBM, 2024)",
            ids(old),
            some(old),
        )


def _releases(patients: Sequence[OsdDetails]) -> str:
    return listed(sorted({p.release for p in patients if p.release}))


def old_checksum(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Checksums that take long, in releases that have only the older implementation of CRC32C."""
    old = [p for p in chart.up() if p.release and release_of(p) < _CRC32C]
    if CRC_HOTSPOT.code in chart.checks and old:
        yield Advice(
            "OLD_CRC32C",
            Severity.INFO,
            CLUSTER,
            f"checksums take long, and {_releases(old)} computes them with crc32_iscsi_00; "
            "crc32_iscsi_01, which comes with 20, was 26 to 43 % faster on "
            "some processors in the field and the same on others",
            "ceph perf-bench crc ls",
            "Designing and Tuning for All-Flash Ceph RBD Storage (Bloomberg, 2024)",
            ids(old),
            {"hotspots": chart.checks[CRC_HOTSPOT.code], **some(old)},
        )
