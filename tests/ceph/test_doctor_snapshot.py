"""The doctor's look at clusters of three releases."""

# Our modules that know Ceph can be imported only while its Python modules are in place.

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

import pytest

from fakes.ceph import MgrWorld, doctor_in
from fakes.clock import FakeClock
from perf_bench.doctor.checks import examine
from perf_bench.model.doctor_snapshot import Setting

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.doctor_snapshot import MgrDoctorSource


LATE, FLUSH = "bluestore.kv_sync_lat", "bluestore.kv_flush_lat"
TABLES, SLOW = "bluefs.bytes_written_sst", "bluestore.slow_committed_kv_count"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def source(mgr: MgrModule, clock: FakeClock) -> MgrDoctorSource:
    return doctor_in(mgr, clock)


def test_a_healthy_cluster(source: MgrDoctorSource, world: MgrWorld) -> None:
    snapshot = source.look()
    assert sorted(snapshot.osds) == sorted(osd["osd"] for osd in world.osd_map["osds"])
    details = snapshot.osds[0]
    assert details.release == world.version.split()[2]
    assert details.host_memory is not None
    assert details.host_memory > 1 << 30
    assert details.fsid == world.osd_map["osds"][0]["uuid"]
    assert not details.separate_db
    assert examine(snapshot).advice == []


def test_what_somebody_set(source: MgrDoctorSource, world: MgrWorld) -> None:
    before = source.look().settings
    world.options["", "osd_memory_target"] = 4 << 30
    world.options["osd.1", "osd_memory_target"] = 5 << 30
    world.config["osd.1", "osd_memory_target"] = str(5 << 30)
    snapshot = source.look()
    new = set(snapshot.settings) - set(before)
    assert new == {Setting("osd.1", "", "osd_memory_target", str(5 << 30))}
    found = {osd: snapshot.number(snapshot.osds[osd], "osd_memory_target") for osd in (0, 1)}
    assert found == {0: 4 << 30, 1: 5 << 30}


def test_what_is_set_for_a_host(source: MgrDoctorSource, world: MgrWorld) -> None:
    """Ceph's mgr has it by OSD; one of each host is asked."""
    name = "osd_memory_target"
    first = source.look().osds[0].osd
    world.options["", name] = 4 << 30
    for osd in source.look().osds.values():
        if osd.osd.location["host"] == first.location["host"]:
            world.options[osd.osd.name, name] = 6 << 30
    world.config[f"osd/host:{first.location['host']}", name] = str(6 << 30)
    snapshot = source.look()
    for details in snapshot.osds.values():
        here = details.osd.location["host"] == first.location["host"]
        assert snapshot.number(details, name) == (6 if here else 4) << 30


def test_counters_and_where_databases_lie(source: MgrDoctorSource, world: MgrWorld) -> None:
    world.schemas["0"] = {name: {"type": 2} for name in ("bluefs.slow_used_bytes", "osd.numpg")}
    world.counters["0", "bluefs.slow_used_bytes"] = [[1.0, 5], [6.0, 3 << 30]]
    world.counters["0", "osd.numpg"] = []
    world.data["osd_metadata"]["0"].update(bluefs_dedicated_db="1", bluefs_db_rotational="1")
    details = source.look().osds[0]
    assert (details.slow_used, details.pgs, details.db_used) == (3 << 30, None, None)
    assert (details.separate_db, details.db_rotational) == (True, True)
    codes = {one.code for one in examine(source.look()).advice}
    assert codes == {"DB_ON_ROTATIONAL", "DB_SPILLS_OVER"}


@pytest.mark.parametrize(
    ("tables", "count", "seconds", "slow", "stalled"),
    [
        (3 << 20, 4, 5, 0, 20),  # 16: four commits each 5 s
        (1 << 10, 4, 5, 0, None),  # no tables are written
        (3 << 20, 400, 5, 0, 0),
        (3 << 20, 400, 5, 2, 20),  # 18 and 20: some of them are among those that Ceph calls slow
    ],
)
def test_commits_that_wait_for_a_database_that_compacts(
    source: MgrDoctorSource,
    world: MgrWorld,
    tables: int,
    count: int,
    seconds: int,
    slow: int,
    stalled: Optional[int],
) -> None:
    types = {LATE: 5, FLUSH: 5, TABLES: 10}
    if slow:
        types[SLOW] = 10
    world.schemas["0"] = {name: {"type": type_} for name, type_ in types.items()}
    second, steps = 10**9, range(5)
    # of which the flush takes a hundredth
    world.counters["0", LATE] = [[5.0 * n, seconds * n * second, count * n] for n in steps]
    world.counters["0", FLUSH] = [[5.0 * n, n * second // 20, count * n] for n in steps]
    world.counters["0", TABLES] = [[5.0 * n, 7 + n * tables // 4] for n in steps]
    world.counters["0", SLOW] = [[5.0 * n, slow * n] for n in steps]
    stall = source.look().osds[0].stall
    assert (stall and round(stall.seconds)) == stalled
    if stall is not None:
        assert (stall.slow, stall.tables) == (4 * slow, tables)


@pytest.mark.parametrize(
    ("flushes", "rotational", "seconds"),
    [(400, "0", 0.0038), (400, "1", None), (99, "0", None), (100, "0", 0.0038)],
)
def test_flushes_of_flash(
    source: MgrDoctorSource,
    world: MgrWorld,
    flushes: int,
    rotational: str,
    seconds: Optional[float],
) -> None:
    world.schemas["0"] = {FLUSH: {"type": 5}}
    world.data["osd_metadata"]["0"]["rotational"] = rotational
    took = flushes * 3_800_000  # nanoseconds
    world.counters["0", FLUSH] = [[5.0, 7, 11], [10.0, 7 + took, 11 + flushes]]
    assert source.look().osds[0].flush_seconds == (seconds and pytest.approx(seconds))


def test_what_pools_and_metadata_tell(source: MgrDoctorSource, world: MgrWorld) -> None:
    world.data["osd_metadata"]["0"]["bluestore_bdev_optimal_io_size"] = "16384"
    snapshot = source.look()
    assert (snapshot.osds[0].min_alloc, snapshot.osds[0].optimal_io) == (4096, 16384)
    assert snapshot.osds[2].optimal_io is None  # 0, or not told by 16
    if world.release == "pacific":
        assert snapshot.reads is None
    else:
        assert snapshot.reads is not None
        assert {name: one.pgs for name, one in snapshot.reads.items()} == {".mgr": 1}
        assert round(snapshot.reads[".mgr"].score, 2) == 2.99


def test_whose_programs_run(source: MgrDoctorSource, world: MgrWorld) -> None:
    snapshot = source.look()
    build = snapshot.osds[0].build
    assert build is not None
    assert build.version == world.data["osd_metadata"]["0"]["ceph_version"]


def test_counters_that_came_after_the_first_look(source: MgrDoctorSource, world: MgrWorld) -> None:
    """A doctor that is asked right after a failover, before the OSDs have reported to this mgr."""
    schemas, world.schemas = world.schemas, {}
    assert source.look().osds[0].pgs is None
    world.schemas = schemas
    world.schemas["0"] = {name: {"type": 2} for name in ("bluefs.slow_used_bytes", "osd.numpg")}
    world.counters["0", "osd.numpg"] = [[1.0, 500]]
    assert source.look().osds[0].pgs == 500
