"""`make bench`: figures are judged by their targets, and bad usage is one sentence."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest

from benchmarks import cli
from benchmarks.bed import bench_command
from benchmarks.fidelity import centre_of, interval_of_median
from benchmarks.figures import Figure, Target, table
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


def test_the_table_shows_value_target_and_verdict() -> None:
    groups = {
        "pages": [
            Figure("osd ls", 51.25, "ms", Target(high=50), "median 12 ms"),
            Figure("round show", 8.5, "ms", Target(high=50)),
        ],
        "fidelity": [Figure("round / tell", 1.004, "", Target(0.97, 1.03)), Figure("y", 1234, "s")],
    }
    assert table(groups).splitlines() == [
        "                  FIGURE        TARGET        NOTE",
        "PAGES",
        "  osd ls        51.25 ms         <= 50  MISS  median 12 ms",
        "  round show    8.500 ms         <= 50  pass",
        "FIDELITY",
        "  round / tell     1.004  0.97 .. 1.03  pass",
        "  y               1234 s",
    ]


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


@pytest.mark.parametrize(
    ("count", "critical"),
    # as tables of the signed-rank test have them
    [(10, 8), (20, 52), (40, 264)],
)
def test_how_sure_the_centre_of_a_symmetric_distribution_is(count: int, critical: int) -> None:
    dice = random.Random(7)  # noqa: S311 - nothing secret
    values = [dice.gauss(1.0, 0.2) for _ in range(count)]
    means = sorted((one + two) / 2 for n, one in enumerate(values) for two in values[: n + 1])
    centre, low, high = centre_of(values)
    assert (low, high) == (means[critical], means[-1 - critical])
    assert low < centre < high


def test_the_centre_of_a_symmetric_distribution() -> None:
    assert centre_of([7.0]) == (7.0, 7.0, 7.0)
    assert centre_of([1.0, 2.0, 9.0])[0] == 3.5  # of 1, 1.5, 2, 5, 5.5, 9


def test_the_json_has_no_infinity() -> None:
    shape = Figure("x", 1.0, "s", Target(high=2.0)).shape
    assert json.loads(json.dumps(shape, allow_nan=False))["target"] == [None, 2.0]
    assert Figure("x", 1.0, "s").shape["target"] == [None, None]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--only", "pages,x"],
            f"argument --only: 'x' is not one of {', '.join(cli.NAMES)}",
        ),
        (["--pairs", "0"], "argument --pairs: '0' is not a number from 1 to 1000"),
        (["x"], "unrecognized arguments: x"),
    ],
)
def test_bad_usage_is_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert cli.main(words) == 2
    assert capsys.readouterr() == ("", f"bench: {sentence}\n")


@pytest.mark.parametrize(
    ("prefilled", "more"), [(False, {}), (True, {"object_size": 3, "object_num": 4})]
)
def test_both_hands_give_the_osd_the_same_command(prefilled: bool, more: dict[str, int]) -> None:
    step = {
        "total_bytes": 1,
        "block_size": 2,
        "object_size": 3,
        "object_count": 4,
        "prefilled": prefilled,
    }
    assert bench_command(step) == {"prefix": "bench", "count": 1, "size": 2, **more}


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
