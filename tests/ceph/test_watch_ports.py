"""What the watch reads of the mgr, on answers that real clusters gave (``captured/watch-*``)."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import pytest

from fakes.ceph import MgrWorld, installed, mgr_in
from fakes.clock import FakeClock
from perf_bench.model.cluster_span import WORK

if TYPE_CHECKING:
    from perf_bench.ceph.members import MgrMembers

CAPTURED = Path(__file__).resolve().parents[1] / "captured"
RELEASES = ("pacific", "reef", "tentacle")
# What the mgr knows of an OSD's counters is under other names on 20.
NEW = {
    "get_counter": "get_unlabeled_counter",
    "get_perf_schema": "get_unlabeled_perf_schema",
}


class Mgr:
    """The methods that the adapters call, by the names of the release, over captured answers."""

    def __init__(self, release: str) -> None:
        text = (CAPTURED / f"watch-{release}.json").read_text(encoding="utf-8")
        self.found: dict[str, Any] = json.loads(text)
        self.health = {"json": '{"status":"HEALTH_OK","checks":{},"mutes":[]}'}
        self.asked: list[str] = []
        for name in ("get_counter", "get_perf_schema"):
            here = NEW[name] if release == "tentacle" else name
            setattr(self, here, getattr(self, f"_{name}"))

    def _get_counter(self, kind: str, osd: str, path: str) -> Any:
        assert kind == "osd"
        return self.found["counters"][osd][path]

    def _get_perf_schema(self, kind: str, osd: str) -> Any:
        assert kind == "osd"
        return self.found["perf_schema"][osd]

    def get(self, name: str) -> Any:
        self.asked.append(name)
        if name == "osd_pool_stats":
            pools = self.found["pools"].items()
            stats = [{"pool_id": int(pool), "pool_name": called} for pool, called in pools]
            return {"pool_stats": stats}
        return self.health if name == "health" else self.found[name]

    def get_daemon_health_metrics(self) -> Any:
        self.asked.append("daemon_health_metrics")
        return self.found["daemon_health_metrics"]

    def get_osdmap(self) -> Any:
        self.asked.append("osdmap")
        pools = {int(number): {"pool_name": name} for number, name in self.found["pools"].items()}

        class Map:
            def get_pools(self) -> Any:
                return pools

        return Map()


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> Iterator[str]:
    with installed(MgrWorld.captured(request.param)):
        yield request.param


@pytest.fixture
def mgr(release: str) -> Any:
    return Mgr(release)


# --- Counters --------------------------------------------------------------------------------


def test_names_are_those_that_are_sent(mgr: Any, release: str) -> None:
    from perf_bench.ceph.counters import MgrCounters

    names = MgrCounters(mgr).names(0)
    commit = {"bluestore.commit_lat", "bluestore.txc_commit_lat"} & names
    assert commit == {
        "bluestore.commit_lat" if release == "pacific" else "bluestore.txc_commit_lat"
    }
    assert {"bluestore.read_lat", "osd.op_latency", "osd.op_in_bytes"} <= names
    assert "osd.subop_w_latency" not in names
    assert MgrCounters(mgr).names(99) == frozenset()


def test_averages_are_in_seconds_and_bytes_as_they_are(mgr: Any) -> None:
    from perf_bench.ceph.counters import MgrCounters

    counters = MgrCounters(mgr)
    counters.names(0)
    raw = mgr.found["counters"]["0"]["osd.op_latency"]["osd.op_latency"]
    points = counters.points(0, "osd.op_latency")
    assert len(points) == len(raw) == 20
    for point, (at, nanoseconds, count) in zip(points, raw):
        assert (point[0], point[2]) == (at, count)
        assert point[1] == pytest.approx(nanoseconds / 1e9)
    bytes_ = mgr.found["counters"]["0"]["osd.op_in_bytes"]["osd.op_in_bytes"]
    assert counters.points(0, "osd.op_in_bytes") == [(at, value, 0) for at, value in bytes_]
    assert counters.points(99, "osd.op_latency") == []


def test_all_counters_of_a_report_have_its_stamp(mgr: Any) -> None:
    """What the collector matches them by."""
    sent = [rings[name] for name, rings in mgr.found["counters"]["0"].items() if rings[name]]
    assert len(sent) == 9
    assert len({tuple(point[0] for point in ring) for ring in sent}) == 1


def test_columns_have_the_chosen_points(mgr: Any) -> None:
    from perf_bench.ceph.counters import MgrCounters

    counters = MgrCounters(mgr)
    counters.names(0)
    points = counters.points(0, "osd.op_latency")
    raw = counters.raw(0, "osd.op_latency")
    columns = counters.columns("osd.op_latency", [raw[-3], raw[-1]])
    assert list(zip(*columns)) == [points[-3], points[-1]]
    bytes_ = counters.columns("osd.op_in_bytes", counters.raw(0, "osd.op_in_bytes")[-2:])
    assert list(zip(*bytes_)) == counters.points(0, "osd.op_in_bytes")[-2:]
    assert counters.columns("osd.op_latency", counters.raw(99, "osd.op_latency")) == ((), (), ())


# --- Placement groups ------------------------------------------------------------------------


def test_pgs_by_state_pool_and_osd(mgr: Any) -> None:
    from perf_bench.ceph.pgs import MgrPgStates

    pgs = MgrPgStates(mgr)
    total = mgr.found["pg_status"]["num_pgs"]
    assert sum(pgs.by_state().values()) == total
    by_pool = pgs.by_pool()
    assert set(by_pool) == set(mgr.found["pools"].values())
    assert sum(sum(states.values()) for states in by_pool.values()) == total
    assert set(pgs.by_osd()) == {0, 1, 2}


def test_the_work_of_clients_is_in_the_states_that_were_read(mgr: Any) -> None:
    from perf_bench.ceph.pgs import MgrPgStates

    pgs = MgrPgStates(mgr)
    assert pgs.work() == (None,) * len(WORK)
    mgr.found["pg_status"]["pgs_by_state"].append(
        {"state_name": "active+clean+scrubbing+deep", "count": 2}
    )
    pgs.by_state()
    asked = len(mgr.asked)
    work = dict(zip(WORK, pgs.work()))
    assert len(mgr.asked) == asked
    assert work["read_ops"] == mgr.found["pg_status"]["read_op_per_sec"]
    assert work["write_bytes"] == mgr.found["pg_status"].get("write_bytes_sec", 0)
    assert work["scrubbing"] == 2


def test_a_renamed_pool_has_its_new_name(mgr: Any) -> None:
    from perf_bench.ceph.pgs import MgrPgStates

    pgs = MgrPgStates(mgr)
    before = pgs.by_pool()
    mgr.found["pools"] = {pool: f"{name}.old" for pool, name in mgr.found["pools"].items()}
    assert pgs.by_pool() == {f"{name}.old": states for name, states in before.items()}
    # Reading the names in the map takes 0.25 s on 16.
    assert "osdmap" not in mgr.asked


# --- Health ----------------------------------------------------------------------------------


def test_reports_and_latencies_are_read_together_and_not_at_once_again(mgr: Any) -> None:
    from perf_bench.ceph.health_reports import MgrOsdHealth

    clock = FakeClock()
    health = MgrOsdHealth(mgr, clock)
    latencies = health.latencies()
    (first,) = (one for one in mgr.found["osd_stats"]["osd_stats"] if one["osd"] == 0)
    assert latencies[0][0] == pytest.approx(first["perf_stat"]["commit_latency_ns"] / 1e9)
    assert mgr.asked.count("osd_stats") == 1
    clock.advance(1.0)
    health.latencies()
    assert mgr.asked.count("osd_stats") == 2


def test_slow_operations_are_counted_only_while_health_tells_of_some(mgr: Any) -> None:
    from perf_bench.ceph.health_reports import MgrOsdHealth

    health = MgrOsdHealth(mgr, FakeClock())
    mgr.found["daemon_health_metrics"]["osd.1"] = [
        {"value": 4, "type": "SLOW_OPS"},
        {"value": 9, "type": "PENDING_CREATING_PGS"},
    ]
    assert health.slow_ops() == {}
    assert "daemon_health_metrics" not in mgr.asked
    mgr.health = {"json": '{"status":"HEALTH_WARN","checks":{"SLOW_OPS":{}},"mutes":[]}'}
    assert health.slow_ops() == {1: 4}


# --- Members ---------------------------------------------------------------------------------


class Maps:
    """Captured maps, counting who asks."""

    def __init__(self, world: MgrWorld) -> None:
        self.world = world
        self.trees = self.metadata = 0

    def get_osdmap(self) -> Any:
        return mgr_in(self.world).get_osdmap()

    def get(self, name: str) -> Any:
        assert name == "osd_map_tree"
        self.trees += 1
        return self.world.data[name]

    def get_metadata(self, kind: str, osd: str) -> Optional[Any]:
        assert kind == "osd"
        self.metadata += 1
        return self.world.data["osd_metadata"].get(osd)


def _members(maps: Any, clock: FakeClock) -> MgrMembers:
    from perf_bench.ceph.members import MgrMembers
    from perf_bench.ceph.osd_facts import OsdFactsReader

    return MgrMembers(maps, clock, OsdFactsReader(maps, clock))


def test_members_of_a_captured_cluster(release: str) -> None:
    maps: Any = Maps(MgrWorld.captured(release))
    first, second, third = _members(maps, FakeClock(1.796e9)).members()
    assert (first.osd.host, first.osd.device_class, first.osd.location["rack"]) == (
        "host-0",
        "hdd",
        "rack-a",
    )
    assert first.release == {"pacific": "16.2.15", "reef": "18.2.7", "tentacle": "20.2.4"}[release]
    assert first.created_at is not None
    assert 1.795e9 < first.created_at < 1.796e9
    # in a file: the disk is not its own
    assert (first.osd.data_device, first.separate, first.osd.expander) == (None, "", None)
    assert [one.osd.in_cluster for one in (first, second, third)] == [True, True, False]
    assert first.weight == pytest.approx(0.0078, rel=0.01)
    assert third.weight == 0


def test_maps_are_read_when_the_epoch_moves_and_metadata_when_an_osd_starts(release: str) -> None:
    maps: Any = Maps(MgrWorld.captured(release))
    clock = FakeClock()
    members = _members(maps, clock)
    before = members.members(15.0)
    clock.advance(60.0)
    assert members.members(15.0) is before
    assert (maps.trees, maps.metadata) == (1, 3)
    # an epoch of something else
    maps.world.osd_map["epoch"] += 1
    clock.advance(60.0)
    assert members.members(15.0) is before
    assert (maps.trees, maps.metadata) == (2, 3)
    # down and up again, with another release
    (node,) = (one for one in maps.world.data["osd_map_tree"]["nodes"] if one["id"] == 1)
    for status in ("down", "up"):
        node["status"] = status
        maps.world.data["osd_metadata"]["1"]["ceph_version_short"] = "20.2.9"
        maps.world.osd_map["epoch"] += 1
        clock.advance(60.0)
        assert members.members(15.0)[1].osd.up is (status == "up")
    assert maps.metadata == 4
    assert members.members(15.0)[1].release == "20.2.9"


def test_metadata_is_read_again_within_an_hour(release: str) -> None:
    maps: Any = Maps(MgrWorld.captured(release))
    clock = FakeClock()
    members = _members(maps, clock)
    members.members()
    clock.advance(3601.0)
    members.members()
    assert maps.metadata == 6


def test_an_osd_that_only_crush_still_has_is_no_member_and_asked_about_by_nobody(
    release: str,
) -> None:
    """The mgr logs an error for each question about it, and members would change all the time."""
    from perf_bench.ceph.members import MgrMembers
    from perf_bench.ceph.osd_facts import OsdFactsReader
    from perf_bench.ceph.osd_map import OsdMapReader

    maps: Any = Maps(MgrWorld.captured(release))
    maps.world.remove_osd(2)
    del maps.world.data["osd_metadata"]["2"]
    (node,) = (one for one in maps.world.data["osd_map_tree"]["nodes"] if one["id"] == 2)
    node.update(exists=0, status="down", reweight=0.0)
    clock, osd_map = FakeClock(), OsdMapReader(mgr_in(maps.world)).look()
    facts = OsdFactsReader(maps, clock)
    members = MgrMembers(maps, clock, facts)
    before = members.members()
    assert [one.osd.id for one in before] == [0, 1]
    asked = maps.metadata
    for _ in range(3):  # rounds and the doctor take the OSDs of the map
        facts.of_map(osd_map)
        assert members.members() is before
    assert maps.metadata == asked


def test_shelf_and_separate_database_are_told_by_metadata(release: str) -> None:
    maps: Any = Maps(MgrWorld.captured(release))
    maps.world.data["osd_metadata"]["0"].update(
        {
            "bluestore_bdev_access_mode": "blk",
            "bluestore_bdev_devices": "sdk",
            "devices": "nvme0n1,sdk",
            "bluefs_dedicated_db": "1",
            "device_paths": (
                "sdk=/dev/disk/by-path/pci-0000:3c:00.0-sas-exp0x500056b35e77bcff-phy0-lun-0"
            ),
        }
    )
    first = _members(maps, FakeClock()).members()[0]
    assert (first.osd.data_device, first.separate) == ("sdk", "db")
    assert first.osd.expander == "0x500056b35e77bcff"


# --- OSDs that go up or down -----------------------------------------------------------------


def test_changes_of_the_map_are_those_after_an_epoch(world: MgrWorld) -> None:
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.osd_up_down import MgrUpDown
    from perf_bench.ports.watch_inputs import OsdEpochs, UpDownChanges

    clock = FakeClock()
    up_down = MgrUpDown(OsdMapReader(mgr_in(world)), clock)
    first = up_down.changes(None)
    assert first is not None
    assert first.osds == {}
    assert up_down.changes(first.epoch) is None  # no newer map
    world.osd_map["epoch"] += 2
    world.osd_map["osds"][1].update(down_at=first.epoch + 1, up_from=first.epoch + 2)
    assert up_down.changes(first.epoch) == UpDownChanges(
        first.epoch + 2, {1: OsdEpochs(first.epoch + 2, first.epoch + 1)}
    )


def test_a_map_that_takes_long_is_read_seldom(world: MgrWorld) -> None:
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.osd_up_down import MgrUpDown

    clock = FakeClock()
    clock.tick = 0.4  # so long takes whatever is timed
    maps = OsdMapReader(mgr_in(world))
    up_down = MgrUpDown(maps, clock)
    first = up_down.changes(None)
    assert first is not None
    world.moved()
    assert up_down.changes(first.epoch) is None
    maps.look()  # somebody else has to
    clock.tick = 0.0
    second = up_down.changes(first.epoch)
    assert second is not None
    world.moved()
    assert up_down.changes(second.epoch) is None
    clock.advance(60)
    assert up_down.changes(second.epoch) is not None
