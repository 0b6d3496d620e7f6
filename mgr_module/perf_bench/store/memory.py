"""The round store's twin in memory, for tests and benchmarks."""

from __future__ import annotations

import sqlite3

from .sqlite import SqliteRoundStore


def memory_store() -> SqliteRoundStore:
    """The same store over an in-memory database; closing it forgets everything.

    Used from the desk's thread although made on another, hence ``check_same_thread``.
    """
    return SqliteRoundStore(
        lambda: sqlite3.connect(":memory:", check_same_thread=False), backend="memory"
    )
