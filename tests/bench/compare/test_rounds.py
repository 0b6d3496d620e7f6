"""Two rounds compared: sets of samples, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nouns import a_plan, a_result, a_round, a_sample
from perf_bench.bench.compare.rounds import compare_rounds, holm, least_effect
from perf_bench.model.plan import MIB
from perf_bench.model.round import Change, Comparison, MeasuredRound, RoundState, Spread, Verdict

# By OSD its repeats in MiB/s.
Rates = Mapping[int, Sequence[float]]
STEADY = (99.0, 100.0, 101.0, 100.5, 99.5)
SHAKY = (80.0, 100.0, 110.0, 95.0, 120.0)


def _measured(number: int, rates: Rates, **named: Any) -> MeasuredRound:
    named.setdefault("state", RoundState.DONE)
    rows = [a_result(osd, float(np.median(there)) * MIB) for osd, there in rates.items()]
    samples = [
        a_sample(osd, repeat, rate * MIB)
        for osd, there in rates.items()
        for repeat, rate in enumerate(there, start=1)
    ]
    return MeasuredRound(a_round(a_plan([list(rates)]), id=number, **named), rows, samples)


def _times(rates: Sequence[float], factor: float) -> list[float]:
    return [rate * factor for rate in rates]


def _some(osds: int, rates: Sequence[float], factor: float = 1.0) -> dict[int, list[float]]:
    """OSDs that differ from each other by far more than what is looked for."""
    return {osd: _times(_turned(rates, osd), factor * (1 + osd / 4)) for osd in range(osds)}


def _turned(rates: Sequence[float], by: int) -> list[float]:
    """The same values in another order, so that no repeat is better for all OSDs."""
    by %= len(rates)
    return [*rates[by:], *rates[:by]]


@dataclass
class Case:
    name: str
    before: Rates
    after: Rates
    verdict: Change
    change: Optional[float]
    why: str
    spread: Optional[Spread] = None


CASES = [
    # --- one OSD
    Case("one OSD as before", {0: STEADY}, {0: STEADY[::-1]}, Change.SAME, 0.0,
         "under 3.0 % is called the same"),
    Case("one OSD slower", {0: STEADY}, {0: _times(STEADY, 0.9)}, Change.WORSE, -10.0,
         "a change counts from 3.0 % on"),
    Case("one OSD faster", {0: STEADY}, {0: _times(STEADY, 1.1)}, Change.BETTER, 10.0,
         "a change counts from 3.0 % on"),
    # sure, and too small to matter
    Case("one OSD a little slower", {0: STEADY}, {0: _times(STEADY, 0.975)}, Change.INCONCLUSIVE,
         -2.5, "-2.5 % is under the 3.0 % that count"),
    # a change that is drowned by the noise; twice the CV counts
    Case("one shaky OSD", {0: SHAKY}, {0: _times(SHAKY, 0.85)}, Change.INCONCLUSIVE, -15.0,
         "there may be no change at all"),
    Case("three repeats a side, far apart", {0: STEADY[:3]}, {0: _times(STEADY[:3], 0.8)},
         Change.WORSE, -20.0, "a change counts from 3.0 % on"),
    # whatever the two samples are, they do not tell their own spread
    Case("two repeats a side", {0: STEADY[:2]}, {0: _times(STEADY[:2], 0.5)},
         Change.INCONCLUSIVE, -50.0, "2 repeats cannot tell what moves all OSDs at once"),
    # --- many OSDs, each against itself
    Case("one of two OSDs slower", _some(2, STEADY), {**_some(2, STEADY), 0: _times(STEADY, 0.8)},
         Change.INCONCLUSIVE, 100 * (0.8**0.5 - 1), "there may be no change at all"),
    Case("twelve OSDs as before", _some(12, STEADY), _some(12, STEADY[::-1]), Change.SAME, 0.0,
         "under 3.0 % is called the same"),
    Case("twelve OSDs slower by 5 %", _some(12, STEADY), _some(12, STEADY, 0.95), Change.WORSE,
         -5.0, "a change counts from 3.0 % on"),
    # pooled, the OSDs' differences (100 to 375 MiB/s) would hide this
    Case("twelve shaky OSDs slower by 15 %", _some(12, SHAKY), _some(12, SHAKY, 0.85),
         Change.WORSE, -15.0, "counts"),
    # the typical OSD is as before; the broken one is seen by itself
    Case("one of twelve broken", _some(12, STEADY), {**_some(12, STEADY), 3: _times(STEADY, 0.2)},
         Change.SAME, 0.0, "under 3.0 % is called the same"),
    # nor does it hide what became of the others: a plain mean has p 0.1 here
    Case("all slower, one of them broken", _some(12, STEADY),
         {**_some(12, STEADY, 0.9), 3: _times(STEADY, 0.2)}, Change.WORSE, -10.0, "counts"),
    # half of them slower: the middle is in between, nobody knows what is typical
    Case("half of them slower", _some(12, STEADY),
         {**_some(12, STEADY), **dict(list(_some(12, STEADY, 0.8).items())[:6])},
         Change.INCONCLUSIVE, None, "there may be no change at all"),
    # no witness of what all OSDs share
    Case("one repeat of many OSDs", _some(20, STEADY[:1]), _some(20, STEADY[:1], 0.7),
         Change.INCONCLUSIVE, -30.0, "1 repeat cannot tell what moves all OSDs at once"),
    # --- what the history knows of whole rounds
    Case("the history tells what one repeat cannot", _some(20, STEADY[:1]),
         _some(20, STEADY[:1], 0.7), Change.WORSE, -30.0, "a change counts from 5.0 % on",
         Spread(2.5, 12)),
    Case("and of one OSD", {0: STEADY[:1]}, {0: _times(STEADY[:1], 0.7)}, Change.WORSE, -30.0,
         "a change counts from 5.0 % on", Spread(2.5, 12)),
    Case("whole rounds differ by more than that", _some(12, STEADY), _some(12, STEADY, 0.95),
         Change.INCONCLUSIVE, -5.0, "is under the 8.0 % that count", Spread(4.0, 12)),
    Case("two rounds are no history", {0: STEADY[:2]}, {0: _times(STEADY[:2], 0.5)},
         Change.INCONCLUSIVE, -50.0, "cannot tell", Spread(1.0, 2)),
    Case("one OSD in an unsteady history", {0: STEADY}, {0: _times(STEADY, 0.9)},
         Change.INCONCLUSIVE, -10.0, "there may be no change at all", Spread(8.0, 12)),
]  # fmt: skip


def test_verdicts() -> None:
    for case in CASES:
        found = compare_rounds(_measured(1, case.before), _measured(2, case.after), case.spread)
        assert found.verdict == case.verdict, found.why
        assert case.why in found.why[0]
        if case.change is not None:
            assert found.change_percent == pytest.approx(case.change, abs=0.3)
        assert (found.a, found.b, found.osds) == (1, 2, len(case.before))


def test_a_broken_osd_is_worse_by_itself_and_stands_first() -> None:
    after = {**_some(12, STEADY), 3: _times(_turned(STEADY, 3), 0.35)}
    found = compare_rounds(_measured(1, _some(12, STEADY)), _measured(2, after))
    assert found.per_osd[0].osd == 3
    assert found.per_osd[0].host == "host-0"
    assert found.per_osd[0].change_percent == pytest.approx(-80, abs=0.1)
    assert {change.osd: change.verdict for change in found.per_osd} == {
        osd: Change.WORSE if osd == 3 else Change.SAME for osd in range(12)
    }


def test_why_tells_on_what_it_rests_and_what_differs() -> None:
    before = _measured(1, _some(3, STEADY), environment={"max_parallel": 64})
    after = _measured(
        2,
        {0: STEADY, 1: STEADY},
        environment={"max_parallel": 1},
        verdict=Verdict.NOISY,
        reasons=("repeats differ",),
    )
    found = compare_rounds(before, after, Spread(1.0, 9))
    assert found.why[1:] == (
        (
            "2 OSDs, each against itself, 5 and 5 repeats; "
            "rounds of this profile differ by 1.0 % by themselves"
        ),
        "measured in round 1 only: osd.2",
        "round 2 is noisy: repeats differ",
        "OSDs at once: 64 -> 1",
    )
    assert [str(difference) for difference in found.environment] == ["OSDs at once: 64 -> 1"]


def _nothing(comparison: Comparison) -> bool:
    return (
        comparison.verdict == Change.NOT_COMPARABLE
        and comparison.change_percent is None
        and comparison.interval_percent is None
        and comparison.p_value is None
        and comparison.per_osd == ()
    )


def test_a_round_without_a_valid_sample_has_no_counterpart() -> None:
    before, after = _measured(1, {0: STEADY}), _measured(2, {0: STEADY})
    spoilt = after._replace(samples=[replace(s, valid=False) for s in after.samples])
    assert _nothing(compare_rounds(before, spoilt))


def test_values_that_never_vary_are_compared_all_the_same() -> None:
    found = compare_rounds(_measured(1, {0: [100.0] * 3}), _measured(2, {0: [90.0] * 3}))
    assert (found.verdict, found.p_value) == (Change.WORSE, 0.0)


def test_the_least_effect_that_counts() -> None:
    for cv, least in [(0, 3), (1.5, 3), (1.6, 3.2), (10, 20)]:
        assert least_effect(cv) == pytest.approx(least)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm(p_values: list[float]) -> None:
    # by its definition: the largest over all at least as significant, each times those left
    expected = [
        min(1, max(sum(other >= q for other in p_values) * q for q in p_values if q <= p))
        for p in p_values
    ]
    assert holm(p_values) == pytest.approx(expected)
