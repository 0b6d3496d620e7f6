"""Rounds of clients: real `rados bench` beside the mgr, and nothing left of them."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import time
from collections.abc import Iterator
from typing import Any

import pytest

from cluster.api import DevCluster
from scenarios.clients import clients_of, remove_pool
from scenarios.operator import FAILOVER_SECONDS, Operator

pytestmark = pytest.mark.cluster
POOL = "perf_bench"
SHORT = ("--clients", "2", "--threads", "4", "--size", "64K")


def objects(operator: Operator, *where: str) -> set[str]:
    """What stands in the pool: names with their namespaces."""
    return set(operator.cluster.rados("-p", POOL, *where, "ls").splitlines())


def of_rounds(operator: Operator) -> set[str]:
    return {line for line in objects(operator, "--all") if line.startswith("round-")}


def curve_of(operator: Operator, number: int) -> list[Any]:
    """The points that a search has so far."""
    found = operator.asks("round", "show", str(number))["saturation"]["curve"]
    assert isinstance(found, list)
    return found


def ended(operator: Operator, *words: str) -> Any:
    """A round from its start to its end."""
    return operator.sees_the_end_of(operator.starts(*words))


def would_start(operator: Operator, *words: str) -> bool:
    """Whether nothing is against it now; a pool that was just made has groups that peer."""
    planned = operator.asks("round", "start", "rados-write", *words, "--dry-run")
    return bool(planned["admission"]["allowed"])


@contextlib.contextmanager
def made(cluster: DevCluster, pool: str, *words: str) -> Iterator[None]:
    """A pool of eight groups for clients; 20 would split them in the middle of a round."""
    cluster.ceph("osd", "pool", "create", pool, "8", *words)
    cluster.ceph("osd", "pool", "set", pool, "pg_autoscale_mode", "off")
    cluster.ceph("osd", "pool", "application", "enable", pool, "perf_bench")
    try:
        yield
    finally:
        remove_pool(cluster, pool)


def runs(operator: Operator, phase: str) -> Any:
    """Wait until the round does that."""

    def now() -> Any:
        active = operator.asks("status")["active_round"]
        return (
            active if active and active["phase"] == phase and clients_of(operator.cluster) else None
        )

    return operator.sees(f"the phase {phase}", now)


def test_clients_write_together_and_leave_nothing(operator: Operator) -> None:
    words = ("rados-write", *SHORT, "--seconds", "4", "--repeats", "2")
    shown = ended(operator, *words)
    for _ in range(4):  # a busy machine may hold up one of the clients
        if shown["verdict"] not in {"valid", "noisy"} or not _is_together(shown):
            shown = ended(operator, *words)
    assert shown["kind"] == "rados"
    assert shown["state"] == "done", shown["reasons"]
    assert shown["verdict"] in {"valid", "noisy"}, shown["reasons"]
    assert [(c["repeat"], c["client"]) for c in shown["clients"]] == [
        (1, 0), (1, 1), (2, 0), (2, 1)
    ]  # fmt: skip
    found = shown["summary"]
    assert _is_together(shown), shown
    assert 0 < found["p50_latency"] <= found["p99_latency"] <= found["max_latency"]
    pool = operator.cluster.ceph_json("osd", "pool", "application", "get", POOL)
    assert list(pool) == ["perf_bench"]
    assert shown["environment"]["messenger"]["ms_client_mode"]
    assert not of_rounds(operator)
    assert not clients_of(operator.cluster)


def _is_together(shown: Any) -> bool:
    """Whether they do together what the two did, each for nearly all of that time."""
    found, summed = shown["summary"], sum(c["bytes_per_second"] for c in shown["clients"]) / 2
    same = found["median_bytes_per_second"] == pytest.approx(summed, rel=0.1)
    return bool(3 < found["seconds"] <= 4.5 and same)


@pytest.mark.long
def test_objects_of_others_stay(operator: Operator) -> None:
    bench = ("-p", POOL, "bench", "1", "write", "-b", "4096", "--no-cleanup")
    operator.cluster.rados(*bench, "--run-name", "keepme")
    kept = objects(operator)
    assert len(kept) > 10
    number = operator.starts("rados-write", *SHORT, "--seconds", "2", "--repeats", "1")
    assert operator.sees_the_end_of(number)["state"] == "done"
    assert objects(operator) == kept
    operator.cluster.rados("-p", POOL, "cleanup", "--run-name", "keepme")


@pytest.mark.long
def test_reads_fill_first(operator: Operator) -> None:
    shown = operator.measures("rados-rand", *SHORT, "--seconds", "3", "--repeats", "1")
    number = shown["id"]
    assert shown["state"] == "done", shown["reasons"]
    assert shown["summary"]["median_iops"] > 0
    text = operator.answered("round", "show", str(number))
    assert "2 clients x 4 threads" in text.out
    exported = operator.answered("round", "export", str(number), "--as", "csv")
    rows = list(csv.DictReader(io.StringIO(exported.out)))
    assert {row["client"] for row in rows} <= {"0", "1"}
    assert not of_rounds(operator)


def test_an_abort_ends_every_client_within_two_seconds(operator: Operator) -> None:
    took = []
    for _ in range(5):  # a busy machine may hold up what ends them, or us who look
        number = operator.starts("rados-write", *SHORT, "--seconds", "60", "--repeats", "1")
        runs(operator, "write")
        operator.sees("its objects", lambda: of_rounds(operator))
        operator.carries_out("round", "abort", str(number), done=errno.EINVAL)
        began = time.monotonic()
        while clients_of(operator.cluster):
            assert time.monotonic() < began + 60.0
            time.sleep(0.05)
        took.append(time.monotonic() - began)
        shown = operator.sees_the_end_of(number)
        assert (shown["state"], shown["verdict"]) == ("aborted", "aborted")
        assert not of_rounds(operator)
        if took[-1] <= 2.0:
            return
    pytest.fail(f"clients ended {took} s after the abort")


def test_a_search_finds_the_knee(operator: Operator) -> None:
    profile = "rados-saturate"
    bounds = ("--clients", "2", "--threads", "4", "--size", "64K", "--seconds", "2")
    planned = operator.asks("round", "start", profile, *bounds, "--dry-run")
    assert planned["load"]["saturates"]
    number = operator.starts(profile, *bounds)
    operator.sees("a first point", lambda: curve_of(operator, number))
    shown = operator.sees_the_end_of(number)
    if shown["state"] != "done":  # as with a client that a busy machine held up
        shown = operator.measures(profile, *bounds)
        number = shown["id"]
    assert shown["state"] == "done", shown["reasons"]
    found = shown["saturation"]
    assert 4 <= len(found["runs"]) <= found["most_runs"] == planned["repeats"]
    assert {run["clients"] for run in found["runs"]} <= {1, 2}
    rates = [point["bytes_per_second"] for point in found["curve"]]
    assert found["peak"]["bytes_per_second"] == max(rates)
    assert found["knee"]["bytes_per_second"] >= 0.95 * max(rates)
    assert found["recommended"]["mean_latency"] <= found["peak"]["mean_latency"]
    text = operator.answered("round", "show", str(number)).out
    assert "recommended" in text
    assert "IN FLIGHT" in text
    assert not of_rounds(operator)


@pytest.mark.long
def test_clients_die_with_their_mgr_and_the_next_one_cleans_up(operator: Operator) -> None:
    number = operator.starts("rados-write", *SHORT, "--seconds", "20", "--repeats", "1")
    runs(operator, "write")
    operator.sees("objects", lambda: len(of_rounds(operator)) > 100)
    operator.cluster.fault("kill-mgr", "active")
    operator.sees("no client", lambda: not clients_of(operator.cluster), 5.0)
    assert of_rounds(operator)  # nobody was left to remove them
    shown = operator.sees_the_end_of(number, FAILOVER_SECONDS + 60)
    assert (shown["state"], shown["resumed"]) == ("done", 1), shown["reasons"]
    assert not of_rounds(operator)


@pytest.fixture
def coded(cluster: DevCluster) -> Iterator[None]:
    """An erasure-coded pool."""
    profile = ("k=2", "m=1", "crush-failure-domain=osd")
    cluster.ceph("osd", "erasure-code-profile", "set", "bench-ec", *profile)
    with made(cluster, "coded", "8", "erasure", "bench-ec"):
        cluster.ceph("osd", "pool", "set", "coded", "compression_mode", "none")
        yield
    cluster.ceph("osd", "erasure-code-profile", "rm", "bench-ec")


@pytest.mark.long
@pytest.mark.usefixtures("coded")
def test_an_erasure_coded_pool_is_measured_and_recorded(operator: Operator) -> None:
    cluster = operator.cluster
    words = (*SHORT, "--seconds", "3", "--repeats", "2", "--pool", "coded")
    operator.sees("its groups active", lambda: would_start(operator, *words))
    found = [ended(operator, name, *words) for name in ("rados-write", "rados-rand")]
    for shown in found:
        assert shown["state"] == "done", shown["reasons"]
        pool = shown["environment"]["pool"]
        assert (pool["kind"], pool["copies"], pool["pg_num"]) == ("erasure", 1.5, 8)
        assert pool["compression"] == "none"
        options = shown["environment"]["options"]
        assert {"osd_op_num_shards_hdd", "osd_op_num_threads_per_shard_hdd"} <= options.keys()
        assert shown["environment"]["messenger"]["ms_cluster_mode"]
    replicated = ended(operator, "rados-rand", *words[:-2])
    told = operator.asks("round", "compare", str(found[1]["id"]), str(replicated["id"]))
    assert told["verdict"] == "not-comparable"
    assert "kinds of pool differ: erasure and replicated" in told["why"]
    assert not cluster.rados("-p", "coded", "--all", "ls")
