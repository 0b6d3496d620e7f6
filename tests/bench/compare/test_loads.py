"""What the repeats of a round of clients are worth."""

from __future__ import annotations

import pytest

from fakes.loads import steady
from perf_bench.bench.compare.loads import summarize_load
from perf_bench.model.plan import MIB, Phase, Plan, Step
from perf_bench.model.rados import LoadPlan, LoadSample
from perf_bench.model.round import Verdict


def load(operation: str = "write", seconds: int = 4) -> LoadPlan:
    return LoadPlan("perf_bench", operation, seconds, 2, 8, 4 * MIB, 100, 800 * MIB)


def plan(of: LoadPlan, repeats: int) -> Plan:
    phase = Phase(Step(of.operation, of.size, 0), ((0, 1),))
    return Plan("rados-write", (phase,), repeats, 10.0, "", load=of)


def repeats(*rates: float, seconds: int = 4) -> list[LoadSample]:
    """A repeat for each rate: operations a second of each of two clients."""
    order = load(seconds=seconds).order("n")
    return [
        LoadSample(number, 1000.0, tuple(steady(rate)(order, lambda: False)))
        for number, rate in enumerate(rates, start=1)
    ]


def test_figures_are_medians_over_repeats() -> None:
    samples = repeats(90, 100, 104)
    found = summarize_load(plan(load(), 3), load(), samples, 10.0)
    assert found.verdict is Verdict.VALID
    assert found.figures["median_iops"] == 200
    assert found.figures["median_bytes_per_second"] == 200 * 4 * MIB
    assert found.figures["mean_latency"] == pytest.approx(0.01)
    assert found.figures["repeats"] == 3
    assert found.reasons == ("CV 7.4 % over 3 repeats",)


def test_verdicts() -> None:
    for of, samples, verdict, reason in [
        (load(), repeats(50, 100, 150), Verdict.NOISY, "repeats differ by 50.0 % (CV)"),
        (load(), repeats(100), Verdict.FAILED, "1 of 3 repeats measured"),
        (load(), [], Verdict.FAILED, "0 of 3 repeats measured"),
        (
            load(),
            [*repeats(100, 100), LoadSample(3, 0.0, why="no operation ended for 10 s")],
            Verdict.FAILED,
            "repeat 3: no operation ended for 10 s",
        ),
        (
            load("seq", 30),
            repeats(100, 100, 100, seconds=4),
            Verdict.VALID,
            "all ran together for 4.0 of 30 s: a client had read all or ended early",
        ),
        (
            load("write", 30),
            repeats(100, 100, 100, seconds=4),
            Verdict.VALID,
            f"all ran together for 4.0 of 30 s: {800 * MIB} bytes are the most it may write",
        ),
    ]:
        found = summarize_load(plan(of, 3), of, samples, 10.0)
        assert found.verdict is verdict
        assert any(told.startswith(reason) for told in found.reasons), found.reasons


def test_what_did_not_run_to_its_end_keeps_its_figures() -> None:
    found = summarize_load(plan(load(), 3), load(), repeats(100), 10.0, (Verdict.ABORTED, "enough"))
    assert (found.verdict, found.reasons) == (Verdict.ABORTED, ("enough",))
    assert found.figures["median_iops"] == 200
