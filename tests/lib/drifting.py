"""Cohorts whose hours and days are made by functions of time, and a watch that ticks over them."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable, NoReturn, Optional, cast

from evidence import checked
from perf_bench.model.finding import COMMIT, Claim, Frame, Watched, WatchTick
from perf_bench.model.history import DAY, HOUR, SPAN_CHANNELS, CohortSetup, CohortSpan
from perf_bench.store.sqlite import Store
from perf_bench.watch.detect.cohort_drift.detector import CohortDriftDetector

# A Monday, midnight.
BEGAN = 1_700_438_400.0
# Latency without load, in seconds.
USUAL = 0.005

Function = Callable[[float], float]
Known = Callable[[float], bool]


@functools.lru_cache(maxsize=4096)
def tide(at: float) -> float:
    """Operations a second of one OSD: four times as many in the day as at night."""
    return 200.0 * math.exp(0.7 * math.sin(2 * math.pi * at / DAY))


def always(_at: float) -> bool:
    return True


@dataclass
class World:
    """``slower`` is the factor of all latencies, by cohort; ``load`` that of each OSD.

    ``slope`` is the power of the load that latency follows. ``known`` says of which hours the
    store has data; the first is at BEGAN. ``noise`` is in ln units.
    """

    cohorts: tuple[str, ...] = ("hdd ACME ceph-18 default",)
    osds: int = 6
    slower: dict[str, Function] = field(default_factory=dict)
    load: Function = tide
    slope: float = 0.3
    known: Known = always
    noise: Function = field(default=lambda _: 0.0)
    channel: str = COMMIT
    now: float = BEGAN
    setup_of: CohortSetup = field(
        default_factory=lambda: CohortSetup(6, 40.0, {"Ceph": "18.2.7", "debug_osd": "1/5"})
    )
    broken: Optional[Exception] = None
    orders: int = 0

    def __post_init__(self) -> None:
        self.detector = self.another()

    def another(self) -> CohortDriftDetector:
        """The detector of the mgr that takes over."""
        return CohortDriftDetector(cast("Any", self), self)

    @property
    def members(self) -> list[Watched]:
        return [
            Watched(at * self.osds + osd, f"osd.{at * self.osds + osd}", f"host-{osd}", name)
            for at, name in enumerate(self.cohorts)
            for osd in range(self.osds)
        ]

    # --- the store's queue, and the store -----------------------------------------------------

    busy = None

    def call(self, *_question: Any, **_named: Any) -> NoReturn:
        raise AssertionError("the watch must not wait for the store")

    def ask(self, question: Callable[[Store], Any]) -> Future[Any]:
        self.orders += 1
        answer: Future[Any] = Future()
        if self.broken is not None:
            answer.set_exception(self.broken)
        else:
            answer.set_result(question(self))  # type: ignore[arg-type]  # only ``watch`` is asked for
        return answer

    @property
    def watch(self) -> World:
        return self

    def cohort_spans(
        self, cohorts: Sequence[Collection[int]], level: int, begin: float, end: float
    ) -> list[list[CohortSpan]]:
        starts = range(int(begin), int(end), level)
        return [
            [span for start in starts if (span := self._span(min(osds), start, level)) is not None]
            for osds in cohorts
        ]

    def _span(self, first: int, start: int, level: int) -> Optional[CohortSpan]:
        hours = [at for at in range(start, start + level, HOUR) if at >= BEGAN and self.known(at)]
        if 4 * len(hours) * HOUR < level:
            return None
        name = self.cohorts[first // self.osds]
        latency = sum(self.latency(name, at) for at in hours) / len(hours)
        rate = sum(map(self.load, hours)) / len(hours)
        by_channel = tuple(latency if one == self.channel else None for one in SPAN_CHANNELS)
        return CohortSpan(start, by_channel, (rate, None, rate / 2, rate * 4096))

    def latency(self, cohort: str, at: float) -> float:
        slower = self.slower[cohort](at) if cohort in self.slower else 1.0
        busy = math.exp(self.slope * math.log(self.load(at) / 200.0))
        return USUAL * slower * busy * math.exp(self.noise(at))

    def setup(self, osds: Sequence[int]) -> CohortSetup:
        assert len(osds) == self.osds
        return self.setup_of

    # --- time --------------------------------------------------------------------------------

    def until(self, at: float, frames: Sequence[Frame] = ()) -> list[Claim]:
        """Let the hours pass up to ``at``; the past is read and judged after each of them."""
        members = self.members
        while self.now < at:
            self.now = min(self.now + HOUR, at)
            self._settle(members, frames)
        self._settle(members, frames)
        return self.claims()

    def jump(self, at: float) -> list[Claim]:
        """The same without the hours between: nobody watched, or nobody cares."""
        self.now = at
        self._settle(self.members)
        return self.claims()

    def _settle(self, members: Sequence[Watched], frames: Sequence[Frame] = ()) -> None:
        orders = -1
        for _ in range(2000):
            if orders == self.orders and not self.detector._waiting:
                break
            orders = self.orders
            self.detector.tick(WatchTick(self.now, frames=frames, members=members))
        for _ in range(2 * len(self.cohorts) + 3):
            self.detector.tick(WatchTick(self.now, members=members))

    def claims(self) -> list[Claim]:
        return checked(self.detector.claims())

    def ratio(self, channel: str = COMMIT) -> Optional[float]:
        """The newest ratio of the first cohort, as the metric has it."""
        (gauge,) = self.detector.metrics()
        for labels, value in gauge.samples:
            if labels["channel"] == channel:
                return value
        return None

    def gaps(self) -> list[tuple[str, str]]:
        (found,) = self.detector.looks()
        return [(one.code, one.why) for one in found.gaps]

    def fails_over(self, saved: Any) -> None:
        self.detector = self.another()
        self.detector.restore(saved, self.now)


def step(ratio: float, at: float, until: float = math.inf) -> Function:
    """A factor that is 1 but from ``at`` to ``until``."""
    return lambda now: ratio if at <= now < until else 1.0
