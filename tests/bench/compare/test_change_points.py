"""The search for changes of level: its parts against slow ones, and how often it is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perf_bench.bench.compare import history as search
from perf_bench.bench.compare.history import autocorrelation, change_points, deviation, step

LEAST = -math.log(0.95)
VALUES = st.lists(st.floats(-1, 1), min_size=8, max_size=14)


def _found(values: Sequence[float]) -> list[int]:
    return change_points(values, LEAST, 2.0)


def _series(rng: np.random.Generator, count: int, cv: float, phi: float = 0.0) -> list[float]:
    """Logarithms with this deviation, each remembering ``phi`` of the one before."""
    values = [rng.normal(0, cv)]
    while len(values) < count:
        values.append(phi * values[-1] + rng.normal(0, cv * math.sqrt(1 - phi**2)))
    return values


# --- the marks: DETECTION, "Bench history"


@pytest.mark.parametrize(("count", "phi", "most"), [
    (50, 0.0, 2), (100, 0.0, 2), (20, 0.0, 2), (50, 0.5, 5), (100, 0.5, 5), (20, 0.5, 5),
])  # fmt: skip
def test_false_changes_in_60_series(count: int, phi: float, most: int) -> None:
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


def test_two_rounds_after_a_step_are_not_enough() -> None:
    rng = np.random.default_rng(3)
    early = 0
    for _ in range(50):
        values = np.array(_series(rng, 42, 0.02))
        values[40:] += math.log(0.9)
        early += bool(_found(list(values)))
    # now and then the round before the step happens to be low, too
    assert early <= 1


# --- what it finds


def _steps(*levels: tuple[int, float], cv: float = 0.02) -> list[float]:
    """Levels by their length and value (percent), with noise."""
    rng = np.random.default_rng(4)
    clean = [math.log1p(level / 100) for count, level in levels for _ in range(count)]
    return [value + rng.normal(0, cv) for value in clean]


@pytest.mark.parametrize(
    ("name", "values", "cuts"),
    [
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
    ],
)
def test_what_it_finds(name: str, values: list[float], cuts: list[int]) -> None:
    assert _found(values) == cuts


# --- its parts


@given(VALUES)
def test_the_partition_is_the_best_of_all(values: list[float]) -> None:
    """By trying every set of cuts that leaves levels of three values at least."""

    def costs(cuts: Sequence[int]) -> float:
        pieces = [np.array(piece) for piece in search.levels(values, cuts)]
        squares = sum(float(((piece - piece.mean()) ** 2).sum()) for piece in pieces)
        return squares + len(cuts) * LEAST**2

    def sets(first: int) -> Iterator[list[int]]:
        yield []
        for cut in range(first, len(values) - 2):
            yield from ([cut, *rest] for rest in sets(cut + 3))

    best = min(map(costs, sets(3)))
    assert costs(search._partition(values, LEAST)) == pytest.approx(best, abs=1e-9)


@given(VALUES)
def test_without_memory_it_is_students_test(values: list[float]) -> None:
    before, after = values[:4], values[4:]
    if np.std(before) + np.std(after) < 1e-6:
        return
    theirs = stats.ttest_ind(before, after)
    assert step(before, after, 0.0).p_value == pytest.approx(theirs.pvalue, rel=1e-6, abs=1e-12)


def test_memory_takes_values_away() -> None:
    before, after = _steps((20, 0)), _steps((20, -3))
    p_values = [step(before, after, phi).p_value for phi in (0.0, 0.3, 0.5, 0.9)]
    assert p_values == sorted(p_values)
    # phi 0.5: 20 count as 20 / 3
    both = [np.mean(after) - np.mean(before), np.sqrt((np.var(before) + np.var(after)) * 20 / 38)]
    t = both[0] / both[1] / math.sqrt(2 * 3 / 20)
    expected = 2 * stats.t.sf(abs(t), round(40 / 3 - 2))
    assert p_values[2] == pytest.approx(expected)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.8])
def test_autocorrelation(phi: float) -> None:
    rng = np.random.default_rng(6)
    values = _series(rng, 2000, 0.02, phi)
    assert autocorrelation(values, []) == pytest.approx(phi, abs=0.06)
    # a step is no memory, once it is known
    stepped = [value + (0.5 if place >= 1000 else 0) for place, value in enumerate(values)]
    assert autocorrelation(stepped, [1000]) == pytest.approx(phi, abs=0.06)


@pytest.mark.parametrize(
    ("read", "values", "expected"),
    [
        (autocorrelation, [1.0, 1.0, 1.0], 0.0),
        # alternating values remember, but they do not make a mean less sure
        (autocorrelation, [1.0, -1.0] * 20, 0.0),
        (deviation, [1.0], 0.0),
        (deviation, [1.0, 2.0, 3.0], 1.0),
    ],
)
def test_edges(
    read: Callable[[Sequence[float], Sequence[int]], float], values: list[float], expected: float
) -> None:
    assert read(values, []) == pytest.approx(expected)


def test_the_deviation_is_that_within_levels() -> None:
    assert deviation([1.0, 3.0, 11.0, 13.0], [2]) == pytest.approx(math.sqrt(2))


def test_the_autocorrelation_of_few_values_is_not_too_low() -> None:
    # by hand: 1.25 / 5, and (1 + 3 x 0.25) / 4 for four values
    assert autocorrelation([1.0, 2.0, 3.0, 4.0], []) == pytest.approx(0.25 + 1.75 / 4)
    rng = np.random.default_rng(5)
    found = [autocorrelation(_series(rng, 20, 0.02, 0.5), []) for _ in range(400)]
    assert float(np.mean(found)) == pytest.approx(0.5, abs=0.04)


def test_a_step_of_exactly_the_least_counts() -> None:
    assert change_points([0.0] * 10 + [0.5] * 10, 0.5, 2.0) == [10]
    assert change_points([0.0] * 10 + [0.5] * 10, 0.5 + 1e-9, 2.0) == []
