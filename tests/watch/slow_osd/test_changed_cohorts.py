"""Cohorts of which too many OSDs recover to judge lasting slowness, and that become small."""

from __future__ import annotations

import pytest

from farm import HOUR, SEGMENT, Farm, roster, settled, slower
from perf_bench.model.finding import COMMIT, READ, Mark, Roster
from perf_bench.model.verdict import OsdState


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


def test_a_channel_that_is_idle_after_a_recovery_holds_nobody_back() -> None:
    """Recovery has read; then there are writes only."""
    farm = Farm(roster(4, 12), channels=(COMMIT, READ)).run(5 * SEGMENT)
    farm.marks = dict.fromkeys(range(48), int(Mark.RECOVERING))
    farm.run(2 * SEGMENT + 1)
    (look,) = farm.detector.looks()
    assert look.partly == 48
    farm.marks, farm.channels = {}, (COMMIT,)
    farm.run(2 * SEGMENT)
    (look,) = farm.detector.looks()
    assert (look.partly, look.gaps) == (0, ())
    (cohort,) = farm.detector.cohorts()
    assert cohort.minimum_detectable_ratio is not None


@pytest.mark.parametrize("each", [4, 12])
def test_a_watch_that_begins_while_all_recover_has_verdicts(each: int) -> None:
    """The operations are there; only what lasts is not judged, which is told."""
    farm = Farm(roster(4, each))
    farm.marks = dict.fromkeys(range(4 * each), int(Mark.RECOVERING))
    farm.run(2 * SEGMENT + 1, slower({3}, 6.0))
    (look,) = farm.detector.looks()
    assert [gap.code for gap in look.gaps] == ["unsettled"]
    assert farm.named == {"osd.3"}


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
