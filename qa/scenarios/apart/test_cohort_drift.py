"""A cohort slower than its own past: told, kept over a killed mgr, and gone when it is back.

The hours are written into the database while the module is off: nobody can wait for weeks of past.
"""

from __future__ import annotations

import sqlite3
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cluster.api import DevCluster
from perf_bench.model.finding import COMMIT
from perf_bench.model.history import BINS, HOUR, LOAD
from perf_bench.store.encoding import UNKNOWN, Block, Columns, pack, shrink
from scenarios.operator import Operator
from scenarios.stored_file import Objects, file_of
from scenarios.throwaway import watched

pytestmark = pytest.mark.cluster
CODE = "PERF_BENCH_COHORT_DRIFT"
OSDS = range(6)
DAYS = 20


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    """One of its own, with a past that no other scenario should have."""
    with watched(request.config, osds=len(OSDS), hosts=3) as made:
        yield made


def _hour(latency: float) -> bytes:
    """An hour of all OSDs: 100 commits of this many seconds and 1 MB a second."""
    size, frames = len(OSDS), 240
    nothing = array("H", [0] * size)
    seen = array("H", [frames] * size)
    means, rates = shrink([latency] * size), shrink([1e6] * size)
    commits = Columns(
        means, means, array("I", [100 * HOUR] * size), [nothing, seen, *[nothing] * (BINS - 2)]
    )
    load = Columns(rates, rates, array("I", [UNKNOWN] * size), [seen, *[nothing] * (BINS - 1)])
    return pack(Block(list(OSDS), {COMMIT: commits, LOAD: load}))


def _write(slower: Callable[[float], float]) -> Callable[[Path], None]:
    """Replace the hours; ``slower`` is a factor by the hours before now."""
    now = int(time.time()) // HOUR * HOUR

    def write(path: Path) -> None:
        db = sqlite3.connect(path)
        db.execute("DELETE FROM series WHERE level >= ?", (HOUR,))
        for back in range(1, DAYS * 24 + 1):
            start = now - back * HOUR
            row = (HOUR, 0, start, start, _hour(0.005 * slower(back)))
            db.execute("INSERT OR REPLACE INTO series VALUES (?, ?, ?, ?, ?)", row)
        db.commit()
        db.close()

    return write


def _with_past(operator: Operator, tmp_path: Path, write: Callable[[Path], None]) -> None:
    file, copy = file_of(operator), tmp_path / "whole"
    objects = Objects(operator)
    operator.cluster.ceph("mgr", "module", "disable", "perf_bench")
    operator.sees("the mgr without it", lambda: operator.types("status").code != 0)
    objects.get(file, copy)
    write(copy)
    objects.put(file, copy)
    operator.cluster.ceph("mgr", "module", "enable", "perf_bench")
    operator.sees_it_ready()


def _findings(operator: Operator) -> Sequence[Any]:
    return [one for one in operator.asks("finding", "ls") if one["code"] == CODE]


def _gaps(operator: Operator) -> str:
    looks = [one for one in operator.asks("coverage", "ls") if one["name"] == "drift_hours"]
    return " ".join(gap["why"] for look in looks for gap in look["gaps"])


@pytest.mark.leaves("*")
def test_a_cohort_slower_than_its_past_is_told_until_it_is_back(
    operator: Operator, tmp_path: Path
) -> None:
    operator.sees("that a past is missing", lambda: "needs 100 hours" in _gaps(operator), 180.0)
    assert _findings(operator) == []

    _with_past(operator, tmp_path, _write(lambda back: 1.6 if back <= 50 else 1.0))
    (found,) = operator.sees("the finding", lambda: _findings(operator), 400.0)
    assert found["target"]["kind"] == "cohort"
    assert found["severity"] == "warning"
    assert 1.55 <= found["evidence"]["ratio"] <= 1.65
    assert "as before at equal load" in operator.sees_in_health(CODE)
    shown = operator.types("finding", "show", str(found["id"])).out
    assert "latency before at this load" in shown, shown
    assert "as before at equal load" in operator.asks("osd", "show", "2")["explain"]
    assert "needs 100 hours" not in _gaps(operator)
    assert "ceph_perf_bench_cohort_drift_ratio{" in operator.types("metrics").out

    operator.cluster.fault("kill-mgr", "active")
    operator.sees_it_ready()
    operator.sees_in_health(CODE)
    assert [one["id"] for one in _findings(operator)] == [found["id"]]

    _with_past(operator, tmp_path, _write(lambda back: 1.6 if 52 < back <= 102 else 1.0))
    operator.sees_in_health(CODE)
    operator.sees("that it is back", lambda: not _findings(operator), 400.0)
