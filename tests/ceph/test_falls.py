"""Who is down and since when, from the maps of three releases."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

from fakes.ceph import MgrWorld
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.outlook import FakeOutlook
from nouns import some_osds

if TYPE_CHECKING:
    from mgr_module import MgrModule


def test_those_that_are_down_with_the_time_they_went(mgr: MgrModule, world: MgrWorld) -> None:
    from perf_bench.ceph.falls import MgrFalls

    cluster = FakeCluster(some_osds(3))
    falls = MgrFalls(mgr, FakeOutlook(cluster, FakeClock()))
    assert falls.fell() == {}
    cluster.set_down(1, 2)
    # osd.2 was never up
    world.osd_map["osd_xinfo"][1]["down_stamp"] = "2026-11-21T02:44:34.114418+0000"
    assert falls.fell() == {1: 1795229074.114418}
    # while the same are down the map is not read
    del world.data["osd_map"]
    assert falls.fell() == {1: 1795229074.114418}


def test_one_that_is_up_again_is_forgotten(mgr: MgrModule, world: MgrWorld) -> None:
    from perf_bench.ceph.falls import MgrFalls

    cluster = FakeCluster(some_osds(3))
    cluster.set_down(1)
    falls = MgrFalls(mgr, FakeOutlook(cluster, FakeClock()))
    world.osd_map["osd_xinfo"][1]["down_stamp"] = "2026-11-21T02:44:34.114418+0000"
    assert list(falls.fell()) == [1]
    cluster.set_up(1)
    assert falls.fell() == {}
