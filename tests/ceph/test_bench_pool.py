"""The bench pool while Ceph still splits its placement groups, and after it was made again."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from fakes.ceph import MgrWorld
from perf_bench.errors import NotNow

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.pools import MgrPools

ADDRESS = "[v2:127.0.0.1:1/0]"


def bench_pool(world: MgrWorld, number: int, **fields: Any) -> dict[str, Any]:
    """The bench pool in the world's map, in a new epoch."""
    world.osd_map["pools"] = [
        one for one in world.osd_map["pools"] if one["pool_name"] != "perf_bench"
    ]
    entry = {
        **world.osd_map["pools"][0],
        "pool": number,
        "pool_name": "perf_bench",
        "application_metadata": {"perf_bench": {}},
        **fields,
    }
    world.osd_map["pools"].append(entry)
    world.moved()
    return entry


def groups(now: int, target: int) -> dict[str, int]:
    """A pool as the monitors make it: at most mon_osd_max_initial_pgs (1024) groups at first."""
    return {
        "pg_num": now,
        "pg_num_target": target,
        "pg_placement_num": now,
        "pg_placement_num_target": target,
    }


@pytest.fixture
def pools(mgr: MgrModule) -> MgrPools:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.pools import MgrPools

    return MgrPools(mgr, Mons(lambda: open_client("mgr.x", "", ADDRESS, 15)), OsdMapReader(mgr))


def test_a_round_does_not_begin_in_a_pool_that_still_grows(
    pools: MgrPools, world: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 OSDs: 4096 groups are asked for, the monitors make 1024, and the mgr splits them."""
    entry = bench_pool(world, 7, **groups(1024, 4096))
    world.data["pg_summary"] = {"by_pool": {"7": {"active+clean": 1024}}}
    slept: list[float] = []

    def grows(seconds: float) -> None:
        slept.append(seconds)
        entry.update(groups(min(4096, entry["pg_num"] + 128), 4096))
        world.data["pg_summary"] = {"by_pool": {"7": {"active+clean": entry["pg_num"]}}}
        world.moved()

    monkeypatch.setattr(time, "sleep", grows)
    assert pools.ensure("perf_bench", lambda: False) == "7"
    assert entry["pg_num"] == 4096
    assert len(slept) == (4096 - 1024) // 128


def test_a_pool_that_grows_for_long_is_told_at_once(
    pools: MgrPools, world: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The round would hold its flags for that time."""
    bench_pool(world, 7, **groups(1024, 16384))
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waited"))
    with pytest.raises(NotNow, match="1024 of 16384 placement groups: try again in about 20 min"):
        pools.ensure("perf_bench", lambda: False)


@pytest.mark.parametrize(
    ("entry", "seconds"),
    [
        (groups(64, 64), 0.0),
        ({"pg_num": 64}, 0.0),  # no target is told
        (groups(32, 64), 20.0),
        ({**groups(64, 64), "pg_placement_num": 32}, 20.0),
        (groups(1024, 4096), 250.0),
        (groups(64, 32), 20.0),  # it is merged
    ],
)
def test_how_long_a_pool_grows(entry: dict[str, int], seconds: float, pacific: MgrWorld) -> None:
    from perf_bench.ceph.pools import growth_seconds

    assert growth_seconds(entry) == seconds


@pytest.fixture
def late(world: MgrWorld) -> MgrWorld:
    """The monitors have carried out only the first of the commands that make the pool."""
    world.acting = {(7, group): [0, 1] for group in range(8)}
    bench_pool(world, 7, **groups(8, 8), application_metadata={})
    world.data["pg_summary"] = {"by_pool": {"7": {"active+clean": 8}}}
    return world


def orders(world: MgrWorld) -> list[str]:
    """The commands that the monitors were given."""
    return [one["prefix"] for one in world.mon_asked]


def test_a_round_completes_a_pool_that_was_made_half(pools: MgrPools, late: MgrWorld) -> None:
    assert pools.ensure("perf_bench", lambda: False) == "7"
    assert orders(late) == ["osd pool set", "osd pool application enable"]


@pytest.mark.parametrize(("application", "objects"), [({}, 1), ({"rbd": {}}, 0), ({"rbd": {}}, 1)])
def test_a_pool_of_others_is_left_alone(
    application: dict[str, Any],
    objects: int,
    pools: MgrPools,
    late: MgrWorld,
) -> None:
    bench_pool(late, 7, **groups(8, 8), application_metadata=application)
    late.data["df"]["pools"] = [{"id": 7, "stats": {"objects": objects}}]
    with pytest.raises(NotNow, match="is not the bench's"):
        pools.ensure("perf_bench", lambda: False)
    assert orders(late) == []


@pytest.mark.parametrize(("kind", "stripe"), [(1, 0), (3, 32768)])
def test_only_erasure_coded_pools_pad_objects_to_stripes(
    pools: MgrPools, world: MgrWorld, kind: int, stripe: int
) -> None:
    bench_pool(world, 7, type=kind, stripe_width=32768)
    found = pools.look("perf_bench")
    assert found is not None
    assert found.stripe_bytes == stripe
