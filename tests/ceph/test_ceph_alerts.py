"""Ceph's own alerts as the monitors send them to the mgr."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fakes.senses import FakeOsdHealth

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.model.verdict import CephAlert

# As 18 and 20 send them.
CHECKS: dict[str, Any] = {
    "BLUESTORE_SLOW_OP_ALERT": (
        "2 OSD(s) experiencing slow operations in BlueStore",
        [f"osd.{osd} observed slow operation indications in BlueStore" for osd in (3, 12)],
    ),
    "BLUESTORE_FREE_FRAGMENTATION": ("1 OSD(s)", ["osd.0 0.825436"]),
    "OSD_SLOW_PING_TIME_BACK": (
        "Slow OSD heartbeats on back (longest 1118.001ms)",
        [
            "Slow OSD heartbeats on back from osd.0 [r] to osd.1 [r] 1118.001 msec",
            "Slow OSD heartbeats on back from osd.2 [] to osd.1 [] 1030.1 msec possibly improving",
        ],
    ),
    "SLOW_OPS": (
        "3 slow ops, oldest one blocked for 34 sec, daemons [osd.1,osd.2] have slow ops.",
        [],
    ),
    "OSD_FAIL_SLOW": (
        "1 device(s) with abnormally high OSD commit latency",
        ["device sda has fail-slow score 12.00 after 3 observations (osd.4,osd.5; median …)"],
    ),
    "OSD_DOWN": ("1 osds down", ["osd.9 is down"]),
}


@pytest.fixture
def found(mgr: MgrModule, monkeypatch: pytest.MonkeyPatch) -> dict[str, CephAlert]:
    from perf_bench.ceph.reports import MgrCephAlerts

    checks = {
        code: {
            "severity": "HEALTH_WARN",
            "summary": {"message": summary},
            "detail": [{"message": line} for line in lines],
            "muted": code == "BLUESTORE_FREE_FRAGMENTATION",
        }
        for code, (summary, lines) in CHECKS.items()
    }
    monkeypatch.setattr(mgr, "get", lambda _name: {"json": json.dumps({"checks": checks})})
    health = FakeOsdHealth()
    health.slow = {7: 3}
    alerts = MgrCephAlerts(mgr, health).alerts()
    assert alerts is not None
    return {alert.code: alert for alert in alerts}


def test_those_about_slow_osds_are_read(found: dict[str, CephAlert]) -> None:
    assert sorted(found) == sorted(CHECKS.keys() - {"OSD_DOWN"})


def test_which_osds_they_name(found: dict[str, CephAlert]) -> None:
    rows: list[tuple[str, Any]] = [
        ("BLUESTORE_SLOW_OP_ALERT", {3: 1, 12: 1}),
        ("BLUESTORE_FREE_FRAGMENTATION", {0: 1}),
        ("OSD_SLOW_PING_TIME_BACK", {0: 1, 1: 2, 2: 1}),
        ("SLOW_OPS", {1: 1, 2: 1, 7: 1}),
        ("OSD_FAIL_SLOW", {4: 1, 5: 1}),
    ]
    for code, osds in rows:
        assert found[code].osds == osds


def test_what_else_they_tell(found: dict[str, CephAlert]) -> None:
    assert found["BLUESTORE_FREE_FRAGMENTATION"].muted
    assert not found["SLOW_OPS"].muted
    assert found["BLUESTORE_SLOW_OP_ALERT"].summary == CHECKS["BLUESTORE_SLOW_OP_ALERT"][0]


def test_before_the_monitors_have_sent_health(
    mgr: MgrModule, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perf_bench.ceph.reports import MgrCephAlerts

    monkeypatch.setattr(mgr, "get", lambda _name: {"json": ""})
    assert MgrCephAlerts(mgr, FakeOsdHealth()).alerts() is None
