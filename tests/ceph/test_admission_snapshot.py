"""How a cluster is, read from maps captured from three releases; orders to its monitors."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fakes.ceph import MgrWorld, inventory_in
from fakes.clock import FakeClock
from perf_bench.model.admission import HealthCheck, Load, Space

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.admission_snapshot import MgrAdmissionSource
    from perf_bench.ceph.mons import Mons


@pytest.fixture
def mons(mgr: MgrModule, world: MgrWorld) -> Mons:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons

    return Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))


@pytest.fixture
def outlook(mgr: MgrModule, mons: Mons) -> MgrAdmissionSource:
    from perf_bench.ceph.admission_snapshot import MgrAdmissionSource
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.reports import MgrOsdHealth

    clock, maps = FakeClock(), OsdMapReader(mgr)
    health = MgrOsdHealth(mgr, clock)
    return MgrAdmissionSource(mgr, clock, inventory_in(mgr, clock, maps), maps, health, mons)


def test_a_cluster_as_it_was_captured(outlook: MgrAdmissionSource, world: MgrWorld) -> None:
    now = outlook.look([0, 1])
    assert now.checks == ()
    assert now.flags is not None
    assert "sortbitwise" in now.flags
    assert sum((now.pgs or {}).values()) == 1
    assert (now.fullness, now.down_in, now.slow_ops) == ({}, (), {})
    assert now.space == dict.fromkeys((0, 1), Space(8 << 30, 200 << 20))
    assert (round(now.nearfull_ratio, 2), round(now.full_ratio, 2)) == (0.85, 0.95)
    assert list((now.releases or {}).values()) == [3]
    assert now.upgrading is False
    assert now.client == Load(0, 0)
    assert now.pool_available == 24 << 30
    assert (now.changes, now.possible, now.wear, now.running) == (None, None, None, None)
    assert outlook.up() == {0, 1, 2}


def test_what_is_wrong(outlook: MgrAdmissionSource, world: MgrWorld) -> None:
    world.set_down(1)
    world.change_osd(0, state=["exists", "up", "nearfull", "backfillfull"])
    check = {"severity": "HEALTH_ERR", "summary": {"message": "1 is", "count": 1}, "muted": True}
    world.data["health"] = {"json": json.dumps({"checks": {"OSD_DOWN": check}})}
    rates = {"write_bytes_sec": 1000, "read_op_per_sec": 7}
    world.data["osd_pool_stats"]["pool_stats"].append(
        {"pool_name": "rbd", "pool_id": 8, "client_io_rate": rates}
    )
    now = outlook.look([0, 1, 2])
    assert now.checks == (HealthCheck("OSD_DOWN", "1 is", True, True),)
    assert now.fullness == {0: "backfillfull"}
    assert now.down_in == (1,)
    assert list((now.releases or {}).values()) == [2]
    assert now.client == Load(1000, 7)


def test_the_wear_of_drives_is_that_of_the_most_worn(
    outlook: MgrAdmissionSource, world: MgrWorld
) -> None:
    assert outlook.look([0]).endurance_used == {}
    world.data["devices"] = {
        "devices": [
            {"devid": "A", "daemons": ["osd.0", "osd.1"], "wear_level": 0.37},
            {"devid": "B", "daemons": ["osd.1", "mon.a"], "wear_level": 0.1},
            {"devid": "C", "daemons": ["osd.2"]},
            {"devid": "E", "daemons": ["osd.3"], "wear_level": 0},
            {"devid": "D", "daemons": ["osd.2"], "wear_level": "worn"},
        ]
    }
    assert outlook.look([0]).endurance_used == {0: 0.37, 1: 0.37, 3: 0.0}
    world.data["devices"] = None
    assert outlook.look([0]).endurance_used == {}


def test_what_the_bench_does_itself_is_no_load_of_clients(
    outlook: MgrAdmissionSource, world: MgrWorld
) -> None:
    rates = {"read_bytes_sec": 5e9, "read_op_per_sec": 1000}
    (own,) = world.data["osd_pool_stats"]["pool_stats"]
    own["client_io_rate"] = rates  # our database, in the pool of the mgr
    world.data["osd_pool_stats"]["pool_stats"] += [
        {"pool_name": "perf_bench", "pool_id": 7, "client_io_rate": rates},
        {"pool_name": "rbd", "pool_id": 8, "client_io_rate": {"write_bytes_sec": 3}},
    ]
    assert outlook.look([0]).client == Load(3, 0)


def test_the_room_of_the_bench_pool(outlook: MgrAdmissionSource, world: MgrWorld) -> None:
    pool = world.osd_map["pools"][0]
    world.osd_map["pools"].append({**pool, "pool": 7, "pool_name": "perf_bench"})
    assert outlook.look([0]).pool_available is None  # not counted yet
    world.data["df"]["pools"].append({"id": 7, "stats": {"max_avail": 5 << 30}})
    assert outlook.look([0]).pool_available == 5 << 30


def test_health_that_was_not_sent_yet_is_not_known(
    outlook: MgrAdmissionSource, world: MgrWorld
) -> None:
    world.data["health"] = {"json": ""}
    assert outlook.look([0]).checks is None


def test_who_is_up_is_read_when_the_map_has_moved(
    outlook: MgrAdmissionSource, world: MgrWorld
) -> None:
    assert outlook.up() == {0, 1, 2}
    world.osd(1)["up"] = 0
    assert outlook.up() == {0, 1, 2}
    world.set_down(1)
    assert outlook.up() == {0, 2}


@pytest.mark.parametrize(
    ("kept", "upgrading"), [(None, False), ("null", False), ('{"target_name": "v20"}', True)]
)
def test_an_upgrade_by_cephadm(
    kept: Any, upgrading: bool, outlook: MgrAdmissionSource, world: MgrWorld
) -> None:
    world.data["mgr_map"]["modules"].append("cephadm")
    if kept is not None:
        world.keys["mgr/cephadm/upgrade_state"] = kept
    assert outlook.look([0]).upgrading is upgrading


def test_mons_that_do_not_answer_leave_an_upgrade_unknown(
    outlook: MgrAdmissionSource, world: MgrWorld
) -> None:
    world.data["mgr_map"]["modules"].append("cephadm")
    world.reachable = False
    assert outlook.look([0]).upgrading is None


def test_how_many_copies_a_byte_has(outlook: MgrAdmissionSource, world: MgrWorld) -> None:
    pool = world.osd_map["pools"][0]
    world.osd_map["erasure_code_profiles"] = {"wide": {"k": "4", "m": "2"}}
    world.osd_map["pools"] = [
        {**pool, "pool": 1, "size": 3},
        {**pool, "pool": 2, "size": 6, "erasure_code_profile": "wide"},
    ]
    stored = [(1, 999), (2, 1999)]
    world.data["df"] = {"pools": [{"id": n, "stats": {"stored": count}} for n, count in stored]}
    assert outlook.copies() == pytest.approx((1000 * 3 + 2000 * 1.5) / 3000)
    world.osd_map["pools"] = []
    world.moved()
    assert outlook.copies() == 1.0


@pytest.mark.parametrize(
    ("profile", "size", "copies"),
    [
        ({"plugin": "jerasure", "k": "4", "m": "2"}, 6, 1.5),
        ({"plugin": "lrc", "k": "4", "m": "2", "l": "3"}, 8, 2.0),  # two local chunks
        ({"plugin": "lrc", "mapping": "__DD__DD"}, 8, 2.0),
        ({"plugin": "unknown"}, 3, 3.0),
    ],
)
def test_copies_of_erasure_coded_pools(
    profile: dict[str, str], size: int, copies: float, pacific: MgrWorld
) -> None:
    from perf_bench.ceph.admission_snapshot import copies_of

    pool = {"size": size, "erasure_code_profile": "a"}
    assert copies_of(pool, {"a": profile}) == copies
    assert copies_of({"size": 2}, {"a": profile}) == 2.0


def test_what_a_guard_looks_at(outlook: MgrAdmissionSource, world: MgrWorld) -> None:
    begun = world.osd_map["epoch"]
    world.moved()
    found = outlook.glance()
    assert (found.epoch, outlook.epoch()) == (begun + 1, begun + 1)
    assert found.up == {0, 1, 2}
    assert found.pgs == outlook.look([0]).pgs
    world.moved()
    assert outlook.glance().epoch == begun + 2
