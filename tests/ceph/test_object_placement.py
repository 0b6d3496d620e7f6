"""Names that lie in chosen placement groups."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest

from fakes.ceph import MgrWorld
from perf_bench.errors import CommandFailed, NotNow
from perf_bench.model.rados import Groups

if TYPE_CHECKING:
    from types import ModuleType

    from mgr_module import MgrModule

# What `osdmaptool --test-map-object NAME` of 16.2.15 says, in a pool of 768 groups and so with
# a number that is no power of two. Lengths around the 12 bytes of a block and the 4 of a word.
OF_768 = {
    "a": 24,
    "foo": 6,
    "abcdefgh": 350,
    "abcdefghi": 607,
    "osd-probe-17": 347,
    "0123456789ab": 720,
    "0123456789abc": 297,
    "a-very-long-name-of-some-object-000001": 711,
}


@pytest.fixture
def placing(mgr: MgrModule) -> ModuleType:
    from perf_bench.ceph import object_placement as found

    return found


def test_it_is_the_hash_of_ceph(placing: ModuleType) -> None:
    assert {name: placing._fold(placing._hash(name.encode()), 768) for name in OF_768} == OF_768


# What `ceph osd map POOL NAME NAMESPACE` of 16.2.15 says, in a pool of 24 groups.
OF_24 = {
    ("a", "reads"): 0x8,
    ("a", "probe"): 0xD,
    ("foo", "reads"): 0x11,
    ("foo", "probe"): 0xA,
    ("token-12", "reads"): 0x4,
    ("token-12", "probe"): 0xB,
    ("0123456789ab", "reads"): 0x6,
    ("0123456789ab", "probe"): 0x13,
    ("a-very-long-name-of-some-object-000001", "reads"): 0x14,
    ("a-very-long-name-of-some-object-000001", "probe"): 0xF,
}


def test_a_namespace_counts(placing: ModuleType) -> None:
    assert {key: placing.group_of(*key, 24) for key in OF_24} == OF_24


def test_each_osd_gets_names_in_its_own_groups(placing: ModuleType) -> None:
    groups = Groups(48, {3: [1, 17], 5: [40], 8: []})
    found = placing.names_in(groups, 5, "reads", "token")
    assert {osd: len(names) for osd, names in found.items()} == {3: 5, 5: 5, 8: 0}
    for osd, names in found.items():
        assert {placing.group_of(name, "reads", 48) for name in names} <= set(
            groups.by_primary[osd]
        )
    assert found == placing.names_in(groups, 5, "reads", "token")
    assert found != placing.names_in(groups, 5, "reads", "other")


def test_a_pool_that_does_not_fit_at_all_says_why(mgr: MgrModule) -> None:
    from perf_bench.ceph.pools import make_pool

    def give(*_: Any, **__: Any) -> None:
        raise CommandFailed(errno.ERANGE, "pg_num 8 size 3 would mean 900 total pgs")

    with pytest.raises(CommandFailed, match="900 total pgs"):
        make_pool(give, 3)


def test_the_groups_that_an_osd_is_the_primary_of(mgr: MgrModule, world: MgrWorld) -> None:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.pools import MgrPools

    mons = Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
    pools = MgrPools(mgr, mons, OsdMapReader(mgr))
    with pytest.raises(NotNow, match="the pool perf_bench has been removed"):
        pools.groups("perf_bench", [0])
    entry = {**world.osd_map["pools"][0], "pool": 7, "pool_name": "perf_bench", "pg_num": 5}
    world.osd_map["pools"].append(entry)
    world.moved()
    world.acting = {(7, 0): [0, 1], (7, 1): [2, 0], (7, 3): [0, 2], (7, 4): [1, 0], (8, 2): [0]}
    assert pools.groups("perf_bench", [0, 1, 9]) == Groups(5, {0: [0, 3], 1: [4], 9: []})
