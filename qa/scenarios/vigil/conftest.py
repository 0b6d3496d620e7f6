"""A larger cluster, and time: 12 OSDs on 4 hosts, watched for as long as it takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cluster.api import DevCluster
from scenarios.clients import writing
from scenarios.throwaway import watched


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    with watched(request.config, osds=12, hosts=4) as made:
        yield made


@pytest.fixture(autouse=True, scope="session")
def clients(cluster: DevCluster) -> Iterator[None]:
    with writing(cluster, threads=6, groups=128):
        yield
