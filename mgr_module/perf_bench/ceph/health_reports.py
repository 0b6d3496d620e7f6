"""What OSDs report of their own health to the mgr, read in bulk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from mgr_module import MgrModule

from ..ports import Clock

# osd_stats costs 18 us an OSD: 0.2 s at 10,000, so it is read once a minute there.
_SECONDS_AN_OSD = 0.006
_NANOSECOND = 1e-9


class MgrOsdHealth:
    """The OsdHealth port on a ceph-mgr. ``osd_stats`` is read again after 6 ms an OSD."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._clock = clock
        self._stats: list[dict[str, Any]] = []
        self._read_at: Optional[float] = None

    def reports(self) -> Mapping[int, int]:
        return {entry["osd"]: entry["seq"] for entry in self._osd_stats()}

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        return {entry["osd"]: _latencies(entry["perf_stat"]) for entry in self._osd_stats()}

    def slow_ops(self) -> Mapping[int, int]:
        # The daemons' own metrics are 20 ms at 10,000 OSDs; health is a few lines, and tells
        # within seconds whether there is anything to look for.
        if '"SLOW_OPS"' not in self._mgr.get("health")["json"]:
            return {}
        found: dict[int, int] = {}
        for daemon, metrics in self._mgr.get_daemon_health_metrics().items():
            kind, _, number = daemon.partition(".")
            if kind != "osd":
                continue
            slow = sum(m["value"] for m in metrics if m["type"] == "SLOW_OPS")
            if slow:
                found[int(number)] = slow
        return found

    def _osd_stats(self) -> list[dict[str, Any]]:
        now = self._clock.monotonic()
        if self._read_at is None or now - self._read_at >= _SECONDS_AN_OSD * len(self._stats):
            # Only what is used is kept: an entry is 1.2 KB of JSON.
            self._stats = [
                {name: entry[name] for name in ("osd", "seq", "perf_stat")}
                for entry in self._mgr.get("osd_stats")["osd_stats"]
            ]
            self._read_at = now
        return self._stats


def _latencies(perf_stat: Mapping[str, int]) -> tuple[float, float]:
    commit, apply = perf_stat["commit_latency_ns"], perf_stat["apply_latency_ns"]
    return commit * _NANOSECOND, apply * _NANOSECOND
