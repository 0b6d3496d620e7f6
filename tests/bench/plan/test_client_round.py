"""Rounds of clients: what is asked for, what is planned, and what is refused in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fakes.cluster import FakeCluster
from fakes.loads import FakePools, a_pool
from nouns import some_osds
from perf_bench.bench.plan.clients import prepare_load
from perf_bench.bench.plan.osds import Draft
from perf_bench.errors import InvalidValue, NotFound, NotNow
from perf_bench.model.plan import KIB, MIB, Request
from perf_bench.model.rados import LoadPlan, Pool

GIB = 1 << 30
ASKED = Request("rados-write", clients=2, threads=8, seconds=10, repeats=2)
RBD = a_pool("rbd", applications=("rbd",), objects=5)
USED = a_pool("used", applications=(), objects=7)


def prepared(request: Request, *pools: Pool) -> Draft:
    cluster = FakeCluster(some_osds(6))
    return prepare_load(request, cluster, FakePools(*pools), list)


def load_of(request: Request, *pools: Pool) -> LoadPlan:
    load = prepared(request, *pools).plan.load
    assert load is not None
    return load


def test_who_asks_for_nothing_gets_four_clients_of_16_threads() -> None:
    load = load_of(Request("rados-write"), a_pool())
    assert (load.clients, load.threads, load.seconds) == (4, 16, 30)


def test_a_plan_has_what_was_asked_for() -> None:
    found = prepared(ASKED, a_pool())
    assert found.plan.load == LoadPlan(
        pool="perf_bench",
        operation="write",
        seconds=10,
        clients=2,
        threads=8,
        size=4 * MIB,
        # a fifth of the TiB that the pool has left, by two clients
        max_objects=(1 << 40) // 5 // (2 * 4 * MIB),
        bytes_per_repeat=(1 << 40) // 5,
    )
    assert found.plan.osds == (0, 1, 2, 3, 4, 5)
    assert found.plan.samples == found.plan.repeats == 2
    assert found.plan.seconds == 2 * 15


def test_erasure_coded_pools_wear_less_for_as_many_bytes() -> None:
    small = a_pool(kind="erasure", copies=1.5, available_bytes=GIB)
    found = prepared(ASKED, small).plan
    assert found.bytes_per_osd == 2 * int(GIB // 5 * 1.5 / 6)


def test_the_pool_of_our_own_is_made_when_it_is_missing() -> None:
    found = prepared(ASKED)
    assert "the pool perf_bench will be made first" in found.plan.notes
    assert found.plan.osds == (0, 1, 2, 3, 4, 5)
    # 6 TiB are free for its three copies, and a run may use a fifth
    assert found.plan.load is not None
    assert found.plan.load.bytes_per_repeat == (2 << 40) // 5


def test_reads_say_that_they_write_first() -> None:
    found = prepared(replace(ASKED, profile="rados-seq"), a_pool())
    assert "each client first writes for 10 s the objects that it reads" in found.plan.notes


def test_bad_requests() -> None:
    cases: list[Any] = [
        ({"size": "0"}, InvalidValue, "'0' is not a size"),
        ({"size": "4097"}, InvalidValue, "a size of 4097 bytes is not a multiple of 512"),
        ({"size": "512"}, InvalidValue, "under the smallest of 4096"),
        ({"size": "128M"}, InvalidValue, "objects of 134217728 bytes are over the 94371840 bytes"),
        ({"clients": 0}, InvalidValue, "--clients 0 is not within 1 to 64"),
        ({"clients": 65}, InvalidValue, "--clients 65 is not within 1 to 64"),
        ({"threads": 0}, InvalidValue, "--threads 0 is not within 1 to 256"),
        ({"threads": 257}, InvalidValue, "--threads 257 is not within 1 to 256"),
        ({"seconds": 1}, InvalidValue, "--seconds 1 is not within 2 to 3600"),
        ({"seconds": -5}, InvalidValue, "--seconds -5 is not within 2 to 3600"),
        (
            {"clients": 64, "threads": 256},
            InvalidValue,
            (
                "64 clients x 256 threads x 4194304 bytes would hold 65536 MiB in memory, but at "
                "most 4096 are allowed"
            ),
        ),
        ({"repeats": 0}, InvalidValue, "--repeats 0 is not within 1 to 100"),
        ({"label": "a\nb"}, InvalidValue, "a label is one line"),
        ({"osds": "0"}, InvalidValue, "--osds does not apply to rounds of rados-"),
        ({"pool": "nix"}, NotFound, "there is no pool nix: see 'ceph osd pool ls'"),
        (
            {"pool": ""},
            InvalidValue,
            "--pool '' names no pool: leave it out for the bench pool",
        ),
        (
            {"pool": "rbd"},
            InvalidValue,
            "the pool rbd belongs to rbd: add --foreign-pool to load it anyway",
        ),
        (
            {"pool": "used"},
            InvalidValue,
            "the pool used holds 7 objects that are not the bench's: add --foreign-pool to load it",
        ),
        ({"pool": "full"}, NotNow, "the pool full is full or at its quota: see 'ceph df'"),
        ({"pool": "tight"}, NotNow, "there is too little free space: a run may use a fifth of it"),
        ({"pool": "lost"}, NotNow, "no OSD holds that pool now"),
    ]
    for changes, error, sentence in cases:
        pools = (
            a_pool(),
            RBD,
            USED,
            a_pool("full", flags=("hashpspool", "full_quota")),
            a_pool("tight", quota_bytes=MIB),
            a_pool("lost", osds=()),
        )
        with pytest.raises(error) as caught:
            prepared(replace(ASKED, **changes), *pools)
        assert sentence in str(caught.value)
        assert "\n" not in str(caught.value)


SEARCH = Request("rados-saturate")


def test_a_search_has_bounds_and_runs_instead_of_repeats() -> None:
    found = prepared(SEARCH, a_pool())
    load = found.plan.load
    assert load is not None
    assert (load.clients, load.threads, load.seconds, load.saturates) == (16, 64, 20, True)
    assert found.plan.repeats == found.plan.samples == 11
    assert found.plan.seconds == 11 * 25
    assert found.plan.notes == ("at most 11 runs",)
    # each run is removed before the next: all are worn, one is kept at a time
    assert found.plan.bytes_per_osd == 11 * 2000 * MIB


def test_bad_searches() -> None:
    cases: list[Any] = [
        (
            {"clients": 12},
            "--clients 12 is not a power of two, as a search needs: give 8 or 16",
        ),
        ({"threads": 3}, "--threads 3 is not a power of two, as a search needs: give 2 or 4"),
        ({"threads": 1000}, "--threads 1000 is not within 1 to 256"),
        ({"clients": 0}, "--clients 0 is not within 1 to 64"),
        ({"clients": -4}, "--clients -4 is not within 1 to 64"),
        ({"threads": 512}, "--threads 512 is not within 1 to 256"),
        ({"clients": 64}, "64 clients x 64 threads x 4194304 bytes would hold 16384 MiB"),
        ({"repeats": 3}, "--repeats does not apply to rounds of rados-saturate"),
        ({"max_repeats": 3}, "--max-repeats does not apply to rounds of rados-saturate"),
        ({"size": "0"}, "'0' is not a size"),
        ({"osds": "all"}, "--osds does not apply to rounds of rados-saturate"),
    ]
    for changes, sentence in cases:
        with pytest.raises(InvalidValue) as caught:
            prepared(replace(SEARCH, **changes), a_pool())
        assert sentence in str(caught.value)
        assert "\n" not in str(caught.value)


def test_small_operations_may_be_many() -> None:
    request = replace(ASKED, clients=64, threads=256, size="4K")
    assert load_of(request, a_pool()).size == 4 * KIB
