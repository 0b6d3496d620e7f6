"""Our small statistics against numpy and scipy, which ceph-mgr does not have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perf_bench.model.statistics import MAD_TO_SIGMA, cv_percent, mad, median, medians_of_others

# What rates, times and their logarithms lie within; ties are frequent, as in real samples.
FIGURES = st.one_of(st.floats(-1e12, 1e12), st.integers(-5, 5).map(float))
RATES = st.one_of(st.floats(1e-3, 1e12), st.integers(1, 5).map(float))


@given(st.lists(FIGURES, min_size=1, max_size=20))
def test_median(values: list[float]) -> None:
    assert median(values) == pytest.approx(np.median(values))


@given(st.lists(FIGURES, min_size=1, max_size=20))
def test_mad(values: list[float]) -> None:
    assert mad(values) == pytest.approx(stats.median_abs_deviation(values))


@given(st.lists(RATES, min_size=2, max_size=20))
def test_cv(values: list[float]) -> None:
    expected = 100 * stats.variation(np.array(values), ddof=1)
    assert cv_percent(values) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_no_cv() -> None:
    cases: list[list[float]] = [
        [],
        # one repeat has no spread
        [5.0],
        # nor has nothing a relative one
        [0.0, 0.0],
    ]
    for values in cases:
        assert cv_percent(values) is None


@given(st.lists(FIGURES, min_size=2, max_size=20))
def test_medians_of_others(values: list[float]) -> None:
    expected = [np.median(np.delete(values, index)) for index in range(len(values))]
    assert medians_of_others(values) == pytest.approx(expected)


def test_the_mad_of_normal_data_estimates_sigma() -> None:
    assert pytest.approx(1 / stats.norm.ppf(0.75), abs=5e-5) == MAD_TO_SIGMA
