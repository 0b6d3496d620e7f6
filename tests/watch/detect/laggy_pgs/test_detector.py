"""What the detector of laggy PGs reads, how often, and what it has not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fakes.clock import FakeClock
from fakes.senses import CLEAN, FakeOsdHealth, FakePgs
from perf_bench.model.detector import WatchTick
from perf_bench.model.frame import Watched
from perf_bench.watch.detect.laggy_pgs.detector import LaggyPgDetector

NOW = 1_795_000_000.0
LAGGY, WAIT = "active+clean+laggy", "active+undersized+wait"
MEMBERS = [Watched(osd, f"osd.{osd}", f"host-{osd // 2}", "hdd") for osd in range(6)]


class Place:
    """Two OSDs of host-0 with all laggy PGs; reading PGs by OSD takes ``took`` seconds."""

    def __init__(self, took: float = 0.0) -> None:
        self.pgs, self.clock = FakePgs(), FakeClock(tick=took)
        self.pgs.osds = {osd: {LAGGY: 10 if osd < 2 else 1, CLEAN: 90} for osd in range(6)}
        self.detector = self.another()
        self.at, self.offset = NOW, 0.0

    def another(self) -> LaggyPgDetector:
        return LaggyPgDetector(self.pgs, FakeOsdHealth(), self.clock)

    def ticks(self, times: int, members: Sequence[Watched] = MEMBERS, **states: int) -> None:
        names = {"laggy": LAGGY, "wait": WAIT, "unknown": "unknown"}
        self.pgs.states = {CLEAN: 64, **{names[name]: count for name, count in states.items()}}
        for _ in range(times):
            self.at += 5
            self.clock.advance(5)
            self.detector.tick(WatchTick(self.at, members=members, offset=self.offset))

    def gaps(self) -> list[tuple[str, int]]:
        (look,) = self.detector.looks()
        return [(gap.code, gap.count) for gap in look.gaps]


def test_what_was_not_counted_is_told() -> None:
    place = Place()
    assert [code for code, _ in place.gaps()] == ["unread"]
    place.ticks(1, unknown=3)
    assert place.gaps() == [("unknown", 3)]
    place.ticks(1)
    assert place.gaps() == []
    (look,) = place.detector.looks()
    assert look.total == 64


@pytest.mark.parametrize(
    ("states", "asked"), [({}, 0), ({"unknown": 3}, 0), ({"wait": 1}, 4), ({"laggy": 1}, 4)]
)
def test_pgs_by_osd_are_read_only_while_some_are_laggy_or_waiting(
    states: dict[str, int], asked: int
) -> None:
    place = Place()
    place.ticks(4, MEMBERS, **states)
    assert place.pgs.asked == asked


@pytest.mark.parametrize(("took", "asked"), [(0.0, 20), (0.09, 20), (0.11, 10), (1.0, 2)])
def test_reading_them_takes_a_fiftieth_of_the_time_at_most(took: float, asked: int) -> None:
    """Of 20 ticks of 5 s; a look at the clock passes ``took``, as the reading between two does."""
    place = Place(took)
    place.ticks(20, laggy=6)
    assert place.pgs.asked == pytest.approx(asked, abs=1)


def test_the_osds_of_a_host_are_told_by_its_name_also_after_they_moved() -> None:
    place = Place()
    place.ticks(5, laggy=12)
    assert [claim.target.id for claim in place.detector.claims()] == ["host-0"]
    place.ticks(1, [replace(one, host=f"new-{one.host}") for one in MEMBERS], laggy=12)
    assert [claim.target.id for claim in place.detector.claims()] == ["new-host-0"]


def test_they_are_read_at_once_and_again_when_they_are_due() -> None:
    """Reading began 0.25 s after the host did and took as long, so it is due 12.5 s later."""
    place = Place()
    place.pgs.states = {LAGGY: 6}
    for at, took, asked in ((0.0, 0.25, 1), (12.5, 0.0, 1), (12.75, 0.0, 2)):
        place.clock.advance(at - place.clock.monotonic())
        place.clock.tick = took
        place.detector.tick(WatchTick(NOW + at, members=MEMBERS))
        place.clock.tick = 0.0
        assert place.pgs.asked == asked


@pytest.mark.parametrize("step", [-1800.0, 1800.0])
def test_an_episode_lasts_as_long_where_the_clock_is_set(step: float) -> None:
    place = Place()
    place.ticks(12, laggy=8)
    (before,) = place.detector.tracker.episodes()
    place.at += step
    place.clock.advance(5)
    place.detector.tick(WatchTick(place.at + 5, members=MEMBERS, offset=step))
    place.at += 5
    place.offset = step
    (after,) = place.detector.tracker.episodes()
    assert after.start == before.start + step
    assert after.laggy_pg_seconds == before.laggy_pg_seconds + 8 * 5
    place.ticks(12, laggy=8)
    (claim,) = place.detector.claims()
    assert claim.since == before.start + step


def test_a_pool_that_was_deleted_is_listed_no_more() -> None:
    """Also if no PG was laggy since; a pool that is still there stays."""
    place = Place()
    place.ticks(5, laggy=12)
    place.ticks(30)
    assert [pool.pool for pool in place.detector.tracker.pools()] == ["rbd"]
    place.pgs.by_pool = lambda: {"other": {CLEAN: 8}}  # type: ignore[method-assign]
    place.ticks(13)
    assert place.detector.tracker.pools() == []
