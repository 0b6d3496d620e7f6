"""Rules that show only where they are missing: each case with the rule, and without it."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from farm import HOUR, MINUTE, SEGMENT, Farm, roster, slower
from perf_bench.model.finding import COMMIT
from perf_bench.model.verdict import OsdState
from perf_bench.watch.slow_osd.thresholds import Thresholds


class Loaded:
    """72 OSDs whose load differs by ``lasting`` and comes and goes by 0.2 (ln).

    Latency follows load to the power ``slope``.
    """

    def __init__(self, slope_max: float, slope: float, lasting: float) -> None:
        self.farm = Farm(roster(6, 12), settings=replace(Thresholds(), slope_max=slope_max))
        self._slope = slope
        self._chance = random.Random(2)  # noqa: S311  # a simulation
        self._busy = [0.0] * 72
        self._lasting = [lasting * self._chance.gauss(0, 1) for _ in range(72)]

    def run(self, frames: int, ratio: float = 1.0, heavier: float = 1.0) -> set[str]:
        """Run with osd.7 so many times as slow, under so many times the load; who was named."""
        named: set[str] = set()
        for number in range(frames):
            frame = self.farm.frame()
            self._busy = [0.9 * old + 0.088 * self._chance.gauss(0, 1) for old in self._busy]
            load = [math.exp(own + more) for own, more in zip(self._busy, self._lasting)]
            load[7] *= heavier
            latency = [own * many**self._slope for own, many in zip(frame.latency[COMMIT], load)]
            latency[7] *= ratio
            rates = [1e7 * many for many in load]
            self.farm.detector.step(replace(frame, latency={COMMIT: latency}, load=rates))
            if number % MINUTE == 0:
                named |= self.farm.named
        return named


@pytest.mark.parametrize(("slope_max", "named"), [(1.5, {"osd.7"}), (0.0, set())])
def test_what_load_explains_does_not_hide_a_slow_osd(slope_max: float, named: set[str]) -> None:
    loaded = Loaded(slope_max, slope=0.35, lasting=0.3)
    assert loaded.run(5 * HOUR) == set()
    assert loaded.run(5 * SEGMENT, ratio=1.5) == named


@pytest.mark.parametrize(("slope_max", "named"), [(1.5, set()), (0.0, {"osd.7"})])
def test_an_osd_is_not_slow_for_a_load_that_comes_and_goes(
    slope_max: float, named: set[str]
) -> None:
    loaded = Loaded(slope_max, slope=0.6, lasting=0.0)
    loaded.run(5 * HOUR)
    assert loaded.run(12 * MINUTE, heavier=6.0) == named


@pytest.mark.parametrize(("noise_scales", "named"), [(3.0, set()), (0.0, {"host host-0"})])
def test_noise_of_a_segment_is_no_slow_host(noise_scales: float, named: set[str]) -> None:
    """A single segment shows 2 times at the least: what is seen at 1.45 ends the next day."""
    settings = replace(Thresholds(), noise_scales=noise_scales)
    farm = Farm(roster(10, 12), noise=0.8, seed=3, settings=settings).run(6 * HOUR)
    assert farm.run(6 * SEGMENT, slower(range(12), 1.45)).named == named


@pytest.mark.parametrize(("least", "state"), [(32.0, OsdState.NO_DATA), (1.0, OsdState.OK)])
def test_nobody_is_well_for_four_operations_a_minute(least: float, state: OsdState) -> None:
    settings = replace(Thresholds(), min_ops=least)
    farm = Farm(roster(6, 12), noise=1.5, ops=1.0, settings=settings)
    farm.run(2 * HOUR, slower({7}, 1.5))
    assert farm.detector.verdicts()[7].state is state
