"""Checks of RocksDB's settings and of the devices with OSDs' databases."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from ...model.phrases import GIB
from ...model.said import say
from .wording import config_set, ids, numbers, some, target_of, together

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


def no_wal_limit(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """RocksDB options overridden without a limit of the write-ahead log."""
    have = [
        details
        for details in snapshot.up()
        if any(setting.value for setting in snapshot.set_for(_ROCKSDB, [details]))
        and _LIMIT not in _all_options(snapshot, details)
    ]
    if not have:
        return
    grown = [details for details in have if (details.wal_used or 0) > _GROWN]
    unlimited = [
        setting
        for setting in snapshot.set_for(_ROCKSDB, have)
        if setting.value and _LIMIT not in setting.value
    ]
    if not unlimited:
        return  # what is set has a limit: the mgr does not have it yet
    largest = max((details.wal_used or 0 for details in have), default=0)
    yield Advice(
        "ROCKSDB_NO_WAL_LIMIT",
        Severity.ERROR if grown else Severity.WARNING,
        CLUSTER if len(have) == len(snapshot.up()) else target_of(have),
        say(
            "advice-no-wal-limit",
            "{option} of {osds:osds} is overridden without {limit}: after a day or more "
            "write-ahead logs grow to some 100 GB, and latencies rise; a change takes effect when "
            "OSDs restart",
            option=_ROCKSDB,
            osds=numbers(have),
            limit=_LIMIT,
        ),
        together(
            config_set(setting.who, _ROCKSDB, f"{setting.value},{_LIMIT}={_LIMIT_BYTES}")
            for setting in unlimited
        ),
        "All-Flash Ceph RBD Storage (Bloomberg, 2024); Ceph pull request 35277",
        ids(have),
        {**some(have), "value": unlimited[0].value, "largest_wal_bytes": largest},
        risk=True,
    )


def _all_options(snapshot: DoctorSnapshot, details: OsdDetails) -> str:
    return f"{snapshot.option(details, _ROCKSDB)},{snapshot.option(details, _ANNEX) or ''}"


def slow_database(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """A separate database device that is a rotating disk."""
    have = [p for p in snapshot.up() if p.separate_db and p.db_rotational]
    if have:
        yield Advice(
            "DB_ON_ROTATIONAL",
            Severity.WARNING,
            target_of(have),
            say(
                "advice-db-rotational",
                "the database of {osds:osds} is on a separate device, but a rotating one, which "
                "gains nothing; the database of a stopped OSD can be moved",
                osds=numbers(have),
            ),
            together(f"ceph-volume lvm migrate {_named(p)} --from db --target VG/LV" for p in have),
            "1 TiB/s and related posts (Clyso, 2024): where DB and WAL really are",
            ids(have),
            some(have),
            risk=True,
        )


def missing_database(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """A few OSDs on disks without a separate database, while most of the others have one."""
    on_disks = [p for p in snapshot.up() if p.osd.rotational]
    without = [p for p in on_disks if not p.separate_db]
    if without and 4 * len(without) <= len(on_disks):
        yield Advice(
            "DB_NOT_ON_FLASH",
            Severity.WARNING,
            target_of(without),
            say(
                "advice-db-on-disk",
                "{osds:osds} {osds#has its|have their} database on the disk itself, while {others} "
                "of {all} OSDs on disks have a separate device for it: {osds#it|they} will be "
                "slower; a stopped OSD can get one",
                osds=numbers(without),
                others=len(on_disks) - len(without),
                all=len(on_disks),
            ),
            together(f"ceph-volume lvm new-db {_named(p)} --target VG/LV" for p in without),
            "1 TiB/s and related posts (Clyso, 2024): bluefs_dedicated_db",
            ids(without),
            some(without),
            risk=True,
        )


def _named(details: OsdDetails) -> str:
    return f"--osd-id {details.osd.id} --osd-fsid {details.fsid or 'FSID'}"


def spill_over(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Databases with a part on the slow device."""
    have = [p for p in snapshot.up() if p.separate_db and (p.slow_used or 0) > _SPILLED]
    if have:
        worst = max(have, key=lambda p: p.slow_used or 0)
        yield Advice(
            "DB_SPILLS_OVER",
            Severity.WARNING,
            target_of(have),
            say(
                "advice-spills-over",
                "up to {slow:gib} of the database of {osds:osds} are on the slow device: lookups "
                "there are as slow as that device",
                slow=worst.slow_used or 0,
                osds=numbers(have),
            ),
            together(f"ceph tell {p.osd.name} compact" for p in have),
            "Ceph's documentation: BLUEFS_SPILLOVER",
            ids(have),
            {**some(have), "largest_slow_bytes": worst.slow_used},
            risk=True,
        )


def slow_compaction(snapshot: DoctorSnapshot) -> Iterator[Advice]:
    """Databases that stall writes because compaction is slower than the writes."""
    have = [p for p in snapshot.up() if p.stall and p.stall.seconds >= _STALLED_SECONDS]
    stalls = {p.osd.id: p.stall for p in have if p.stall}
    if stalls:
        worst = max(stalls, key=lambda osd: stalls[osd].seconds)
        stall = stalls[worst]
        yield Advice(
            "SLOW_COMPACTION",
            Severity.WARNING,
            target_of(have),
            say(
                "advice-slow-compaction",
                "commits of {osds:osds} wait for RocksDB while it writes tables, not for the "
                "device's flush: {seconds:.0f} s of the last 100 (osd.{worst}). Compaction does "
                "not keep up (it is three times slower in packages built without optimisation), or "
                "the database's device hangs",
                osds=numbers(have),
                seconds=stall.seconds,
                worst=worst,
            ),
            together(f"ceph tell {p.osd.name} compact" for p in have),
            "1 TiB/s (Clyso, 2024), fix three; Ceph pull request 54918; RocksDB: write stalls",
            ids(have),
            {
                **some(have),
                "stalled_seconds": round(stall.seconds, 1),
                "longest_mean_commit_seconds": round(stall.longest, 3),
                "slow_commits": stall.slow,
                "bytes_into_tables": stall.tables,
            },
        )
