"""A mgr's surroundings without a mgr, for the programs beside it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fakes.ceph import MgrWorld, installed


@pytest.fixture
def pacific() -> Iterator[MgrWorld]:
    """Ceph's Python modules of 16."""
    made = MgrWorld.captured("pacific")
    with installed(made):
        yield made
