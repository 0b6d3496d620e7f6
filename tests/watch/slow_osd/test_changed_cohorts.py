"""Cohorts of which many OSDs recover, and that become small."""

from __future__ import annotations

import pytest

from farm import HOUR, SEGMENT, Farm, of_some, roster, settled, slower
from perf_bench.model.finding import Mark, Roster
from perf_bench.model.verdict import OsdState


@pytest.mark.parametrize("busy", [3, 24, 48])
def test_what_lasts_is_found_beside_a_large_backfill_from_twice_on(busy: int) -> None:
    farm = settled(roster(4, 12), 5 * SEGMENT)
    farm.marks = dict.fromkeys(range(48 - busy, 48), int(Mark.RECOVERING))
    farm.fault = slower({7}, 1.6)
    farm.run(12 * HOUR)
    assert farm.named == ({"osd.7"} if busy < 48 else set())
    farm.run(HOUR, slower({7}, 2.3))
    assert farm.named == {"osd.7"}


@pytest.mark.parametrize(("busy", "most"), [(18, 1.9), (36, 3.0), (48, 4.0)])
def test_recovery_accuses_nobody_however_many_recover(busy: int, most: float) -> None:
    farm = Farm(roster(6, 12)).run(5 * SEGMENT)
    farm.marks = dict.fromkeys(range(busy), int(Mark.RECOVERING))
    ratio = {osd: 1.3 + (most - 1.3) * (osd * 7 % busy) / busy for osd in range(busy)}
    farm.fault = of_some(ratio, lambda at, osd: ratio[osd])
    for _ in range(12):
        assert farm.run(SEGMENT // 2).named == set()


@pytest.mark.parametrize("each", [4, 12])
def test_a_watch_that_begins_while_all_recover_has_verdicts(each: int) -> None:
    """They are the only ones to compare with."""
    farm = Farm(roster(4, each))
    farm.marks = dict.fromkeys(range(4 * each), int(Mark.RECOVERING))
    farm.run(2 * SEGMENT + 1, slower({3}, 6.0))
    (look,) = farm.detector.looks()
    assert look.gaps == ()
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
