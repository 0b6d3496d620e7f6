"""A drift of a cohort that became too small to be judged."""

from __future__ import annotations

from drifting import BEGAN, World, step
from perf_bench.model.detector import WatchTick
from perf_bench.model.history import DAY, HOUR
from perf_bench.watch.detect.cohort_drift.past import LATE_SECONDS

COHORT = "hdd ACME ceph-18 default"
AT = BEGAN + 20 * DAY


def test_a_cohort_that_became_too_small_to_be_judged_is_not_told_for_ever() -> None:
    world = World(slower={COHORT: step(1.6, AT)})
    world.jump(AT)
    assert world.jump(AT + LATE_SECONDS + 48 * HOUR)
    world.osds = 2  # its OSDs are replaced by others, and the last two idle
    world.slower = {}
    world.jump(AT + 60 * DAY)
    assert world.jump(AT + 60 * DAY + HOUR) == []
    assert world.gaps() == [("few", "fewer than 3 OSDs are no cohort")]


def test_a_drift_stays_told_while_the_metadata_of_an_osd_is_away_for_a_moment() -> None:
    """A cohort of three, one of which restarts as an hour ends; the next judgement is far."""
    world = World(slower={COHORT: step(1.6, AT)}, osds=3)
    world.jump(AT)
    told = AT + LATE_SECONDS + 48 * HOUR
    assert world.jump(told)
    world.detector.tick(WatchTick(told + HOUR - 5, members=world.members))
    for seconds, members in ((HOUR, world.members[:2]), (HOUR + 5, world.members)):
        world.detector.tick(WatchTick(told + seconds, members=members))
        assert world.claims()


def test_a_mgr_that_takes_over_keeps_a_drift_until_it_knows_the_osds() -> None:
    world = World(slower={COHORT: step(1.6, AT)}, osds=3)
    world.jump(AT)
    world.jump(AT + LATE_SECONDS + 48 * HOUR)
    world.fails_over(world.detector.save())
    world.detector.tick(WatchTick(world.now, members=world.members[:2]))
    assert world.claims()
