"""Cohorts that become small while one of their OSDs is slow."""

from __future__ import annotations

import pytest

from farm import HOUR, Farm, roster, slower
from perf_bench.model.frame import Roster
from perf_bench.model.verdict import OsdState


@pytest.mark.parametrize("left", [6, 5, 3])
def test_an_osd_that_is_well_again_is_told_so_also_if_a_peer_was_removed(left: int) -> None:
    farm = Farm(roster(6, 1), fault=slower({2}, 1.6)).run(6 * HOUR)
    assert farm.named == {"osd.2"}
    farm.roster = Roster(farm.roster.members[:left])
    farm.run(HOUR)
    farm.fault = slower((), 1.0)
    farm.run(3 * HOUR)
    assert farm.named == set()
    assert farm.detector.verdicts()[2].state is OsdState.OK
