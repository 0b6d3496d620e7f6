"""Rounds of few repeats, compared within a history of rounds of five."""

from __future__ import annotations

import math
import random
from statistics import median, stdev

import pytest

from nouns import a_plan, a_result, a_round, a_sample
from perf_bench.bench.compare.rounds import compare_rounds
from perf_bench.model.round import Change, MeasuredRound, RoundState, Spread

PAIRS = 200


def _round(
    number: int, draw: random.Random, osds: int, repeats: int, common: float
) -> MeasuredRound:
    """A repeat moves all OSDs at once, and each of them varies by 3 %."""
    shifts = [draw.gauss(0, common) for _ in range(repeats)]
    samples = [
        a_sample(osd, repeat, 1e8 * math.exp(shift + draw.gauss(0, 0.03)))
        for osd in range(osds)
        for repeat, shift in enumerate(shifts, 1)
    ]
    rows = [a_result(osd, 1e8) for osd in range(osds)]
    plan = a_plan([list(range(osds))], repeats)
    return MeasuredRound(a_round(plan, RoundState.DONE, id=number), rows, samples)


def _figure(measured: MeasuredRound) -> float:
    by_osd: dict[int, list[float]] = {}
    for sample in measured.samples:
        by_osd.setdefault(sample.osd, []).append(math.log(sample.bytes_per_second or 1.0))
    return median(median(of_osd) for of_osd in by_osd.values())


@pytest.mark.parametrize("repeats", [1, 2, 3, 5])
@pytest.mark.parametrize(("osds", "common"), [(1, 0.05), (12, 0.03), (12, 0.05)])
def test_without_a_change_they_are_rarely_better_or_worse(
    osds: int, common: float, repeats: int
) -> None:
    draw, wrong = random.Random(1), 0  # noqa: S311
    for _ in range(PAIRS):
        past = [_figure(_round(n, draw, osds, 5, common)) for n in range(10)]
        spread = Spread(100 * stdev(past), len(past), 5)
        a, b = (_round(number, draw, osds, repeats, common) for number in (1, 2))
        found = compare_rounds(a, b, spread).verdict
        wrong += found in (Change.BETTER, Change.WORSE)
    assert wrong <= 0.03 * PAIRS, f"{100 * wrong / PAIRS:.1f} % of {PAIRS} pairs"
