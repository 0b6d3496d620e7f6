"""`make bench`: figures are judged by their targets, and bad usage is one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from benchmarks.fidelity import interval_of_median
from benchmarks.figures import Figure, Target
from benchmarks.machine import ROOT
from benchmarks.simulate import OSDS_PER_HOST, SimulatedCluster, unmeasured, waves_of_samples
from perf_bench.bench.compare.summary import summarize
from perf_bench.bench.plan.osds import Last, prepare
from perf_bench.model.plan import Request
from perf_bench.model.round import Verdict


@pytest.mark.parametrize(
    "name", ["fidelity", "overhead", "clients", "workers", "knee", "large_map", "tab"]
)
def test_a_benchmark_needs_no_pytest(name: str) -> None:
    """They run in the Python of ceph-mgr, for whose modules there are stand-ins here."""
    code = (
        "import sys; sys.modules['pytest'] = None;"
        "from unittest.mock import MagicMock;"
        "sys.modules['mgr_module'] = sys.modules['rados'] = MagicMock();"
        f"import benchmarks.{name}"
    )
    path = {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "qa", ROOT / "mgr_module")))}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("target", "value", "met"),
    [
        (Target(high=1.05), 1.05, True),
        (Target(high=1.05), 1.051, False),
        (Target(0.97, 1.03), 0.97, True),
        (Target(0.97, 1.03), 0.969, False),
        (Target(0.97, 1.03), 1.031, False),
        (None, 99.0, None),
    ],
)
def test_a_figure_meets_its_target_or_not(
    target: Target | None, value: float, met: bool | None
) -> None:
    assert Figure("x", value, "s", target).met is met


@pytest.mark.parametrize(
    ("count", "ranks"),
    # as tables of the sign test have them
    [
        (1, (1, 1)),
        (2, (1, 2)),
        (6, (1, 6)),
        (9, (2, 8)),
        (10, (2, 9)),
        (20, (6, 15)),
        (40, (14, 27)),
    ],
)
def test_how_sure_a_median_is(count: int, ranks: tuple[int, int]) -> None:
    assert interval_of_median(range(count, 0, -1)) == ranks


def test_the_json_has_no_infinity() -> None:
    shape = Figure("x", 1.0, "s", Target(high=2.0)).shape
    assert json.loads(json.dumps(shape, allow_nan=False))["target"] == [None, 2.0]
    assert Figure("x", 1.0, "s").shape["target"] == [None, None]


def test_a_simulated_round_is_a_plausible_one() -> None:
    cluster = SimulatedCluster(10 * OSDS_PER_HOST)
    request = Request("osd-throughput", repeats=5)
    prepared = prepare(request, cluster, 64, Last())
    samples = [sample for wave in waves_of_samples(prepared.plan) for sample in wave]
    rows = unmeasured(prepared.targets)
    summary = summarize(prepared.plan, rows, samples, 10.0)
    assert len(samples) == 5 * 10 * OSDS_PER_HOST
    assert summary.verdict == Verdict.VALID
    # those that were made slow are those that are found slow
    assert {found.evidence["osd"] for found in summary.conclusions} == {50, 150}
