"""A clock that is set makes no event of Ceph's alerts newer or older."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from fakes.clock import FakeClock
from perf_bench.model.ceph_alerts import CephAlert, Ongoing
from perf_bench.model.cluster import CounterPoint
from perf_bench.model.detector import WatchTick
from perf_bench.model.verdict import OsdState, OsdVerdict
from perf_bench.watch.detect.ceph_alerts import CephAlertDetector

COUNTER = "bluestore.slow_committed_kv_count"
ALERT = CephAlert("BLUESTORE_SLOW_OP_ALERT", "1 OSD(s)", {4: 1}, lines=1, lifetime=86400.0)


class Cluster:
    """The alert, and the counter of the OSD that it names, in the clock's time of then."""

    grown: Sequence[CounterPoint] = ()

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        return [ALERT]

    def names(self, osd: int) -> frozenset[str]:
        return frozenset((COUNTER,))

    def points(self, osd: int, name: str) -> Sequence[CounterPoint]:
        return self.grown


class Place:
    def __init__(self) -> None:
        self.cluster, self.clock = Cluster(), FakeClock()
        self.detector = CephAlertDetector(self.cluster, self.cluster, self.clock)

    def passes(self, seconds: float, step: float = 0.0) -> Ongoing:
        self.clock.set_by(step)
        self.clock.advance(seconds)
        self.detector.tick(WatchTick(self.clock.now(), clock_step=step))
        (found,) = self.detector.explained(
            lambda osd: OsdVerdict(osd, OsdState.OK), self.clock.now()
        )
        return found.ongoing


def test_an_event_an_hour_ago_does_not_go_on_for_a_day() -> None:
    place = Place()
    place.passes(20)
    now = place.clock.now()
    place.cluster.grown = [(now - 5, 3, 0), (now, 4, 0)]
    assert place.passes(20) is Ongoing.YES
    assert place.passes(20, step=-86400.0) is Ongoing.YES  # the mgr still has that point
    place.cluster.grown = ()
    assert place.passes(3600) is Ongoing.OVER


def test_what_is_followed_for_a_minute_is_not_over() -> None:
    place = Place()
    place.passes(20)
    assert place.passes(40) is Ongoing.UNKNOWN
    assert place.passes(20, step=7200.0) is Ongoing.UNKNOWN
    assert place.passes(900) is Ongoing.OVER
