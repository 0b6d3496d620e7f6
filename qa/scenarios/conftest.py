"""One real cluster for all scenarios: 6 OSDs on 3 hosts, 2 mgrs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cluster.api import DevCluster
from scenarios.crash_watch import (
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    pytest_terminal_summary,
)
from scenarios.operator import Operator
from scenarios.throwaway import assert_quiet, pytest_keyboard_interrupt, watched
from scenarios.unchanged import fingerprints, unchanged

__all__ = [
    "fingerprints",
    "pytest_keyboard_interrupt",
    "pytest_runtest_makereport",
    "pytest_runtest_protocol",
    "pytest_terminal_summary",
    "unchanged",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--release", default="native", help="native, pacific, reef or tentacle")


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Iterator[DevCluster]:
    with watched(request.config, osds=6, hosts=3) as made:
        yield made


@pytest.fixture
def operator(cluster: DevCluster) -> Iterator[Operator]:
    """An operator before a whole cluster on which no round runs; it is made whole after."""
    person = Operator(cluster)
    person.sees_it_ready()
    yield person
    cluster.fault("clear", "all")
    person.sees_no_round()
    person.sees_it_ready()


@pytest.fixture(autouse=True, scope="session")
def quiet_log(cluster: DevCluster) -> Iterator[None]:
    """No scenario may leave a traceback of ours in a mgr's log."""
    yield
    assert_quiet(cluster)
