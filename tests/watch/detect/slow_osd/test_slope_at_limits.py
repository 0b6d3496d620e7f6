"""Which points teach how much latency follows load."""

from __future__ import annotations

import math

import pytest

from perf_bench.watch.detect.slow_osd.windows import Slope


@pytest.mark.parametrize(
    ("own", "more", "learned"),
    [
        (0.299, 0.5, True),
        (0.3, 0.5, False),  # what is as far away has other causes
        (0.301, 0.5, False),
        (-0.299, 0.5, True),
        (-0.3, 0.5, False),
        (-0.301, 0.5, False),
        (math.nan, 0.5, False),
        (0.1, 0.0, False),  # as much load as usual, or an unknown one
        (0.1, -0.5, True),
    ],
)
def test_points_within_the_bound_and_with_another_load_are_learned(
    own: float, more: float, learned: bool
) -> None:
    slope = Slope(6.0, 1.5)
    slope.learn([own, 0.0], [more, 0.0], 0.3)
    found = (slope.products, slope.squares)
    assert found == pytest.approx((own * more / 2, more * more / 2) if learned else (0.0, 0.0))


@pytest.mark.parametrize(
    ("products", "squares", "value"),
    [(0.0, 0.0, 0.0), (0.5, 0.0, 0.5), (1.0, 1.0, 0.5), (9.0, 1.0, 1.5), (-3.0, 1.0, 0.0)],
)
def test_a_slope_is_between_none_and_the_most(
    products: float, squares: float, value: float
) -> None:
    slope = Slope(6.0, 1.5)
    slope.products, slope.squares = products, squares
    assert slope.value == value
