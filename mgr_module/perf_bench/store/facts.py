"""Stores the newest facts of each host, as the document that was received."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..model.decode import decode
from .database import Database
from .rows import pack, unpack

# By host when its facts came (unix seconds), their document, and the host's history.
SavedFacts = Mapping[str, tuple[float, Any, Mapping[str, Any]]]


class FactsStore:
    """The facts of hosts. Every method is one transaction; errors as for Store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        host: str,
        received_at: float,
        document: Mapping[str, Any],
        memory: Mapping[str, Any],
    ) -> None:
        """Replace a host's facts and its history (JSON-ready)."""
        values = host, received_at, pack(document), pack(memory)

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT OR REPLACE INTO host_facts (host, received_at, data, memory) "
                "VALUES (?, ?, ?, ?)",
                values,
            )

        self._database.write(work)

    def all(self) -> SavedFacts:
        """The newest facts of every host."""
        rows = self._database.read(lambda db: db.execute("SELECT * FROM host_facts").fetchall())
        return dict(
            self._database.unreadable.all("host_facts", rows, lambda row: (row["host"],), _facts_of)
        )


@dataclass(frozen=True)
class _Row:
    host: str
    received_at: float


def _facts_of(row: sqlite3.Row) -> tuple[str, tuple[float, Any, Mapping[str, Any]]]:
    key = decode(_Row, dict(row))
    memory = {} if row["memory"] is None else unpack(row["memory"])
    return key.host, (key.received_at, unpack(row["data"]), memory)
