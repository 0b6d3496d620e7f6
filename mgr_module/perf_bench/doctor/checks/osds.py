"""Checks of OSDs: their databases, builds and devices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Optional

from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from ...model.finding_kinds import CRC_HOTSPOT
from ...model.phrases import GIB, gib, listed
from .seen import (
    COUNTERS,
    Found,
    Need,
    Seen,
    config_set,
    form,
    names,
    release_of,
    releases,
)

# --- databases -------------------------------------------------------------------------------

_ROCKSDB, _ANNEX = "bluestore_rocksdb_options", "bluestore_rocksdb_options_annex"
_LIMIT = "max_total_wal_size"
# Ceph's own value since 16.2.
_LIMIT_BYTES = 1 * GIB
# A larger write-ahead log has no limit: RocksDB's buffers are four of 256 MiB.
_GROWN = 4 * GIB
# Two reports, because a single one may show a short stall.
_STALLED_SECONDS = 10.0
# After any compaction less than this is on the slow device.
_SPILLED = 64 << 20


def no_wal_limit(seen: Seen) -> Iterator[Found]:
    """RocksDB's options are overridden without a limit of the write-ahead log."""
    snapshot, up = seen.snapshot, seen.up()
    have = [
        details
        for details in up
        if any(setting.value for setting in snapshot.set_for(_ROCKSDB, [details]))
        and _LIMIT not in _all_options(snapshot, details)
    ]
    unlimited = [
        setting
        for setting in snapshot.set_for(_ROCKSDB, have)
        if setting.value and _LIMIT not in setting.value
    ]
    if not unlimited:
        return  # or what is set has a limit, and the mgr does not have it yet
    largest = max(details.wal_used or 0 for details in have)
    yield Found(
        f"{_ROCKSDB} of {names(have)} is overridden without {_LIMIT}: after a day or more "
        "write-ahead logs grow to some 100 GB, and latencies rise; a change takes effect when "
        "OSDs restart",
        [
            config_set(setting.who, _ROCKSDB, f"{setting.value},{_LIMIT}={_LIMIT_BYTES}")
            for setting in unlimited
        ],
        have,
        {"value": unlimited[0].value, "largest_wal_bytes": largest},
        Severity.ERROR if largest > _GROWN else None,
        CLUSTER if len(have) == len(up) else None,
    )


def _all_options(snapshot: DoctorSnapshot, details: OsdDetails) -> str:
    return f"{snapshot.option(details, _ROCKSDB)},{snapshot.option(details, _ANNEX) or ''}"


def slow_database(seen: Seen) -> Iterator[Found]:
    """The separate device of a database is a rotating disk."""
    have = [p for p in seen.with_metadata() if p.separate_db and p.db_rotational]
    if have:
        yield Found(
            f"the database of {names(have)} is on a separate device, but a rotating one, which "
            "gains nothing; the database of a stopped OSD can be moved",
            [f"ceph-volume lvm migrate {_named(p)} --from db --target VG/LV" for p in have],
            have,
        )


def missing_database(seen: Seen) -> Iterator[Found]:
    """A few OSDs on disks lack a separate database, while most of the others have one."""
    on_disks = [p for p in seen.with_metadata() if p.osd.rotational]
    without = [p for p in on_disks if not p.separate_db]
    if without and 4 * len(without) <= len(on_disks):
        yield Found(
            f"{names(without)} {form(without, 'has its', 'have their')} database on the disk "
            f"itself, while {len(on_disks) - len(without)} of {len(on_disks)} OSDs on disks have "
            f"a separate device for it: {form(without, 'it', 'they')} will be slower; a stopped "
            "OSD can get one",
            [f"ceph-volume lvm new-db {_named(p)} --target VG/LV" for p in without],
            without,
        )


def _named(details: OsdDetails) -> str:
    return f"--osd-id {details.osd.id} --osd-fsid {details.fsid or 'FSID'}"


def spill_over(seen: Seen) -> Iterator[Found]:
    """A part of a database is on the slow device."""
    seen.with_metadata()
    told = seen.known(COUNTERS, lambda osd: osd.slow_used if osd.separate_db else osd.pgs)
    have = [p for p in told if p.separate_db and (p.slow_used or 0) > _SPILLED]
    if have:
        most = max(p.slow_used or 0 for p in have)
        yield Found(
            f"up to {gib(most)} of the database of {names(have)} are on the slow device: lookups "
            "there are as slow as that device",
            [f"ceph tell {p.osd.name} compact" for p in have],
            have,
            {"largest_slow_bytes": most},
        )


def slow_compaction(seen: Seen) -> Iterator[Found]:
    """Databases stall writes because compaction is slower than the writes."""
    stalled = [(p, p.stall) for p in seen.counted() if p.stall]
    have = [p for p, stall in stalled if stall.seconds >= _STALLED_SECONDS]
    if have:
        worst, stall = max(stalled, key=lambda one: one[1].seconds)
        yield Found(
            f"commits of {names(have)} wait for RocksDB while it writes tables, not for the "
            f"device's flush: {stall.seconds:.0f} s of the last 100 ({worst.osd.name}). "
            "Compaction does not keep up (it is three times slower in packages built without "
            "optimisation), or the database's device hangs",
            [f"ceph tell {p.osd.name} compact" for p in have],
            have,
            {
                "stalled_seconds": round(stall.seconds, 1),
                "longest_mean_commit_seconds": round(stall.longest, 3),
                "slow_commits": stall.slow,
                "bytes_into_tables": stall.tables,
            },
        )


# --- builds ----------------------------------------------------------------------------------

# "… tentacle (stable - RelWithDebInfo)", in versions since 20 (pull requests 62333 and 61637).
# Versions of 16 and 18 end in "(stable)"; their build type cannot be found out.
_BUILT = re.compile(r"\(\w+ - (\w+)\)")
_BUILD_TYPE = Need("no-build-type", "versions before 20 do not tell how they were built")
_TCMALLOC = "tcmalloc"
# In facts: no other allocator library is mapped, or one is linked statically.
_LIBC = "libc"
_NOT_ASKED = Need(
    "not-asked", "the OSDs were not asked yet which allocator they use", "wait a minute"
)


def debug_build(seen: Seen) -> Iterator[Found]:
    """OSDs run a debug build; known since 20."""
    have = [p for p in seen.known(_BUILD_TYPE, _build_type) if _build_type(p) == "Debug"]
    if have:
        yield Found(
            f"{names(have)} {form(have, 'runs', 'run')} a debug build: without optimisation and "
            "with extra checks it is up to five times slower",
            ["ceph osd versions"],
            have,
            {"version": have[0].build.version if have[0].build else ""},
        )


def _build_type(details: OsdDetails) -> Optional[str]:
    told = _BUILT.search(details.build.version) if details.build else None
    return told and told[1]


def other_allocator(seen: Seen) -> Iterator[Found]:
    """OSDs do not use tcmalloc."""
    snapshot, up = seen.snapshot, seen.up()
    mapped = {
        (host, process.osd): process.allocator
        for host, facts in snapshot.facts.items()
        for process in facts.processes or ()
    }
    have, unknown, used = [], [], set()
    for details in up:
        library = mapped.get((details.osd.host, details.osd.id))
        built_with = None if details.build is None else snapshot.tcmalloc.get(details.build)
        if library not in (None, _LIBC):  # preloaded: it replaces the one it was built with
            other = library != _TCMALLOC
        elif built_with is None:
            unknown.append(details)
            continue
        else:
            other = not built_with
        if other:
            have.append(details)
            used.add(library or "another allocator")
    seen.lack(_NOT_ASKED, unknown, up)
    allocators = sorted(used)
    if have:
        yield Found(
            f"{names(have)} {form(have, 'uses', 'use')} {listed(allocators)} instead of tcmalloc: "
            "caches follow osd_memory_target only with tcmalloc, so memory use may be over or "
            "under it",
            ["ceph tell 'osd.*' heap stats"],
            have,
            {"allocators": allocators},
        )


# --- devices and the software between them and the OSDs --------------------------------------

_STALLED = (
    "BLOCK_DEVICE_STALLED_READ_ALERT",
    "DB_DEVICE_STALLED_READ_ALERT",
    "WAL_DEVICE_STALLED_READ_ALERT",
)
# The releases from which on OSDs raise these alerts, ceph-volume handles multipath devices, and
# libceph-common has a second implementation of CRC32C.
_ALERTS, _MULTIPATH, _CRC32C = (18,), (18, 2, 1), (20,)
_NO_ALERT = Need("no-alert", "versions before 18 have no alert on stalled reads")


def stalled_reads(seen: Seen) -> Iterator[Found]:
    """Devices answered reads seconds late, as after missed interrupts."""
    checks = seen.health()
    told = [details for details in seen.snapshot.up() if details.release]
    seen.lack(_NO_ALERT, [p for p in told if release_of(p) < _ALERTS], told)
    summaries = {check: checks[check] for check in _STALLED if check in checks}
    if summaries:
        yield Found(
            f"{'; '.join(summaries.values())}: stalls of about 30 s point to missed interrupts "
            "('completion polled' in dmesg), others to a failing drive",
            ["dmesg -T | grep -i 'nvme.*timeout'"],
            evidence=summaries,
        )


def old_multipath(seen: Seen) -> Iterator[Found]:
    """OSDs on hosts with multipath devices are of a release that handles these badly."""
    seen.with_metadata()
    hosts = seen.hosts("multipath devices", lambda facts: facts.multipath, _before_multipath)
    old = [p for host, maps in hosts if maps for p in host.osds if _before_multipath(p)]
    if old:
        yield Found(
            f"{names(old)} of {listed(releases(old))} {form(old, 'is', 'are')} on a host with "
            "multipath devices: ceph-volume before 18.2.1 may list single paths or nothing, so a "
            "new OSD may use one path only",
            ["ceph perf-bench multipath ls"],
            old,
        )


def _before_multipath(details: OsdDetails) -> bool:
    return bool(details.release) and release_of(details) < _MULTIPATH


def old_checksum(seen: Seen) -> Iterator[Found]:
    """Checksums are slow in releases that have only the older implementation of CRC32C."""
    hotspots = seen.health().get(CRC_HOTSPOT.code)
    if hotspots is None:
        seen.tick()
        return
    old = [p for p in seen.snapshot.up() if p.release and release_of(p) < _CRC32C]
    if old:
        yield Found(
            f"checksums take long, and {listed(releases(old))} computes them with crc32_iscsi_00; "
            "crc32_iscsi_01, in release 20, was 26 to 43 % faster on some processors in the field "
            "and equal on others",
            ["ceph perf-bench crc ls"],
            old,
            {"hotspots": hotspots},
            target=CLUSTER,
        )
