"""What the watch looks with, beside counters and members: scripted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from perf_bench.model.finding import Severity
from perf_bench.model.history import Work
from perf_bench.model.verdict import CephAlert

CLEAN = "active+clean"


class FakePgs:
    """The PgStates port; ``asked`` counts the looks by OSD, which must not be on a timer."""

    def __init__(self) -> None:
        self.states: dict[str, int] = {CLEAN: 64}
        self.osds: dict[int, dict[str, int]] = {}
        self.pool = "rbd"
        self.asked = 0
        self.doing: Work = (100.0, 50.0, 4e6, 2e6, 0.0, 1.0)

    def by_state(self) -> Mapping[str, int]:
        return self.states

    def work(self) -> Work:
        return self.doing

    def by_pool(self) -> Mapping[str, Mapping[str, int]]:
        return {self.pool: self.states}

    def by_osd(self) -> Mapping[int, Mapping[str, int]]:
        self.asked += 1
        return self.osds


class FakeOsdHealth:
    """The OsdHealth port."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.told: dict[int, tuple[float, float]] = {}
        self.slow: dict[int, int] = {}

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        return self.told

    def slow_ops(self) -> Mapping[int, int]:
        return self.slow


class FakeCephAlerts:
    """The CephAlerts port: no alert stands unless a test says so."""

    def __init__(self) -> None:
        self.standing: Optional[Sequence[CephAlert]] = ()

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        return self.standing


class FakeVoice:
    """The Voice port: what is shown in health now, and all lines ever."""

    def __init__(self) -> None:
        self.checks: Mapping[str, Mapping[str, Any]] = {}
        self.lines: list[tuple[Severity, str]] = []

    def health(self, checks: Mapping[str, Mapping[str, Any]]) -> None:
        self.checks = checks

    def log(self, severity: Severity, line: str) -> None:
        self.lines.append((severity, line))
