"""Rows of five minutes that two clocks dated alike."""

from __future__ import annotations

import math

import pytest

from latencies import BEGAN, a_frame, a_roster
from perf_bench.model.frame import COMMIT
from perf_bench.model.history import FIVE_MINUTES, WatchBatch
from perf_bench.store.series_builder import SeriesBuilder
from perf_bench.store.sqlite import Store

SLOW, CALM = [0.5] * 3, [0.01] * 3


def _of_one_mgr(latency: list[float]) -> SeriesBuilder:
    builder = SeriesBuilder()
    for number in range(20):
        builder.feed(a_frame(a_roster([0, 1, 2]), number, latency))
    builder.close()
    return builder


def _of_a_clock_set_back() -> SeriesBuilder:
    builder = SeriesBuilder()
    for latency in (SLOW, CALM):
        for number in range(-1, 20):
            builder.feed(a_frame(a_roster([0, 1, 2]), number, latency))
    builder.close()
    return builder


@pytest.mark.parametrize("which", ["another mgr", "set back"])
@pytest.mark.parametrize("times", [1, 2])
def test_what_was_seen_is_not_replaced(on_file: Store, which: str, times: int) -> None:
    """The cluster is slow, a mgr whose clock is behind takes over, and it is calm again."""
    two = which == "another mgr"
    builders = [_of_one_mgr(SLOW), _of_one_mgr(CALM)] if two else [_of_a_clock_set_back()]
    for builder in builders:
        rows = builder.take(1000)
        for _ in range(times):  # the second time after a connection that broke
            on_file.watch.write(WatchBatch(BEGAN + 600, series=rows))
    found = on_file.watch.series(0, COMMIT, FIVE_MINUTES, BEGAN, BEGAN + FIVE_MINUTES)
    (five,) = found
    assert five.maximum == pytest.approx(0.5, rel=0.01)
    assert five.frames == 40
    assert math.isclose(five.mean, 0.255, rel_tol=0.01)
