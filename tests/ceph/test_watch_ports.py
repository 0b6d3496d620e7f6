"""What the watch reads of the mgr, on answers that real clusters gave (``captured/watch-*``)."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakes.ceph import MgrWorld, installed, mgr_in
from fakes.clock import FakeClock
from perf_bench.model.history import WORK

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
    from perf_bench.ceph.reports import MgrCounters

    names = MgrCounters(mgr).names(0)
    commit = {"bluestore.commit_lat", "bluestore.txc_commit_lat"} & names
    assert commit == {
        "bluestore.commit_lat" if release == "pacific" else "bluestore.txc_commit_lat"
    }
    assert {"bluestore.read_lat", "osd.op_latency", "osd.op_in_bytes"} <= names
    assert "osd.subop_w_latency" not in names
    assert MgrCounters(mgr).names(99) == frozenset()


def test_averages_are_in_seconds_and_bytes_as_they_are(mgr: Any) -> None:
    from perf_bench.ceph.reports import MgrCounters

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


# --- Placement groups ------------------------------------------------------------------------


def test_pgs_by_state_pool_and_osd(mgr: Any) -> None:
    from perf_bench.ceph.reports import MgrPgStates

    pgs = MgrPgStates(mgr)
    total = mgr.found["pg_status"]["num_pgs"]
    assert sum(pgs.by_state().values()) == total
    by_pool = pgs.by_pool()
    assert set(by_pool) == set(mgr.found["pools"].values())
    assert sum(sum(states.values()) for states in by_pool.values()) == total
    assert set(pgs.by_osd()) == {0, 1, 2}


def test_the_work_of_clients_is_in_the_states_that_were_read(mgr: Any) -> None:
    from perf_bench.ceph.reports import MgrPgStates

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


# --- Health ----------------------------------------------------------------------------------


def test_reports_and_latencies_are_read_together_and_not_at_once_again(mgr: Any) -> None:
    from perf_bench.ceph.reports import MgrOsdHealth

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
    from perf_bench.ceph.reports import MgrOsdHealth

    health = MgrOsdHealth(mgr, FakeClock())
    mgr.found["daemon_health_metrics"]["osd.1"] = [
        {"value": 4, "type": "SLOW_OPS"},
        {"value": 9, "type": "PENDING_CREATING_PGS"},
    ]
    assert health.slow_ops() == {}
    assert "daemon_health_metrics" not in mgr.asked
    mgr.health = {"json": '{"status":"HEALTH_WARN","checks":{"SLOW_OPS":{}},"mutes":[]}'}
    assert health.slow_ops() == {1: 4}


# --- OSDs that go up or down -----------------------------------------------------------------


def test_changes_of_the_map_are_those_after_an_epoch(world: MgrWorld) -> None:
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.osd_up_down import MgrUpDown
    from perf_bench.model.cluster import OsdEpochs, UpDownChanges

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
    begun = up_down.changes(None)
    assert begun is not None
    world.moved()
    first = up_down.changes(begun.epoch)
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
