"""The search for changes of level: its parts against slow ones, and how often it is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from perf_bench.bench.compare.history import change_points

LEAST = -math.log(0.95)


def _found(values: Sequence[float]) -> list[int]:
    return change_points(values, LEAST, 2.0)


def _series(rng: np.random.Generator, count: int, cv: float, phi: float = 0.0) -> list[float]:
    """Logarithms with this deviation, each remembering ``phi`` of the one before."""
    values = [rng.normal(0, cv)]
    while len(values) < count:
        values.append(phi * values[-1] + rng.normal(0, cv * math.sqrt(1 - phi**2)))
    return values


# --- the marks: DETECTION, "Bench history"


def test_false_changes_in_60_series() -> None:
    for count, phi, most in [
    (50, 0.0, 2), (100, 0.0, 2), (20, 0.0, 2), (50, 0.5, 5), (100, 0.5, 5), (20, 0.5, 5),
]:  # fmt: skip
        rng = np.random.default_rng(1)
        assert sum(bool(_found(_series(rng, count, 0.02, phi))) for _ in range(60)) <= most


@pytest.mark.parametrize("count", [20, 50])
def test_false_changes_where_rounds_spread_by_5_percent(count: int) -> None:
    rng = np.random.default_rng(1)
    assert sum(bool(_found(_series(rng, count, 0.05, 0.5))) for _ in range(60)) <= 5


@pytest.mark.parametrize("before", [20, 30, 50, 100])
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_step_of_10_percent_is_found_after_three_rounds(before: int, factor: float) -> None:
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(25):
        values = np.array(_series(rng, before + 3, 0.02))
        values[before:] += math.log(factor)
        cuts = _found(list(values))
        found += bool(cuts) and abs(cuts[-1] - before) <= 1
    assert found >= 24


# --- what it finds


def _steps(*levels: tuple[int, float], cv: float = 0.02) -> list[float]:
    """Levels by their length and value (percent), with noise."""
    rng = np.random.default_rng(4)
    clean = [math.log1p(level / 100) for count, level in levels for _ in range(count)]
    return [value + rng.normal(0, cv) for value in clean]


def test_what_it_finds() -> None:
    for name, values, cuts in [
        ("nothing", _steps((40, 0)), []),
        ("one step", _steps((20, 0), (20, -10)), [20]),
        ("a step and back", _steps((30, 0), (30, -12), (30, 0)), [30, 60]),
        # a search that divides the whole series first would miss it
        ("a short dip in a long past", _steps((120, 0), (6, -15), (60, 0)), [120, 126]),
        ("one round that went wrong", _steps((20, 0), (1, -30), (20, 0)), []),
        ("two of them", _steps((20, 0), (2, -30), (20, 0)), []),
        # sure, and too small to matter
        ("4 % at little noise", _steps((30, 0), (30, -4), cv=0.003), []),
        # 6 % is over the 5 %, but not over twice the noise
        ("6 % in noise", _steps((40, 0), (40, -6), cv=0.06), []),
        ("at the very start", _steps((3, -20), (20, 0)), [3]),
        ("too few rounds", _steps((2, 0), (3, -50)), []),
        ("three and three", _steps((3, 0), (3, -50)), [3]),
        ("no rounds", [], []),
        ("always the same", [1.0] * 20, []),
        ("always the same, then another", [1.0] * 20 + [0.5] * 5, [20]),
    ]:
        assert _found(values) == cuts, name


# --- its parts


def test_a_step_of_exactly_the_least_counts() -> None:
    assert change_points([0.0] * 10 + [0.5] * 10, 0.5, 2.0) == [10]
    assert change_points([0.0] * 10 + [0.5] * 10, 0.5 + 1e-9, 2.0) == []
