"""Two rounds of clients compared: their repeats, their latency, and what forbids it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fakes.loads import steady
from nouns import a_round
from perf_bench.bench.compare.rounds import compare_rounds
from perf_bench.model.plan import MIB, Phase, Plan, Step
from perf_bench.model.rados import LoadPlan, LoadSample
from perf_bench.model.round import Change, MeasuredRound, RoundState, Spread

LOAD = LoadPlan("perf_bench", "write", 4, 2, 8, 4 * MIB, 100, 800 * MIB)
POOL = {"kind": "replicated", "copies": 3.0, "compression": "none"}
STEADY = (99.0, 100.0, 101.0, 100.5, 99.5)


def measured(
    number: int,
    *rates: float,
    load: LoadPlan = LOAD,
    latency: float = 0.01,
    profile: str = "rados-write",
    **environment: Any,
) -> MeasuredRound:
    """A repeat for each rate: operations a second of each of two clients."""
    plan = Plan(profile, (Phase(Step("write", load.size, 0), ((0,),)),), 5, 10.0, "", load=load)
    order = load.order("n")
    samples = [
        LoadSample(repeat, 1000.0, tuple(steady(rate, latency)(order, lambda: False)))
        for repeat, rate in enumerate(rates, start=1)
    ]
    named: dict[str, Any] = {
        "id": number,
        "kind": "rados",
        "environment": {"pool": POOL, **environment},
    }
    return MeasuredRound(a_round(plan, RoundState.DONE, **named), [], [], samples)


def test_repeats_of_all_clients_are_compared() -> None:
    for rates, spread, verdict, change in [
        (STEADY[::-1], None, Change.SAME, 0.0),
        ([0.9 * rate for rate in STEADY], None, Change.WORSE, -10.0),
        ([1.1 * rate for rate in STEADY], None, Change.BETTER, 10.0),
        # rounds of the profile differ by more than that
        ([0.9 * rate for rate in STEADY], Spread(8.0, 12), Change.INCONCLUSIVE, -10.0),
        (STEADY[:2], None, Change.INCONCLUSIVE, None),
    ]:
        found = compare_rounds(measured(1, *STEADY), measured(2, *rates), spread)
        assert (found.a, found.b, found.verdict, found.osds) == (1, 2, verdict, 0)
        assert found.change_percent == (None if change is None else pytest.approx(change, abs=0.2))
        if change is None:
            assert found.why[0] == "5 and 2 repeats: at least 3 each are needed"
        else:
            assert "5 and 5 repeats of all clients together" in found.why[1]
            assert found.least_percent == pytest.approx(16.0 if spread else 3.0)


def test_latency_is_judged_beside_throughput_and_more_of_it_is_worse() -> None:
    found = compare_rounds(measured(1, *STEADY), measured(2, *STEADY, latency=0.015))
    assert found.verdict is Change.SAME
    assert found.latency is not None
    assert found.latency.verdict is Change.WORSE
    assert found.latency.change_percent == pytest.approx(50.0)
    low, high = found.latency.interval_percent
    assert low <= 50.0 + 1e-9
    assert high >= 50.0 - 1e-9
    unknown = compare_rounds(measured(1, *STEADY), measured(2, *STEADY, latency=0.0))
    assert unknown.latency is None


def test_what_makes_them_incomparable() -> None:
    cases: list[Any] = [
        (replace(LOAD, pool="ec"), {}, "pools differ: perf_bench and ec"),
        (replace(LOAD, size=MIB), {}, "sizes differ: 4194304 and 1048576 bytes"),
        (replace(LOAD, threads=16), {}, "loads differ: 2 clients x 8 threads and 2 clients x 16"),
        (replace(LOAD, workers=("b", "a")), {}, "clients ran beside the mgr and on a, b"),
        (LOAD, {"pool": {**POOL, "copies": 2.0}}, "copies differ: 3 and 2"),
        (LOAD, {"pool": {**POOL, "kind": "erasure"}}, "kinds of pool differ: replicated and"),
        (LOAD, {"pool": {**POOL, "compression": "force"}}, "compression modes differ: none and"),
        (LOAD, {"pool": {"kind": "replicated"}}, None),  # what was not recorded
        (LOAD, {"max_parallel": 8}, None),
    ]
    for load, environment, why in cases:
        found = compare_rounds(measured(1, *STEADY), measured(2, *STEADY, load=load, **environment))
        assert (found.verdict is Change.NOT_COMPARABLE) is bool(why)
        if why:
            (told,) = found.why
            assert told.startswith(why)
            assert found.change_percent is None
