"""Stores the newest facts of each host, as the document that was received."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from ..model.decode import FAULTS, decode, inflated
from .database import Database

# By host when its facts came (unix seconds), their document (None if it is damaged), and the
# host's history.
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
        values = host, received_at, _packed(document), _packed(memory)

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
        aside = self._database.aside
        read = aside.all("host_facts", rows, lambda row: (row["host"],), facts_of)
        for host, (_, document, _) in read:
            if document is None:
                aside.note("host_facts", (host,), ValueError("data cannot be unpacked"))
        return dict(read)


@dataclass(frozen=True)
class _Key:
    host: str
    received_at: float


def facts_of(row: sqlite3.Row) -> tuple[str, tuple[float, Any, Mapping[str, Any]]]:
    """Return a host and its facts. Raises ValueError."""
    decode(_Key, dict(row))
    memory = _unpacked(row["memory"])
    document = _unpacked(row["data"])
    return row["host"], (
        row["received_at"],
        document,
        memory if isinstance(memory, dict) else {},
    )


def document_of(row: sqlite3.Row) -> Any:
    """Return a host's document. Raises ValueError if it is damaged."""
    _, (_, document, _) = facts_of(row)
    if document is None:
        raise ValueError("data cannot be unpacked")
    return document


def _packed(value: Mapping[str, Any]) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 6)


def _unpacked(data: Optional[bytes]) -> Any:
    """Return the unpacked value; None if it is missing or damaged."""
    if data is None:
        return None
    try:
        return json.loads(inflated(data))
    except FAULTS:
        return None
