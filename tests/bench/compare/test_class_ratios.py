"""Throughput and IOPS of OSDs against the median of their device class."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import pytest

from nouns import SMALL_STEP, STEP, a_plan, a_result, a_round
from perf_bench.bench.compare.distribution import class_ratios
from perf_bench.model.round import OsdResult, RoundLine

HDD = dict.fromkeys(range(4), "hdd")
CLASSES: dict[int, Optional[str]] = {**HDD, **dict.fromkeys(range(4, 7), "ssd")}
Entry = tuple[RoundLine, OsdResult]


def _latest(
    rates: dict[int, float], profile: str = "osd-throughput", number: int = 1
) -> dict[tuple[int, str], Entry]:
    step = STEP if profile == "osd-throughput" else SMALL_STEP
    line = a_round(replace(a_plan([[0]], step=step), profile=profile), id=number).line
    return {(osd, profile): (line, a_result(osd, rate)) for osd, rate in rates.items()}


def test_each_class_has_its_own_median() -> None:
    rates = {0: 100.0, 1: 200.0, 2: 200.0, 3: 300.0, 4: 900.0, 5: 1000.0, 6: 1100.0}
    found = class_ratios(_latest(rates), CLASSES)
    shown = {osd: ratios.throughput for osd, ratios in found.items()}
    assert shown == {0: 50.0, 1: 100.0, 2: 100.0, 3: 150.0, 4: 90.0, 5: 100.0, 6: 110.0}
    assert all(ratios.iops is None for ratios in found.values())


@pytest.mark.parametrize("turned", [False, True])
def test_the_newest_of_an_osds_rounds_counts(turned: bool) -> None:
    """Of two profiles with large blocks, in any order; and not those of another profile with it."""
    rates = {0: 50.0, 1: 100.0, 2: 100.0, 3: 100.0}
    older = _latest(dict.fromkeys(range(4), 70.0), number=1)
    newer = {(osd, "osd-sandwich"): entry for (osd, _), entry in _latest(rates, number=2).items()}
    latest = {**newer, **older} if turned else {**older, **newer}
    shown = {osd: found.throughput for osd, found in class_ratios(latest, CLASSES).items()}
    assert shown == {0: 50.0, 1: 100.0, 2: 100.0, 3: 100.0}


def test_two_osds_of_a_class_and_unknown_ones_have_no_ratio() -> None:
    rates = {0: 100.0, 1: 100.0, 99: 100.0, 4: 0.0}
    assert class_ratios(_latest(rates), CLASSES) == {}
