"""Each advice: when it is given, to whom, and when the doctor stays silent."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

import golden
from factory import document
from nouns import an_osd
from perf_bench.doctor.checks import CHECKS, examine
from perf_bench.model.doctor_snapshot import (
    Advice,
    Build,
    CommitStall,
    DoctorSnapshot,
    MeasuredCapacity,
    OsdDetails,
    PoolReads,
    Setting,
)
from perf_bench.model.finding import Severity
from perf_bench.model.hardware import facts_of
from perf_bench.model.history import WORK, ClusterSpan

GIB = 1 << 30
ROCKSDB = "bluestore_rocksdb_options"
WARNING, INFO, ERROR = Severity.WARNING, Severity.INFO, Severity.ERROR
OPTIONS = {
    "mon_target_pg_per_osd": "100",
    "osd_memory_target": str(4 * GIB),
    "osd_op_thread_suicide_timeout": "150",
    ROCKSDB: "compression=kNoCompression,max_total_wal_size=1073741824",
}
ALL, EVEN, NONE = frozenset(range(8)), frozenset((0, 2, 4, 6)), frozenset[int]()
CAPACITY = "osd_mclock_max_capacity_iops_hdd"
LOUD_OF_77 = Setting("osd.77", "", "debug_osd", "20/20")
LOUD_OF_ALL = Setting("global", "", "debug_ms", "1")
MCLOCK = {"osd_op_queue": "mclock_scheduler"}


def osds(count: int = 8, flash: bool = False, **named: Any) -> dict[int, OsdDetails]:
    """OSDs on two hosts of 64 GiB, 40 placement groups each."""
    kind, device = ("ssd", "nvme0n1") if flash else ("hdd", "sda")
    made = {}
    for number in range(count):
        osd = an_osd(
            number,
            f"host-{number % 2}",
            device_class=kind,
            location={"host": f"host-{number % 2}"},
            rotational=not flash,
            devices=device,
        )
        values = {"release": "18.2.7", "host_memory": 64 * GIB, "pgs": 40, "db_total": 1 << 40}
        made[number] = OsdDetails(osd, **{**values, **named})
    return made


def but(
    number: int, base: Optional[dict[int, OsdDetails]] = None, **named: Any
) -> dict[int, OsdDetails]:
    """The same with one OSD that differs."""
    made = base or osds()
    before = made[number]
    values = {**vars(before), **named}
    return {**made, number: OsdDetails(**values)}


def snapshot(**named: Any) -> DoctorSnapshot:
    values: dict[str, Any] = {"osds": osds(), "options": {"hdd": OPTIONS, "ssd": OPTIONS}, **named}
    return DoctorSnapshot(**values)


def overridden(value: str, section: str = "osd", **more: Any) -> DoctorSnapshot:
    options = {**OPTIONS, ROCKSDB: value, **more}
    return snapshot(settings=[Setting(section, "", ROCKSDB, value)], options={"hdd": options})


def told(*hosts: str, flash: bool = False, **sections: Any) -> DoctorSnapshot:
    """A cluster whose hosts told these facts."""
    facts = {host: facts_of(document(host, **sections)) for host in hosts or ("host-0",)}
    return snapshot(osds=osds(flash=flash), facts=facts)


def crc(*rates: float) -> DoctorSnapshot:
    """A host with two OSDs for each rate, all of one model."""
    made, facts = {}, {}
    for number, rate in enumerate(rates):
        host = f"host-{number}"
        made[number] = OsdDetails(an_osd(number, host))
        sections: dict[str, Any] = {"cpu": {"model": "X"}, "crc32c": {"bytes_per_second": rate}}
        facts[host] = facts_of(document(host, **sections))
    return snapshot(osds=made, facts=facts)


def several_paths(release: Optional[str], maps: int = 2) -> DoctorSnapshot:
    """OSDs of a release, and a host with multipath devices."""
    paths = [{"name": f"mpath{n}", "paths": [{"device": f"sd{n}"}]} for n in range(maps)]
    facts = {"host-0": facts_of(document("host-0", multipath=paths))}
    return snapshot(osds=osds(release=release), facts=facts)


def nvme(wait: float = 30, flash: bool = True, **named: Any) -> DoctorSnapshot:
    sections = {"kernel": {"nvme_io_timeout_seconds": wait}, **named}
    return told(flash=flash, **sections)


NO_LIMIT = "compression=kNoCompression"
# as real OSDs of 16, 18 and 20 name themselves, and as one of 20 does that was built for debugging
PACIFIC = Build("ceph version 16.2.15 (618f440892089921c3e944a991122ddc44e60516) pacific (stable)")
TENTACLE = Build(
    "ceph version 20.2.4 (7f793731f1b39eb4f465e960113d2363c311b964) tentacle "
    "(stable - RelWithDebInfo)"
)
DEBUG = Build(
    "ceph version 20.0.0-514-g7a036c6b017 (7a036c6b01769b300ead54db2a3b42182cc59442) tentacle "
    "(dev - Debug)"
)


def built(build: Build, **allocators: str) -> DoctorSnapshot:
    """OSDs of one build, and facts of what those of host-0 have mapped: by "osd0" and so on."""
    processes = [{"osd": int(osd[3:]), "allocator": name} for osd, name in allocators.items()]
    facts = {"host-0": facts_of(document("host-0", processes=processes))} if processes else {}
    return snapshot(osds=osds(build=build), facts=facts)


def units(*kib: int, optimal: int = 0, **named: Any) -> DoctorSnapshot:
    """OSDs of one class with these allocation units, in KiB."""
    made = osds(len(kib), **named)
    return snapshot(
        osds={
            n: replace(one, min_alloc=kib[n] << 10, optimal_io=optimal << 10)
            for n, one in made.items()
        }
    )


def huge_pages(mode: str = "always", thp: str = "True") -> DoctorSnapshot:
    """The option thp, and what host-0 has."""
    seen = told(memory={"thp": mode})
    return replace(
        seen,
        options={"hdd": {**OPTIONS, "thp": thp}},
        settings=[Setting("osd", "", "thp", thp.lower())],
    )


def minutes(with_scrubs: float, count: int = 15, **changed: float) -> tuple[ClusterSpan, ...]:
    """Minutes without scrubs, with reads of 10 ms, and as many with scrubs and that latency."""
    work = {"read_ops": 100.0, "write_ops": 50.0, "recovery_bytes": 0.0, **changed}

    def one(number: int, scrubs: float, took: float, busy: float) -> ClusterSpan:
        of = {**work, "scrubbing": scrubs, "read_ops": busy}
        figures = (("", "client_read", 8, took, took, took),)
        return ClusterSpan(60 * number, 60, 8, figures, tuple(of.get(name) for name in WORK))

    return (
        *(one(n, 0.0, 0.01, 100.0) for n in range(count)),
        *(one(n + count, 2.0, with_scrubs, work["read_ops"]) for n in range(count)),
    )


def scrubbed(*args: Any, chunk: str = "25", **named: Any) -> DoctorSnapshot:
    options = {"hdd": {**OPTIONS, "osd_scrub_chunk_max": chunk}}
    return snapshot(minutes=minutes(*args, **named), options=options)


def shards(count: str, threads: str, flash: bool = False) -> DoctorSnapshot:
    found = {
        **OPTIONS,
        "osd_op_queue": "mclock_scheduler",
        "osd_op_num_shards_hdd": count,
        "osd_op_num_threads_per_shard_hdd": threads,
    }
    return snapshot(osds=osds(flash=flash), options={"hdd": found, "ssd": found})


def of_release(release: str, system: str = "", image: str = "", **options: str) -> DoctorSnapshot:
    build = Build(f"ceph version {release} (abc) name (stable)", system, image)
    return snapshot(
        osds=osds(release=release, build=build), options={"hdd": {**OPTIONS, **options}}
    )


UBUNTU = "Ubuntu 22.04.4 LTS"


def cleaned(state: str, **named: Any) -> DoctorSnapshot:
    """osd.4 has spilled, of a release with a cleaner."""
    options = {"hdd": {**OPTIONS, "bluefs_spillover_cleaner": state}}
    spilled = but(4, osds(separate_db=True, slow_used=0, **named), slow_used=3 * GIB)
    return snapshot(osds=spilled, options=options)


def stalled(seconds: float) -> DoctorSnapshot:
    return snapshot(osds=but(3, stall=CommitStall(seconds, 4.4, 7, 5 << 20)))


# what the doctor sees, what it says: code, severity, target, OSDs; None for silence
CASES: list[tuple[str, DoctorSnapshot, Optional[tuple[str, Severity, str, frozenset[int]]]]] = [
    ("a healthy cluster", snapshot(), None),
    ("nothing is known", DoctorSnapshot(osds=osds()), None),
    ("no OSDs", DoctorSnapshot(), None),
    # databases
    ("rocksdb", overridden(NO_LIMIT), ("ROCKSDB_NO_WAL_LIMIT", WARNING, "cluster", ALL)),
    ("with the limit", overridden(f"{NO_LIMIT},max_total_wal_size=1"), None),
    (
        "the annex",
        overridden(NO_LIMIT, bluestore_rocksdb_options_annex="max_total_wal_size=1"),
        None,
    ),
    (
        "rocksdb of one OSD",
        snapshot(settings=[Setting("osd.3", "", ROCKSDB, NO_LIMIT)]),
        ("ROCKSDB_NO_WAL_LIMIT", WARNING, "osd.3", frozenset((3,))),
    ),
    (
        "a log that has grown",
        DoctorSnapshot(
            osds=but(2, wal_used=90 * GIB),
            options={"hdd": {**OPTIONS, ROCKSDB: NO_LIMIT}},
            settings=[Setting("global", "", ROCKSDB, NO_LIMIT)],
        ),
        ("ROCKSDB_NO_WAL_LIMIT", ERROR, "cluster", ALL),
    ),
    (
        "a database on a disk",
        snapshot(osds=but(1, separate_db=True, db_rotational=True)),
        ("DB_ON_ROTATIONAL", WARNING, "osd.1", frozenset((1,))),
    ),
    (
        "one without a database on flash",
        snapshot(osds=but(5, osds(separate_db=True, db_rotational=False), separate_db=False)),
        ("DB_NOT_ON_FLASH", WARNING, "osd.5", frozenset((5,))),
    ),
    ("none has one", snapshot(osds=osds(separate_db=False)), None),
    (
        "spill-over",
        snapshot(osds=but(4, osds(separate_db=True), slow_used=3 * GIB)),
        ("DB_SPILLS_OVER", WARNING, "osd.4", frozenset((4,))),
    ),
    ("commits that wait", stalled(12), ("SLOW_COMPACTION", WARNING, "osd.3", frozenset((3,)))),
    (
        "a database that fills its device",
        snapshot(
            osds=but(4, osds(separate_db=True, slow_used=0, db_total=60 * GIB), db_used=49 * GIB)
        ),
        ("DB_NEARLY_FULL", INFO, "osd.4", frozenset((4,))),
    ),
    (
        "a database that is as full as it may be",
        snapshot(osds=osds(separate_db=True, slow_used=0, db_total=60 * GIB, db_used=48 * GIB)),
        None,
    ),
    ("a full disk with its own database", snapshot(osds=osds(db_total=GIB, db_used=GIB)), None),
    # programs
    ("packages of Ubuntu", of_release("18.2.2", UBUNTU), ("KNOWN_FAULT", INFO, "cluster", ALL)),
    ("packages of Ubuntu, mended", of_release("18.2.4", UBUNTU), None),
    ("an image", of_release("18.2.2", UBUNTU, "quay.io/ceph/ceph:v18"), None),
    ("packages of CentOS", of_release("18.2.2", "CentOS Stream 9"), None),
    (
        "mClock of 17.2.6",
        of_release("17.2.6", osd_op_queue="mclock_scheduler"),
        ("KNOWN_FAULT", INFO, "cluster", ALL),
    ),
    ("wpq of 17.2.6", of_release("17.2.6", osd_op_queue="wpq"), None),
    ("mClock of 17.2.7", of_release("17.2.7", osd_op_queue="mclock_scheduler"), None),
    ("duplicates of 16", of_release("16.2.10"), ("KNOWN_FAULT", INFO, "cluster", ALL)),
    ("no duplicates", of_release("16.2.15", "Debian GNU/Linux 12"), None),
    ("shards", shards("5", "1"), ("MCLOCK_SHARDS", INFO, "cluster", ALL)),
    ("one shard", shards("1", "5"), None),
    ("shards of flash", shards("5", "1", flash=True), None),
    ("a debug build", built(DEBUG), ("DEBUG_BUILD", WARNING, "cluster", ALL)),
    ("a build of 20", built(TENTACLE), None),
    ("a build of 16: who knows", built(PACIFIC), None),
    ("libc", built(PACIFIC, osd0="libc"), ("NO_TCMALLOC", INFO, "osd.0", frozenset((0,)))),
    (
        "another one put before it",
        built(TENTACLE, osd0="jemalloc", osd2="tcmalloc", osd1="jemalloc"),
        ("NO_TCMALLOC", INFO, "osd.0", frozenset((0,))),  # osd.1 is not of host-0
    ),
    # settings
    ("nvme", nvme(), ("SUICIDE_AFTER_IO_TIMEOUT", INFO, "host-0", EVEN)),
    ("a longer io_timeout", nvme(wait=4_294_967), None),
    ("disks", nvme(flash=False), None),
    (
        "memory",
        snapshot(osds=osds(host_memory=8 * GIB), facts={}),
        ("MEMORY_TARGET_TOO_LARGE", WARNING, "host-0", EVEN),
    ),
    (
        "logs",
        snapshot(settings=[Setting("osd", "class:hdd", "debug_osd", "20/20")]),
        ("DEBUG_LOGGING", WARNING, "cluster", ALL),
    ),
    (
        "logs of one",
        snapshot(settings=[Setting("osd.2", "", "debug_ms", "1")]),
        ("DEBUG_LOGGING", WARNING, "osd.2", frozenset((2,))),
    ),
    ("logs of an OSD that was removed", snapshot(settings=[LOUD_OF_77]), None),
    (
        "quiet logs of OSDs where those of all daemons are loud",
        snapshot(
            settings=[LOUD_OF_ALL, Setting("osd", "", "debug_ms", "0/0")],
            options={"hdd": {**OPTIONS, "debug_ms": "0/0"}},
        ),
        None,
    ),
    (
        "loud logs of all daemons but one",
        snapshot(
            settings=[LOUD_OF_ALL, Setting("osd.2", "", "debug_ms", "0/0")],
            options={"hdd": {**OPTIONS, "debug_ms": "1"}},
        ),
        ("DEBUG_LOGGING", WARNING, "cluster", ALL - {2}),
    ),
    ("logs of a mon", snapshot(settings=[Setting("mon", "", "debug_ms", "20")]), None),
    ("no level", snapshot(settings=[Setting("osd", "", "debug_ms", "")]), None),
    (
        "encryption",
        snapshot(settings=[Setting("global", "", "ms_cluster_mode", "secure crc")]),
        ("MESSAGES_ENCRYPTED", INFO, "cluster", NONE),
    ),
    ("both", snapshot(settings=[Setting("global", "", "ms_cluster_mode", "crc secure")]), None),
    (
        "capacity",
        snapshot(options={"hdd": {**OPTIONS, **MCLOCK, CAPACITY: "11268.8"}}),
        ("MCLOCK_CAPACITY", WARNING, "cluster", ALL),
    ),
    (
        "rounds agree on a figure that Ceph does not take",
        snapshot(
            options={"hdd": {**OPTIONS, **MCLOCK, CAPACITY: "315"}},
            measured={n: MeasuredCapacity(900.0, 7, (900.0, 910.0, 890.0)) for n in range(8)},
        ),
        ("MCLOCK_OUT_OF_RANGE", INFO, "cluster", ALL),
    ),
    # the whole
    ("placement groups", snapshot(osds=osds(pgs=301)), ("TOO_MANY_PGS", WARNING, "cluster", NONE)),
    ("three times the target", snapshot(osds=osds(pgs=300)), None),
    ("few placement groups", snapshot(osds=osds(pgs=1)), None),
    ("uneven", snapshot(osds=but(6, pgs=90)), ("UNEVEN_PGS", WARNING, "osd.6", frozenset((6,)))),
    ("uneven, but larger", snapshot(osds=but(6, pgs=90, db_total=3 << 40)), None),
    ("six times the target on one of two", snapshot(osds=but(0, osds(2, pgs=600), pgs=0)), None),
    (
        "reads",
        snapshot(reads={"rbd": PoolReads(1.5, 128), "b": PoolReads(3.0, 31)}),
        ("UNEVEN_READS", INFO, "cluster", NONE),
    ),
    ("even reads", snapshot(reads={"rbd": PoolReads(1.49, 128)}), None),
    ("scrubs", scrubbed(0.015), ("SCRUBS_SLOW_CLIENTS", INFO, "cluster", NONE)),
    ("scrubs that do little", scrubbed(0.0149), None),
    ("scrubs under more load", scrubbed(0.03, read_ops=121.0), None),
    ("scrubs beside recovery", scrubbed(0.03, recovery_bytes=1.0), None),
    ("scrubs of a few minutes", scrubbed(0.03, count=14), None),
    ("a busy mgr", snapshot(tick=(4.5, 5.0)), ("MGR_BUSY", WARNING, "cluster", NONE)),
    # hosts
    ("sleep", told(cpu={"deepest_cstate": "C6"}), ("DEEP_C_STATES", INFO, "host-0", EVEN)),
    (
        "sleep beside flash",
        told("host-0", "host-1", flash=True, cpu={"deepest_cstate": "C6"}),
        ("DEEP_C_STATES", WARNING, "cluster", ALL),
    ),
    ("a nap", told(cpu={"deepest_cstate": "C1E"}), None),
    (
        "powersave",
        told(flash=True, cpu={"governor": "powersave"}),
        ("CPU_GOVERNOR", WARNING, "host-0", EVEN),
    ),
    ("performance", told(cpu={"governor": "performance"}), None),
    (
        "translation",
        told(cpu={"iommu": "translated"}, block=[{"device": "nvme0n1"}]),
        ("IOMMU_TRANSLATES", WARNING, "host-0", EVEN),
    ),
    (
        "translation without NVMe",
        told(cpu={"iommu": "translated"}, block=[{"device": "sda"}]),
        None,
    ),
    ("no translation", told(cpu={"iommu": "passthrough"}, block=[{"device": "nvme0n1"}]), None),
    ("swap", told(memory={"swap_used_bytes": GIB}), ("SWAP_IN_USE", INFO, "host-0", EVEN)),
    ("NUMA", told(numa={"miss_percent": 12.5}), ("NUMA_MISSES", INFO, "host-0", EVEN)),
    ("cores", told(flash=True, cpu={"cores": 4}), ("FEW_CORES", INFO, "host-0", EVEN)),
    ("a slow core", crc(20e9, 21e9, 9e9), ("SLOW_CHECKSUM", WARNING, "host-2", frozenset((2,)))),
    ("two hosts say nothing", crc(20e9, 9e9), None),
    ("huge pages", huge_pages(), ("TRANSPARENT_HUGE_PAGES", WARNING, "host-0", EVEN)),
    ("huge pages where a program asks for them", huge_pages("madvise"), None),
    ("huge pages that OSDs switch off", huge_pages(thp="False"), None),
    # devices
    (
        "two allocation units",
        units(4, 4, 64, 64, 4),
        ("MIN_ALLOC_SIZE", INFO, "cluster", frozenset((2, 3))),
    ),
    ("old units", units(64, 64), ("MIN_ALLOC_SIZE", INFO, "cluster", frozenset((0, 1)))),
    ("as since 16", units(4, 4, 4), None),
    (
        "drives that write more at a time",
        units(4, 4, optimal=16, flash=True),
        ("MIN_ALLOC_SIZE", INFO, "cluster", frozenset((0, 1))),
    ),
    ("units that fit such drives", units(16, 16, optimal=16, flash=True), None),
    ("a RAID controller", units(4, 4, optimal=256, flash=True), None),
    ("disks that tell a size", units(4, 4, optimal=16), None),
    (
        "flushes",
        snapshot(osds=but(2, osds(flash=True, flush_seconds=4e-5), flush_seconds=3.8e-3)),
        ("SLOW_FLUSHES", INFO, "osd.2", frozenset((2,))),
    ),
    ("flushes of half a millisecond", snapshot(osds=osds(flash=True, flush_seconds=5e-4)), None),
    ("flushes of disks", snapshot(osds=osds(flush_seconds=8e-3)), None),
    (
        "several paths, and an old release",
        several_paths("17.2.7"),
        ("OLD_MULTIPATH", INFO, "host-0", EVEN),
    ),
    ("several paths, and 18.2.0", several_paths("18.2.0"), ("OLD_MULTIPATH", INFO, "host-0", EVEN)),
    ("several paths", several_paths("18.2.1"), None),
    ("several paths, and nobody knows of what release", several_paths(None), None),
    ("one path, and an old release", several_paths("17.2.7", maps=0), None),
    ("facts of a host without OSDs", told("host-9", cpu={"governor": "powersave"}), None),
]


def test_what_is_said() -> None:
    for name, seen, said in CASES:
        found = [one for one in examine(seen).advice if said is None or one.code == said[0]]
        told = [(one.code, one.severity, str(one.target), one.osds) for one in found[:1]]
        assert told == ([] if said is None else [said]), name
        for one in found:
            _is_whole(one)


def test_the_texts() -> None:
    """Of each check what it says first, with the command and the source."""
    told: dict[str, str] = {}
    for _, seen, said in CASES:
        for one in examine(seen).advice if said else ():
            told.setdefault(one.code, f"{one.message}\n  {one.fix}\n  {one.source}")
    golden.compare("advice.txt", "".join(f"{code}: {told[code]}\n" for code in sorted(told)))


# what is set where, and the line that mends it
FIXES: list[tuple[DoctorSnapshot, str]] = [
    (
        snapshot(
            settings=[
                Setting("osd", "class:hdd", ROCKSDB, NO_LIMIT),
                Setting("osd.3", "", ROCKSDB, "a b"),
                Setting("osd", "class:ssd", ROCKSDB, "x=1"),  # of no OSD here
            ],
            options={"hdd": {**OPTIONS, ROCKSDB: NO_LIMIT}},
        ),
        (
            f"ceph config set osd/class:hdd {ROCKSDB} {NO_LIMIT},max_total_wal_size=1073741824 && "
            f"ceph config set osd.3 {ROCKSDB} 'a b,max_total_wal_size=1073741824'"
        ),
    ),
    (
        snapshot(
            osds=osds(2, host_memory=GIB // 2),
            options={"hdd": {**OPTIONS, "osd_memory_target": str(896 << 20)}},
        ),
        "ceph osd df tree",
    ),
    (
        snapshot(osds=osds(2, host_memory=GIB // 2)),
        f"ceph config set osd/host:host-0 osd_memory_target {896 << 20}",  # no less is taken
    ),
    (cleaned("false"), "ceph config set osd bluefs_spillover_cleaner true"),
    (cleaned("true"), "ceph tell osd.4 compact"),
    (
        cleaned("false", db_total=2 * GIB, fsid="9a2b"),
        "ceph-volume lvm migrate --osd-id 4 --osd-fsid 9a2b --from db --target VG/LV",
    ),
    (scrubbed(0.03), "ceph config set osd osd_scrub_chunk_max 12"),
    (scrubbed(0.03, chunk="7"), "ceph config set osd osd_scrub_chunk_max 5"),
    (
        replace(scrubbed(0.03), settings=[Setting("osd", "", "osd_scrub_chunk_max", "12")]),
        "ceph config get osd osd_scrub_chunk_max",
    ),
    (scrubbed(0.03, chunk="5"), "ceph config get osd osd_scrub_chunk_max"),
    (replace(huge_pages(), settings=()), "ceph config show osd.0"),
    (snapshot(tick=(30.0, 25.0)), "ceph config set mgr mgr/perf_bench/watch_tick_seconds 50"),
    (snapshot(tick=(40.0, 5.0)), "ceph config set mgr mgr/perf_bench/watch_tick_seconds 50"),
    (snapshot(tick=(99.0, 50.0)), "ceph config set mgr mgr/perf_bench/watch_tick_seconds 60"),
    (snapshot(tick=(99.0, 60.0)), "ceph mgr module ls"),
    (nvme(wait=15.6), "ceph config set osd/class:ssd osd_op_thread_suicide_timeout 11"),
    # of one class on host-0, osd.2 on a SATA drive keeps its timeout
    (
        replace(
            nvme(), osds=but(2, osds(4, flash=True), osd=replace(osds()[2].osd, device_class="ssd"))
        ),
        "ceph config set osd.0 osd_op_thread_suicide_timeout 25",
    ),
]


def test_what_is_to_be_typed() -> None:
    for seen, fix in FIXES:
        assert examine(seen).advice[0].fix == fix


# What tests/doctor/test_typed_advice.py types; after it the advice is gone.
TYPED = (
    "ceph config set ",
    "ceph config rm ",
    "ceph perf-bench mclock propose --apply",
)
# Advice of which commands only show, or work on hosts, devices and databases: it is gone with the
# next facts, counters, versions or rounds.
NOT_SETTINGS = {
    *("DB_ON_ROTATIONAL", "DB_NOT_ON_FLASH", "DB_NEARLY_FULL", "DB_SPILLS_OVER", "SLOW_COMPACTION"),
    *("SLOW_FLUSHES", "MIN_ALLOC_SIZE", "KNOWN_FAULT", "DEBUG_BUILD", "NO_TCMALLOC"),
    *("OLD_MULTIPATH", "UNEVEN_READS", "UNEVEN_PGS", "TOO_MANY_PGS", "SCRUBS_SLOW_CLIENTS"),
    *("DEEP_C_STATES", "CPU_GOVERNOR", "IOMMU_TRANSLATES", "SWAP_IN_USE", "NUMA_MISSES"),
    *("FEW_CORES", "SLOW_CHECKSUM"),
    # where there is nothing to set
    *("MCLOCK_CAPACITY", "TRANSPARENT_HUGE_PAGES", "MEMORY_TARGET_TOO_LARGE", "MGR_BUSY"),
}


def test_each_command_is_typed_in_a_test_or_sets_nothing() -> None:
    others = {
        advice.code
        for seen in (*(case[1] for case in CASES), *(case[0] for case in FIXES))
        for advice in examine(seen).advice
        for command in advice.fix.split(" && ")
        if not command.startswith(TYPED)
    }
    assert others == NOT_SETTINGS


def test_commands_for_single_osds_are_for_all_that_the_sentence_names() -> None:
    cases: list[dict[int, OsdDetails]] = [
        osds(separate_db=True, db_rotational=True),
        but(
            3,
            but(5, osds(12, separate_db=True, db_rotational=False), separate_db=False),
            separate_db=False,
        ),
        osds(separate_db=True, slow_used=3 * GIB),
        osds(stall=CommitStall(12, 4.4, 7, 5 << 20)),
    ]
    for made in cases:
        (advice,) = examine(snapshot(osds=made)).advice
        assert len(advice.osds) > 1
        named = re.findall(r"osd\.(\d+)|--osd-id (\d+)", advice.fix)
        assert [int(one or other) for one, other in named] == sorted(advice.osds)


def test_what_is_set_for_a_host_concerns_its_osds_only() -> None:
    """As cephadm sets osd_memory_target for each host."""
    placed = {n: str((64 if n % 2 else 4) * GIB) for n in range(8)}
    found = examine(snapshot(placed={"osd_memory_target": placed})).advice
    assert [str(one.target) for one in found] == ["host-1"]


def test_whom_a_setting_concerns() -> None:
    osd = an_osd(3, "host-1", device_class="hdd", location={"host": "host-1", "rack": "r1"})
    for section, mask, concerns in [
        ("osd", "", True),
        ("global", "", True),
        ("osd.3", "", True),
        ("osd.4", "", False),
        ("mon", "", False),
        ("osd", "class:hdd", True),
        ("osd", "class:ssd", False),
        ("osd", "host:host-1", True),
        ("osd", "host:host-2", False),
        ("osd", "rack:r1/class:hdd", True),
        ("osd", "rack:r1/class:ssd", False),
        ("osd", "room:x", False),
    ]:
        assert Setting(section, mask, "debug_osd", "1").concerns(osd) is concerns


def _is_whole(advice: Advice) -> None:
    """It says what, why, what to type and where that is from."""
    assert "None" not in advice.message
    assert len(shlex.split(advice.fix)) >= 2
    assert advice.source
    assert isinstance(advice.evidence, Mapping)
    assert len(advice.evidence) <= 20


RISKS = {
    "DB_NOT_ON_FLASH",
    "DB_ON_ROTATIONAL",
    "DB_SPILLS_OVER",
    "DEBUG_BUILD",
    "MCLOCK_CAPACITY",
    "MEMORY_TARGET_TOO_LARGE",
    "ROCKSDB_NO_WAL_LIMIT",
}


def test_what_belongs_into_the_clusters_health() -> None:
    """All errors, of warnings what README names, and nothing that is for information."""
    found = [advice for _, seen, _ in CASES for advice in examine(seen).advice]
    assert {advice.code for advice in found if advice.risk} == RISKS
    for advice in found:
        assert advice.risk or advice.severity is not ERROR
        assert not (advice.risk and advice.severity is INFO)


def test_every_check_is_in_a_row() -> None:
    said = {row[2][0] for row in CASES if row[2] is not None}
    assert said == {check.code for check in CHECKS}


# --- what could not be looked at -------------------------------------------------------------


def gaps(**changed: Any) -> dict[str, tuple[set[str], str]]:
    """By reason the checks that could not look, and what would help."""
    found = examine(snapshot(**changed)).look.gaps
    by_code: dict[str, tuple[set[str], str]] = {}
    for one in found:
        before = by_code.get(one.code, (set(), ""))[0]
        by_code[one.code] = (before | set(one.units), one.remedy)
    return by_code


OF_HOSTS = {
    *("DEEP_C_STATES", "CPU_GOVERNOR", "SWAP_IN_USE", "NUMA_MISSES", "FEW_CORES"),
    *("SLOW_CHECKSUM", "NO_TCMALLOC"),
}
OF_NVME = {"SUICIDE_AFTER_IO_TIMEOUT", "IOMMU_TRANSLATES"}


def test_without_facts_checks_of_hosts_could_not_look() -> None:
    told = gaps()
    assert told["no-facts"] == (OF_HOSTS, "run 'ceph-perf-bench facts --push' on host-0 and host-1")
    assert gaps(osds=osds(flash=True))["no-facts"][0] == OF_HOSTS | OF_NVME
    unknown = {
        number: replace(one, osd=replace(one.osd, devices=None)) for number, one in osds().items()
    }
    assert gaps(osds=unknown)["no-facts"][0] == OF_HOSTS | OF_NVME
    old = {number: replace(one, release="17.2.7") for number, one in osds().items()}
    assert gaps(osds=old)["no-facts"][0] == OF_HOSTS | {"OLD_MULTIPATH"}


def test_a_check_looks_in_part_where_facts_of_some_hosts_are_missing() -> None:
    (host_0,) = {facts_of(document("host-0", cpu={"governor": "performance"}))}
    found = examine(snapshot(facts={"host-0": host_0}, at=host_0.collected_at)).look
    part = [one for one in found.gaps if "CPU_GOVERNOR" in one.units]
    assert [(one.code, one.partly) for one in part] == [("no-facts", True)]
    assert "host-1" in part[0].remedy
    assert "host-0" not in part[0].remedy
    none = [one for one in found.gaps if "NUMA_MISSES" in one.units]
    assert [one.partly for one in none] == [False]
    assert found.total == len(CHECKS)
    assert found.looked == found.total - sum(one.count for one in found.gaps if not one.partly)


# A check, where it could not look and why, whether only in part, and where it could.
UNKNOWN: list[tuple[str, DoctorSnapshot, str, bool, Optional[DoctorSnapshot]]] = [
    ("MGR_BUSY", snapshot(), "watch-off", False, snapshot(tick=(0.1, 5.0))),
    ("UNEVEN_PGS", snapshot(osds=osds(2)), "not-alike", False, snapshot()),
    ("UNEVEN_PGS", snapshot(osds=but(1, db_total=None)), "not-alike", False, None),
    ("SLOW_CHECKSUM", crc(9e9, 9e9), "no-peers", False, crc(9e9, 9e9, 9e9)),
    ("NO_TCMALLOC", built(PACIFIC), "no-facts", False, None),
    ("NO_TCMALLOC", built(PACIFIC, osd0="tcmalloc"), "no-facts", True, None),
    ("MIN_ALLOC_SIZE", snapshot(), "no-metadata", False, units(4, 64)),
    ("MIN_ALLOC_SIZE", snapshot(osds=but(1, min_alloc=4096)), "no-metadata", True, None),
    (
        "SLOW_FLUSHES",
        snapshot(osds=osds(flash=True)),
        "too-few-flushes",
        False,
        snapshot(osds=osds(flash=True, flush_seconds=1e-4)),
    ),
    ("UNEVEN_READS", snapshot(), "no-score", False, snapshot(reads={})),
    (
        "UNEVEN_READS",
        snapshot(reads={"rbd": PoolReads(0.0, 128), "b": PoolReads(1.0, 32)}),
        "few-pgs",
        True,
        snapshot(reads={"b": PoolReads(1.0, 32)}),
    ),
    ("UNEVEN_READS", snapshot(reads={"b": PoolReads(9.0, 31)}), "few-pgs", False, None),
    ("SCRUBS_SLOW_CLIENTS", snapshot(), "no-comparison", False, scrubbed(0.01)),
    (
        "SCRUBS_SLOW_CLIENTS",
        scrubbed(0.03, read_ops=121.0),
        "no-comparison",
        False,
        scrubbed(0.03, read_ops=120.0),
    ),
    (
        "TRANSPARENT_HUGE_PAGES",
        replace(huge_pages(), facts={}),
        "no-facts",
        False,
        replace(huge_pages(thp="False"), facts={}),
    ),
]


def test_what_checks_do_not_know() -> None:
    def gaps_of(check: str, seen: DoctorSnapshot) -> list[tuple[str, bool]]:
        return [(one.code, one.partly) for one in examine(seen).look.gaps if check in one.units]

    for check, unknown, code, partly, known in UNKNOWN:
        assert gaps_of(check, unknown) == [(code, partly)]
        assert check not in [one.code for one in examine(unknown).advice]
        assert known is None or gaps_of(check, known) == []


def test_an_osd_that_is_down_is_not_advised() -> None:
    down = {n: OsdDetails(an_osd(n, up=False), separate_db=True, slow_used=GIB) for n in range(3)}
    assert examine(snapshot(osds=down)).advice == []


def test_the_worst_stands_first() -> None:
    found = examine(
        snapshot(
            options={"hdd": {**OPTIONS, **MCLOCK, CAPACITY: "315"}},
            measured={n: MeasuredCapacity(900.0, 7, (900.0, 910.0, 890.0)) for n in range(8)},
            osds=but(2, osds(), wal_used=90 * GIB),
            settings=[Setting("osd.2", "", ROCKSDB, NO_LIMIT), LOUD_OF_ALL],
        )
    ).advice
    severities = [one.severity for one in found]
    assert severities == [ERROR, WARNING, INFO]


def test_sixty_osds_are_named_by_four() -> None:
    many = osds(60, separate_db=True, slow_used=GIB)
    (found,) = examine(snapshot(osds=many, options={})).advice
    assert "osd.0, osd.1, osd.2, osd.3 and 56 more" in found.message
    assert len(found.osds) == 60
    evidence: Sequence[int] = found.evidence["osds"]
    assert (len(evidence), found.evidence["osds_in_all"]) == (20, 60)


# --- limits ----------------------------------------------------------------------------------


def _without_flash(count: int) -> DoctorSnapshot:
    """So many of twelve OSDs have their databases on their disks."""
    made = osds(12, separate_db=True, db_rotational=False)
    for number in range(count):
        made = but(number, made, separate_db=False)
    return snapshot(osds=made)


def _grown(used: int) -> DoctorSnapshot:
    return replace(overridden(NO_LIMIT), osds=but(2, wal_used=used))


def _spilled(slow: int) -> DoctorSnapshot:
    return snapshot(osds=osds(separate_db=True, slow_used=slow))


def _debug(option: str, value: str) -> DoctorSnapshot:
    return snapshot(settings=[Setting("osd", "", option, value)])


# By check the last figure that is silent, and the first that is not.
BORDERS: list[tuple[str, DoctorSnapshot, DoctorSnapshot]] = [
    # half as many again as the median, of 32 and more, and of three and more of one size
    ("UNEVEN_PGS", snapshot(osds=but(6, pgs=60)), snapshot(osds=but(6, pgs=61))),
    (
        "UNEVEN_PGS",
        snapshot(osds=but(6, osds(pgs=31), pgs=90)),
        snapshot(osds=but(6, osds(pgs=32), pgs=90)),
    ),
    ("UNEVEN_PGS", snapshot(osds=but(0, osds(2), pgs=90)), snapshot(osds=but(0, osds(3), pgs=90))),
    (
        "UNEVEN_PGS",
        snapshot(osds=but(6, osds(separate_db=True), pgs=90)),
        snapshot(osds=but(6, osds(separate_db=True, slow_total=8 << 40), pgs=90)),
    ),
    # a quarter, and more would be how the cluster is built
    ("DB_NOT_ON_FLASH", _without_flash(4), _without_flash(3)),
    # the median is that of the three
    ("SLOW_CHECKSUM", crc(20e9, 20e9, 12e9), crc(20e9, 20e9, 11.9e9)),
    ("MGR_BUSY", snapshot(tick=(8.0, 10.0)), snapshot(tick=(8.1, 10.0))),
    ("DB_SPILLS_OVER", _spilled(64 << 20), _spilled((64 << 20) + 1)),
    ("SLOW_COMPACTION", stalled(9.99), stalled(10.0)),
    (
        "SWAP_IN_USE",
        told(memory={"swap_used_bytes": 256 << 20}),
        told(memory={"swap_used_bytes": (256 << 20) + 1}),
    ),
    ("NUMA_MISSES", told(numa={"miss_percent": 5.0}), told(numa={"miss_percent": 5.01})),
    ("FEW_CORES", told(cpu={"cores": 2}), told(cpu={"cores": 1})),  # half a one for each disk
    ("FEW_CORES", told(flash=True, cpu={"cores": 8}), told(flash=True, cpu={"cores": 7})),
    (
        "MEMORY_TARGET_TOO_LARGE",
        snapshot(osds=osds(host_memory=16 * GIB)),
        snapshot(osds=osds(host_memory=16 * GIB - 1)),
    ),
    *(
        ("DEBUG_LOGGING", _debug(f"debug_{name}", f"{quiet}/5"), _debug(f"debug_{name}", loud))
        for name, quiet, loud in (
            ("osd", 1, "2"),
            ("bluestore", 1, "2"),
            ("ms", 0, "1"),
            ("rocksdb", 4, "5"),
            ("bdev", 1, "2"),
        )
    ),
    ("SUICIDE_AFTER_IO_TIMEOUT", nvme(wait=150), nvme(wait=149)),
]


def test_where_advice_begins() -> None:
    for code, silent, given in BORDERS:
        assert code not in [one.code for one in examine(silent).advice]
        assert code in [one.code for one in examine(given).advice]


def test_a_log_that_has_grown_beyond_rocksdbs_own_buffers_is_an_error() -> None:
    grown = [examine(_grown(4 * GIB + more)).advice[0].severity for more in (0, 1)]
    assert grown == [WARNING, ERROR]


# What two hosts tell, and what is said of both.
WORST: list[tuple[str, str, list[dict[str, Any]], str]] = [
    ("SWAP_IN_USE", "memory", [{"swap_used_bytes": size << 20} for size in (300, 900)],
     "host-0 and host-1: up to 900 MiB swapped"),
    ("FEW_CORES", "cpu", [{"cores": 2}, {"cores": 1}],
     "host-0 and host-1: 0.25 cores per OSD (the fewest)"),
    ("CPU_GOVERNOR", "cpu", [{"governor": "powersave"}, {"governor": "ondemand"}],
     "host-0 and host-1: the CPU governor ondemand, powersave: "),
]  # fmt: skip


def test_of_several_hosts_the_worst_figure_is_told() -> None:
    for code, section, values, said in WORST:
        for one, other in (values, values[::-1]):
            facts = {
                host: facts_of(document(host, **{section: value}))
                for host, value in (("host-0", one), ("host-1", other))
            }
            found = examine(snapshot(osds=osds(flash=True), facts=facts)).advice
            assert [said in advice.message for advice in found if advice.code == code] == [True]
