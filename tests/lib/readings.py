"""Readings with everything in them, so that every metric that there is has a series."""

from __future__ import annotations

from perf_bench.model.coverage import Gap, Look
from perf_bench.model.finding import Finding, FindingState, Severity, Target
from perf_bench.model.finding_kinds import LAGGY_PGS, SLOW_OSD
from perf_bench.model.frame import CHANNELS
from perf_bench.model.hardware import CounterTrend, Errors, OsdsOnDrive
from perf_bench.model.laggy import LaggyNow, PoolLaggy
from perf_bench.model.retention import KindSize, StoreUsage
from perf_bench.model.verdict import CohortReport, OsdState
from perf_bench.report.metrics import OsdReading, Readings, RoundReading

NOW = 1_795_000_000.0

FULL = Readings(
    version="1.2.3",
    release="reef",
    findings=[
        Finding(1, SLOW_OSD.code, Severity.WARNING, Target("osd", "3"), "slow", first_seen=NOW),
        Finding(2, LAGGY_PGS.code, Severity.WARNING, Target("cluster", "cluster"), "laggy"),
        Finding(
            3, SLOW_OSD.code, Severity.WARNING, Target("osd", "4"), "x", state=FindingState.MUTED
        ),
    ],
    coverage=[Look("media", "media errors", "host", 3, (), (Gap("no-facts", "why", count=1),))],
    osd_states={OsdState.OK: 9, OsdState.SUSPECT: 1, OsdState.SLOW: 2, OsdState.NO_DATA: 0},
    osds=[
        OsdReading(
            3, "host-0", "hdd", OsdState.SLOW, dict.fromkeys(CHANNELS, 0.0125), 1.8, 9.5, 4.2,
            180.0, "osd-throughput", 2.5e8, 60.0, 81.0, 0.43, 2.5e9,
        ),
        OsdReading(4, "host-1"),
    ],
    errors=[
        Errors("host-0", "udma_crc", CounterTrend.first(12, NOW), "S1", OsdsOnDrive((3,)), "sdk"),
        Errors("host-0", "read_retries", CounterTrend.first(3, NOW), "osd.3", OsdsOnDrive((3,))),
    ],
    laggy=LaggyNow(6, 2, 65, NOW),
    laggy_pg_seconds=120.5,
    pools=[PoolLaggy("rbd", 6, 0, 120.5)],
    rounds={"done": 4, "failed": 1},
    newest=[RoundReading("osd-throughput", NOW - 3600, 2.5e8, 60.0, 3.5)],
    tick_at=NOW,
    tick_seconds=0.013,
    frames_dropped=2,
    detector_errors={"slow": 0, "laggy": 3},
    store_backend="sqlite:.mgr",
    store_usage=StoreUsage(6 << 20, 1 << 20, shrinkable=True),
    store_limit=4 << 30,
    store_kinds=[KindSize("rounds", 40, 4 << 20)],
    rounds_removed=3,
    store_up=True,
    store_errors=0,
    cohorts=[CohortReport("hdd/X/data", 12, 10, "commit", 1.27)],
)  # fmt: skip
