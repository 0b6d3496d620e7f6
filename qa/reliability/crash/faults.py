"""What strikes a cluster in the middle of a step, and how it is undone."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from cluster.api import DevCluster
from cluster.errors import ClusterError
from scenarios.operator import Operator

# Longer than the monitors wait for a mgr that says nothing (12 s).
_PAUSE = 45.0
# How long mons, OSDs and room are missed.
_AWAY = 10.0
_QUOTA = ("osd", "pool", "set-quota")


@dataclass(frozen=True)
class Fault:
    """``strike`` returns once the fault is over and what it ended has been started again.

    ``loses_osds``: a round may end with less than it was to measure, and must say why.
    """

    name: str
    strike: Callable[[Operator, str], None]
    loses_osds: bool = False


def _kill_mgr(operator: Operator, active: str) -> None:
    operator.cluster.fault("kill-mgr", active)
    with suppress(ClusterError):  # the monitors may have seen it themselves
        operator.cluster.ceph("mgr", "fail", active)
    operator.cluster.fault("clear", active)


def _pause_mgr(operator: Operator, active: str) -> None:
    operator.cluster.fault("pause", active)
    time.sleep(_PAUSE)
    operator.cluster.fault("clear", active)


def _fail_mgr(operator: Operator, active: str) -> None:
    operator.cluster.ceph("mgr", "fail", active)


def _disable(operator: Operator, _active: str) -> None:
    operator.cluster.ceph("mgr", "module", "disable", "perf_bench")
    operator.sees("that it is off", lambda: operator.types("status").code != 0)
    operator.cluster.ceph("mgr", "module", "enable", "perf_bench", "--force")


def _restart_mon(operator: Operator, _active: str) -> None:
    leader = f"mon.{operator.cluster.ceph_json('quorum_status')['quorum_leader_name']}"
    operator.cluster.fault("kill-mon", leader)
    operator.cluster.fault("clear", leader)


def _lose_quorum(operator: Operator, _active: str) -> None:
    mons = operator.cluster.spec.mon_daemons[1:]
    operator.cluster.fault("kill-mon", *mons)
    time.sleep(_AWAY)
    operator.cluster.fault("clear", *mons)


def _kill_osd(operator: Operator, _active: str) -> None:
    operator.cluster.fault("down", "osd.1")
    time.sleep(_AWAY)
    operator.cluster.fault("clear", "osd.1")


def _power_loss(operator: Operator, active: str) -> None:
    cluster = operator.cluster
    host = cluster.spec.host_of(f"mgr.{active}")
    cluster.fault("power-loss", host)
    time.sleep(_AWAY)
    cluster.fault("clear", *cluster.spec.daemons_of(host))


def _too_few_replicas(operator: Operator, _active: str) -> None:
    hosts = operator.cluster.spec.host_names[1:]
    operator.cluster.fault("host-down", *hosts)
    time.sleep(_AWAY)
    operator.cluster.fault("clear", *hosts)


def _pool_full(operator: Operator, _active: str) -> None:
    cluster = operator.cluster
    pool = database_pool(cluster)
    cluster.ceph(*_QUOTA, pool, "max_bytes", "1")
    try:
        operator.sees("a full pool", lambda: _is_full(cluster, pool), 60)
        time.sleep(_AWAY)
    finally:
        cluster.ceph(*_QUOTA, pool, "max_bytes", "0")
    operator.sees("a pool with room", lambda: not _is_full(cluster, pool), 60)


def database_pool(cluster: DevCluster) -> str:
    """The mgr's own pool, which is called otherwise on Ceph 16."""
    pools: list[str] = cluster.ceph_json("osd", "pool", "ls")
    return ".mgr" if ".mgr" in pools else "device_health_metrics"


def _is_full(cluster: DevCluster, name: str) -> bool:
    pools: list[dict[str, Any]] = cluster.ceph_json("osd", "dump")["pools"]
    (found,) = (pool["flags_names"] for pool in pools if pool["pool_name"] == name)
    return "full" in found.split(",")


FAULTS = (
    Fault("kill -9 of the active mgr", _kill_mgr),
    Fault("SIGSTOP of the active mgr for 45 s", _pause_mgr),
    Fault("failover by command", _fail_mgr),
    Fault("module disabled and enabled", _disable),
    Fault("restart of the leading mon", _restart_mon),
    Fault("quorum lost for 10 s", _lose_quorum),
    Fault("OSD killed", _kill_osd, loses_osds=True),
    Fault("database's pool full", _pool_full, loses_osds=True),
    Fault("database's pool without its replicas", _too_few_replicas, loses_osds=True),
    Fault("power loss of the active mgr's host", _power_loss, loses_osds=True),
)
