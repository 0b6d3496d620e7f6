"""The OSD map as it is kept, and when it is read again."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakes.ceph import MgrWorld, mgr_in

if TYPE_CHECKING:
    from perf_bench.ceph.osd_map import OsdMapReader


@pytest.fixture
def reader(world: MgrWorld) -> OsdMapReader:
    from perf_bench.ceph.osd_map import OsdMapReader

    return OsdMapReader(mgr_in(world))


def test_a_map_as_it_was_captured(reader: OsdMapReader, world: MgrWorld) -> None:
    osd_map = reader.look()
    assert (osd_map.epoch, osd_map.fsid) == (world.osd_map["epoch"], world.osd_map["fsid"])
    assert "sortbitwise" in osd_map.flags
    assert (round(osd_map.nearfull_ratio, 2), round(osd_map.full_ratio, 2)) == (0.85, 0.95)
    assert list(osd_map.osds) == [0, 1, 2]
    assert [one.in_cluster for one in osd_map.osds.values()] == [True, True, False]
    entry = world.osd(1)
    assert osd_map.osds[1] == (
        True,
        True,
        tuple(entry["state"]),
        entry["up_from"],
        entry["down_at"],
        entry["uuid"],
    )
    assert osd_map.up_and_in == 2
    assert osd_map.pools == world.osd_map["pools"]
    assert osd_map.pool(osd_map.pools[0]["pool_name"]) is osd_map.pools[0]
    assert osd_map.pool("none") is None
    assert "default" in osd_map.erasure_code_profiles


def test_it_is_read_once_for_each_epoch(reader: OsdMapReader, world: MgrWorld) -> None:
    assert reader.known() is None
    first = reader.look()
    assert reader.known() is first
    world.osd(1)["up"] = 0
    assert reader.look() is first
    world.moved()
    assert reader.known() is None
    assert not reader.look().osds[1].up
