"""A whole watch on fakes: OSDs that report, a mgr that ticks every 5 s, a real store."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Optional, TypeVar

from fakes.clock import FakeClock
from fakes.counters import ALL, COMMITS, PROCESS, READS, WHOLE, FakeCounters, Pulse
from fakes.loop import FakeLoop
from fakes.members import FakeMembers, member
from fakes.senses import FakeCephAlerts, FakeOsdHealth, FakePgs, FakeVoice
from perf_bench.bench.comparisons import Regressions
from perf_bench.bench.context import OsdsUnderBench
from perf_bench.core.failing_parts import FailingParts
from perf_bench.core.loop import complete
from perf_bench.core.workers import Here
from perf_bench.errors import NotConfirmed
from perf_bench.model.admission import WatchOptions
from perf_bench.model.finding import Detector
from perf_bench.model.finding_kinds import CODES
from perf_bench.model.osd import Member
from perf_bench.store.sqlite import StoreThread
from perf_bench.watch.collect.collector import Collector
from perf_bench.watch.detectors import OtherPart, WatchContext
from perf_bench.watch.osd_breakdown import OsdBreakdowns
from perf_bench.watch.service import Watch
from perf_bench.watch.slow_osd.thresholds import Thresholds
from threads import PATIENCE

LOG = logging.getLogger("lookout")
TICK = 5.0
T = TypeVar("T")


class SteppedLoop(FakeLoop):
    """A loop that runs where it is asked; timers are those of the clock."""

    # How long whoever asks waits.
    patience = PATIENCE

    def ask(self, work: Callable[[], Coroutine[Any, Any, T]], limit: float = 0.0) -> T:
        del limit
        done, end = self.spawn(work()).done, time.monotonic() + self.patience
        while not done.done():
            self.turn(0.02)
            if time.monotonic() > end:
                raise NotConfirmed("not confirmed")
        return done.result()

    def settle(self) -> None:
        """Do all that can be done now."""
        while self.turn():
            pass


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
        self.loop = SteppedLoop(self.clock)
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
            WatchContext(
                loop=self.loop,
                thread=Here(),
                store_thread=self.store_thread,
                notifier=self.notifier,
                clock=self.clock,
                failing=self.failing,
                settings=Thresholds(),
                options=lambda: self.options,
                running_round=lambda: self.round_id,
                collector=collector,
                pgs=self.pgs,
                health=self.health,
                detectors=self.detectors,
                others=lambda: (self._profiles(), *self.others),
                ceph_alerts=self.alerts,
                breakdowns=self.breakdowns,
            )
        )

    def _profiles(self) -> OtherPart:
        judged = self.regressions
        return OtherPart("regressions", judged.claims, judged.looks, judged.knows)

    def judge(self) -> None:
        """Let profiles be judged whose rounds have changed."""
        self.loop.settle()
        complete(self.regressions.step())

    def slow_down(self, osd: int, factor: float) -> None:
        """Make one OSD slower by so much in everything that is its own."""
        latency = self.pulses[osd].latency
        for name in (COMMITS, READS, WHOLE, PROCESS):
            latency[name] *= factor

    def passes(
        self, seconds: float, each: Callable[[], object] = lambda: None, on: bool = True
    ) -> None:
        """Let time pass: OSDs work and report, the watch ticks; ``each`` before every tick."""
        for _ in range(round(seconds / TICK)):
            each()
            self.clock.advance(TICK)
            for osd, pulse in self.pulses.items():
                pulse.live(TICK)
                pulse.report(self.counters, self.clock.now() - 0.1 - 0.01 * (osd % 10))
            self.tick(on)

    def leave(self) -> None:
        """The mgr leaves, and saves what is known."""
        self.loop.ask(self.watch.leave)

    def tick(self, on: bool = True) -> None:
        """Tick once, and let what is to be stored be stored."""
        self.loop.ask(lambda: self.watch.tick(on))
        self.store_thread.call(lambda _store: None)
        self.loop.settle()


def hosts(count: int, osds_each: int) -> list[Member]:
    """OSDs on hosts of their own kind: 0 to n-1 on host-0, and so on."""
    return [
        member(host * osds_each + turn, f"host-{host}")
        for host in range(count)
        for turn in range(osds_each)
    ]
