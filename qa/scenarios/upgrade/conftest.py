"""A cluster for each test, of the release asked for: the test ends with it at the newest one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cluster.api import DevCluster
from cluster.spec import Order
from scenarios.throwaway import assert_quiet, counted, throwaway


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    release = str(request.config.getoption("--release"))
    order = Order(release=release, osds=3, hosts=3, mgrs=2, mons=3, dashboard=False)
    with throwaway(order) as made, counted(request.config, made):
        yield made


@pytest.fixture(autouse=True)
def quiet_log(cluster: DevCluster) -> Iterator[None]:
    """As elsewhere, of this cluster's mgrs in all their releases."""
    yield
    assert_quiet(cluster)


@pytest.fixture(autouse=True)
def unchanged() -> None:
    """An upgrade changes the cluster."""
