"""Rounds of clients on workers: started together, stopped at once, lost ones told."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.api import DevCluster
from cluster.daemons import environment
from cluster.errors import ClusterError
from cluster.namespaces import REPO, inside
from scenarios.clients import clients_of
from scenarios.operator import Operator
from scenarios.sandbox import SERVICES
from scenarios.workers import (
    NAME,
    POOL,
    WorkerHost,
    WorkerService,
    all_clients,
    keyring,
    seconds_until_none,
    working,
)

pytestmark = pytest.mark.cluster
# What the orchestrator does first with a specification that it is given.
READ = """
import json, sys, yaml
from ceph.deployment.service_spec import ServiceSpec
with open(sys.argv[1]) as file:
    read = ServiceSpec.from_json(yaml.safe_load(file))
read.validate()
print(json.dumps(read.to_json()))
"""
SMALL = ("--threads", "4", "--size", "64K", "--repeats", "1", "--workers")


def states(operator: Operator) -> dict[str, str]:
    return {one["id"]: one["state"] for one in operator.asks("worker", "ls")}


def left(operator: Operator) -> list[str]:
    """Objects in the pool but for those by which workers and the mgr meet."""
    found = operator.cluster.rados("-p", POOL, "--all", "ls").splitlines()
    return [line for line in found if not line.startswith("workers\t")]


def test_two_workers_share_a_round_and_one_that_dies_is_told(operator: Operator) -> None:
    cluster = operator.cluster
    with working(WorkerHost(cluster, "a"), WorkerHost(cluster, "b")) as (first, second):
        operator.sees("both", lambda: states(operator) == {"a": "ready", "b": "ready"})
        assert all(abs(one["clock_offset"]) < 0.1 for one in operator.asks("worker", "ls"))

        number = operator.starts("rados-write", *SMALL, "all", "--clients", "4", "--seconds", "4")
        shown = operator.sees_the_end_of(number)
        assert shown["state"] == "done", shown["reasons"]
        assert [client["worker"] for client in shown["clients"]] == ["a", "b", "a", "b"]
        assert [part["host"] for part in shown["workers"]] == ["host-a", "host-b"]
        assert all(part["late_seconds"] < 1 for part in shown["workers"])
        assert shown["summary"]["seconds"] > 2
        assert left(operator) == []

        _aborted_within_two_seconds(operator, [first, second])

        number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "40")
        operator.sees("clients", lambda: first.clients() and second.clients())
        second.kill()
        shown = operator.sees_the_end_of(number)
        assert (shown["state"], shown["verdict"]) == ("failed", "failed")
        assert "worker b on host-b was lost" in shown["reasons"][0], shown["reasons"]
        assert not all_clients([first])
        assert left(operator) == []
        operator.sees("who is lost", lambda: states(operator) == {"a": "ready", "b": "lost"})
        said = operator.refused("round", "start", "rados-write", "--workers", "b")
        assert "worker b is lost: it does not answer" in said.err
        first.stop()
        operator.sees("who is left", lambda: states(operator) == {"b": "lost"})


def _aborted_within_two_seconds(operator: Operator, workers: list[WorkerHost]) -> None:
    number = operator.starts("rados-write", *SMALL, "all", "--seconds", "60")
    operator.sees("clients", lambda: all(worker.clients() for worker in workers))
    operator.asks("round", "abort", str(number))
    seconds_until_none(workers, 2.0)
    shown = operator.sees_the_end_of(number)
    assert (shown["state"], shown["verdict"]) == ("aborted", "aborted")
    assert left(operator) == []


def test_the_key_opens_one_pool_alone(operator: Operator) -> None:
    cluster = operator.cluster
    who = ("-n", NAME, "-k", str(keyring(cluster)))
    if "elsewhere" not in cluster.ceph_json("osd", "pool", "ls"):
        cluster.ceph("osd", "pool", "create", "elsewhere", "8")
    cluster.rados(*who, "-p", POOL, "-N", "workers", "put", "try", "/etc/hostname")
    cluster.rados(*who, "-p", POOL, "-N", "workers", "rm", "try")
    for words in (("put", "x", "/etc/hostname"), ("ls",), ("get", "x", "-")):
        with pytest.raises(ClusterError, match="not permitted"):
            cluster.rados(*who, "-p", "elsewhere", *words)
    with pytest.raises(ClusterError, match=r"EACCES|access denied|denied"):
        cluster.ceph(*who, "perf-bench", "status")
    with pytest.raises(ClusterError, match=r"EACCES|access denied|denied"):
        cluster.ceph(*who, "osd", "pool", "create", "mine", "8")


@pytest.mark.long
def test_a_quota_that_is_reached_is_what_the_round_says(operator: Operator) -> None:
    cluster = operator.cluster
    with working(WorkerHost(cluster, "a"), WorkerHost(cluster, "b")) as workers:
        operator.sees("both", lambda: {"ready"} == set(_of(operator, "a", "b")))
        number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "60")
        operator.sees("clients", lambda: all(worker.clients() for worker in workers))
        with _quota(operator, 100000):
            shown = operator.sees_the_end_of(number)
            assert (shown["state"], shown["verdict"]) == ("failed", "failed")
            assert "the pool perf_bench has reached its quota" in shown["reasons"][0], shown
            assert not all_clients(workers)
            assert left(operator) == []
        _works_again(operator, "a,b")


@contextlib.contextmanager
def _quota(operator: Operator, most: int) -> Iterator[None]:
    quota = ("osd", "pool", "set-quota", POOL, "max_bytes")
    operator.cluster.ceph(*quota, str(most))
    try:
        yield
    finally:
        operator.cluster.ceph(*quota, "0")


def _works_again(operator: Operator, workers: str) -> None:
    """A pool's flag goes with the next statistics."""
    words = ("rados-write", *SMALL, workers, "--seconds", "2")
    operator.sees("a start", lambda: operator.types("round", "start", *words).code == 0)
    number = operator.asks("round", "ls", "--limit", "1")[0]["id"]
    shown = operator.sees_the_end_of(number)
    assert shown["state"] == "done", shown["reasons"]


@pytest.mark.long
def test_a_key_that_may_not_write_is_what_the_round_says(operator: Operator) -> None:
    cluster = operator.cluster
    caps = ("auth", "caps", NAME, "mon", "allow r", "osd")
    with working(WorkerHost(cluster, "a"), WorkerHost(cluster, "b")) as workers:
        operator.sees("both", lambda: {"ready"} == set(_of(operator, "a", "b")))
        cluster.ceph(*caps, f"allow rw pool={POOL} namespace=workers")
        try:
            number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "5")
            shown = operator.sees_the_end_of(number)
        finally:
            cluster.ceph(*caps, f"allow rw pool={POOL}")
        assert (shown["state"], shown["verdict"]) == ("failed", "failed")
        (reason,) = shown["reasons"]
        assert "worker" in reason, reason
        assert "not permitted" in reason, reason
        assert not all_clients(workers)
        assert left(operator) == []
        _works_again(operator, "a,b")


@pytest.mark.long
@pytest.mark.parametrize("done", ["deleted", "renamed"])
def test_a_pool_that_is_taken_away_ends_the_round(operator: Operator, done: str) -> None:
    cluster = operator.cluster
    with working(WorkerHost(cluster, "a"), WorkerHost(cluster, "b")) as workers:
        operator.sees("both", lambda: {"ready"} == set(_of(operator, "a", "b")))
        number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "60")
        operator.sees("clients", lambda: all(worker.clients() for worker in workers))
        if done == "deleted":
            cluster.ceph("osd", "pool", "rm", POOL, POOL, "--yes-i-really-really-mean-it")
        else:
            cluster.ceph("osd", "pool", "rename", POOL, "elsewhere")
        shown = operator.sees_the_end_of(number)
        assert (shown["state"], shown["verdict"]) == ("failed", "failed")
        (reason,) = shown["reasons"]
        assert "the pool perf_bench has gone" in reason or "worker" in reason, reason
        assert not all_clients(workers)
        if done == "deleted":
            keyring(cluster)
        else:
            cluster.ceph("osd", "pool", "rename", "elsewhere", POOL)
        assert left(operator) == []
        operator.sees("both again", lambda: {"ready"} == set(_of(operator, "a", "b")))
        assert all(worker.runs for worker in workers)
        _works_again(operator, "a,b")


def test_the_specification_is_one_that_ceph_reads(cluster: DevCluster) -> None:
    file = SERVICES / "ceph-perf-bench-worker.yaml"
    command = inside(cluster.spec, ["/usr/bin/python3", "-c", READ, str(file)], shown=[str(REPO)])
    done = subprocess.run(
        command, env=environment(cluster.spec), check=True, capture_output=True, text=True
    )
    read = json.loads(done.stdout)
    assert read["service_name"] == "container.perf-bench-worker"
    assert read["extra_entrypoint_args"] == ["-m", "perf_bench.tool", "worker"]
    assert read["spec"]["entrypoint"] == "/usr/bin/python3"


@pytest.mark.long
def test_the_unit_runs_behind_its_own_restrictions(operator: Operator) -> None:
    cluster = operator.cluster
    with working(WorkerService(cluster, "host-u")) as (worker,):
        operator.sees("it", lambda: _of(operator, "host-u") == ["ready"])
        number = operator.starts("rados-write", *SMALL, "host-u", "--seconds", "4")
        operator.sees("clients", lambda: len(worker.clients()) == 4)
        users = {Path(f"/proc/{pid}").stat().st_uid for pid in worker.clients()}
        assert 0 not in users
        assert len(users) == 1
        shown = operator.sees_the_end_of(number)
        assert shown["state"] == "done", shown["reasons"]
        worker.stop()
        assert "host-u" not in states(operator)


@pytest.mark.long
def test_a_mgr_that_is_killed_leaves_no_load_after_the_lease(operator: Operator) -> None:
    cluster = operator.cluster
    with working(WorkerHost(cluster, "a"), WorkerHost(cluster, "b")) as workers:
        operator.sees("both", lambda: {"ready"} == set(_of(operator, "a", "b")))
        number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "30")
        operator.sees("clients", lambda: all(worker.clients() for worker in workers))
        cluster.fault("kill-mgr", "active")
        took = seconds_until_none(workers, 12.0)
        print(f"clients were gone {took:.1f} s after the mgr")
        # The standby carries the round on, on the same workers.
        shown = operator.sees_the_end_of(number, 240.0)
        assert (shown["state"], shown["resumed"]) == ("done", 1), shown["reasons"]
        assert left(operator) == []


def _of(operator: Operator, *names: str) -> list[Any]:
    found = states(operator)
    return [found.get(name) for name in names]


@pytest.mark.long
@pytest.mark.parametrize("words", [("--workers", "a,b"), ()], ids=["workers", "beside the mgr"])
def test_osds_that_get_full_end_the_round_and_take_the_clean_up(
    operator: Operator, words: tuple[str, ...]
) -> None:
    cluster = operator.cluster
    with working(WorkerHost(cluster, "a"), WorkerHost(cluster, "b")):
        operator.sees("both", lambda: {"ready"} == set(_of(operator, "a", "b")))
        number = operator.starts("rados-write", *SMALL[:-1], *words, "--seconds", "60")
        operator.sees("objects", lambda: len(left(operator)) > 100)
        with _full_osds(operator):
            operator.sees("a full pool", lambda: POOL in _full_pools(cluster))
            began = time.monotonic()
            operator.sees("no client", lambda: not clients_of(cluster), 8.0)
            print(f"no client {time.monotonic() - began:.1f} s after the pool was full")
            # The mgr's database waits for room, and nothing is cleared after it.
            operator.sees("nothing left", lambda: not left(operator), 20.0)
            print(f"nothing left {time.monotonic() - began:.1f} s after")
        shown = operator.sees_the_end_of(number)
        assert (shown["state"], shown["verdict"]) == ("failed", "failed")
        assert "the pool perf_bench is full" in shown["reasons"][0], shown["reasons"]
        operator.sees("a healthy cluster", lambda: cluster.ceph("health").strip() == "HEALTH_OK")
        _works_again(operator, "a,b")


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


def _full_pools(cluster: DevCluster) -> list[str]:
    pools = cluster.ceph_json("osd", "dump")["pools"]
    return [pool["pool_name"] for pool in pools if "full" in pool["flags_names"].split(",")]
