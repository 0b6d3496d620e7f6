"""Read the reports that OSDs send to the mgr, for all OSDs at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from mgr_module import MgrModule

from ..ports import Clock

# Seconds between two readings, per OSD: reading osd_stats takes 0.2 s at 10,000 OSDs, so it is
# read once a minute there.
_SECONDS_AN_OSD = 0.006
_NANOSECOND = 1e-9


class MgrOsdHealth:
    """Implements OsdHealth on a ceph-mgr; ``osd_stats`` is cached for 6 ms per OSD."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._clock = clock
        self._stats: list[dict[str, Any]] = []
        self._read_at: Optional[float] = None

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        return {entry["osd"]: _latencies(entry["perf_stat"]) for entry in self._osd_stats()}

    def slow_ops(self) -> Mapping[int, int]:
        # Reading the daemons' metrics takes 20 ms at 10,000 OSDs, so they are read only if the
        # health has the check.
        if '"SLOW_OPS"' not in self._mgr.get("health")["json"]:
            return {}
        counts: dict[int, int] = {}
        for daemon, metrics in self._mgr.get_daemon_health_metrics().items():
            kind, _, number = daemon.partition(".")
            if kind != "osd":
                continue
            slow = sum(m["value"] for m in metrics if m["type"] == "SLOW_OPS")
            if slow:
                counts[int(number)] = slow
        return counts

    def _osd_stats(self) -> list[dict[str, Any]]:
        now = self._clock.monotonic()
        if self._read_at is None or now - self._read_at >= _SECONDS_AN_OSD * len(self._stats):
            # Only these fields are kept: an entry is 1.2 KB of JSON.
            self._stats = [
                {name: entry[name] for name in ("osd", "perf_stat")}
                for entry in self._mgr.get("osd_stats")["osd_stats"]
            ]
            self._read_at = now
        return self._stats


def _latencies(perf_stat: Mapping[str, int]) -> tuple[float, float]:
    commit, apply = perf_stat["commit_latency_ns"], perf_stat["apply_latency_ns"]
    return commit * _NANOSECOND, apply * _NANOSECOND
