"""Checks of devices and of the software between them and the OSDs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from ...model.finding_kinds import CRC_HOTSPOT
from ...model.said import say
from . import needs
from .wording import BLOOMBERG, ids, numbers, release_of, some, target_of

_STALLED = (
    "BLOCK_DEVICE_STALLED_READ_ALERT",
    "DB_DEVICE_STALLED_READ_ALERT",
    "WAL_DEVICE_STALLED_READ_ALERT",
)
# The release from which on libceph-common has a second implementation of CRC32C.
_CRC32C = (20,)


def stalled_reads(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Reads that devices answered seconds late, as after missed interrupts."""
    summaries = {check: snapshot.checks[check] for check in _STALLED if check in snapshot.checks}
    if summaries:
        yield Advice(
            "STALLED_READS",
            Severity.WARNING,
            CLUSTER,
            say(
                "advice-stalled-reads",
                "{summaries:clauses}: stalls of about 30 s point to missed interrupts "
                "('completion polled' in dmesg), others to a failing drive",
                summaries=list(summaries.values()),
            ),
            "dmesg -T | grep -i 'nvme.*timeout'",
            f"{BLOOMBERG}; Ceph's documentation: health checks",
            evidence=summaries,
        )


def old_multipath(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """OSDs on hosts with multipath devices, of a release that handles these badly."""
    old: list[OsdDetails] = []
    for _, entries, facts in snapshot.hosts():
        if facts and facts.multipath:
            old += [p for p in entries if needs.is_before_multipath(snapshot, p)]
    if old:
        yield Advice(
            "OLD_MULTIPATH",
            Severity.INFO,
            target_of(old),
            say(
                "advice-old-multipath",
                "{osds:osds} of {releases:list} {osds#is|are} on a host with multipath devices: "
                "ceph-volume before 18.2.1 may list single paths or nothing, so a new OSD may use "
                "one path only",
                osds=numbers(old),
                releases=_releases(old),
            ),
            "ceph perf-bench multipath ls",
            "40GiB/s S3 Throughput With 22TB Spinners (Pawsey / IBM, 2024)",
            ids(old),
            some(old),
        )


def _releases(entries: Sequence[OsdDetails]) -> list[str]:
    return sorted({p.release for p in entries if p.release})


def old_checksum(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Slow checksums in releases that have only the older implementation of CRC32C."""
    old = [p for p in snapshot.up() if p.release and release_of(p) < _CRC32C]
    if CRC_HOTSPOT.code in snapshot.checks and old:
        yield Advice(
            "OLD_CRC32C",
            Severity.INFO,
            CLUSTER,
            say(
                "advice-old-crc32c",
                "checksums take long, and {releases:list} computes them with crc32_iscsi_00; "
                "crc32_iscsi_01, in release 20, was 26 to 43 % faster on some processors in the "
                "field and equal on others",
                releases=_releases(old),
            ),
            "ceph perf-bench crc ls",
            BLOOMBERG,
            ids(old),
            {"hotspots": snapshot.checks[CRC_HOTSPOT.code], **some(old)},
        )
