"""Differences of logarithms with their intervals, and the doubts about them."""

from __future__ import annotations

import math

import pytest

from perf_bench.bench.compare.evidence import (
    Evidence,
    common_variance,
    decide,
    of_pairs,
    percent,
    pooled_cv_percent,
)
from perf_bench.bench.compare.rank_tests import RankShift, RankTest, shift_of
from perf_bench.bench.compare.student_t import (
    Variance,
    half_width,
    judged,
    trimmed,
)
from perf_bench.bench.compare.student_t import (
    together as combined,
)
from perf_bench.model.comparison import Change, Spread

PAIRS = (0.11, 0.08, 0.13, 0.09, 0.1, 0.12, 0.07)
COMMON = Variance(0.0009, 4.0)


@pytest.mark.parametrize("count", [6, 7])
def test_from_six_pairs_on_the_interval_is_of_ranks_and_of_what_all_share(count: int) -> None:
    found = of_pairs(PAIRS[:count], COMMON).shift
    own, shared = shift_of(PAIRS[:count], 0.95), half_width(COMMON, 0.95)
    assert found.estimate == own.estimate
    assert own.estimate - found.low == pytest.approx(math.hypot(own.estimate - own.low, shared))
    assert found.high - own.estimate == pytest.approx(math.hypot(own.high - own.estimate, shared))


@pytest.mark.parametrize("count", [2, 5])
def test_of_fewer_pairs_it_is_students(count: int) -> None:
    centre, own = trimmed(PAIRS[:count], 0)
    expected = judged(centre, combined((own, COMMON)))
    found = of_pairs(PAIRS[:count], COMMON)
    assert found.shift == (centre, *expected.interval(0.95))
    assert found.p_value == expected.p_value


@pytest.mark.parametrize(
    ("groups", "cv"),
    [
        ([[1.0], [2.0]], 0.0),  # a single value has no spread
        ([[1.0, 1.1], [2.0]], 100 * math.sqrt(0.005)),
        ([[1.0, 1.1], [2.0, 2.3]], 100 * math.sqrt(0.05 / 2)),
    ],
)
def test_the_spread_within_groups(groups: list[list[float]], cv: float) -> None:
    assert pooled_cv_percent(groups) == pytest.approx(cv)


def test_the_history_counts_with_the_freedom_of_its_rounds() -> None:
    assert common_variance([], Spread(5.0, 9)) == pytest.approx(Variance(0.005, 8))


@pytest.mark.parametrize(
    "shift",
    [RankShift(0.1, -0.01, 0.2), RankShift(0.1, 0.0, 0.2), RankShift(-0.1, -0.2, 0.0)],
)
def test_a_change_of_exactly_the_least_counts(shift: RankShift) -> None:
    """It is no reason to doubt, as it would be large enough."""
    evidence = Evidence(shift, 0.001, RankTest(0.001, 0.001))
    verdict, why = decide(evidence, 0.001, abs(percent(shift.estimate)) / 2)
    assert verdict is Change.INCONCLUSIVE
    assert why.endswith(", but that may be none")
