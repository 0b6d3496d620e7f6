"""The round store in memory, for tests and benchmarks."""

from __future__ import annotations

import sqlite3
from typing import Optional

from ..model.store import StoreMark
from .sqlite import Store


class MemoryPlace:
    """The StorePlace port with in-memory databases: each connection has its own."""

    def open(self, file: str, raw: bool = False) -> sqlite3.Connection:  # noqa: ARG002
        # SQLite connections are used on the store thread although made on another.
        return sqlite3.connect(":memory:", check_same_thread=False)

    def trim(self, file: str) -> None:
        """Memory has nothing beyond the end."""

    def remove(self, file: str) -> None:
        """Its connection's end removes it."""

    def pool(self) -> Optional[int]:
        return None

    def read_mark(self) -> Optional[StoreMark]:
        return None

    def write_mark(self, mark: StoreMark) -> None:
        """Nothing outlives the connection."""


def memory_store() -> Store:
    """Return the store over an in-memory database; closing it deletes all data."""
    return Store(MemoryPlace(), backend="memory")
