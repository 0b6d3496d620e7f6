"""Rounds of clients that did not do the same work are not called better, worse or the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fakes.loads import steady
from nouns import a_round
from perf_bench.bench.compare.rounds import compare_rounds
from perf_bench.model.plan import MIB, Phase, Plan, Step
from perf_bench.model.rados import LoadPlan, LoadSample, SearchLoad
from perf_bench.model.round import Change, MeasuredRound, RoundState

LOAD = LoadPlan("ec", "write", 4, 16, 64, 4 * MIB, 100, 800 * MIB)
CODE = {"kind": "erasure", "copies": 1.5, "compression": "none"}


def of_runs(number: int, load: LoadPlan, pool: dict[str, Any], *samples: LoadSample) -> Any:
    plan = Plan("p", (Phase(Step("write", load.size, 0), ((0,),)),), 5, 10.0, "", load=load)
    named: dict[str, Any] = {"id": number, "kind": "rados", "environment": {"pool": pool}}
    return MeasuredRound(a_round(plan, RoundState.DONE, **named), [], [], list(samples))


def search(number: int, *runs: tuple[int, int, float]) -> Any:
    """A run for each of (clients, threads, operations a second of all clients)."""
    load = replace(LOAD, saturates=True)
    samples = []
    for repeat, (clients, threads, rate) in enumerate(runs, start=1):
        under = SearchLoad(clients, threads)
        made = steady(rate / clients, under.in_flight / rate)(
            load.order("n", under=under), lambda: False
        )
        samples.append(LoadSample(repeat, 1000.0, tuple(made), load=under))
    return of_runs(number, load, CODE, *samples)


def test_latencies_of_searches_that_peak_at_other_loads_are_not_judged() -> None:
    """Four times the operations in flight have four times the latency at the same throughput."""
    low = search(1, *[(4, 16, rate) for rate in (1000.0, 1004.0, 996.0)])
    high = search(2, *[(4, 64, rate) for rate in (1000.0, 1004.0, 996.0)])
    found = compare_rounds(low, high)
    assert found.verdict is Change.SAME
    assert found.latency is None
    assert "loads differ: 4 clients x 16 threads and 4 clients x 64 threads" in found.why


@pytest.mark.parametrize(("sizes", "why"), [((3, 6), "copies differ: 2+1 and 4+2"), ((6, 6), None)])
def test_erasure_codes_of_the_same_overhead_are_different_pools(
    sizes: tuple[int, int], why: str | None
) -> None:
    """A pool that was made again: 2+1 and 4+2 both store 1.5 bytes for each byte."""
    runs = [
        LoadSample(repeat, 1000.0, tuple(steady(rate)(LOAD.order("n"), lambda: False)))
        for repeat, rate in enumerate((99.0, 100.0, 101.0), start=1)
    ]
    found = compare_rounds(
        *(of_runs(n, LOAD, {**CODE, "size": size}, *runs) for n, size in enumerate(sizes, start=1))
    )
    assert (found.verdict is Change.NOT_COMPARABLE) is bool(why)
    if why:
        assert found.why == (why,)
