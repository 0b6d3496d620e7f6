"""Rounds on workers in trouble: pools without room or gone, a mgr that is killed."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence

import pytest

from cluster.api import DevCluster
from scenarios.clients import clients_of
from scenarios.operator import Operator
from scenarios.workers import (
    KEY_STAYS,
    POOL,
    SMALL,
    WorkerHost,
    all_clients,
    keyring,
    left,
    seconds_until_none,
    states_of,
    working,
    works_again,
)

pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.leaves(KEY_STAYS)]


@pytest.fixture
def workers(operator: Operator) -> Iterator[Sequence[WorkerHost]]:
    """Two of them, ready."""
    with working(*(WorkerHost(operator.cluster, name) for name in ("a", "b"))) as both:
        operator.sees("both", lambda: {"ready"} == set(states_of(operator, "a", "b")))
        yield both


# one that is deleted is made anew as docs/workers.md has it, not as a round makes it
@pytest.mark.leaves(f"pool {POOL}: *")
@pytest.mark.parametrize("done", ["deleted", "renamed"])
def test_a_pool_that_is_taken_away_ends_the_round(
    operator: Operator, workers: Sequence[WorkerHost], done: str
) -> None:
    cluster = operator.cluster
    number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "60")
    operator.sees("clients", lambda: all(worker.clients() for worker in workers))
    if done == "deleted":
        cluster.ceph("osd", "pool", "rm", POOL, POOL, "--yes-i-really-really-mean-it")
    else:
        cluster.ceph("osd", "pool", "rename", POOL, "renamed")
    shown = operator.sees_the_end_of(number)
    assert (shown["state"], shown["verdict"]) == ("failed", "failed")
    (reason,) = shown["reasons"]
    assert "the pool perf_bench has gone" in reason, reason
    assert not all_clients(workers)
    if done == "deleted":
        keyring(cluster)
    else:
        cluster.ceph("osd", "pool", "rename", "renamed", POOL)
    assert left(operator) == []
    operator.sees("both again", lambda: {"ready"} == set(states_of(operator, "a", "b")))
    assert all(worker.runs for worker in workers)
    works_again(operator, "a,b")


@pytest.mark.usefixtures("workers")
def test_osds_that_get_full_end_the_round_and_take_the_clean_up(operator: Operator) -> None:
    cluster = operator.cluster
    before = _checks(cluster)
    number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "60")
    operator.sees("objects", lambda: len(left(operator)) > 100)
    with _full_osds(operator):
        operator.sees("a full pool", lambda: POOL in _full_pools(cluster))
        began = time.monotonic()
        operator.sees("no client", lambda: not clients_of(cluster), 8.0)
        print(f"no client {time.monotonic() - began:.1f} s after the pool was full")
        # The mgr's database waits for room, and nothing is cleared after it.
        operator.sees("nothing left", lambda: not left(operator), 30.0)
        print(f"nothing left {time.monotonic() - began:.1f} s after")
    shown = operator.sees_the_end_of(number)
    assert (shown["state"], shown["verdict"]) == ("failed", "failed")
    assert "the pool perf_bench is full" in shown["reasons"][0], shown["reasons"]
    operator.sees("the health of before", lambda: _checks(cluster) == before)
    works_again(operator, "a,b")


@contextlib.contextmanager
def _full_osds(operator: Operator) -> Iterator[None]:
    """All OSDs are full by ratios that they are far beyond."""
    cluster = operator.cluster
    names = ("nearfull", "backfillfull", "full")
    dump = cluster.ceph_json("osd", "dump")
    try:
        for number, name in enumerate(names, 1):
            cluster.ceph("osd", f"set-{name}-ratio", str(number / 10000))
        yield
    finally:
        for name in reversed(names):
            cluster.ceph("osd", f"set-{name}-ratio", f"{dump[f'{name}_ratio']:.2f}")


def _checks(cluster: DevCluster) -> set[str]:
    return set(cluster.ceph_json("health")["checks"])


def _full_pools(cluster: DevCluster) -> list[str]:
    pools = cluster.ceph_json("osd", "dump")["pools"]
    return [pool["pool_name"] for pool in pools if "full" in pool["flags_names"].split(",")]


def test_a_mgr_that_is_killed_leaves_no_load_after_the_lease(
    operator: Operator, workers: Sequence[WorkerHost]
) -> None:
    cluster = operator.cluster
    number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "30")
    operator.sees("clients", lambda: all(worker.clients() for worker in workers))
    cluster.fault("kill-mgr", "active")
    took = seconds_until_none(workers, 12.0)
    print(f"clients were gone {took:.1f} s after the mgr")
    # The standby carries the round on, on the same workers.
    shown = operator.sees_the_end_of(number, 240.0)
    assert (shown["state"], shown["resumed"]) == ("done", 1), shown["reasons"]
    assert left(operator) == []
