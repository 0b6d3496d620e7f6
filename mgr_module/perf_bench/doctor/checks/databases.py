"""Checks of OSDs' databases: RocksDB's settings, and the devices that it is on."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.phrases import GIB, gib
from .seen import (
    BLOOMBERG,
    CLYSO,
    COUNTERS,
    DOCS,
    ERROR,
    INFO,
    WARNING,
    Found,
    Seen,
    check,
    config_set,
    form,
    is_false,
    names,
    set_for_all,
)

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
# Moves files back by itself; in 21 and newer releases of 20, off by default.
_CLEANER = "bluefs_spillover_cleaner"
# A compaction needs room for its result; above this share it may find too little and spill.
_NEARLY_FULL = 0.8


@check("ROCKSDB_NO_WAL_LIMIT", WARNING, f"{BLOOMBERG}; Ceph pull request 35277", risk=True)
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
        ERROR if largest > _GROWN else None,
        CLUSTER if len(have) == len(up) else None,
    )


def _all_options(snapshot: DoctorSnapshot, details: OsdDetails) -> str:
    return f"{snapshot.option(details, _ROCKSDB)},{snapshot.option(details, _ANNEX) or ''}"


@check("DB_ON_ROTATIONAL", WARNING, f"{CLYSO} and related posts: where the DB is", risk=True)
def slow_database(seen: Seen) -> Iterator[Found]:
    """The separate device of a database is a rotating disk."""
    have = [p for p in seen.with_metadata() if p.separate_db and p.db_rotational]
    if have:
        yield Found(
            f"the database of {names(have)} is on a separate device, but a rotating one, which "
            "gains nothing; the database of a stopped OSD can be moved",
            [_to_another(p) for p in have],
            have,
        )


@check("DB_NOT_ON_FLASH", WARNING, f"{CLYSO} and related posts: where the DB is", risk=True)
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


def _to_another(details: OsdDetails) -> str:
    return f"ceph-volume lvm migrate {_named(details)} --from db --target VG/LV"


def _named(details: OsdDetails) -> str:
    return f"--osd-id {details.osd.id} --osd-fsid {details.fsid or 'FSID'}"


@check("DB_SPILLS_OVER", WARNING, f"{DOCS}: BLUEFS_SPILLOVER; BlueFS spillover cleaner", risk=True)
def spill_over(seen: Seen) -> Iterator[Found]:
    """A part of a database is on the slow device."""
    have = [p for p in _separate(seen) if (p.slow_used or 0) > _SPILLED]
    if not have:
        return
    most = max(p.slow_used or 0 for p in have)
    large = [p for p in have if p.db_total is not None and _needed(p) >= p.db_total]
    cleaner = {p.osd.id: seen.snapshot.option(p, _CLEANER) for p in have if p not in large}
    off = [p for p in have if is_false(cleaner.get(p.osd.id))]
    message = (
        f"up to {gib(most)} of the database of {names(have)} are on the slow device: lookups there "
        "are as slow as that device"
    )
    if off:
        message += f"; Ceph brings it back by itself where {_CLEANER} is on"
    if large:
        message += f"; that of {names(large)} needs a larger device, on a stopped OSD"
    commands = set_for_all(seen.snapshot, off, _CLEANER, "true", lambda _: "osd")
    commands += [_to_another(p) for p in large]
    # Of an OSD whose cleaner is on, a compaction need not be waited for either.
    commands += [f"ceph tell {p.osd.name} compact" for p in have if p not in [*off, *large]]
    yield Found(message, commands, have, {"largest_slow_bytes": most})


def _separate(seen: Seen) -> list[OsdDetails]:
    """The OSDs whose database has a device of its own, and which have told how full that is."""
    seen.with_metadata()
    told = seen.known(COUNTERS, lambda osd: osd.slow_used if osd.separate_db else osd.pgs)
    return [p for p in told if p.separate_db]


def _needed(details: OsdDetails) -> int:
    """The bytes of the database, wherever they are."""
    return (details.db_used or 0) + (details.slow_used or 0)


@check(
    "DB_NEARLY_FULL", INFO, f"{DOCS}: BlueStore configuration reference, sizing; BLUEFS_SPILLOVER"
)
def nearly_full(seen: Seen) -> Iterator[Found]:
    """A database will not fit its device much longer."""
    have = [
        p
        for p in _separate(seen)
        if _needed(p) > _NEARLY_FULL * (p.db_total or math.inf) and (p.slow_used or 0) <= _SPILLED
    ]
    if have:
        most = max(_needed(p) / p.db_total for p in have if p.db_total)
        yield Found(
            f"the database of {names(have)} fills up to {100 * most:.0f} % of its device: a "
            "compaction writes its result before it removes what it read, so the next large one "
            "goes to the slow device; Ceph's documentation has 1 to 2 % of the data device for "
            "RBD, and 4 % for RGW",
            [_to_another(p) for p in have],
            have,
            {"fullest_percent": round(100 * most)},
        )


@check(
    "SLOW_COMPACTION",
    WARNING,
    f"{CLYSO}, fix three; Ceph pull request 54918; RocksDB: write stalls",
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
