"""A whole watch on fakes: OSDs that report, a mgr that ticks every 5 s, a real store."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Optional

from fakes.clock import FakeClock
from fakes.counters import ALL, FakeCounters, Pulse
from fakes.members import FakeMembers, member
from fakes.senses import FakeCephAlerts, FakeOsdHealth, FakePgs, FakeVoice
from perf_bench.bench.comparisons import Regressions
from perf_bench.bench.context import OsdsUnderBench
from perf_bench.core.failing_parts import FailingParts
from perf_bench.core.loop import Loop, complete
from perf_bench.model.detector import Detector
from perf_bench.model.finding_kinds import CODES
from perf_bench.model.options import WatchOptions
from perf_bench.model.osd import Member
from perf_bench.store.sqlite import StoreThread
from perf_bench.watch.collect.collector import Collector
from perf_bench.watch.detectors import OtherPart, WatchContext, WatchInputs
from perf_bench.watch.osd_breakdown import OsdBreakdowns
from perf_bench.watch.service import Watch
from perf_bench.watch.slow_osd.thresholds import Thresholds

LOG = logging.getLogger("lookout")
TICK = 5.0


class Lookout:
    """``hosts`` hosts of ``osds`` OSDs in all; ``pulses`` are the OSDs' loads."""

    def __init__(
        self,
        store_thread: StoreThread,
        clock: Optional[FakeClock] = None,
        members: Sequence[Member] = (),
        regressions: Optional[Regressions] = None,
        detectors: Sequence[Detector] = (),
        others: Sequence[OtherPart] = (),
        breakdowns: Optional[OsdBreakdowns] = None,
    ) -> None:
        self.store_thread = store_thread
        self.clock = clock or FakeClock()
        # Of the regressions, where no bench has them.
        self.loop = Loop(time.monotonic, LOG)
        self.members = FakeMembers(members)
        self.pulses = {one.osd.id: Pulse(one.osd.id, ALL) for one in members}
        self.counters = FakeCounters()
        self.pgs, self.health, self.notifier = FakePgs(), FakeOsdHealth(), FakeVoice()
        self.alerts = FakeCephAlerts()
        self.benched = OsdsUnderBench()
        self.regressions = regressions or Regressions(self.loop, store_thread, LOG)
        self.options = WatchOptions(on=True, tick_seconds=TICK, codes=frozenset(CODES))
        self.round_id: Optional[int] = None
        self.detectors = detectors
        self.others = others
        self.breakdowns = breakdowns
        self.watch = self.another()

    def another(self) -> Watch:
        """The watch of the mgr that takes over: same cluster, same store, nothing remembered."""
        self.failing = FailingParts(self.clock.monotonic, LOG)
        collector = Collector(self.counters, self.members, self.clock, self.benched)
        return Watch(
            WatchInputs(
                collector,
                self.pgs,
                self.health,
                self.regressions,
                self.detectors,
                others=lambda: self.others,
                ceph_alerts=self.alerts,
                breakdowns=self.breakdowns,
            ),
            WatchContext(self.store_thread, self.notifier, self.clock, LOG, self.failing),
            Thresholds(),
            lambda: self.options,
            lambda: self.round_id,
        )

    def judge(self) -> None:
        """Let profiles be judged whose rounds have changed."""
        while self.loop.turn():
            pass
        complete(self.regressions.step())

    def passes(self, seconds: float, each: Callable[[], object] = lambda: None) -> None:
        """Let time pass: OSDs work and report, the watch ticks; ``each`` before every tick."""
        for _ in range(round(seconds / TICK)):
            each()
            self.clock.advance(TICK)
            for osd, pulse in self.pulses.items():
                pulse.live(TICK)
                pulse.report(self.counters, self.clock.now() - 0.1 - 0.01 * (osd % 10))
            self.watch.tick()
            self.store_thread.call(lambda _store: None)


def hosts(count: int, osds_each: int) -> list[Member]:
    """OSDs on hosts of their own kind: 0 to n-1 on host-0, and so on."""
    return [
        member(host * osds_each + turn, f"host-{host}")
        for host in range(count)
        for turn in range(osds_each)
    ]
