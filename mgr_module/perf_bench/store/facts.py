"""The newest facts of each host, as the document that was handed in."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from typing import Any

from ..ports import SavedFacts
from .database import Database


class SqliteFactsStore:
    """The FactsStore over the store's connection."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, host: str, received_at: float, document: Mapping[str, Any]) -> None:
        data = zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 6)

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT OR REPLACE INTO host_facts VALUES (?, ?, ?)", (host, received_at, data)
            )

        self._database.write(work)

    def all(self) -> SavedFacts:
        rows = self._database.read(
            lambda db: db.execute("SELECT host, received_at, data FROM host_facts").fetchall()
        )
        return {row["host"]: (row["received_at"], _document(row["data"])) for row in rows}


def _document(data: bytes) -> Any:
    """None for a row that is damaged: these facts are not known then."""
    try:
        return json.loads(zlib.decompress(data))
    except (zlib.error, ValueError):
        return None
