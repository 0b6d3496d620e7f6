"""How often the comparison of two rounds is wrong, and how often it finds what is there.

Rounds of 12 OSDs whose rates are lognormal; the seeds are fixed, the bounds stand where a
worse rule (no common variance, no minimum effect, pooled samples) falls through them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import numpy as np

from nouns import a_plan, a_result, a_round, a_sample
from perf_bench.bench.compare.rounds import compare_rounds
from perf_bench.model.round import Change, Comparison, MeasuredRound, RoundState, Spread

PAIRS = 80
OSDS = 12
CHANGED = (Change.BETTER, Change.WORSE)


@dataclass
class Noise:
    """Standard deviations of logarithms."""

    sample: float = 0.03
    # each OSD from round to round
    wander: float = 0.01
    # all OSDs from repeat to repeat
    repeat: float = 0.01
    # all OSDs from round to round
    shift: float = 0.0


def _round(
    rng: np.random.Generator, number: int, levels: np.ndarray, noise: Noise, repeats: int
) -> MeasuredRound:
    own = levels + rng.normal(0, noise.wander, OSDS) + rng.normal(0, noise.shift)
    common = rng.normal(0, noise.repeat, repeats)
    logs = own[:, None] + common[None, :] + rng.normal(0, noise.sample, (OSDS, repeats))
    rates = np.exp(logs)
    samples = [
        a_sample(osd, repeat + 1, float(rates[osd, repeat]))
        for osd in range(OSDS)
        for repeat in range(repeats)
    ]
    rows = [a_result(osd, float(np.median(rates[osd]))) for osd in range(OSDS)]
    plan = a_plan([list(range(OSDS))], repeats)
    return MeasuredRound(a_round(plan, RoundState.DONE, id=number), rows, samples)


def _compared(
    noise: Noise, factor: float, repeats: int, spread: Optional[Spread]
) -> list[Comparison]:
    rng = np.random.default_rng(20)
    found = []
    for _ in range(PAIRS):
        levels = np.log(1e8) + rng.normal(0, 0.1, OSDS)
        before = _round(rng, 1, levels, noise, repeats)
        after = _round(rng, 2, levels + np.log(factor), noise, repeats)
        found.append(compare_rounds(before, after, spread))
    return found


@dataclass
class Case:
    name: str
    noise: Noise
    factor: float
    # the least and the most of the pairs that may be called better or worse
    least: int
    most: int
    repeats: int = 5
    spread: Optional[Spread] = None


CASES = [
    Case("nothing changed", Noise(), 1, 0, 2),
    Case("nothing changed, three repeats", Noise(), 1, 0, 2, repeats=3),
    Case("repeats move all OSDs", Noise(0.01, repeat=0.03), 1, 0, 2),
    Case("rounds shift, and the history knows", Noise(shift=0.02), 1, 0, 3, 5, Spread(2.0, 20)),
    # A history of rounds of five repeats, whose figures spread less than those of fewer.
    Case("one repeat", Noise(repeat=0.05), 1, 0, 2, 1, Spread(2.7, 10, 5)),
    Case("three repeats", Noise(repeat=0.05), 1, 0, 2, 3, Spread(2.7, 10, 5)),
    Case("5 % slower", Noise(), 0.95, 74, PAIRS),
    Case("10 % slower", Noise(), 0.9, PAIRS, PAIRS),
    Case("10 % faster, three repeats", Noise(), 1.1, 76, PAIRS, repeats=3),
    # what this cannot do: without history a shift of a whole round looks like a change
    Case("rounds shift, and nobody knows", Noise(shift=0.02), 1, 10, 30),
]


def test_error_rates() -> None:
    for case in CASES:
        found = _compared(case.noise, case.factor, case.repeats, case.spread)
        called = sum(comparison.verdict in CHANGED for comparison in found)
        assert case.least <= called <= case.most
        wrong = Change.WORSE if case.factor > 1 else Change.BETTER
        if case.factor != 1:
            assert not any(comparison.verdict == wrong for comparison in found)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    for noise in (Noise(), Noise(0.01, repeat=0.03)):
        intervals = [c.interval_percent or (0, 0) for c in _compared(noise, 0.93, 5, None)]
        assert sum(low <= -7 <= high for low, high in intervals) >= 0.9 * PAIRS


def test_no_single_osd_is_accused_where_none_changed() -> None:
    found = _compared(Noise(wander=0, repeat=0), 1, 5, None)
    assert sum(any(osd.verdict in CHANGED for osd in c.per_osd) for c in found) <= 2
