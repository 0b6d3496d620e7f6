"""What daemons have reported to the mgr: counters, placement groups, the state of OSDs, health."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

from mgr_module import MgrModule

from ..core.clock import Clock
from ..model.cluster import Columns, CounterPoint, Kept, OsdHealth, RawPoint
from ..model.history import WORK, Work
from ..model.verdict import BY_CODE, SLOW_OPS, CephAlert

_KIB = 1 << 10
_NANOSECOND = 1e-9
# Bits of a counter's type in the schema: a time, and a sum with the number of its parts.
_TIME_AVERAGE = 1 | 4
# The rates in "pg_status", in the order of WORK.
_RATES = (
    "read_op_per_sec", "write_op_per_sec", "read_bytes_sec", "write_bytes_sec",
    "recovering_bytes_per_sec",
)  # fmt: skip
# Seconds between two readings, per OSD: reading osd_stats takes 0.2 s at 10,000 OSDs, so it is
# read once a minute there.
_SECONDS_AN_OSD = 0.006
# Seconds that the fill of cohorts is used.
_FILL_AGE = 600.0


class OsdReport(NamedTuple):
    """An OSD's newest report: latencies in seconds, and bytes."""

    commit: float
    apply: float
    size: int
    used: int


class MgrOsdHealth:
    """Implements OsdHealth on a ceph-mgr; reads ``osd_stats`` once for all who ask."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._kept = Kept(self._read, clock.monotonic)
        self._age = 0.0

    def reports(self, max_age: float = 0.0) -> Mapping[int, OsdReport]:
        """By OSD its report, at most ``max_age`` seconds old or 6 ms for each OSD."""
        return self._kept.get(max(max_age, self._age))

    def latencies(self) -> Mapping[int, tuple[float, float]]:
        return {osd: (one.commit, one.apply) for osd, one in self.reports().items()}

    def fill(self, osds: Collection[int]) -> Optional[float]:
        """The percentage of these OSDs' space that is used; None if none has reported."""
        reports = self.reports(_FILL_AGE)
        found = [reports[osd] for osd in osds if osd in reports]
        total = sum(one.size for one in found)
        return 100.0 * sum(one.used for one in found) / total if total else None

    def slow_ops(self) -> Mapping[int, int]:
        # Reading the daemons' metrics takes 20 ms at 10,000 OSDs, so they are read only if the
        # health has the check.
        if '"SLOW_OPS"' not in self._mgr.get("health")["json"]:
            return {}
        counts: dict[int, int] = {}
        for daemon, metrics in self._mgr.get_daemon_health_metrics().items():
            kind, _, number = daemon.partition(".")
            slow = sum(m["value"] for m in metrics if m["type"] == "SLOW_OPS")
            if kind == "osd" and slow:
                counts[int(number)] = slow
        return counts

    def _read(self) -> Mapping[int, OsdReport]:
        # Only these fields are kept: an entry is 1.2 KB of JSON.
        found = {
            entry["osd"]: OsdReport(
                entry["perf_stat"]["commit_latency_ns"] * _NANOSECOND,
                entry["perf_stat"]["apply_latency_ns"] * _NANOSECOND,
                int(entry.get("kb", 0)) * _KIB,
                int(entry.get("kb_used", 0)) * _KIB,
            )
            for entry in self._mgr.get("osd_stats")["osd_stats"]
        }
        self._age = _SECONDS_AN_OSD * len(found)
        return found


class MgrPgStates:
    """Implements PgStates on a ceph-mgr."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr
        self._status: Mapping[str, Any] = {}

    def by_state(self) -> Mapping[str, int]:
        self._status = self._mgr.get("pg_status")
        return _counts(self._status["pgs_by_state"])

    def work(self) -> Work:
        if not self._status:
            return (None,) * len(WORK)
        # Ceph leaves out rates that are zero.
        rates = [float(self._status.get(name, 0)) for name in _RATES]
        states = _counts(self._status["pgs_by_state"])
        scrubbed = sum(count for state, count in states.items() if "scrubbing" in state)
        return (*rates, float(scrubbed))

    def by_pool(self) -> Mapping[str, Mapping[str, int]]:
        entries = self._mgr.get("pg_status")["pgs_by_pool_state"]
        # A pool may have been renamed. The OSD map has the names, too, but takes 0.25 s on 16.
        pools = self._mgr.get("osd_pool_stats")["pool_stats"]
        names = {pool["pool_id"]: str(pool["pool_name"]) for pool in pools}
        return {
            names.get(entry["pool_id"], str(entry["pool_id"])): _counts(entry["pg_state_counts"])
            for entry in entries
        }

    def by_osd(self) -> Mapping[int, Mapping[str, int]]:
        return {int(osd): states for osd, states in self._mgr.get("pg_summary")["by_osd"].items()}


def _counts(states: list[dict[str, object]]) -> dict[str, int]:
    return {str(state["state_name"]): int(str(state["count"])) for state in states}


class MgrCounters:
    """Implements Counters on a ceph-mgr, on every release.

    16 and 18 have ``get_counter``, 20 has ``get_unlabeled_counter`` instead. A counter that was not
    sent reads as an empty list or as 0, so names are taken from the schema, which has only counters
    that were sent.
    """

    def __init__(self, mgr: MgrModule) -> None:
        self._counter = _either(mgr, "get_unlabeled_counter", "get_counter")
        self._schema = _either(mgr, "get_unlabeled_perf_schema", "get_perf_schema")
        self._averages: set[str] = set()

    def names(self, osd: int) -> frozenset[str]:
        schema = self._schema("osd", str(osd)).get(f"osd.{osd}", {})
        for name, entry in schema.items():
            if entry["type"] & _TIME_AVERAGE == _TIME_AVERAGE:
                self._averages.add(name)
        return frozenset(schema)

    def points(self, osd: int, name: str) -> Sequence[CounterPoint]:
        return list(zip(*self.columns(name, self.raw(osd, name))))

    def raw(self, osd: int, name: str) -> Sequence[RawPoint]:
        """Return the points as the mgr has them, for ``columns``."""
        raw: Sequence[RawPoint] = self._counter("osd", str(osd), name)[name]
        return raw

    def columns(self, name: str, raw: Sequence[RawPoint]) -> Columns:
        """Return the stamps, sums and numbers of these points of a counter."""
        if not raw:
            return (), (), ()
        if name in self._averages:
            stamps, totals, numbers = zip(*raw)
            return stamps, [total * _NANOSECOND for total in totals], numbers
        stamps, values = zip(*raw)
        return stamps, values, (0,) * len(stamps)


def _either(mgr: MgrModule, new: str, old: str) -> Callable[..., Any]:
    """The method with its new name if the release has that, else with the old one."""
    method: Callable[..., Any] = getattr(mgr, new, None) or getattr(mgr, old)
    return method


# --- the cluster's health as the monitors send it, and Ceph's own alerts in it -----------------


_OSD = re.compile(r"\bosd\.(\d{1,9})\b")


def health_of(mgr: MgrModule) -> Optional[Mapping[str, Any]]:
    """The health as Ceph dumps it; None before the monitors have sent any."""
    text = mgr.get("health")["json"]
    found: Optional[Mapping[str, Any]] = json.loads(text) if text else None
    return found


def checks_of(mgr: MgrModule) -> Optional[Mapping[str, Mapping[str, Any]]]:
    """The health checks by code; None before the monitors have sent them."""
    health = health_of(mgr)
    return None if health is None else health.get("checks", {})


class MgrCephAlerts:
    """Implements CephAlerts on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, health: OsdHealth) -> None:
        self._mgr = mgr
        self._health = health

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        checks = checks_of(self._mgr)
        if checks is None:
            return None
        return [self._alert(code, check) for code, check in checks.items() if code in BY_CODE]

    def _alert(self, code: str, check: Mapping[str, Any]) -> CephAlert:
        summary = str(check["summary"]["message"])
        lines = [str(one["message"]) for one in check.get("detail", ())]
        named = Counter(
            int(osd) for line in (lines or [summary]) for osd in set(_OSD.findall(line))
        )
        if code == SLOW_OPS:  # its text names the daemons, but not all of many
            named.update(dict.fromkeys(self._health.slow_ops(), 1))
        return CephAlert(
            code,
            summary,
            dict(named),
            check["severity"] == "HEALTH_ERR",
            bool(check.get("muted")),
            len(lines),
        )
