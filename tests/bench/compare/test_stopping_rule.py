"""Whether another repeat is worth what it writes, and how sure a round says it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from nouns import a_plan, a_result, a_sample, no_sample
from perf_bench.bench.compare.summary import (
    another,
    judge_sample,
    precision,
    summarize,
)
from perf_bench.model.plan import MIB, Plan, Sample
from perf_bench.model.round import Verdict

OSDS = (0, 1, 2)


def _plan(repeats: int = 3, most: int = 10) -> Plan:
    return replace(a_plan([OSDS], repeats), max_repeats=most)


def _samples(factors: Sequence[float], seconds: float = 10.0) -> list[Sample]:
    """Of each OSD a sample a factor, judged as a round does."""
    return [
        judge_sample(a_sample(osd, repeat, 100 * MIB * factor, seconds))
        for osd in OSDS
        for repeat, factor in enumerate(factors, 1)
    ]


STEADY = (0.995, 1.0, 1.005)
UNSTEADY = (0.98, 1.0, 1.02)
WILD = (0.7, 1.0, 1.3)


def test_another() -> None:
    for samples, plan, more, needed in [
        # sure enough after what was planned
        (_samples(STEADY), _plan(), False, 3),
        # not yet, and more make it so
        (_samples(UNSTEADY), _plan(), True, 6),
        # more would make it so, but are not wanted
        (_samples(UNSTEADY), _plan(most=3), False, None),
        (_samples(UNSTEADY), _plan(most=5), False, None),
        # so much spread that no number of repeats helps
        (_samples(WILD), _plan(), False, None),
        # too short for one sample, long enough together with others
        (_samples(STEADY, 0.12), _plan(), True, 5),
        (_samples((*STEADY, 1.0, 1.0), 0.12), _plan(), False, 3),
        (_samples(STEADY, 0.12), _plan(most=3), False, 3),
        # what is too short by itself is so however often it is repeated
        (_samples(STEADY, 0.05), _plan(), False, None),
        # the round has failed: that writes for nothing
        ([*_samples(UNSTEADY), no_sample(5, 3)], _plan(), False, 6),
        ([], _plan(), False, None),
    ]:
        found = another(plan, samples)
        assert (found.more, found.needed) == (more, needed), found


def _summary(samples: Sequence[Sample], plan: Plan) -> tuple[Verdict, tuple[str, ...], object]:
    rows = [a_result(osd, None) for osd in OSDS]
    found = summarize(plan, rows, samples, 10.0)
    return found.verdict, found.reasons, found.figures.get("half_width_percent")


def test_a_round_says_how_sure_it_is() -> None:
    verdict, reasons, width = _summary(_samples(STEADY), _plan())
    assert verdict is Verdict.VALID
    assert reasons == (
        "median CV 0.5 % over 3 repeats",
        "figures are precise to 1.2 % after 3 repeats: 2.5 % is enough",
    )
    assert width == pytest.approx(1.2, abs=0.1)


def test_a_noisy_round_says_that_repeats_do_not_help() -> None:
    verdict, reasons, _ = _summary(_samples(WILD), _plan())
    assert verdict is Verdict.NOISY
    assert "10 would not reach 2.5 %" in reasons[-1]


def test_one_repeat_tells_nothing_of_that() -> None:
    verdict, reasons, width = _summary(_samples([1.0]), _plan(repeats=1, most=1))
    assert (verdict, width) == (Verdict.VALID, None)
    assert reasons == ("one sample an OSD: the spread between repeats is not known",)


def test_a_repeat_that_only_some_osds_made_before_a_failover_fails_nothing() -> None:
    verdict, _, _ = _summary([*_samples(STEADY), a_sample(0, 4)], _plan())
    assert verdict is Verdict.VALID


def test_the_repeats_that_were_made_are_told() -> None:
    for samples, made in [
        ([], 0),
        (_samples(STEADY), 3),
        (_samples([1.0] * 20, seconds=0.02), 20),  # too short, and repeated for that
        ([*_samples([1.0]), a_sample(0, 2), no_sample(1, 2)], 1),  # ended in the second repeat
    ]:
        rows = [a_result(osd, None) for osd in OSDS]
        found = summarize(_plan(), rows, samples, 10.0, cut_short=(Verdict.ABORTED, "enough"))
        assert (found.verdict, found.reasons) == (Verdict.ABORTED, ("enough",))
        assert found.figures["repeats"] == made
        assert "half_width_percent" not in found.figures


def test_the_width_is_that_of_scipy() -> None:
    rates = (97.0, 103.0, 100.0, 101.0, 98.5)
    logs = np.log(rates)
    low, high = stats.t.interval(0.95, len(rates) - 1, logs.mean(), stats.sem(logs))
    found = precision([a_sample(0, n, rate * MIB) for n, rate in enumerate(rates, 1)], 15)
    assert found.half_width_percent == pytest.approx(100 * np.expm1((high - low) / 2))


def test_the_median_osd_decides() -> None:
    """A wild one wears no others down, a calm one does not end it, one that died has no say."""
    calm, lively, wild = (99.1, 100.0, 100.9), (98.0, 100.0, 102.0), (90.0, 100.0, 110.0)
    for by_osd, more in (
        ((calm, calm, wild), False),
        ((calm, lively, lively), True),
        ((calm, calm, (50.0,)), False),
    ):
        samples = [
            a_sample(osd, repeat, rate * MIB)
            for osd, rates in enumerate(by_osd)
            for repeat, rate in enumerate(rates, 1)
        ]
        assert precision(samples, 15, 3).more is more
