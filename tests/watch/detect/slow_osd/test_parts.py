"""The detector's small parts, each against a plain definition or a table."""

from __future__ import annotations

import json
import math
from statistics import NormalDist
from typing import Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_bench.model.frame import Mark
from perf_bench.model.statistics import against_others, medians_of_others, sharper_z, spread
from perf_bench.watch.detect.slow_osd.bursts import anscombe
from perf_bench.watch.detect.slow_osd.packing import (
    coarse,
    fine,
    pack,
    pack_floats,
    unpack,
    unpack_floats,
)
from perf_bench.watch.detect.slow_osd.persistence import Facts, MOfNRule
from perf_bench.watch.detect.slow_osd.windows import (
    RunningScale,
    Slope,
    excluded_places,
    load_against,
)

NAN = math.nan
_VALUES = st.lists(st.floats(-50, 50), min_size=2, max_size=30)


@given(_VALUES)
def test_against_others_is_each_minus_the_median_of_the_others(values: list[float]) -> None:
    found = against_others(values, sorted(values))
    others = medians_of_others(values)
    for own, excess, median in zip(values, found, others):
        assert median is not None
        assert excess == pytest.approx(own - median, abs=1e-9)


def test_against_others_keeps_no_data_as_no_data() -> None:
    assert all(math.isnan(own) for own in against_others([1.0, 2.0], [1.0]))
    first, second, third = against_others([1.0, NAN, 3.0], [1.0, 3.0])
    assert (first, third) == (-2.0, 2.0)
    assert math.isnan(second)


def test_a_load_of_next_to_nothing_is_a_load() -> None:
    """Only what is not known says nothing of the others."""
    assert load_against([0.0, 0.5, 8.0, NAN]) == pytest.approx(
        [-math.log(1.5), 0.0, math.log(9 / 1.5), 0.0]
    )


@pytest.mark.parametrize(
    ("z", "tests", "expected"),
    [
        (5.0, 1, 5.0),
        (5.0, 2, 5.132),  # DETECTION rounds it to 5.14
        (6.0, 3, 6.177),
        (9.0, 3, 9.120),  # where NormalDist.cdf is 0
        (12.0, 5, 12.132),
    ],
)
def test_more_channels_ask_for_more(z: float, tests: int, expected: float) -> None:
    assert sharper_z(z, tests) == pytest.approx(expected, abs=2e-3)


def test_the_spread_is_the_sigma_of_normal_residuals() -> None:
    residuals = [NormalDist(0, 0.2).inv_cdf((at + 0.5) / 999) for at in range(999)]
    assert spread(residuals) == pytest.approx(0.2, rel=0.01)
    assert spread([*residuals, *[50.0] * 50]) == pytest.approx(0.2, rel=0.1)
    assert spread([0.0, 0.0, NAN]) == 0
    assert math.isnan(spread([0.1]))


@pytest.mark.parametrize(
    ("windows", "flagged_after"),  # H hit, c calm, . between, _ no data
    [
        ("HHH", 3),
        ("HcHH", 4),
        ("H_H__H", 6),  # windows without data count neither way
        ("HccHH", None),
        ("HHcc", None),
        ("HHccHHH", 7),  # ccHH is two, cHHH three
    ],
)
def test_3_of_4(windows: str, flagged_after: Optional[int]) -> None:
    rule: MOfNRule[int] = MOfNRule(3, 4, 4)
    flagged = None
    for at, window in enumerate(windows, 1):
        step(rule, at, window)
        if 7 in rule.flags and flagged is None:
            flagged = at
    assert flagged == flagged_after


@pytest.mark.parametrize(
    ("windows", "held"),
    [
        ("HHHccc", True),
        ("HHHcccc", False),
        ("HHHcccHcccc", False),
        ("HHHcccHccc", True),  # a hit starts the counting anew
        ("HHHcc.cc", False),  # neither slow nor calm: no step back
        ("HHHcc__c", True),
    ],
)
def test_4_calm_windows_end_it(windows: str, held: bool) -> None:
    rule: MOfNRule[int] = MOfNRule(3, 4, 4)
    for at, window in enumerate(windows, 1):
        step(rule, at, window)
    assert (7 in rule.flags) is held
    if held:
        assert rule.flags[7].since == 1


@pytest.mark.parametrize(
    ("windows", "flagged_after"),  # S strong, H weak
    [
        ("SSS", 3),
        ("SSHS", 4),
        ("SHSc", None),
        ("SSccHS", None),
        ("HHHHH", None),
        ("HHHHHH", 6),
        ("HcHHHcHH", 8),
        ("HcHHHccHH", None),
    ],
)
def test_weak_hits_need_one_more(windows: str, flagged_after: Optional[int]) -> None:
    rule: MOfNRule[int] = MOfNRule(3, 5, 5, (6, 8))
    flagged = None
    for at, window in enumerate(windows, 1):
        step(rule, at, window, weak="H")
        again: MOfNRule[int] = MOfNRule(3, 5, 5, (6, 8))
        again.restore(rule.save(int), int, 1e9)
        rule = again
        if 7 in rule.flags and flagged is None:
            flagged = at
    assert flagged == flagged_after


def test_a_state_that_waits_for_the_store_stays_as_it_was_saved() -> None:
    """Windows are added meanwhile, and the store's thread writes the state later."""
    rule: MOfNRule[int] = MOfNRule(3, 4, 4, mean=3)
    for at, window in enumerate("HHH", 1):
        step(rule, at, window)
    saved = rule.save(int)
    text = json.dumps(saved)
    for at, window in enumerate("HcH", 4):
        step(rule, at, window)
    assert rule.save(int) != saved
    assert json.dumps(saved) == text


def step(rule: MOfNRule[int], at: int, window: str, weak: str = "") -> None:
    excess = {"H": 1.0, "S": 2.0}.get(window)
    hits = {7: Facts(excess, 9.0, 0.0, 0.0, 5)} if excess else {}
    value = {"c": 0.0, ".": 0.5, "_": None}.get(window)
    rule.step(float(at), hits, lambda key: value, 0.1, None if window not in weak else ())


@pytest.mark.parametrize(
    ("episodes", "usual", "found"),
    [(17, 1, False), (18, 1, True), (30, 20, False), (4, 1, False)],
)
def test_how_many_bursts_are_too_many(episodes: int, usual: int, found: bool) -> None:
    assert (anscombe(episodes, usual) >= 6) is found


@pytest.mark.parametrize(
    ("marks", "out", "resting"),
    [
        ({}, set(), False),
        ({1: Mark.RECOVERING, 2: Mark.NEW}, {1, 2}, False),
        ({1: Mark.DOWN, 2: Mark.STALE}, set(), False),  # no data is no exclusion
        (dict.fromkeys(range(4), Mark.RECOVERING), {0, 1, 2, 3}, True),  # over 30 %
        (dict.fromkeys(range(6), Mark.SCRUBBING), set(), False),  # scrubbing is how they live
        ({**dict.fromkeys(range(6), Mark.SCRUBBING), 9: Mark.RESTARTED}, {9}, False),
        ({0: Mark.SCRUBBING, 9: Mark.RESTARTED}, {0, 9}, False),
    ],
)
def test_who_is_no_reference(marks: dict[int, Mark], out: set[int], resting: bool) -> None:
    plain = {place: int(mark) for place, mark in marks.items()}
    assert excluded_places(plain, 10, 0.3) == (frozenset(out), resting)


def test_a_slope_is_learned_and_bounded() -> None:
    load = [(at % 21 - 10) / 10 for at in range(2000)]
    for true, expected in ((0.6, 0.6), (-1.0, 0.0), (5.0, 1.5)):
        slope = Slope(6.0, 1.5)
        excess = [true * more for more in load]
        for _ in range(600):
            slope.learn(excess, load, 100.0)
        assert slope.value == pytest.approx(expected, rel=0.05)


def test_slower_with_less_load_is_not_explained() -> None:
    slope = Slope(6.0, 1.5)
    slope.products = slope.squares = 1e6  # a slope of 1
    assert slope.without_load([0.7, 0.7, -0.7], [0.5, -0.5, -0.5]) == pytest.approx(
        [0.2, 0.7, -0.2], abs=1e-3
    )


def test_one_outlier_moves_a_scale_little() -> None:
    scale = RunningScale(60)
    for value in [0.1] * 5 + [5.0] + [NAN] * 5:
        scale.learn(value)
    assert scale.value == pytest.approx(0.1 + 0.1 / 6)


@given(st.lists(st.one_of(st.just(NAN), st.floats(-2.5, 2.5)), max_size=50))
def test_coarse_figures_come_back_within_a_step(values: list[float]) -> None:
    again = fine(unpack("b", pack(coarse(values))))
    for before, after in zip(values, again):
        assert math.isnan(before) == math.isnan(after)
        assert math.isnan(before) or after == pytest.approx(before, abs=0.0101)


def test_coarse_figures_are_bounded() -> None:
    assert coarse([math.inf, -math.inf, 9.0, -9.0]).tolist() == [127, -127, 127, -127]


@given(st.lists(st.floats(-32, 32), max_size=50))
def test_packed_floats_come_back(values: list[float]) -> None:
    assert unpack_floats(pack_floats(values)) == pytest.approx(values, abs=0.00051)
