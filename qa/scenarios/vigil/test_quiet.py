"""A healthy cluster at work: benches, scrubs, recovery, a restart, a new pool, and not a word."""

from __future__ import annotations

import time

import pytest

from scenarios.clients import remove_pool
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
MINUTES = 20.0


def test_twenty_minutes_of_work_raise_nothing(operator: Operator) -> None:
    began = time.monotonic()
    before = {finding["id"] for finding in operator.asks("finding", "ls", "--all")}

    def part(number: int) -> None:
        """Wait until so many sevenths of the time are over."""
        operator.sees(
            f"part {number}", lambda: time.monotonic() - began >= number * MINUTES * 60 / 7, 600.0
        )

    ceph = operator.cluster.ceph
    part(2)  # the detector has seen what is normal
    operator.sees_the_end_of(operator.starts("osd-throughput", "--repeats", "2"), 600.0)
    ceph("osd", "deep-scrub", "all")
    part(3)
    ceph("osd", "out", "4")
    part(4)
    ceph("osd", "in", "4")
    part(5)
    operator.cluster.restart("osd.7")
    part(6)
    ceph("osd", "pool", "create", "fresh", "32")
    part(7)
    told = [f for f in operator.asks("finding", "ls", "--all") if f["id"] not in before]
    assert [finding for finding in told if finding["severity"] != "info"] == []
    assert "PERF_BENCH_SLOW" not in ceph("health", "detail")
    remove_pool(operator.cluster, "fresh")
