"""Checksums on real OSDs: what they spend, how fast they are, and media that err."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import pytest

from cluster import asok
from cluster.api import DevCluster
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
POOL, BAD, HOT_POOL = "read-again", 2, "read-by-one"
CODE = "PERF_BENCH_MEDIA_ERRORS"
# So many of a day are told.
LEAST = 3
# Every reading of an OSD that is asked is at least 15 s after the one before.
READ = 300.0


@pytest.fixture(scope="module")
def data(cluster: DevCluster) -> Iterator[None]:
    """Objects on all OSDs; off is the cluster's own alert, which lasts until OSDs restart."""
    alert = "bluestore_warn_on_spurious_read_errors"
    cluster.ceph("config", "set", "osd", alert, "false")
    cluster.ceph("osd", "pool", "create", POOL, "16")
    cluster.ceph("osd", "pool", "application", "enable", POOL, "rados")
    cluster.rados("-p", POOL, "bench", "5", "write", "-b", "65536", "--no-cleanup", timeout=180)
    yield
    cluster.ceph("osd", "pool", "rm", POOL, POOL, "--yes-i-really-really-mean-it")


def reads(operator: Operator) -> None:
    """All objects, once; without OSDs' caches."""
    for osd in range(6):
        operator.cluster.ceph("tell", f"osd.{osd}", "cache", "drop")
    operator.cluster.rados("-p", POOL, "bench", "20", "seq", timeout=180)


def retries(operator: Operator) -> int:
    """How many reads of the bad OSD succeeded only when repeated."""
    counters = asok.ask(operator.cluster.spec, f"osd.{BAD}", "perf dump")["bluestore"]
    (found,) = (count for name, count in counters.items() if name.endswith("reads_with_retries"))
    return int(found)


def rows(operator: Operator) -> dict[int, Any]:
    return {row["osd"]: row for row in operator.asks("crc", "ls")["osds"]}


@pytest.mark.usefixtures("data")
def test_shares_rates_and_a_medium_that_errs(operator: Operator) -> None:
    def known() -> Optional[bool]:
        return all(row["checksum_share"] is not None for row in rows(operator).values()) or None

    operator.sees("shares of all OSDs", known, READ)
    # a read of 64 KiB is one checksum to verify: four in a row would be an error for good
    option = "bluestore_debug_inject_csum_err_probability"
    operator.cluster.ceph("tell", f"osd.{BAD}", "config", "set", option, "0.03")
    before = retries(operator)

    def erred() -> bool:  # a slow disk took few objects to read: again then
        reads(operator)
        return retries(operator) >= before + LEAST

    try:
        operator.sees("reads that erred", erred, READ)
    finally:
        operator.cluster.ceph("tell", f"osd.{BAD}", "config", "set", option, "0")

    def fast() -> Optional[dict[int, Any]]:
        found = rows(operator)
        # each comes with its own reading
        there = [
            any(row[key] for row in found.values()) for key in ("bytes_per_second", "peak_share")
        ]
        if not all(there):  # on a busy machine the reads above may be over between two readings
            reads(operator)
        return found if all(there) else None

    measured = operator.sees("a rate and a share", fast, 3 * READ)
    for row in measured.values():
        assert row["op_threads"] in {5, 16}, row
        assert 0 <= row["peak_share"] <= 1, row
    # what one core can do at most, and what a starved one still does, unless it stopped in between
    rates = [row["bytes_per_second"] for row in measured.values() if row["bytes_per_second"]]
    assert 1e7 < max(rates) < 1e11, rates
    told = operator.sees_in_health(CODE)
    assert f"osd.{BAD} (host-" in told, told
    assert "reads that succeeded only when repeated" in told, told
    (medium,) = operator.asks("crc", "ls")["media"]
    assert (medium["osd"], medium["kind"]) == (BAD, "read_retries"), medium
    assert medium["per_day"] >= 3, medium
    finding = next(one for one in operator.asks("finding", "ls") if one["code"] == CODE)
    assert finding["target"] == {"kind": "osd", "id": str(BAD)}
    operator.carries_out("finding", "mute", str(finding["id"]), "1d")
    operator.sees_gone_from_health(CODE)
