"""Cohorts of which too many OSDs recover to judge lasting slowness."""

from __future__ import annotations

import pytest

from farm import HOUR, SEGMENT, roster, settled, slower
from perf_bench.model.frame import Mark


@pytest.mark.parametrize(("busy", "partly"), [(3, 0), (48, 48)])
def test_a_cohort_whose_lasting_slowness_is_not_judged_is_looked_at_only_in_part(
    busy: int, partly: int
) -> None:
    farm = settled(roster(4, 12), 5 * SEGMENT)
    farm.marks = dict.fromkeys(range(48 - busy, 48), int(Mark.RECOVERING))  # a large backfill
    farm.fault = slower({7}, 1.6)
    farm.run(12 * HOUR)
    assert farm.named == (set() if partly else {"osd.7"})
    (look,) = farm.detector.looks()
    (cohort,) = farm.detector.cohorts()
    assert look.partly == partly
    assert look.looked == 48
    assert (cohort.minimum_detectable_ratio is None) is bool(partly)
