"""Where the CRUSH tree has each OSD."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

from fakes.ceph import MgrWorld

if TYPE_CHECKING:
    from mgr_module import MgrModule


def test_an_osd_in_two_hosts_has_the_buckets_of_both(pacific: MgrWorld) -> None:
    """Its location is the one that the masks of Ceph's configuration go by, by the buckets' IDs."""
    from perf_bench.ceph.inventory import crush_places

    nodes = [
        {"id": -3, "name": "fast", "type": "root", "children": [-4]},
        {"id": -4, "name": "host-0-fast", "type": "host", "children": [0]},
        {"id": 0, "name": "osd.0", "type": "osd", "device_class": "hdd"},
        {"id": -1, "name": "default", "type": "root", "children": [-2]},
        {"id": -2, "name": "host-0", "type": "host", "children": [0]},
        {"id": 0, "name": "osd.0", "type": "osd", "device_class": "hdd"},
    ]
    place = crush_places(nodes)[0]
    assert place.location == {"host": "host-0", "root": "default"}
    assert place.also_in == {("host", "host-0-fast"), ("root", "fast")}


def test_a_host_below_two_roots_and_two_racks(pacific: MgrWorld) -> None:
    """As crush-map-edits of Ceph's documentation allow; shadow trees of classes do not count."""
    from perf_bench.ceph.inventory import crush_places

    host = [
        {"id": -5, "name": "host-0", "type": "host", "children": [0]},
        {"id": 0, "name": "osd.0", "type": "osd", "device_class": "hdd"},
    ]
    nodes = [
        {"id": -1, "name": "default", "type": "root", "children": [-2]},
        {"id": -2, "name": "rack-a", "type": "rack", "children": [-5]},
        *host,
        {"id": -3, "name": "slow", "type": "root", "children": [-4]},
        {"id": -4, "name": "rack-b", "type": "rack", "children": [-5]},
        *host,
        {"id": -6, "name": "default~hdd", "type": "root", "children": [-7]},
        {"id": -7, "name": "host-0~hdd", "type": "host", "children": [0]},
    ]
    place = crush_places(nodes)[0]
    assert place.location == {"host": "host-0", "rack": "rack-a", "root": "default"}
    assert place.also_in == {("rack", "rack-b"), ("root", "slow")}


def test_osds_in_no_bucket_come_last(pacific: MgrWorld, pacific_mgr: MgrModule) -> None:
    from perf_bench.ceph.inventory import Place, crush_nodes, crush_places

    pacific.osd_map["osds"].append({**pacific.osd(0), "osd": 9})
    stray = {"id": 9, "name": "osd.9", "type": "osd", "device_class": "ssd"}
    pacific.data["osd_map_tree"]["stray"] = [stray]
    nodes = crush_nodes(pacific_mgr)
    assert (nodes[-1]["id"], nodes[-1]["status"]) == (9, "up")
    assert crush_places(nodes)[9] == Place("ssd", {})
