"""Rank tests and their intervals against scipy, and against counting everything out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perf_bench.bench.compare import rank_tests
from perf_bench.bench.compare.rank_tests import mann_whitney, shift_between, shift_of, signed_rank

DISTINCT = st.lists(st.integers(-1000, 1000), min_size=1, max_size=14, unique=True)
TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=5)


@given(DISTINCT, st.integers(1, 13))
def test_mann_whitney_is_exact(values: list[int], cut: int) -> None:
    a, b = [float(v) for v in values[:cut]], [float(v) for v in values[cut:]]
    if not b:
        return
    expected = stats.mannwhitneyu(a, b, method="exact").pvalue
    assert mann_whitney(a, b).p_value == pytest.approx(expected)


@given(TIED, TIED)
def test_mann_whitney_counts_ties_out(a: list[float], b: list[float]) -> None:
    joined = stats.rankdata([*a, *b])
    seen = joined[: len(a)].sum()
    sums = [sum(chosen) for chosen in itertools.combinations(joined, len(a))]
    tail = min(sum(s <= seen for s in sums), sum(s >= seen for s in sums)) / len(sums)
    assert mann_whitney(a, b).p_value == pytest.approx(min(1, 2 * tail))


@given(DISTINCT)
def test_signed_rank_is_exact(values: list[int]) -> None:
    known = [v + 0.25 for v in values]
    if len({abs(v) for v in known}) < len(known):
        return
    expected = stats.wilcoxon(known, method="exact").pvalue
    assert signed_rank(known).p_value == pytest.approx(expected)


@given(st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=9))
def test_signed_rank_counts_ties_out(values: list[float]) -> None:
    known = [v for v in values if v]
    if not known:
        assert signed_rank(values).p_value == 1
        return
    place = stats.rankdata(np.abs(known))
    seen = sum(rank for rank, value in zip(place, known) if value > 0)
    sums = [sum(sign * place) for sign in itertools.product((0, 1), repeat=len(known))]
    tail = min(sum(s <= seen for s in sums), sum(s >= seen for s in sums)) / len(sums)
    assert signed_rank(values).p_value == pytest.approx(min(1, 2 * tail))


@pytest.mark.parametrize("shift", [0.0, 0.3, 1.0])
def test_many_values_are_tested_by_the_normal_distribution(shift: float) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0, 1, 40), rng.normal(shift, 1, 35)
    # rounded to integers most are tied
    for one, other in ((a, b), (a.round(), b.round())):
        theirs = stats.mannwhitneyu(one, other, method="asymptotic").pvalue
        assert mann_whitney(list(one), list(other)).p_value == pytest.approx(theirs, rel=0.02)
    paired = stats.wilcoxon(np.append(a, b), method="approx", correction=True).pvalue
    assert signed_rank([*a, *b]).p_value == pytest.approx(paired, rel=0.02)


def test_many_values_that_are_all_the_same() -> None:
    assert mann_whitney([1.0] * 150, [1.0] * 150).p_value == 1


@pytest.mark.parametrize(
    ("n", "m", "reachable"),
    # the figures that make 5 rounds a side the least for a sure verdict
    [(3, 3, 0.1), (4, 4, 0.0286), (5, 5, 0.0079)],
)
def test_the_smallest_p_value_that_so_few_values_reach(n: int, m: int, reachable: float) -> None:
    found = mann_whitney([float(v) for v in range(n)], [100.0 + v for v in range(m)])
    assert found.reachable == pytest.approx(reachable, abs=1e-4)
    assert found.p_value == pytest.approx(found.reachable)


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_of_signed_ranks_each_value_halves_it(count: int) -> None:
    found = signed_rank([1.0 + value for value in range(count)])
    assert (found.p_value, found.reachable) == (2 / 2**count, 2 / 2**count)


@given(DISTINCT)
def test_the_middle_of_all_pairs(values: list[int]) -> None:
    pairs = [(x + y) / 2 for x, y in itertools.combinations_with_replacement(values, 2)]
    found = shift_of([float(v) for v in values], 0.95)
    assert found.estimate == pytest.approx(np.median(pairs), abs=1e-8)


@pytest.mark.parametrize(
    ("count", "outside"),
    # critical values of Wilcoxon's signed ranks (two-sided 5 %): 6 -> 0, 10 -> 8, 20 -> 52
    [(5, 0), (6, 0), (10, 8), (20, 52)],
)
def test_the_interval_of_pairs_is_that_of_the_tables(count: int, outside: int) -> None:
    values = [1.5**v for v in range(count)]
    pairs = sorted((x + y) / 2 for x, y in itertools.combinations_with_replacement(values, 2))
    found = shift_of(values, 0.95)
    assert (found.low, found.high) == pytest.approx((pairs[outside], pairs[-1 - outside]))


@pytest.mark.parametrize(
    ("n", "m", "outside"),
    # critical values of Mann and Whitney's U (two-sided 5 %): 5, 5 -> 2; 8, 8 -> 13; 7, 9 -> 12
    # 25, 25 -> 211 are counted; of more than 50 values it is the normal distribution's
    [(5, 5, 2), (8, 8, 13), (7, 9, 12), (3, 3, 0), (25, 25, 211), (27, 27, 250), (51, 3, 24),
     (1, 60, 0)],
)  # fmt: skip
def test_the_interval_between_is_that_of_the_tables(n: int, m: int, outside: int) -> None:
    a, b = [1.5**v for v in range(n)], [1.7**v for v in range(m)]
    differences = sorted(y - x for x in a for y in b)
    found = shift_between(a, b, 0.95)
    assert found.low == pytest.approx(differences[outside])
    assert found.high == pytest.approx(differences[-1 - outside])
    assert found.estimate == pytest.approx(np.median(differences))


def test_the_normal_interval_joins_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    values, others = list(rng.normal(1, 1, 40)), list(rng.normal(0, 1, 9))
    exact = (shift_of(values, 0.95), shift_between(others, values[:30], 0.95))
    monkeypatch.setattr(rank_tests, "MOST_EXACT", 5)
    normal = (shift_of(values, 0.95), shift_between(others, values[:30], 0.95))
    for ours, theirs in zip(exact, normal):
        assert tuple(ours) == pytest.approx(tuple(theirs), abs=0.03)


def test_ten_thousand_values_are_no_burden() -> None:
    rng = np.random.default_rng(3)
    found = shift_of(list(rng.normal(0.05, 0.02, 10_000)), 0.95)
    assert found.low < 0.05 < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.0002, rel=0.1)
