"""What a search for saturation is worth, from its runs."""

from __future__ import annotations

from typing import Optional

import pytest

from fakes.loads import steady
from perf_bench.bench.compare.loads import (
    conclude,
    summarize_load,
    under_loads,
)
from perf_bench.model.plan import MIB, Phase, Plan, Step
from perf_bench.model.rados import LoadPlan, LoadRun, LoadSample, SearchLoad
from perf_bench.model.round import Verdict

LOAD = LoadPlan("perf_bench", "write", 4, 4, 16, 4 * MIB, 100, 800 * MIB, saturates=True)
PLAN = Plan(
    "rados-saturate", (Phase(Step("write", LOAD.size, 0), ((0,),)),), 9, 10.0, "", load=LOAD
)


def run(
    number: int, clients: int, threads: int, rate: float, why: Optional[str] = None
) -> LoadSample:
    """``rate`` are operations a second of all clients together."""
    under = SearchLoad(clients, threads)
    latency = under.in_flight / rate
    runs = steady(rate / clients, latency)(LOAD.order("n", under=under), lambda: False)
    return LoadSample(number, 1000.0, () if why else tuple(runs), why, under)


KNEE = [run(1, 1, 1, 100), run(2, 1, 4, 200), run(3, 1, 16, 202), run(4, 1, 4, 200)]
CONFIRMED = [*KNEE, run(5, 1, 16, 202)]


def test_figures_are_those_of_the_highest_throughput() -> None:
    found = summarize_load(PLAN, LOAD, CONFIRMED, 10.0)
    assert found.verdict is Verdict.VALID
    assert found.reasons == ("CV 0.0 % over 2 runs of the highest throughput", "5 runs")
    assert (found.figures["clients"], found.figures["threads"]) == (1, 16)
    assert found.figures["median_iops"] == pytest.approx(202)
    assert (found.figures["repeats"], found.figures["runs"]) == (2, 5)


def test_a_spread_of_just_the_most_is_valid() -> None:
    assert summarize_load(PLAN, LOAD, CONFIRMED, 0.0).verdict is Verdict.VALID


def test_a_peak_that_was_met_once_is_noise() -> None:
    found = summarize_load(PLAN, LOAD, KNEE, 10.0)
    assert found.verdict is Verdict.NOISY
    assert found.reasons[0].startswith("the highest throughput or its knee was measured once only")


def test_repeats_that_differ_are_noise() -> None:
    found = summarize_load(PLAN, LOAD, [run(1, 1, 1, 100), run(2, 1, 1, 160)], 10.0)
    assert found.verdict is Verdict.NOISY
    assert found.reasons[0] == (
        "CV 32.6 % over 2 runs of the highest throughput; at most 10 % is called valid"
    )


def test_a_run_that_failed_ends_it_and_what_was_there_is_kept() -> None:
    samples = [*CONFIRMED, run(6, 4, 16, 1, "no operation ended for 10 s")]
    found = summarize_load(PLAN, LOAD, samples, 10.0)
    assert found.verdict is Verdict.FAILED
    assert found.reasons[0] == (
        "run 6 (4 clients x 16 threads): no operation ended for 10 s; the search ended there"
    )
    assert found.figures["runs"] == 5
    assert len(under_loads(samples)) == 5


def test_what_an_abort_left_is_kept() -> None:
    found = summarize_load(PLAN, LOAD, KNEE[:2], 10.0, (Verdict.ABORTED, "enough"))
    assert (found.verdict, found.reasons) == (Verdict.ABORTED, ("enough",))
    assert (found.figures["threads"], found.figures["runs"]) == (4, 2)


# --- what is concluded from the runs of a search, and why -----------------------------------------


def _rung(threads: int, rate: float, latency: float) -> LoadRun:
    return LoadRun(SearchLoad(1, threads), rate * MIB, latency)


def test_a_smaller_load_that_has_nine_tenths_is_recommended() -> None:
    found = conclude([_rung(1, 50, 0.01), _rung(4, 95, 0.02), _rung(16, 100, 0.08)])
    assert (found.peak.load.threads, found.recommended.load.threads) == (16, 4)
    assert found.reason == (
        "95 % of the highest throughput at 25 % of its latency, with 4 operations in flight "
        "instead of 16"
    )


def test_the_peak_itself_is_recommended_where_no_smaller_load_comes_near() -> None:
    found = conclude([_rung(1, 50, 0.01), _rung(4, 89, 0.02), _rung(16, 100, 0.08)])
    assert found.recommended is found.peak
    assert found.reason == "no smaller load reaches 90 % of its throughput"
