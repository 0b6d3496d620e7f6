"""Whether a round needs more repeats, a row a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from nouns import a_sample, no_sample
from perf_bench.bench.compare.summary import precision
from perf_bench.model.plan import MIB, Sample

# Three repeats of CV 0.9, 2 and 10 %.
CALM = (99.1, 100.0, 100.9)
LIVELY = (98.0, 100.0, 102.0)
WILD = (90.0, 100.0, 110.0)
CALM_ENOUGH = "figures are precise to 2.3 % after 3 repeats: 2.5 % is enough"
TOO_WILD = (
    "figures are precise to 28.3 % after 3 repeats: at a CV of 10.0 % 15 would not reach 2.5 %"
)


def _samples(by_osd: Mapping[int, Sequence[float]]) -> list[Sample]:
    return [
        a_sample(osd, repeat, rate * MIB)
        for osd, rates in by_osd.items()
        for repeat, rate in enumerate(rates, 1)
    ]


def test_decisions() -> None:
    cases: list[Any] = [
        # --- too few to tell
        ({}, 15, 3, True, "0 repeats are too few for an interval: 3 are needed"),
        ({0: CALM[:2]}, 15, 3, True, "2 repeats are too few for an interval: 3 are needed"),
        # the limit is the limit
        ({0: CALM[:2]}, 2, 3, False, "2 repeats are too few for an interval: 3 are needed"),
        # --- narrow enough
        ({0: CALM}, 15, 3, False,
         CALM_ENOUGH),
        # what was planned is made all the same
        ({0: CALM}, 15, 5, True,
         CALM_ENOUGH),
        ({0: CALM}, 3, 5, False,
         CALM_ENOUGH),
        # --- too wide, and more helps
        ({0: LIVELY}, 15, 3, True,
         "figures are precise to 5.1 % after 3 repeats: at a CV of 2.0 % it takes 6"),
        # --- too wide, and no number that is allowed helps: no wear for nothing
        ({0: WILD}, 15, 3, False,
         TOO_WILD),
        ({0: LIVELY}, 4, 3, False,
         ("figures are precise to 5.1 % after 3 repeats: at a CV of 2.0 % 4 would not reach "
          "2.5 %")),
        # but what was planned
        ({0: WILD}, 15, 5, True,
         TOO_WILD),
        # --- the limit is reached
        ({0: LIVELY}, 3, 3, False,
         "figures are precise to 5.1 % after 3 repeats, and 3 is the limit"),
        # --- the median OSD decides: a wild one wears no others down, a calm one does not end it
        ({0: CALM, 1: CALM, 2: WILD}, 15, 3, False,
         CALM_ENOUGH),
        ({0: CALM, 1: LIVELY, 2: LIVELY}, 15, 3, True,
         "figures are precise to 5.1 % after 3 repeats: at a CV of 2.0 % it takes 6"),
        # an OSD that died early has no say
        ({0: CALM, 1: CALM, 2: (50.0,)}, 15, 3, False,
         CALM_ENOUGH),
    ]  # fmt: skip
    for by_osd, most, planned, more, reason in cases:
        found = precision(_samples(by_osd), most, planned)
        assert (found.more, found.reason) == (more, reason)


def test_samples_that_are_not_valid_do_not_count() -> None:
    spoilt = [a_sample(0, 9, 1.0 * MIB, valid=False), no_sample(1)]
    samples = _samples({0: CALM})
    assert precision([*samples, *spoilt], 15) == precision(samples, 15)


def test_the_width_is_that_of_scipy() -> None:
    rates = (97.0, 103.0, 100.0, 101.0, 98.5)
    logs = np.log(rates)
    low, high = stats.t.interval(0.95, len(rates) - 1, logs.mean(), stats.sem(logs))
    found = precision(_samples({0: rates}), 15)
    assert found.half_width_percent == pytest.approx(100 * np.expm1((high - low) / 2))
