"""Where each advice begins, just below, at and just above; and the figures that it tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional

import pytest

from factory import document
from nouns import an_osd
from perf_bench.doctor.checks import examine
from perf_bench.model.bench import MIB
from perf_bench.model.doctor_snapshot import (
    Advice,
    CommitStall,
    DoctorSnapshot,
    MeasuredCapacity,
    OsdDetails,
    Setting,
)
from perf_bench.model.facts import facts_of

GIB = 1 << 30
CAPACITY = "osd_mclock_max_capacity_iops_hdd"
OPTIONS = {
    "mon_target_pg_per_osd": "100",
    "osd_memory_target": str(4 * GIB),
    "osd_op_thread_suicide_timeout": "150",
    "osd_bench_large_size_max_throughput": str(100 * MIB),
    "osd_bench_small_size_max_iops": "100",
    "osd_op_queue": "mclock_scheduler",
    CAPACITY: "315",
}


def osds(count: int = 4, flash: bool = False, **named: Any) -> dict[int, OsdDetails]:
    """OSDs of host-0, those with an even number by default; ``named`` is of all of them."""
    made = {}
    for number in range(count):
        device, kind = ("nvme0n1", "ssd") if flash else ("sda", "hdd")
        osd = an_osd(number, "host-0", device_class=kind, rotational=not flash, devices=device)
        values = {"release": "18.2.7", "host_memory": 64 * GIB, "pgs": 40, "db_total": 1 << 40}
        made[number] = OsdDetails(osd, **{**values, **named})
    return made


def seen(**named: Any) -> DoctorSnapshot:
    options = {"hdd": OPTIONS, "ssd": {**OPTIONS, CAPACITY: "0"}}
    return DoctorSnapshot(**{"osds": osds(), "options": options, **named})


def told(flash: bool = False, **sections: Any) -> DoctorSnapshot:
    return seen(osds=osds(flash=flash), facts={"host-0": facts_of(document("host-0", **sections))})


def debug(option: str, value: str) -> DoctorSnapshot:
    return seen(settings=[Setting("osd", "", option, value)])


def stalled(seconds: float) -> DoctorSnapshot:
    return seen(osds=osds(stall=CommitStall(seconds, 4.4567, 7, 5 << 20)))


def releases(*names: str) -> DoctorSnapshot:
    made = osds(len(names))
    return seen(osds={n: replace(made[n], release=name) for n, name in enumerate(names)})


def spilled(slow: Optional[int], separate: bool = True) -> DoctorSnapshot:
    return seen(osds=osds(separate_db=separate, slow_used=slow))


def uneven(most: int, count: int = 4, **named: Any) -> DoctorSnapshot:
    """OSDs with 40 placement groups each, but osd.0 with so many."""
    return seen(osds={**osds(count, **named), 0: osds(1, pgs=most, **named)[0]})


def larger() -> DoctorSnapshot:
    """Drives of 8 TiB and one of 18 TiB, all with a database of 60 GiB on flash."""
    of: dict[str, Any] = {"separate_db": True, "db_total": 60 * GIB}
    large = osds(1, pgs=90, slow_total=18 << 40, **of)
    return seen(osds={**osds(4, slow_total=8 << 40, **of), **large})


def two_timeouts(first: float, second: float) -> DoctorSnapshot:
    """Two hosts with NVMe drives."""
    facts = {
        f"host-{n}": facts_of(document(f"host-{n}", kernel={"nvme_io_timeout_seconds": wait}))
        for n, wait in enumerate((first, second))
    }
    made = osds(2, flash=True)
    made[1] = replace(made[1], osd=replace(made[1].osd, host="host-1"))
    return seen(osds=made, facts=facts)


def only(snapshot: DoctorSnapshot, code: str) -> Optional[Advice]:
    return next((one for one in examine(snapshot).advice if one.code == code), None)


HOT = {"PERF_BENCH_CRC_HOTSPOT": "1 OSD"}


@pytest.mark.parametrize(
    ("snapshot", "code", "given"),
    [
        (seen(tick=(4.0, 5.0)), "MGR_BUSY", False),  # four fifths of the interval
        (seen(tick=(4.01, 5.0)), "MGR_BUSY", True),
        (seen(tick=(8.0, 10.0)), "MGR_BUSY", False),
        (spilled(64 * MIB), "DB_SPILLS_OVER", False),
        (spilled(64 * MIB + 1), "DB_SPILLS_OVER", True),
        (spilled(GIB, separate=False), "DB_SPILLS_OVER", False),
        (spilled(None), "DB_SPILLS_OVER", False),
        (stalled(9.99), "SLOW_COMPACTION", False),
        (stalled(10.0), "SLOW_COMPACTION", True),
        (told(memory={"swap_used_bytes": 256 * MIB}), "SWAP_IN_USE", False),
        (told(memory={"swap_used_bytes": 256 * MIB + 1}), "SWAP_IN_USE", True),
        (told(numa={"miss_percent": 5.0}), "NUMA_MISSES", False),
        (told(numa={"miss_percent": 5.01}), "NUMA_MISSES", True),
        (told(cpu={"cores": 2}), "FEW_CORES", False),  # half a core for each disk
        (told(cpu={"cores": 1}), "FEW_CORES", True),
        (told(flash=True, cpu={"cores": 8}), "FEW_CORES", False),  # two for each on flash
        (told(flash=True, cpu={"cores": 7}), "FEW_CORES", True),
        (seen(osds=osds(host_memory=16 * GIB)), "MEMORY_TARGET_TOO_LARGE", False),
        (seen(osds=osds(host_memory=16 * GIB - 1)), "MEMORY_TARGET_TOO_LARGE", True),
        (debug("debug_osd", "1/5"), "DEBUG_LOGGING", False),
        (debug("debug_osd", "0/5"), "DEBUG_LOGGING", False),
        (debug("debug_osd", "2"), "DEBUG_LOGGING", True),
        (debug("debug_bluestore", "1/5"), "DEBUG_LOGGING", False),
        (debug("debug_bluestore", "2"), "DEBUG_LOGGING", True),
        (debug("debug_ms", "0/5"), "DEBUG_LOGGING", False),
        (debug("debug_ms", "1"), "DEBUG_LOGGING", True),
        (debug("debug_rocksdb", "4/5"), "DEBUG_LOGGING", False),
        (debug("debug_rocksdb", "5"), "DEBUG_LOGGING", True),
        (debug("debug_bdev", "1/3"), "DEBUG_LOGGING", False),
        (debug("debug_bdev", "2"), "DEBUG_LOGGING", True),
        (debug("debug_mon", "20"), "DEBUG_LOGGING", False),  # no option of OSDs
        (
            told(flash=True, kernel={"nvme_io_timeout_seconds": 150}),
            "SUICIDE_AFTER_IO_TIMEOUT",
            False,
        ),
        (
            told(flash=True, kernel={"nvme_io_timeout_seconds": 149}),
            "SUICIDE_AFTER_IO_TIMEOUT",
            True,
        ),
        (seen(osds=osds(release="19.2.3"), checks=HOT), "OLD_CRC32C", True),
        (seen(osds=osds(release="20.0.0"), checks=HOT), "OLD_CRC32C", False),
        (seen(osds=osds(release=""), checks=HOT), "OLD_CRC32C", False),
        (releases("18.2.7", "18.2.7"), "MIXED_RELEASES", False),
        (releases("18.2.7", ""), "MIXED_RELEASES", False),
        (releases("18.2.7", "18.2.10"), "MIXED_RELEASES", True),
        (uneven(60), "UNEVEN_PGS", False),  # one and a half times the median
        (uneven(61), "UNEVEN_PGS", True),
        (uneven(200, count=2), "UNEVEN_PGS", False),  # of two nobody knows which is the odd one
        (uneven(61, count=3), "UNEVEN_PGS", True),
        (uneven(61, db_total=None), "UNEVEN_PGS", False),  # their sizes are not known
        (uneven(61, separate_db=True), "UNEVEN_PGS", False),
        (uneven(61, separate_db=True, slow_total=8 << 40), "UNEVEN_PGS", True),
        (larger(), "UNEVEN_PGS", False),
        (seen(measured={1: MeasuredCapacity(158.0, 7)}), "MCLOCK_CAPACITY", False),
        (seen(measured={1: MeasuredCapacity(157.0, 7)}), "MCLOCK_CAPACITY", True),
    ],
)
def test_where_it_begins(snapshot: DoctorSnapshot, code: str, given: bool) -> None:
    assert (only(snapshot, code) is not None) is given


@pytest.mark.parametrize(
    ("snapshot", "code", "said", "evidence"),
    [
        (
            seen(tick=(4.56, 5.4)),
            "MGR_BUSY",
            "newest tick took 4.6 s, and the interval is 5 s",
            {"tick_seconds": 4.56, "every_seconds": 5.4},
        ),
        (
            seen(
                osds={
                    **osds(separate_db=True, slow_used=GIB),
                    3: osds(slow_used=5 * GIB, separate_db=True)[3],
                }
            ),
            "DB_SPILLS_OVER",
            "up to 5.0 GiB of the database of osd.0, osd.1, osd.2 and osd.3",
            {"largest_slow_bytes": 5 * GIB, "osds_in_all": 4},
        ),
        (
            stalled(12.36),
            "SLOW_COMPACTION",
            "12 s of the last 100 (osd.0)",
            {
                "stalled_seconds": 12.4,
                "longest_mean_commit_seconds": 4.457,
                "slow_commits": 7,
                "bytes_into_tables": 5 << 20,
            },
        ),
        (
            told(memory={"swap_used_bytes": 300 * MIB}),
            "SWAP_IN_USE",
            "host-0 has swapped (300 MiB)",
            {"host-0": 300 * MIB},
        ),
        (
            told(numa={"miss_percent": 12.6}),
            "NUMA_MISSES",
            "13 % of the memory of host-0",
            {"host-0": 12.6},
        ),
        (told(cpu={"cores": 1}), "FEW_CORES", "host-0 has 0.25 cores per OSD", {"host-0": 0.25}),
        (
            told(flash=True, cpu={"cores": 5}),
            "FEW_CORES",
            "host-0 has 1.25 cores per OSD",
            {"host-0": 1.25},
        ),
        (
            seen(osds=osds(host_memory=8 * GIB)),
            "MEMORY_TARGET_TOO_LARGE",
            "may use 16.0 GiB of memory, but host-0 has 8.0 GiB",
            {"targets_bytes": 16 * GIB, "memory_bytes": 8 * GIB},
        ),
        (
            seen(osds={**osds(8, separate_db=True), **osds(2, separate_db=False)}),
            "DB_NOT_ON_FLASH",
            "osd.0 and osd.1 have their database on the disk itself, while 6 of 8 OSDs",
            {"osds": [0, 1]},
        ),
        (
            told(flash=True, kernel={"nvme_io_timeout_seconds": 30}),
            "SUICIDE_AFTER_IO_TIMEOUT",
            (
                "hangs for 30 s, but osd.0, osd.1, osd.2 and osd.3 would end themselves only after "
                "150 s"
            ),
            {"nvme_io_timeout_seconds": 30.0, "suicide_timeout_seconds": 150.0},
        ),
        (
            seen(short_rounds={"osd-throughput": 7}),
            "BENCH_TOO_SHORT",
            "osd_bench_large_size_max_throughput allows 100 MiB a second for 30 s",
            {"round": 7, "osd_bench_large_size_max_throughput": 100.0 * MIB},
        ),
        (
            seen(short_rounds={"osd-iops": 8}),
            "BENCH_TOO_SHORT",
            "osd_bench_small_size_max_iops allows 100 writes a second for 30 s",
            {"round": 8, "osd_bench_small_size_max_iops": 100.0},
        ),
        (
            seen(measured={1: MeasuredCapacity(120.4, 7)}),
            "MCLOCK_CAPACITY",
            (
                "of osd.1: osd_mclock_max_capacity_iops_hdd of osd.1 is 315, measured 120, "
                "plausible is 50 to 500"
            ),
            {"configured_iops": 315.0, "measured_iops": 120.4, "osds": [1]},
        ),
        (
            seen(
                measured={
                    1: MeasuredCapacity(900.0, 7, (900.0, 910.4, 920.0)),
                    2: MeasuredCapacity(20.0, 7, (20.0, 21.0, 19.0)),
                }
            ),
            "MCLOCK_OUT_OF_RANGE",
            (
                "3 valid rounds agree on 910 IOPS for osd.1, out of the range of 50 to 500 in "
                "which Ceph takes the figures of its own bench, so mClock uses 315 for osd.1 and "
                "osd.2; values"
            ),
            {"configured_iops": 315.0, "measured_iops": 910.4, "osds": [1, 2]},
        ),
        (
            releases("18.2.9", "18.2.10", "17.2.7", "18.2.9"),
            "MIXED_RELEASES",
            "OSDs run 3 releases: 1 of 17.2.7, 1 of 18.2.10, 2 of 18.2.9",
            {"18.2.9": 2, "18.2.10": 1, "17.2.7": 1},
        ),
        (
            seen(osds={**osds(pgs=40), 2: osds(pgs=95)[2], 3: osds(pgs=80)[3]}),
            "UNEVEN_PGS",
            "osd.2 has up to 95 placement groups, the peers of class hdd 60 (median)",
            {"median_pgs": 60.0, "most_pgs": 95, "osds": [2]},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isupper() else "",
)
def test_the_figures_that_are_told(
    snapshot: DoctorSnapshot, code: str, said: str, evidence: dict[str, Any]
) -> None:
    found = only(snapshot, code)
    assert found is not None
    assert said in found.message
    assert {name: found.evidence[name] for name in evidence} == evidence


def test_of_old_releases_the_osds_of_the_newest_are_none() -> None:
    found = only(releases("18.2.9", "18.2.10", "17.2.7", ""), "MIXED_RELEASES")
    assert found is not None
    assert found.osds == {0, 2}


@pytest.mark.parametrize(
    ("timeout", "fix"), [(5, "10"), (15, "10"), (15.6, "11"), (30, "25"), (149, "144")]
)
def test_the_suicide_timeout_is_before_the_drives(timeout: float, fix: str) -> None:
    found = only(
        told(flash=True, kernel={"nvme_io_timeout_seconds": timeout}), "SUICIDE_AFTER_IO_TIMEOUT"
    )
    assert found is not None
    assert found.fix == f"ceph config set osd/class:ssd osd_op_thread_suicide_timeout {fix}"


@pytest.mark.parametrize("timeouts", [(30, 120), (120, 30)])
def test_the_shortest_timeout_of_several_hosts_counts(timeouts: tuple[float, float]) -> None:
    found = only(two_timeouts(*timeouts), "SUICIDE_AFTER_IO_TIMEOUT")
    assert found is not None
    assert found.fix.endswith("osd_op_thread_suicide_timeout 25")
    assert found.evidence["nvme_io_timeout_seconds"] == 30


@pytest.mark.parametrize(
    ("memory", "target"),
    [(8 * GIB, 1843 * MIB), (3 * GIB, 896 * MIB)],  # 90 % for four OSDs, in MiB; the least
)
def test_the_memory_target_fits_the_host(memory: int, target: int) -> None:
    found = only(seen(osds=osds(host_memory=memory)), "MEMORY_TARGET_TOO_LARGE")
    assert found is not None
    assert found.fix.endswith(f"osd_memory_target {target}")


@pytest.mark.parametrize(
    ("used", "largest"), [((None,) * 4, 0), ((None, 3 * GIB, GIB, None), 3 * GIB)]
)
def test_the_largest_log_is_told(used: tuple[Optional[int], ...], largest: int) -> None:
    name = "bluestore_rocksdb_options"
    made = {n: replace(one, wal_used=used[n]) for n, one in osds().items()}
    settings = [Setting("osd", "", name, "compression=kNoCompression")]
    found = only(seen(osds=made, settings=settings), "ROCKSDB_NO_WAL_LIMIT")
    assert found is not None
    assert found.evidence["largest_wal_bytes"] == largest


def of_two(one: dict[str, Any], other: dict[str, Any]) -> DoctorSnapshot:
    """Two hosts with two OSDs on disks each, and these facts."""
    made = osds()
    for number in (2, 3):
        made[number] = replace(made[number], osd=replace(made[number].osd, host="host-1"))
    facts = {
        f"host-{n}": facts_of(document(f"host-{n}", **own)) for n, own in enumerate((one, other))
    }
    return seen(osds=made, facts=facts)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("code", "section", "name", "values", "said"),
    [
        ("SWAP_IN_USE", "memory", "swap_used_bytes", (300 * MIB, 900 * MIB),
         "host-0 and host-1 have swapped (up to 900 MiB)"),
        ("NUMA_MISSES", "numa", "miss_percent", (6.0, 40.0),
         "up to 40 % of the memory of host-0 and host-1 was"),
        ("CPU_GOVERNOR", "cpu", "governor", ("powersave", "ondemand"),
         "host-0 and host-1 have the governor ondemand, powersave: "),
        ("DEEP_C_STATES", "cpu", "deepest_cstate", ("C6", "C10"),
         "of host-0 and host-1 use idle states down to C10, C6: "),
    ],
)  # fmt: skip
def test_of_several_hosts_the_worst_figure_is_told(
    code: str, section: str, name: str, values: tuple[Any, Any], said: str, turned: bool
) -> None:
    one, other = ({section: {name: value}} for value in (values[::-1] if turned else values))
    found = only(of_two(one, other), code)
    assert found is not None
    assert said in found.message


@pytest.mark.parametrize("counts", [(5, 8), (8, 5)])
def test_of_several_hosts_with_few_cores_the_fewest_are_told(counts: tuple[int, int]) -> None:
    one, other = ({"cpu": {"cores": count}} for count in counts)
    snapshot = of_two(one, other)
    flash = {n: replace(p, osd=replace(p.osd, rotational=False)) for n, p in snapshot.osds.items()}
    more = {n + 4: replace(p, osd=replace(p.osd, id=n + 4)) for n, p in flash.items()}
    more = {**more, **{n + 8: replace(p, osd=replace(p.osd, id=n + 8)) for n, p in flash.items()}}
    found = only(replace(snapshot, osds={**flash, **more}), "FEW_CORES")
    assert found is not None
    assert (
        "host-0 and host-1 have as few as 0.83 cores per OSD, which limits their" in found.message
    )
