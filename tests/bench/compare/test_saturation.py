"""What is concluded from the runs of a search, and why."""

from __future__ import annotations

from perf_bench.bench.compare.loads import conclude
from perf_bench.model.plan import MIB
from perf_bench.model.rados import LoadRun, SearchLoad


def run(threads: int, rate: float, latency: float) -> LoadRun:
    return LoadRun(SearchLoad(1, threads), rate * MIB, latency)


def test_a_smaller_load_that_has_nine_tenths_is_recommended() -> None:
    found = conclude([run(1, 50, 0.01), run(4, 95, 0.02), run(16, 100, 0.08)])
    assert (found.peak.load.threads, found.recommended.load.threads) == (16, 4)
    assert found.reason == (
        "95 % of the highest throughput at 25 % of its latency, with 4 operations in flight "
        "instead of 16"
    )


def test_the_peak_itself_is_recommended_where_no_smaller_load_comes_near() -> None:
    found = conclude([run(1, 50, 0.01), run(4, 89, 0.02), run(16, 100, 0.08)])
    assert found.recommended is found.peak
    assert found.reason == "no smaller load reaches 90 % of its throughput"
