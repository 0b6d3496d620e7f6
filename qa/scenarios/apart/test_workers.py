"""Workers on networks of their own: narrow, cut, with a wrong clock, of another version."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.namespaces import REPO
from scenarios.networks import Networks
from scenarios.operator import Operator
from scenarios.workers import KEY_STAYS, WorkerHost, all_clients, seconds_until_none, working

pytestmark = [pytest.mark.cluster, pytest.mark.long, pytest.mark.leaves(KEY_STAYS)]
WIDTHS = {"n1": 80, "n2": 160, "n3": 240}
BIG = ("--size", "1M", "--threads", "8", "--repeats", "1")


@pytest.fixture(scope="module")
def spaces(net: Networks) -> dict[str, str]:
    return {name: net.add(mbit) for name, mbit in WIDTHS.items()}


@pytest.fixture
def workers(operator: Operator, spaces: dict[str, str]) -> Iterator[dict[str, WorkerHost]]:
    """Three workers, the last with a clock that is 90 s ahead."""
    made = {
        name: WorkerHost(operator.cluster, name, net=space, clock=90.0 * (name == "n3"))
        for name, space in spaces.items()
    }
    with working(*made.values()):
        operator.sees("all of them", lambda: _all_are_ready(operator))
        yield made


def _states(operator: Operator) -> dict[str, str]:
    return {one["id"]: one["state"] for one in operator.asks("worker", "ls")}


def _all_are_ready(operator: Operator) -> bool:
    found = _states(operator)
    return all(found.get(name) == "ready" for name in WIDTHS)


def _parts(shown: Any) -> dict[str, Any]:
    return {part["id"]: part for part in shown["workers"]}


@pytest.mark.usefixtures("workers")
def test_narrow_networks_add_up_and_a_wrong_clock_does_no_harm(operator: Operator) -> None:
    (wrong,) = [one for one in operator.asks("worker", "ls") if one["id"] == "n3"]
    assert wrong["clock_offset"] == pytest.approx(90.0, abs=0.1)
    words = (*BIG, "--seconds", "15", "--clients", "3", "--workers", "all")
    number = operator.starts("rados-write", *words)
    shown = operator.sees_the_end_of(number)
    assert shown["state"] == "done", shown["reasons"]
    parts = _parts(shown)
    for name, mbit in WIDTHS.items():
        reached = parts[name]["bytes_per_second"] * 8 / 1e6
        print(f"{name}: {reached:.1f} of {mbit} Mbit/s, late {parts[name]['late_seconds']} s")
        assert 0.85 * mbit < reached <= mbit
    whole, most = shown["summary"]["median_bytes_per_second"] * 8 / 1e6, sum(WIDTHS.values())
    print(f"together: {whole:.1f} of {most} Mbit/s, clock {parts['n3']['clock_offset']} s")
    assert 0.85 * most < whole <= most
    # All ran at the same time by the mgr's clock, also the one whose clock is wrong.
    assert shown["summary"]["seconds"] > 13
    assert parts["n3"]["clock_offset"] == pytest.approx(90.0, abs=0.1)


def test_one_that_is_cut_off_ends_by_itself(
    operator: Operator, net: Networks, workers: dict[str, WorkerHost]
) -> None:
    apart = net.add()
    with working(WorkerHost(operator.cluster, "cable", net=apart)) as (cut,):
        operator.sees("it", lambda: _states(operator).get("cable") == "ready")
        words = (*BIG, "--seconds", "60", "--workers", "n1,cable")
        number = operator.starts("rados-write", *words)
        operator.sees("clients", lambda: cut.clients() and workers["n1"].clients())
        net.cut(apart)
        took = seconds_until_none([cut], 13.0)
        print(f"the one that was cut off had clients for {took:.1f} s")
        shown = operator.sees_the_end_of(number)
        assert shown["verdict"] == "failed"
        assert "worker cable on host-cable was lost" in shown["reasons"][0], shown["reasons"]
        assert not all_clients([*workers.values(), cut])


@pytest.mark.usefixtures("workers")
def test_two_of_one_name_and_one_of_another_version_are_told(
    operator: Operator, tmp_path: Path
) -> None:
    other = tmp_path / "mgr_module"
    shutil.copytree(REPO / "mgr_module" / "perf_bench", other / "perf_bench")
    (other / "perf_bench" / "version.py").write_text('VERSION = "0.0.1"\n')
    old = WorkerHost(operator.cluster, "old", package=other)
    twin = WorkerHost(operator.cluster, "n1", host="host-twin")
    with working(old, twin):
        operator.sees("the old one", lambda: _states(operator).get("old") == "mismatched")
        operator.sees("twins", lambda: _states(operator).get("n1") == "duplicate")
        said = operator.refused("round", "start", "rados-write", "--workers", "n1")
        assert "worker n1 is duplicate: another one of that name runs on host-" in said.err
        said = operator.refused("round", "start", "rados-write", "--workers", "old")
        assert "worker old is mismatched: its version is 0.0.1" in said.err
        plan = operator.asks("round", "start", "rados-write", "--workers", "all", "--dry-run")
        assert plan["load"]["workers"] == ["n2", "n3"]
        assert any("worker old on host-old is left out" in note for note in plan["notes"])
        twin.stop()
        operator.sees("one", lambda: _states(operator).get("n1") == "ready")
