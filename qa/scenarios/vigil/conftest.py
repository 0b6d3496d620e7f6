"""A larger cluster, and time: 12 OSDs on 4 hosts, watched for as long as it takes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.api import DevCluster
from cluster.spec import Order
from scenarios.clients import writing
from scenarios.crash_watch import WATCH, CrashWatch
from scenarios.operator import unhurried


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    base = Path(tempfile.mkdtemp(prefix="perf-bench-"))
    release = str(request.config.getoption("--release"))
    order = Order(release=release, osds=12, hosts=4, mgrs=2, dashboard=False)
    made = DevCluster.up(str(base / "cluster"), order)
    request.config.stash[WATCH] = CrashWatch(made)
    try:
        unhurried(made)
        yield made
    finally:
        request.config.stash[WATCH].close()
        made.down()
        shutil.rmtree(base)


@pytest.fixture(scope="module")
def quick(cluster: DevCluster) -> Iterator[None]:
    """Shorter waits at the detector's start and end; what it takes for slow is as everywhere."""
    option = ("mgr", "mgr/perf_bench/detector")
    cluster.ceph("config", "set", *option, "cold_minutes=2 acute_clear=2")
    cluster.ceph("mgr", "fail")
    yield
    cluster.ceph("config", "rm", *option)


@pytest.fixture(autouse=True, scope="session")
def clients(cluster: DevCluster) -> Iterator[None]:
    with writing(cluster, threads=6, groups=128):
        yield
