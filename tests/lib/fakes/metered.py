"""The services whose figures are exported as metrics, with figures that tests set."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Optional

from asked import asking
from fakes.cluster import FakeCluster
from perf_bench.answers import metrics
from perf_bench.hardware.checksums import ChecksumSnapshot
from perf_bench.model.finding import CHANNELS, Finding, FindingState, Gap, Look, Severity, Target
from perf_bench.model.finding_kinds import LAGGY_PGS, SLOW_OSD
from perf_bench.model.hardware import CounterTrend, Errors, OsdChecksums, OsdsOnDrive
from perf_bench.model.osd import Osd
from perf_bench.model.plan import WRITE, Step
from perf_bench.model.round import OsdResult, RoundLine, RoundState
from perf_bench.model.store import RetentionRules, StoreChecked, StoreUsage
from perf_bench.model.verdict import (
    CohortReport,
    LaggyNow,
    LaggyOsd,
    LaggyPool,
    OsdSnapshot,
    OsdState,
    OsdVerdict,
)
from perf_bench.watch.service import TickStats

NOW = 1_795_000_000.0


class Metered:
    """Services that know nothing yet, and their metrics."""

    def __init__(self, release: str = "reef", osds: Sequence[Osd] = ()) -> None:
        self.release = release
        self.osds = osds
        self.findings: Sequence[Finding] = ()
        self.coverage: Sequence[Look] = ()
        self.snapshot = OsdSnapshot()
        self.cohorts: Sequence[CohortReport] = ()
        self.laggy = LaggyNow()
        self.laggy_osds: Sequence[LaggyOsd] = ()
        self.pools: Sequence[LaggyPool] = ()
        self.laggy_pg_seconds = 0.0
        self.ticks = TickStats()
        self.failures: dict[str, int] = {}
        self.checksums = ChecksumSnapshot(NOW)
        self.newest: dict[int, tuple[RoundLine, OsdResult]] = {}
        self.newest_rounds: dict[str, RoundLine] = {}
        self.usage: Optional[StoreUsage] = None
        self.checked: Optional[StoreChecked] = None
        # The store's backend and its rounds by state; None while it is away.
        self.stored: Optional[tuple[str, dict[str, int]]] = None

    def text(self, per_osd: bool = True) -> str:
        watch = SimpleNamespace(
            ledger=SimpleNamespace(findings=lambda: self.findings),
            coverage=lambda: self.coverage,
            osd_snapshot=lambda: self.snapshot,
            cohorts=lambda: self.cohorts,
            laggy_groups=lambda: (self.laggy, self.laggy_osds, self.pools, ()),
            detectors=SimpleNamespace(
                laggy=SimpleNamespace(laggy_pg_seconds=self.laggy_pg_seconds),
                dropped=2,
                failures=self.failures,
            ),
            tick_stats=self.ticks,
            journal=SimpleNamespace(errors=0),
            gauges=lambda _per_osd: (),
        )
        results = SimpleNamespace(newest=lambda: self.newest, rounds=self.newest_rounds)
        bench = SimpleNamespace(results=results)
        care = SimpleNamespace(
            usage=self.usage, checked=self.checked, rules=RetentionRules, removed=3
        )
        crc = SimpleNamespace(read=lambda: self.checksums)
        backend, counts = self.stored or ("", {})
        api = asking(
            watch=watch,
            bench=bench,
            crc=crc,
            care=care,
            cluster=FakeCluster(self.osds),
            release=lambda: self.release,
            kept=SimpleNamespace(
                of=lambda *_: metrics.Stored(backend, counts, self.stored is not None)
            ),
        )
        return metrics.metrics(api, per_osd)


def full() -> Metered:
    """With a figure of every kind, so that every metric that there is has a series."""
    made = Metered(osds=[Osd(3, "host-0", "hdd"), Osd(4, "host-1")])
    made.findings = [
        Finding(1, SLOW_OSD.code, Severity.WARNING, Target("osd", "3"), "slow", first_seen=NOW),
        Finding(2, LAGGY_PGS.code, Severity.WARNING, Target("cluster", "cluster"), "laggy"),
        Finding(
            3, SLOW_OSD.code, Severity.WARNING, Target("osd", "4"), "x", state=FindingState.MUTED
        ),
    ]
    made.coverage = [
        Look("media", "media errors", "host", 3, (), (Gap("no-facts", "why", count=1),))
    ]
    made.snapshot = OsdSnapshot(
        {3: OsdVerdict(3, OsdState.SLOW, 9.5, 1.8, 4.2)},
        {channel: {3: 0.0125} for channel in CHANNELS},
    )
    made.cohorts = [CohortReport("hdd/X/data", 12, 10, "commit", 1.27)]
    made.laggy, made.laggy_pg_seconds = LaggyNow(6, 2, 65, NOW), 120.5
    made.laggy_osds = [LaggyOsd(3, 180.0, 1000.0)]
    made.pools = [LaggyPool("rbd", 6, 0, 120.5)]
    made.ticks = TickStats(NOW, NOW, cpu_seconds=0.013)
    made.failures = {"slow": 0, "laggy": 3}
    on = OsdsOnDrive((3,))
    made.checksums = ChecksumSnapshot(
        NOW,
        [OsdChecksums(Osd(3, "host-0"), 0.43, 15.0, 2, rate=2.5e9)],
        errors=[
            Errors("host-0", "udma_crc", CounterTrend.first(12, NOW), "S1", on, "sdk"),
            Errors("host-0", "read_retries", CounterTrend.first(3, NOW), "osd.3", on),
        ],
    )
    line = a_round("osd-throughput")
    made.newest = {3: (line, a_result(3))}
    made.newest_rounds = {line.profile: line}
    made.usage = StoreUsage(6 << 20, 1 << 20, shrinkable=True)
    made.checked = StoreChecked(NOW, True)
    made.stored = "sqlite:.mgr", {"done": 4, "failed": 1}
    return made


def a_round(profile: str) -> RoundLine:
    figures = {"median_bytes_per_second": 2.5e8, "median_iops": 60.0, "median_cv_percent": 3.5}
    step = Step(WRITE, 4 << 20, 1 << 28)
    return RoundLine(4, profile, "osd", RoundState.DONE, step, ended_at=NOW - 3600, summary=figures)


def a_result(osd: int) -> OsdResult:
    return OsdResult(
        osd,
        "host-0",
        median_bytes_per_second=2.5e8,
        median_iops=60.0,
        percent_of_peers=81.0,
    )
