"""What all clients of a run together may leave in a pool: its object quota, and padded objects."""

from __future__ import annotations

import pytest

from fakes.cluster import FakeCluster
from fakes.loads import FakePools, a_pool
from nouns import some_osds
from perf_bench.bench.plan.clients import prepare_load
from perf_bench.errors import NotNow
from perf_bench.model.plan import KIB, MIB, Request
from perf_bench.model.rados import LoadPlan, Pool

GIB = 1 << 30
STRIPE = 32 * KIB
# Eight chunks of 4 KiB data and three of code.
WIDE = a_pool(kind="erasure", copies=1.375, size=11, available_bytes=10 * GIB, stripe_bytes=STRIPE)
OVERWRITTEN = a_pool(
    kind="erasure",
    copies=1.375,
    size=11,
    available_bytes=10 * GIB,
    stripe_bytes=STRIPE,
    flags=("hashpspool", "ec_overwrites"),
)


def load_of(request: Request, pool: Pool) -> LoadPlan:
    cluster = FakeCluster(some_osds(6))
    load = prepare_load(request, cluster, FakePools(pool), list).plan.load
    assert load is not None
    return load


@pytest.mark.parametrize("clients", [1, 4, 16, 64])
@pytest.mark.parametrize("profile", ["rados-write", "rados-saturate"])
def test_all_clients_together_keep_to_a_fifth_of_the_object_quota(
    profile: str, clients: int
) -> None:
    """A quota that is reached blocks the writes of everybody who uses the pool."""
    pool = a_pool(quota_objects=10_000, objects=0)
    load = load_of(Request(profile, clients=clients, threads=4), pool)
    order = load.order("round-x")
    assert 0 < order.max_objects * order.clients <= 10_000 // 5


def test_an_object_quota_without_room_for_every_client_is_refused() -> None:
    with pytest.raises(NotNow, match="too little free space"):
        load_of(Request("rados-write", clients=16), a_pool(quota_objects=70, objects=0))


def test_without_overwrites_an_operation_is_a_whole_stripe_as_rados_bench_makes_it() -> None:
    """It prints "op_size has been rounded"; operations a second are counted by the plan's size."""
    assert load_of(Request("rados-write", size="4K"), WIDE).size == STRIPE
    assert load_of(Request("rados-write", size="4M"), WIDE).size == 4 * MIB
    assert load_of(Request("rados-write", size="4K"), OVERWRITTEN).size == 4 * KIB
    assert load_of(Request("rados-write", size="4K"), a_pool()).size == 4 * KIB
