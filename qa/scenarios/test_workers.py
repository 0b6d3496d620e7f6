"""Rounds of clients on workers: started together, stopped at once, lost ones told."""

from __future__ import annotations

import errno
import json
import subprocess
import time
from collections.abc import Sequence
from typing import Any

import pytest

from cluster.api import DevCluster
from cluster.daemons import environment
from cluster.errors import ClusterError
from cluster.namespaces import REPO, inside
from perf_bench.tool.service import FOLDER
from scenarios.clients import remove_pool
from scenarios.operator import Operator
from scenarios.workers import (
    CAPS_OF_ONE,
    KEY_STAYS,
    NAME,
    POOL,
    SMALL,
    WorkerHost,
    keyring,
    left,
    seconds_until_none,
    states,
    states_of,
    without_a_key,
    working,
)

pytestmark = [pytest.mark.cluster, pytest.mark.leaves(KEY_STAYS)]
# What the orchestrator does first with a specification that it is given.
READ = """
import json, sys, yaml
from ceph.deployment.service_spec import ServiceSpec
with open(sys.argv[1]) as file:
    read = ServiceSpec.from_json(yaml.safe_load(file))
read.validate()
print(json.dumps(read.to_json()))
"""


def test_two_workers_share_a_round_and_one_that_dies_is_told(operator: Operator) -> None:
    cluster = operator.cluster
    wrong = WorkerHost(cluster, "b", clock=90.0)
    with working(WorkerHost(cluster, "a"), wrong) as (first, second):
        operator.sees("both", lambda: states(operator) == {"a": "ready", "b": "ready"})
        # Known to half of the time that an answer takes: one of several, on a busy machine.
        operator.sees(
            "their clocks",
            lambda: (
                [one["clock_offset"] for one in operator.asks("worker", "ls")]
                == pytest.approx([0.0, 90.0], abs=0.1)
            ),
        )

        words = ("rados-write", *SMALL, "all", "--clients", "4", "--seconds", "4")
        shown = operator.sees_the_end_of(operator.starts(*words))
        for _ in range(4):  # a busy machine may hold up one of them
            if shown["state"] != "done" or not _are_together(shown):
                shown = operator.sees_the_end_of(operator.starts(*words))
        assert shown["state"] == "done", shown["reasons"]
        assert [client["worker"] for client in shown["clients"]] == ["a", "b", "a", "b"]
        assert [part["host"] for part in shown["workers"]] == ["host-a", "host-b"]
        assert _are_together(shown), shown
        assert left(operator) == []

        _aborted_within_two_seconds(operator, [first, second])

        number = operator.starts("rados-write", *SMALL, "a,b", "--seconds", "60")
        operator.sees("clients", lambda: first.clients() and second.clients())
        second.kill()
        shown = operator.sees_the_end_of(number)
        assert (shown["state"], shown["verdict"]) == ("failed", "failed")
        assert "worker b on host-b was lost" in shown["reasons"][0], shown["reasons"]
        seconds_until_none([first], 60.0)
        operator.sees("nothing left", lambda: left(operator) == [])
        operator.sees("who is lost", lambda: states(operator) == {"a": "ready", "b": "lost"})
        said = operator.refused("round", "start", "rados-write", "--workers", "b")
        assert "worker b is lost: it does not answer" in said.err
        first.stop()
        operator.sees("who is left", lambda: states(operator) == {"b": "lost"})


def _are_together(shown: Any) -> bool:
    """Whether all workers began in time, and were at work at the same time."""
    in_time = all(part["late_seconds"] < 0.05 for part in shown["workers"])
    return bool(in_time and shown["summary"]["seconds"] > 2)


def _aborted_within_two_seconds(operator: Operator, workers: list[WorkerHost]) -> None:
    took = []
    for _ in range(5):  # a busy machine may hold up what ends them, or us who look
        number = operator.starts("rados-write", *SMALL, "all", "--seconds", "60")
        operator.sees("clients", lambda: all(worker.clients() for worker in workers))
        operator.carries_out("round", "abort", str(number), done=errno.EINVAL)
        took.append(seconds_until_none(workers, 60.0))
        shown = operator.sees_the_end_of(number)
        assert (shown["state"], shown["verdict"]) == ("aborted", "aborted")
        assert left(operator) == []
        if took[-1] <= 2.0:
            return
    pytest.fail(f"clients ended {took} s after the abort")


def test_a_key_opens_one_pool_and_asks_as_its_own_worker_alone(operator: Operator) -> None:
    cluster = operator.cluster
    keyring(cluster)
    name, file = f"{NAME}.b", cluster.spec.dir / "worker-b.keyring"
    caps = [word.format("b") for word in CAPS_OF_ONE]
    cluster.ceph("auth", "get-or-create", name, *caps, "-o", str(file))
    who = ("-n", name, "-k", str(file))
    cluster.ceph("osd", "pool", "create", "elsewhere", "8")
    cluster.ceph("osd", "pool", "application", "enable", "elsewhere", "elsewhere")
    cluster.rados(*who, "-p", POOL, "-N", "workers", "put", "try", "/etc/hostname")
    cluster.rados(*who, "-p", POOL, "-N", "workers", "rm", "try")
    for words in (("put", "x", "/etc/hostname"), ("ls",), ("get", "x", "-")):
        with pytest.raises(ClusterError, match="not permitted"):
            cluster.rados(*who, "-p", "elsewhere", *words)
    message = cluster.spec.dir / "message.json"
    message.write_text(
        json.dumps({"host": "h", "version": "0", "instance": "i", "clock": time.time()})
    )
    asks = ("perf-bench", "worker", "next")
    assert "ask_in" in json.loads(cluster.ceph(*who, *asks, "b", "-i", str(message)))
    assert states_of(operator, "b") == ["mismatched"]
    refused: Sequence[tuple[str, ...]] = (
        (*asks, "a", "-i", str(message)),
        ("perf-bench", "worker", "tell", "a", "-i", str(message)),
        ("perf-bench", "worker", "ls"),
        ("perf-bench", "status"),
        ("perf-bench", "round", "start", "osd-iops"),
        ("perf-bench", "round", "show", "1"),
        ("balancer", "status"),
        ("config", "set", "mgr", "mgr/perf_bench/max_parallel", "9"),
        ("config-key", "dump"),
        ("osd", "pool", "create", "mine", "8"),
    )
    for order in refused:
        with pytest.raises(ClusterError, match=r"EACCES|access denied|denied|EPERM"):
            cluster.ceph(*who, *order)
    remove_pool(cluster, "elsewhere")
    leaving = {**json.loads(message.read_text()), "leaving": True}
    message.write_text(json.dumps(leaving))
    cluster.ceph(*who, "perf-bench", "worker", "tell", "b", "-i", str(message))
    assert "b" not in states(operator)
    lost = without_a_key(cluster)
    assert lost.returncode == 2, lost
    assert "no keyring can be read at /nowhere/keyring" in lost.stderr
    assert lost.stderr.count("\n") == 1


def test_the_specification_is_one_that_ceph_reads(cluster: DevCluster) -> None:
    file = FOLDER / "ceph-perf-bench-worker.yaml"
    command = inside(cluster.spec, ["/usr/bin/python3", "-c", READ, str(file)], shown=[str(REPO)])
    done = subprocess.run(
        command, env=environment(cluster.spec), check=True, capture_output=True, text=True
    )
    read = json.loads(done.stdout)
    assert read["service_name"] == "container.perf-bench-worker"
    assert read["extra_entrypoint_args"] == ["-m", "perf_bench.tool", "worker"]
    assert read["spec"]["entrypoint"] == "/usr/bin/python3"
