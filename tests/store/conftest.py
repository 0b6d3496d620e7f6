"""The store's backends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.database import Faults, file_store
from perf_bench.store.sqlite import Store


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def on_file(path: Path, faults: Faults) -> Iterator[Store]:
    """A store on a file, with its faults."""
    made = file_store(path, faults)
    yield made
    made.close()


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    made = file_store(path)
    yield made
    made.close()
