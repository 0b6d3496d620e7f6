"""RocksDB's settings, and where an OSD's database lies."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.doctor_snapshot import CLUSTER, Advice, DoctorSnapshot, OsdDetails
from ...model.finding import Severity
from .wording import GIB, config_set, ids, osds, some, target_of, together, verb

_ROCKSDB, _ANNEX = "bluestore_rocksdb_options", "bluestore_rocksdb_options_annex"
_LIMIT = "max_total_wal_size"
# What Ceph itself sets since 16.2.
_LIMIT_BYTES = 1 * GIB
# A write-ahead log beyond this grows without a limit: RocksDB's own are four buffers of 256 MiB.
_GROWN = 4 * GIB
# Two reports: one may be of a moment.
_STALLED_SECONDS = 10.0
# Less than that lies on the slow device after any compaction.
_SPILLED = 64 << 20


def no_wal_limit(chart: DoctorSnapshot) -> Iterator[Advice]:
    """RocksDB's options overridden without the limit of its write-ahead log."""
    have = [
        patient
        for patient in chart.up()
        if any(setting.value for setting in chart.set_for(_ROCKSDB, [patient]))
        and _LIMIT not in _all_options(chart, patient)
    ]
    if not have:
        return
    grown = [patient for patient in have if (patient.wal_used or 0) > _GROWN]
    unlimited = [
        setting
        for setting in chart.set_for(_ROCKSDB, have)
        if setting.value and _LIMIT not in setting.value
    ]
    largest = max((patient.wal_used or 0 for patient in have), default=0)
    yield Advice(
        "ROCKSDB_NO_WAL_LIMIT",
        Severity.ERROR if grown else Severity.WARNING,
        CLUSTER if len(have) == len(chart.up()) else target_of(have),
        f"{_ROCKSDB} of {osds(have)} is overridden without {_LIMIT}: write-ahead logs grow to "
        "some 100 GB, and latencies with them, after a day or more; OSDs take it over when they "
        "are restarted",
        together(
            config_set(setting.who, _ROCKSDB, f"{setting.value},{_LIMIT}={_LIMIT_BYTES}")
            for setting in unlimited
        ),
        "All-Flash Ceph RBD Storage (Bloomberg, 2024); Ceph pull request 35277",
        ids(have),
        {**some(have), "value": unlimited[0].value, "largest_wal_bytes": largest},
        risk=True,
    )


def _all_options(chart: DoctorSnapshot, patient: OsdDetails) -> str:
    return f"{chart.option(patient, _ROCKSDB)},{chart.option(patient, _ANNEX) or ''}"


def slow_database(chart: DoctorSnapshot) -> Iterator[Advice]:
    """A database on a device of its own that turns."""
    have = [p for p in chart.up() if p.separate_db and p.db_rotational]
    if have:
        yield Advice(
            "DB_ON_ROTATIONAL",
            Severity.WARNING,
            target_of(have),
            f"the database of {osds(have)} has a device of its own, but that is a rotating one: "
            "it costs what a database on flash would save; a stopped OSD's can be moved",
            f"ceph-volume lvm migrate {_named(have[0])} --from db --target VG/LV",
            "1 TiB/s and the posts beside it (Clyso, 2024): where DB and WAL really are",
            ids(have),
            some(have),
            risk=True,
        )


def missing_database(chart: DoctorSnapshot) -> Iterator[Advice]:
    """A few OSDs on disks without a database on flash, where most of their kind have one."""
    turning = [p for p in chart.up() if p.osd.rotational]
    without = [p for p in turning if not p.separate_db]
    if without and 4 * len(without) <= len(turning):
        yield Advice(
            "DB_NOT_ON_FLASH",
            Severity.WARNING,
            target_of(without),
            f"{osds(without)} {verb(without, 'keeps its', 'keep their')} database on the disk "
            f"itself, while "
            f"{len(turning) - len(without)} of {len(turning)} OSDs on disks have it elsewhere: "
            f"{verb(without, 'it', 'they')} will be slow; a stopped OSD can get one",
            f"ceph-volume lvm new-db {_named(without[0])} --target VG/LV",
            "1 TiB/s and the posts beside it (Clyso, 2024): bluefs_dedicated_db",
            ids(without),
            some(without),
            risk=True,
        )


def _named(patient: OsdDetails) -> str:
    return f"--osd-id {patient.osd.id} --osd-fsid {patient.fsid or 'FSID'}"


def spill_over(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Databases of which a part lies on the slow device."""
    have = [p for p in chart.up() if p.separate_db and (p.slow_used or 0) > _SPILLED]
    if have:
        worst = max(have, key=lambda p: p.slow_used or 0)
        yield Advice(
            "DB_SPILLS_OVER",
            Severity.WARNING,
            target_of(have),
            f"up to {(worst.slow_used or 0) / GIB:.1f} GiB of the database of {osds(have)} lie on "
            "the slow device: whatever looks there waits for it",
            f"ceph tell osd.{worst.osd.id} compact",
            "Ceph's documentation: BLUEFS_SPILLOVER",
            ids(have),
            {**some(have), "largest_slow_bytes": worst.slow_used},
            risk=True,
        )


def slow_compaction(chart: DoctorSnapshot) -> Iterator[Advice]:
    """Databases that let writes wait because they cannot merge as fast as they take in."""
    have = [p for p in chart.up() if p.stall and p.stall.seconds >= _STALLED_SECONDS]
    stalls = {p.osd.id: p.stall for p in have if p.stall}
    if stalls:
        worst = max(stalls, key=lambda osd: stalls[osd].seconds)
        stall = stalls[worst]
        yield Advice(
            "SLOW_COMPACTION",
            Severity.WARNING,
            target_of(have),
            f"commits of {osds(have)} wait for RocksDB while it writes tables, and not for the "
            f"flush of the device: {stall.seconds:.0f} s of the last 100 (osd.{worst}). Compaction "
            "does not keep up (packages built without optimisation are three times slower at it), "
            "or the database's device hangs",
            f"ceph tell osd.{worst} compact",
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
