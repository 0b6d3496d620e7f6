"""A drift of a cohort that became too small to be judged."""

from __future__ import annotations

from drifting import BEGAN, World, step
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
    assert world.jump(AT + 60 * DAY) == []
    assert world.gaps() == [("few", "fewer than 3 OSDs are no cohort")]
