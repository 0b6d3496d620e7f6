"""OSDs that were made anew under the ID of another one, as after a drive was replaced."""

from __future__ import annotations

import json

import pytest

from farm import HOUR, MINUTE, SEGMENT, Farm, OfSome, both, of_some, roster, settled, slower
from perf_bench.model.finding import Roster, WatchTick
from perf_bench.model.verdict import OsdState

BURSTS = of_some({7}, lambda at, osd: 4.0 if at % (30 * MINUTE) < 2 else 1.0)
WELL = slower((), 1.0)


def replaced(farm: Farm, *osds: int) -> None:
    """The watch has learned that these are other OSDs now."""
    farm.detector.tick(WatchTick(farm.detector.now, replaced=frozenset(osds)))


@pytest.mark.parametrize(
    ("fault", "frames"),
    [
        (slower({7}, 5.0), 10 * MINUTE),
        (slower({7}, 1.5), 5 * SEGMENT),
        (BURSTS, 16 * HOUR),
    ],
)
def test_a_new_drive_is_not_accused_of_what_the_one_before_did(fault: OfSome, frames: int) -> None:
    farm = settled(roster(2, 12), 5 * SEGMENT).run(frames, fault)
    assert farm.named == {"osd.7"}
    replaced(farm, 7)
    assert farm.named == set()
    farm.run(4 * HOUR, WELL)
    assert farm.named == set()
    verdict = farm.detector.verdicts()[7]
    assert (verdict.state, verdict.path, verdict.risk) == (OsdState.OK, "", 0.0)
    assert verdict.max_ratio is None


def test_the_others_keep_what_is_known_of_them() -> None:
    fault = both(BURSTS, slower({20}, 1.5))
    farm = settled(roster(2, 12), 5 * SEGMENT).run(16 * HOUR, fault)
    before = farm.detector.verdicts()[20]
    replaced(farm, 7, 99)
    after = farm.detector.verdicts()[20]
    assert farm.named == {"osd.20"}
    assert (after.since, after.risk, after.max_ratio) == (
        before.since,
        before.risk,
        before.max_ratio,
    )


def test_a_new_drive_that_is_slow_itself_is_found_and_slow_since_then() -> None:
    farm = settled(roster(2, 12), 5 * SEGMENT).run(10 * MINUTE, slower({7}, 5.0))
    replaced(farm, 7)
    at = farm.detector.now
    farm.run(10 * MINUTE)
    assert farm.named == {"osd.7"}
    since = farm.detector.verdicts()[7].since
    assert since is not None
    assert since >= at - 60


@pytest.mark.parametrize("removed", [True, False])
def test_what_is_usual_in_a_small_cohort_is_forgotten_with_the_osd(removed: bool) -> None:
    """Replaced, or removed and another one added under its ID."""
    farm = Farm(roster(3, 1), noise=0.05).run(7 * HOUR)
    if removed:
        members = farm.roster
        farm.roster = Roster(members.members[:2])
        farm.run(4)
        farm.roster = members
        farm.run(4)
    else:
        replaced(farm, 2)
    farm.run(4 * SEGMENT + 1, slower({2}, 1.5))
    assert farm.named == set()


def test_nothing_is_known_before_the_first_frame_and_of_a_farm_of_new_ones() -> None:
    farm = Farm(roster(2, 12))
    replaced(farm, 7)
    assert dict(farm.detector.verdicts()) == {}
    farm.run(10 * MINUTE)
    replaced(farm, *range(24))
    assert len(farm.detector.verdicts()) == 24
    farm.run(10 * MINUTE)
    assert farm.named == set()
    json.dumps(farm.detector.save(), allow_nan=False)
