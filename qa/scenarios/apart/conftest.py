"""A cluster that listens on a bridge, so that hosts with networks of their own reach it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cluster.api import DevCluster
from scenarios.networks import Networks, networks
from scenarios.throwaway import watched


@pytest.fixture(scope="session")
def net() -> Iterator[Networks]:
    with networks() as made:
        yield made


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, net: Networks) -> Iterator[DevCluster]:
    with watched(request.config, osds=3, hosts=1, address=net.address) as made:
        yield made
