"""What tests of the whole watch share: a database on a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import threads
from fakes.database import Faults, file_store
from fakes.store_thread import ImpatientStoreThread


@pytest.fixture
def store_thread(path: Path) -> Iterator[ImpatientStoreThread]:
    made = ImpatientStoreThread(file_store(path, Faults()), patience=threads.PATIENCE)
    yield made
    made.close(threads.PATIENCE)
