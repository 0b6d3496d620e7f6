"""The releases, each with the cluster that was captured from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fakes.ceph import RELEASES, MgrWorld, installed, mgr_in

if TYPE_CHECKING:
    from mgr_module import MgrModule


@pytest.fixture(params=RELEASES)
def world(request: pytest.FixtureRequest) -> Iterator[MgrWorld]:
    """A mgr's surroundings, on each release in turn, with Ceph's Python modules in place."""
    made = MgrWorld.captured(request.param)
    with installed(made):
        yield made


@pytest.fixture
def pacific() -> Iterator[MgrWorld]:
    """The same on 16 alone."""
    made = MgrWorld.captured("pacific")
    with installed(made):
        yield made


@pytest.fixture
def mgr(world: MgrWorld) -> MgrModule:
    return mgr_in(world)


@pytest.fixture
def pacific_mgr(pacific: MgrWorld) -> MgrModule:
    return mgr_in(pacific)
