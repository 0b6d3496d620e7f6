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


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    base = Path(tempfile.mkdtemp(prefix="perf-bench-"))
    release = str(request.config.getoption("--release"))
    order = Order(release=release, osds=12, hosts=4, mgrs=1, dashboard=False)
    made = DevCluster.up(str(base / "cluster"), order)
    request.config.stash[WATCH] = CrashWatch(made)
    try:
        yield made
    finally:
        request.config.stash[WATCH].close()
        made.down()
        shutil.rmtree(base)


@pytest.fixture(autouse=True, scope="session")
def clients(cluster: DevCluster) -> Iterator[None]:
    with writing(cluster, threads=6, groups=128):
        yield
