"""Differences of logarithms with their tests and intervals, against scipy, and the doubts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perf_bench.bench.compare.rounds import of_pairs, of_repeats
from perf_bench.model.statistics import Variance

VALUES = st.lists(st.floats(-10, 10), min_size=3, max_size=12)
MANY = st.lists(st.floats(-10, 10), min_size=6, max_size=20, unique=True)
NOTHING = Variance(0.0, 1.0)


@given(VALUES, VALUES)
def test_repeats_are_tested_as_welch_does_with_whole_degrees_of_freedom(
    a: list[float], b: list[float]
) -> None:
    found = of_repeats(a, b, None)
    if found.variance.value < 1e-9:
        return  # two constants: the next test
    parts = [np.var(side, ddof=1) / len(side) for side in (a, b)]
    squares = [part**2 / (len(side) - 1) for part, side in zip(parts, (a, b))]
    freedom = round(sum(parts) ** 2 / sum(squares))
    t = (np.mean(b) - np.mean(a)) / math.sqrt(sum(parts))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), freedom), rel=1e-5, abs=1e-12)
    half = stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts))
    assert found.interval == pytest.approx((found.difference - half, found.difference + half))


@given(MANY)
def test_pairs_are_tested_as_yuen_does(differences: list[float]) -> None:
    found = of_pairs(differences, NOTHING)
    if found.variance.value < 1e-9:
        return
    cut = int(0.2 * len(differences))
    kept = len(differences) - 2 * cut
    pulled = stats.mstats.winsorize(np.array(differences), limits=(0.2, 0.2))
    error = np.std(np.asarray(pulled), ddof=1) * math.sqrt(len(differences) - 1)
    error /= math.sqrt(kept * (kept - 1))
    assert found.difference == pytest.approx(stats.trim_mean(differences, 0.2), abs=1e-9)
    t = found.difference / error
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), kept - 1), rel=1e-5, abs=1e-12)


def test_few_pairs_are_not_trimmed() -> None:
    found = of_pairs([1.0, 2.0, 3.0, 4.0, 100.0], NOTHING)
    assert found.difference == pytest.approx(22)
    assert found.variance.freedom == pytest.approx(4)
