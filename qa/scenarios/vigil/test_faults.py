"""Faults on a cluster with three OSDs a host: one OSD, and a whole host."""

from __future__ import annotations

from typing import Any, Optional

import pytest

from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
FOUND = 1200.0
CLEARED = 1500.0


def _open(operator: Operator) -> list[Any]:
    return [f for f in operator.asks("finding", "ls") if f["severity"] != "info"]


def _about(operator: Operator, kind: str, name: str) -> Optional[Any]:
    target = {"kind": kind, "id": name}
    return next((f for f in _open(operator) if f["target"] == target), None)


def _judged(operator: Operator) -> bool:
    return "no-data" not in {osd["state"] for osd in operator.asks("osd", "ls")}


@pytest.mark.parametrize("fault", ["stall", "slow"])
def test_one_osd(fault: str, operator: Operator) -> None:
    operator.sees("that every OSD is judged", lambda: _judged(operator), FOUND)
    operator.cluster.fault(fault, "osd.5")
    found = operator.sees("the finding", lambda: _about(operator, "osd", "5"), FOUND)
    assert found["code"] == "PERF_BENCH_SLOW_OSD"
    assert [f["target"]["id"] for f in _open(operator)] == ["5"], "nobody else is accused"
    operator.cluster.fault("clear", "all")
    operator.sees("that it is over", lambda: not _open(operator), CLEARED)


def test_a_whole_host_is_one_finding(operator: Operator) -> None:
    operator.sees("that every OSD is judged", lambda: _judged(operator), FOUND)
    host = operator.asks("osd", "show", "0")["host"]
    operator.cluster.fault("stall", host)
    found = operator.sees("the finding", lambda: _about(operator, "host", host), FOUND)
    assert found["code"] == "PERF_BENCH_SLOW_HOST"
    assert len(_open(operator)) == 1, _open(operator)
    operator.sees_in_health("PERF_BENCH_SLOW_HOST")
    operator.cluster.fault("clear", "all")
    operator.sees("that it is over", lambda: not _open(operator), CLEARED)
