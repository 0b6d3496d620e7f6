"""Student's t and Welch's test against scipy, which ceph-mgr does not have."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from perf_bench.bench.compare.student_t import (
    Variance,
    half_width,
    incomplete_beta,
    judged,
    quantile,
    together,
    trimmed,
    two_sided_p,
    variance_of_mean,
    welch,
)

FREEDOM = st.floats(0.5, 1e5)
VALUES = st.lists(st.floats(-10, 10), min_size=2, max_size=12)


@given(st.floats(0, 1), st.floats(0.05, 500), st.floats(0.05, 500))
def test_incomplete_beta(x: float, a: float, b: float) -> None:
    assert incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-8, abs=1e-12)


@given(st.floats(-500, 500), FREEDOM)
def test_two_sided_p(t: float, freedom: float) -> None:
    expected = 2 * stats.t.sf(abs(t), freedom)
    assert two_sided_p(t, freedom) == pytest.approx(expected, rel=1e-7, abs=1e-300)


@pytest.mark.parametrize("freedom", [1, 2.5, 4, 30, 1e4, 1e6])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99, 0.9999])
def test_quantile(confidence: float, freedom: float) -> None:
    expected = stats.t.ppf((1 + confidence) / 2, freedom)
    assert quantile(confidence, freedom) == pytest.approx(expected, rel=1e-8)


@given(VALUES, VALUES)
def test_welch(a: list[float], b: list[float]) -> None:
    ours = welch(a, b)
    if ours.variance.value < 1e-9:
        return  # two constants: the next test
    moments = [f(v) for v in (a, b) for f in (np.mean, lambda v: np.std(v, ddof=1), len)]
    theirs = stats.ttest_ind_from_stats(*moments, equal_var=False)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "p_value"),
    [
        # nothing varies and nothing differs
        ([5.0, 5.0], [5.0, 5.0], 1.0),
        # nothing varies, so any difference is one
        ([5.0, 5.0], [6.0, 6.0], 0.0),
    ],
)
def test_values_that_never_vary(a: list[float], b: list[float], p_value: float) -> None:
    found = welch(a, b)
    assert found.p_value == p_value
    assert found.interval(0.95) == (b[0] - a[0], b[0] - a[0])


def test_the_interval_is_students_and_never_narrower() -> None:
    a, b = [1.0, 1.3, 0.8, 1.1], [2.0, 2.5, 2.2]
    low, high = welch(a, b).interval(0.95)
    theirs = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert (low, high) == pytest.approx((theirs.low, theirs.high), rel=0.03)
    assert low <= theirs.low < theirs.high <= high


@pytest.mark.parametrize("freedom", [2.0, 2.049, 3.33, 17.99])
def test_rounding_the_freedom_widens_by_under_3_percent(freedom: float) -> None:
    exact = stats.t.ppf(0.975, freedom)
    assert exact * (1 - 1e-9) <= half_width(Variance(1.0, freedom), 0.95) <= 1.03 * exact


@given(VALUES)
def test_variance_of_mean(values: list[float]) -> None:
    expected = stats.sem(values) ** 2
    assert variance_of_mean(values).value == pytest.approx(expected, rel=1e-9, abs=1e-15)


MANY = st.lists(st.floats(-10, 10), min_size=5, max_size=20, unique=True)


@given(MANY, MANY)
def test_trimmed_means_are_tested_as_yuen_does(a: list[float], b: list[float]) -> None:
    ours = [trimmed(values, 0.2) for values in (a, b)]
    variance = together(centre.variance for centre in ours)
    if variance.value < 1e-9:
        return
    theirs = stats.ttest_ind(b, a, equal_var=False, trim=0.2)
    found = judged(ours[1].value - ours[0].value, variance)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)


def test_without_trimming_it_is_the_mean() -> None:
    values = [1.0, 2.0, 4.0]
    found = trimmed(values, 0)
    assert found.value == pytest.approx(7 / 3)
    assert found.variance.value == pytest.approx(variance_of_mean(values).value)
    assert found.variance.freedom == 2


def test_parts_without_variance_say_nothing_of_the_freedom() -> None:
    assert together([Variance(0.0, 2), Variance(4.0, 7)]) == Variance(4.0, 7.0)
    assert together([Variance(0.0, 2)]).value == 0.0


def test_a_difference_beyond_all_numbers_is_certain() -> None:
    assert judged(math.inf, Variance(1.0, 3)).p_value == 0.0
