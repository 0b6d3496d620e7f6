"""PGs of which all OSDs are down."""

from __future__ import annotations

from fakes.clock import FakeClock
from fakes.senses import CLEAN, FakeOsdHealth, FakePgs
from perf_bench.model.detector import WatchTick
from perf_bench.model.frame import Watched
from perf_bench.watch.detect.laggy_pgs.detector import LaggyPgDetector

DEAD = "stale+active+clean+laggy"


def test_groups_whose_osds_are_all_down_are_not_stuck_but_unknown() -> None:
    pgs, clock, now = FakePgs(), FakeClock(), 1_795_000_000.0
    pgs.states, pgs.osds = {CLEAN: 60, DEAD: 4}, {0: {DEAD: 4}, 1: {CLEAN: 60}}
    detector = LaggyPgDetector(pgs, FakeOsdHealth(), clock)
    members = [Watched(osd, f"osd.{osd}", f"host-{osd}", "hdd") for osd in range(2)]
    for _ in range(80):
        now += 5
        clock.advance(5)
        detector.tick(WatchTick(now, members=members))
    assert detector.claims() == []
    assert [(gap.code, gap.count) for gap in detector.looks()[0].gaps] == [("stale", 4)]
