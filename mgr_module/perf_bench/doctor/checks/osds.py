"""Checks of OSDs: their builds, devices, databases and releases."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, Optional

from ...model.doctor_snapshot import CLUSTER, DoctorSnapshot, OsdDetails
from ...model.finding import Gap, Severity
from ...model.phrases import GIB, gib, listed
from . import commands
from .seen import BLOOMBERG, CLYSO, DOCS, INFO, PAWSEY, WARNING, Found, Seen, check, names

# --- builds ----------------------------------------------------------------------------------

# "… tentacle (stable - RelWithDebInfo)", in versions since 20 (pull requests 62333 and 61637).
# Versions of 16 and 18 end in "(stable)"; their build type cannot be found out.
_BUILT = re.compile(r"\(\w+ - (\w+)\)")
_BUILD_TYPE = Gap("no-build-type", "versions before 20 do not tell how they were built")
_TCMALLOC = "tcmalloc"


@check("DEBUG_BUILD", WARNING, "Ceph's README; Ceph pull requests 25478 and 62333", risk=True)
def debug_build(seen: Seen) -> Iterator[Found]:
    """OSDs run a debug build; known since 20."""
    have = [p for p in seen.known(_BUILD_TYPE, _build_type) if _build_type(p) == "Debug"]
    if have:
        yield Found(
            f"{names(have)}: a debug build, up to five times slower",
            ["ceph osd versions"],
            have,
            {"version": have[0].build.version if have[0].build else ""},
        )


def _build_type(details: OsdDetails) -> Optional[str]:
    told = _BUILT.search(details.build.version) if details.build else None
    return told and told[1]


@check("NO_TCMALLOC", INFO, f"{DOCS}: BlueStore, automatic cache sizing; osd_memory_target")
def other_allocator(seen: Seen) -> Iterator[Found]:
    """OSDs do not use tcmalloc."""
    told = seen.hosts("the allocators of its OSDs", lambda facts: facts.processes)
    used = {(host.name, one.osd): one.allocator for host, found in told for one in found}
    by_osd = [(p, used.get((p.osd.host, p.osd.id))) for p in seen.up()]
    other = [(p, name) for p, name in by_osd if name not in (None, _TCMALLOC)]
    if other:
        allocators = sorted({str(name) for _, name in other})
        have = [p for p, _ in other]
        yield Found(
            f"{names(have)}: {listed(allocators)} instead of tcmalloc, so that caches do not "
            "follow osd_memory_target",
            ["ceph tell 'osd.*' heap stats"],
            have,
            {"allocators": allocators},
        )


# --- devices and the software between them and the OSDs --------------------------------------

_KIB = 1024
# Ceph's own unit since 16; 64 KiB on disks and 16 KiB on flash before.
_UNIT = 4 * _KIB
# No flash writes more than this at a time; RAID controllers tell larger optimal sizes.
_COARSEST = 64 * _KIB
_NO_UNIT = Gap("no-metadata", "the OSDs' metadata do not tell the allocation unit")
# The mean of a flush above which flash has no cache that survives a loss of power, in seconds:
# published are 12 to 58 us with such a cache, 0.9 ms without, and 3.5 ms where the volatile cache
# of a protected drive is on (docs/doctor.md). A mean below proves nothing: commits that flush
# nothing are in it.
_SLOW_FLUSH = 0.0005
_FEW_FLUSHES = Gap(
    "too-few-flushes",
    "the OSDs on flash committed too little in the last 100 s",
    "wait until clients write",
)
# The release from which on ceph-volume handles multipath devices.
_MULTIPATH = (18, 2, 1)


@check("MIN_ALLOC_SIZE", INFO, f"{DOCS}: BlueStore configuration, minimum allocation size")
def allocation_unit(seen: Seen) -> Iterator[Found]:
    """Allocation units of OSDs do not fit their drives, so they also differ within a class."""
    told = seen.known(_NO_UNIT, lambda osd: osd.min_alloc)
    have = [p for p in told if p.min_alloc != _fitting(p)]
    if have:
        yield Found(
            f"{names(have)}: allocation units of {_kib(p.min_alloc or 0 for p in have)} on drives "
            f"that {_kib(map(_fitting, have))} fit: larger ones waste space (OSDs created before "
            "Ceph 16), smaller ones make flash write more "
            "(bluestore_use_optimal_io_size_for_min_alloc_size). Only a new OSD has another",
            [f"ceph osd metadata {have[0].osd.id}"],
            have,
        )


def _fitting(details: OsdDetails) -> int:
    """Ceph's own unit, or what flash tells to write at a time, in bytes."""
    own = details.optimal_io or 0
    return own if details.osd.rotational is False and _UNIT < own <= _COARSEST else _UNIT


def _kib(sizes: Iterable[int]) -> str:
    return listed([f"{size // _KIB} KiB" for size in sorted(set(sizes))])


@check("SLOW_FLUSHES", INFO, f"{DOCS}: hardware recommendations, write caches; Small Datum (2026)")
def slow_flushes(seen: Seen) -> Iterator[Found]:
    """Flash takes long to flush, as drives do whose cache does not survive a loss of power."""
    flash = [p for p in seen.with_metadata() if p.osd.rotational is False]
    seen.lack(_FEW_FLUSHES, [p for p in flash if p.flush_seconds is None], flash)
    have = [p for p in flash if (p.flush_seconds or 0.0) > _SLOW_FLUSH]
    if have:
        worst = max(p.flush_seconds or 0.0 for p in have)
        yield Found(
            f"{names(have)} on flash: up to {1000 * worst:.2g} ms for a flush (mean of 100 s); "
            "drives whose cache survives a loss of power take tens of microseconds. The cache is "
            "volatile (write back), or the drive virtual or overloaded",
            ["grep . /sys/block/*/queue/write_cache"],
            have,
            {"longest_mean_flush_seconds": round(worst, 6)},
        )


@check("OLD_MULTIPATH", INFO, PAWSEY)
def old_multipath(seen: Seen) -> Iterator[Found]:
    """OSDs on hosts with multipath devices are of a release that handles these badly."""
    seen.with_metadata()
    hosts = seen.hosts("multipath devices", lambda facts: facts.multipath, _before_multipath)
    old = [p for host, maps in hosts if maps for p in host.osds if _before_multipath(p)]
    if old:
        yield Found(
            f"{names(old)} of {listed(releases(old))} with multipath devices: ceph-volume before "
            "18.2.1 may give a new OSD one path only",
            ["ceph perf-bench multipath ls"],
            old,
        )


def _before_multipath(details: OsdDetails) -> bool:
    return bool(details.release) and release_of(details) < _MULTIPATH


# --- databases: RocksDB's settings, and the devices that it is on ------------------------------

_ROCKSDB = "bluestore_rocksdb_options"
_OPTIONS = (_ROCKSDB, f"{_ROCKSDB}_annex")
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
        and not any(_LIMIT in (snapshot.option(details, one) or "") for one in _OPTIONS)
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
        f"{_ROCKSDB} of {names(have)} is overridden without {_LIMIT}: within days write-ahead logs "
        "grow to some 100 GB, and latencies rise; a change takes effect when OSDs restart",
        [
            commands.config_set(setting.who, _ROCKSDB, f"{setting.value},{_LIMIT}={_LIMIT_BYTES}")
            for setting in unlimited
        ],
        have,
        {"value": unlimited[0].value, "largest_wal_bytes": largest},
        Severity.ERROR if largest > _GROWN else None,
        CLUSTER if len(have) == len(up) else None,
    )


@check("DB_ON_ROTATIONAL", WARNING, f"{CLYSO} and related posts: where the DB is", risk=True)
def slow_database(seen: Seen) -> Iterator[Found]:
    """The separate device of a database is a rotating disk."""
    have = [p for p in seen.with_metadata() if p.separate_db and p.db_rotational]
    if have:
        yield Found(
            f"the database of {names(have)} is on a separate device that rotates, which gains "
            "nothing; that of a stopped OSD can be moved",
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
            f"{names(without)}: the database is on the disk itself, and so slower than that of "
            f"{len(on_disks) - len(without)} of {len(on_disks)} OSDs on disks; a stopped OSD can "
            "get a device for it",
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
    cleaner = {p.osd.id: (seen.snapshot.option(p, _CLEANER) or "").lower() for p in have}
    off = [p for p in have if p not in large and cleaner[p.osd.id] == "false"]
    message = (
        f"up to {gib(most)} of the database of {names(have)} are on the slow device: lookups there "
        "are as slow as that device"
    )
    if off:
        message += f"; Ceph brings it back by itself where {_CLEANER} is on"
    if large:
        message += f"; that of {names(large)} needs a larger device, on a stopped OSD"
    typed = commands.set_for_all(seen.snapshot, off, _CLEANER, "true", lambda _: "osd")
    typed += [_to_another(p) for p in large]
    # Of an OSD whose cleaner is on, a compaction need not be waited for either.
    typed += [f"ceph tell {p.osd.name} compact" for p in have if p not in [*off, *large]]
    yield Found(message, typed, have, {"largest_slow_bytes": most})


def _separate(seen: Seen) -> list[OsdDetails]:
    """The OSDs whose database has a device of its own, and which have told how full that is."""
    told = seen.counted(lambda osd: osd.slow_used if osd.separate_db else osd.pgs)
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
            f"the database of {names(have)} fills up to {100 * most:.0f} % of its device: the next "
            "large compaction will write to the slow device; 1 to 2 % of the data device are "
            "enough for RBD, 4 % for RGW",
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
            f"device's flush: {stall.seconds:.0f} s of the last 100 ({worst.osd.name}). Compaction "
            "does not keep up, or the database's device hangs",
            [f"ceph tell {p.osd.name} compact" for p in have],
            have,
            {
                "stalled_seconds": round(stall.seconds, 1),
                "longest_mean_commit_seconds": round(stall.longest, 3),
                "slow_commits": stall.slow,
                "bytes_into_tables": stall.tables,
            },
        )


# --- releases and their faults ---------------------------------------------------------------


def as_numbers(release: str) -> tuple[int, ...]:
    """A release as a tuple that can be compared: (18, 2, 7)."""
    return tuple(int(part) if part.isdigit() else 0 for part in release.split("."))


def release_of(details: OsdDetails) -> tuple[int, ...]:
    """An OSD's release as a tuple; empty if unknown."""
    return as_numbers(details.release) if details.release else ()


def releases(osds: Iterable[OsdDetails]) -> list[str]:
    """The releases that these OSDs run, in order."""
    return sorted({details.release for details in osds if details.release}, key=as_numbers)


_QUEUE, _SHARDS = "osd_op_queue", "osd_op_num_shards_hdd"
_THREADS = "osd_op_num_threads_per_shard_hdd"
# Upstream's packages of these; images are built on CentOS.
_DEBIAN = re.compile("debian|ubuntu", re.IGNORECASE)


class Fault(NamedTuple):
    """``fixed`` has by major release the first one without it; others never had it.

    ``concerns`` says whether an OSD of such a release is concerned, ``text`` what that means.
    """

    fixed: Mapping[int, tuple[int, ...]]
    concerns: Callable[[DoctorSnapshot, OsdDetails], bool]
    text: str
    source: str


def _is_debian(_: DoctorSnapshot, details: OsdDetails) -> bool:
    build = details.build
    return build is not None and not build.image and bool(_DEBIAN.search(build.system))


def _uses_mclock(snapshot: DoctorSnapshot, details: OsdDetails) -> bool:
    return (snapshot.option(details, _QUEUE) or "").startswith("mclock")


FAULTS = (
    Fault(
        {16: (16, 2, 15), 17: (17, 2, 8), 18: (18, 2, 4)},
        _is_debian,
        "if these are packages of ceph.com for Debian or Ubuntu, RocksDB in them is built without "
        "optimisation: compaction takes two to three times as long, and small writes are half as "
        "fast",
        "https://tracker.ceph.com/issues/64360; Ceph pull requests 54891 and 54918",
    ),
    Fault(
        {17: (17, 2, 7)},
        _uses_mclock,
        "mClock charges recovery a wrong cost: recovery and backfill take far longer than they "
        "need",
        "https://tracker.ceph.com/issues/58529; Ceph pull request 49973",
    ),
    Fault(
        {16: (16, 2, 11), 17: (17, 2, 4)},
        lambda *_: True,
        "duplicates in the logs of placement groups are never trimmed: OSDs grow by gigabytes, "
        "and take minutes to start",
        "https://tracker.ceph.com/issues/53729; Ceph pull request 47046",
    ),
)


@check("KNOWN_FAULT", INFO, f"{DOCS}: releases")
def known_faults(seen: Seen) -> Iterator[Found]:
    """The running release has a known fault that makes OSDs slow."""
    told = seen.with_metadata()
    for fault in FAULTS:
        have = [
            p
            for p in told
            for fixed in [fault.fixed.get(release_of(p)[0])]
            if fixed and release_of(p) < fixed and fault.concerns(seen.snapshot, p)
        ]
        if have:
            yield Found(
                f"{names(have)} ({', '.join(releases(have))}): {fault.text}; an update mends it",
                ["ceph versions"],
                have,
                {"fixed_in": [".".join(map(str, one)) for one in fault.fixed.values()]},
                source=fault.source,
            )


@check(
    "MCLOCK_SHARDS", INFO, f"{DOCS}: mClock config reference; https://tracker.ceph.com/issues/66289"
)
def mclock_shards(seen: Seen) -> Iterator[Found]:
    """OSDs on disks share out operations over shards of one thread, where mClock does badly."""
    snapshot = seen.snapshot
    have = [
        p
        for p in seen.with_metadata()
        if p.osd.rotational
        and _uses_mclock(snapshot, p)
        and (snapshot.number(p, _SHARDS) or 0) > 1
        and snapshot.number(p, _THREADS) == 1
    ]
    if have:
        set_ = [one for name in (_SHARDS, _THREADS) for one in snapshot.set_for(name, have)]
        yield Found(
            f"{names(have)} on disks use mClock with several shards of one thread, the default "
            "before 18.2.5 and 19.2.1: requests are slow while recovery runs; a change takes "
            "effect when OSDs restart",
            [
                *(commands.config_rm(one.who, one.name) for one in set_ if one.who != "osd"),
                commands.config_set("osd", _SHARDS, 1),
                commands.config_set("osd", _THREADS, 5),
            ],
            have,
        )
