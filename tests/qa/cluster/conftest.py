"""A cluster's spec without a cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.spec import Ground, Order, Spec, draft


@pytest.fixture
def drafted(tmp_path: Path) -> Callable[..., Spec]:
    """Makes specs of clusters in a folder that is there, with nothing booted."""

    def make(root: str = "/", carried: str = "pacific", **order: int) -> Spec:
        (tmp_path / "run").mkdir()
        (tmp_path / "log").mkdir()
        (tmp_path / "faults").mkdir()
        return draft(tmp_path, Order(**order), Ground(carried, root, ""))  # type: ignore[arg-type]

    return make


@pytest.fixture
def spec(drafted: Callable[..., Spec]) -> Spec:
    """Six OSDs on three hosts, two mgrs."""
    return drafted(osds=6, hosts=3, mgrs=2)
