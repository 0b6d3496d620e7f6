"""The doctor on real OSDs: silent, and right about what there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from cluster.errors import ClusterError
from scenarios.operator import FAILOVER_SECONDS, Operator

pytestmark = pytest.mark.cluster
POOL, LATE = "small-writes", 1
# RocksDB may merge 128 KiB a second and lets writers wait when it is four small tables behind.
BEHIND = (
    "write_buffer_size=131072,level0_file_num_compaction_trigger=2,"
    "level0_slowdown_writes_trigger=4,level0_stop_writes_trigger=6,"
    "rate_limiter_bytes_per_sec=131072"
)


def uses_tcmalloc(operator: Operator, osd: int) -> bool:
    try:
        operator.cluster.ceph("tell", f"osd.{osd}", "heap", "stats")
    except ClusterError as error:
        if "not using tcmalloc" not in str(error):
            raise
        return False
    return True


@pytest.mark.long
def test_the_doctor_is_silent_until_there_is_something(operator: Operator) -> None:
    def worse() -> list[str]:
        return [one["code"] for one in operator.asks("doctor") if one["severity"] != "info"]

    def advised() -> Any:
        return next((one for one in operator.asks("doctor") if one["code"] == code), None)

    def builds() -> Optional[tuple[Any, ...]]:
        """Advice about allocators as OSDs answer themselves; one for all of them."""
        found = [one for one in operator.asks("doctor") if one["code"] == "NO_TCMALLOC"]
        other = [osd for osd in range(6) if not uses_tcmalloc(operator, osd)]
        seen = [(one["severity"], one["osds"]) for one in found]
        return (seen,) if seen == ([("info", other)] if other else []) else None

    assert worse() == []
    # said once, and true: Debian 12's Ceph 16 is built without tcmalloc
    operator.sees("builds that were asked", builds)
    code, setting = "ROCKSDB_NO_WAL_LIMIT", ("osd", "bluestore_rocksdb_options")
    operator.cluster.ceph("config", "set", *setting, "compression=kNoCompression")
    try:
        advice = operator.sees("the advice", advised)
    finally:
        operator.cluster.ceph("config", "rm", *setting)
    assert advice["fix"].startswith("ceph config set osd bluestore_rocksdb_options ")
    assert len(advice["osds"]) == 6
    operator.sees("silence", lambda: worse() == [] or None)


@pytest.mark.long
def test_what_puts_the_cluster_at_risk_is_in_its_health_until_somebody_says_no(
    operator: Operator,
) -> None:
    code, cluster = "PERF_BENCH_CONFIG_RISK", operator.cluster
    risk, switch = ("osd", "bluestore_rocksdb_options"), "mgr/perf_bench/warn_config_risk"
    cluster.ceph("config", "set", *risk, "compression=kNoCompression")
    try:
        cluster.ceph("mgr", "fail")  # a mgr looks one and two minutes after it became active
        operator.sees(
            code, lambda: code in cluster.ceph("health", "detail") or None, FAILOVER_SECONDS + 150
        )
        assert "without max_total_wal_size" in cluster.ceph("health", "detail")
        cluster.ceph("config", "set", "mgr", switch, "false")
        operator.sees_gone_from_health(code)
        (found,) = (one for one in operator.asks("finding", "ls") if one["code"] == code)
        assert found["evidence"]["fix"].startswith("ceph config set osd bluestore_rocksdb_options")
    finally:
        cluster.ceph("config", "rm", *risk)
        cluster.ceph("config", "rm", "mgr", switch)
        cluster.ceph("mgr", "fail")


@pytest.fixture
def behind(cluster: DevCluster) -> Iterator[int]:
    """An OSD whose database cannot merge as fast as others take in, and a pool to write to."""
    annex = f"osd.{LATE}", "bluestore_rocksdb_options_annex"
    cluster.ceph("config", "set", *annex, BEHIND)
    cluster.restart(f"osd.{LATE}")
    cluster.ceph("osd", "pool", "create", POOL, "16", "16")
    cluster.ceph("osd", "pool", "application", "enable", POOL, "rados")
    yield LATE
    cluster.ceph("config", "rm", *annex)
    cluster.restart(f"osd.{LATE}")
    cluster.ceph("config", "set", "mon", "mon_allow_pool_delete", "true")
    cluster.ceph("osd", "pool", "rm", POOL, POOL, "--yes-i-really-really-mean-it")


@pytest.mark.long
def test_a_database_whose_compaction_does_not_keep_up(operator: Operator, behind: int) -> None:
    def advice() -> list[Any]:
        return [one for one in operator.asks("doctor") if one["code"] == "SLOW_COMPACTION"]

    assert advice() == []
    # an operation may wait for seconds: so does the end of the bench
    words = ("-p", POOL, "bench", "80", "write", "-b", "4096", "-t", "64", "--no-cleanup")
    operator.cluster.rados(*words, timeout=180)
    (one,) = operator.sees("the advice", lambda: advice() or None, 30)
    assert one["osds"] == [behind], one
    assert one["fix"] == f"ceph tell osd.{behind} compact"
    assert one["evidence"]["stalled_seconds"] >= 10, one
    assert one["evidence"]["bytes_into_tables"] >= 1 << 20, one
    operator.sees("silence when nobody writes", lambda: advice() == [] or None, 150)
