"""Checksums on real OSDs: what they spend, how fast they are, and media that err."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
POOL, BAD = "read-again", 2
CODE = "PERF_BENCH_MEDIA_ERRORS"
# Every reading of an OSD that is asked is at least 15 s after the one before.
READ = 60.0


@pytest.fixture(scope="module")
def data(cluster: DevCluster) -> Iterator[None]:
    """Objects on all OSDs; off is the cluster's own alert, which lasts until OSDs restart."""
    alert = "bluestore_warn_on_spurious_read_errors"
    cluster.ceph("config", "set", "osd", alert, "false")
    cluster.ceph("osd", "pool", "create", POOL, "16")
    cluster.ceph("osd", "pool", "application", "enable", POOL, "rados")
    cluster.rados("-p", POOL, "bench", "5", "write", "-b", "65536", "--no-cleanup")
    yield
    cluster.ceph("config", "set", "mon", "mon_allow_pool_delete", "true")
    cluster.ceph("osd", "pool", "rm", POOL, POOL, "--yes-i-really-really-mean-it")


def reads(operator: Operator) -> None:
    """All objects, once; without OSDs' caches."""
    for osd in range(6):
        operator.cluster.ceph("tell", f"osd.{osd}", "cache", "drop")
    operator.cluster.rados("-p", POOL, "bench", "20", "seq")


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
    try:
        reads(operator)
    finally:
        operator.cluster.ceph("tell", f"osd.{BAD}", "config", "set", option, "0")

    def fast() -> Optional[dict[int, Any]]:
        found = rows(operator)
        # each comes with its own reading
        there = [
            any(row[key] for row in found.values()) for key in ("bytes_per_second", "peak_share")
        ]
        return found if all(there) else None

    measured = operator.sees("a rate and a share", fast, READ)
    for row in measured.values():
        assert row["op_threads"] in {5, 16}, row
        assert 0 <= row["peak_share"] <= 1, row
        # what one core can do at most, and what a starved one still does
        assert row["bytes_per_second"] is None or 1e7 < row["bytes_per_second"] < 1e11, row
    told = operator.sees_in_health(CODE)
    assert f"osd.{BAD} (host-" in told, told
    assert "reads that were right only when read again" in told, told
    (medium,) = operator.asks("crc", "ls")["media"]
    assert (medium["osd"], medium["kind"]) == (BAD, "read_retries"), medium
    assert medium["per_day"] >= 3, medium
    finding = next(one for one in operator.asks("finding", "ls") if one["code"] == CODE)
    assert finding["target"] == {"kind": "osd", "id": str(BAD)}
    assert operator.types("finding", "mute", str(finding["id"]), "1d").code == 0
    operator.sees_gone_from_health(CODE)
