"""The fixture that every scenario has: after it the daemons answer what they answered before it.

A scenario that leaves something on purpose says what, in patterns of ``fnmatch`` for the sentences
of ``fingerprint.difference``:

    @pytest.mark.leaves("auth ls: client.perf-bench-worker *")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from cluster.api import DevCluster
from cluster.connection import Connection
from scenarios.fingerprint import Daemons, Fingerprints

__all__ = ["fingerprints", "unchanged"]


@pytest.fixture(scope="session")
def fingerprints(cluster: DevCluster) -> Iterator[Fingerprints]:
    with closing(Connection(cluster.spec)) as link:
        yield Fingerprints(Daemons(cluster.spec, link))


@pytest.fixture(autouse=True)
def unchanged(request: pytest.FixtureRequest, fingerprints: Fingerprints) -> Iterator[None]:
    """Taken before every other fixture of a scenario, and compared after all of them."""
    allowed = [one for mark in request.node.iter_markers("leaves") for one in mark.args]
    before = fingerprints.at_rest()
    yield
    left = fingerprints.changed(before, allowed)
    assert not left, "not as it was before the scenario:\n" + "\n".join(left)
