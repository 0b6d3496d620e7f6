"""Skips rows that cannot be decoded, and lists them with the reasons."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any, Callable, Optional, TypeVar

from ..model.json_fields import FAULTS
from ..model.store import Key, UnreadableRow

T = TypeVar("T")
# Maximum number of listed rows: a completely damaged table has millions.
MOST = 1000


class UnreadableRows:
    """The rows that could not be decoded, by table and key; used on the database's thread."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, Key], UnreadableRow] = {}

    def rows(self) -> tuple[UnreadableRow, ...]:
        """Return the unreadable rows by name."""
        return tuple(sorted(self._rows.values(), key=str))

    def why(self, table: str, *key: Any) -> Optional[str]:
        """Return why this row is unreadable; None if it is not listed."""
        found = self._rows.get((table, key))
        return None if found is None else found.why

    def note(self, table: str, key: Key, error: Exception) -> str:
        """Add a row; returns the reason."""
        why = str(error) or type(error).__name__
        if len(self._rows) < MOST or (table, key) in self._rows:
            self._rows[table, key] = UnreadableRow(table, key, why)
        return why

    def forget(self, table: str, *key: Any) -> None:
        """Remove a row that was deleted or read."""
        self._rows.pop((table, key), None)

    def forget_gone(self, db: sqlite3.Connection) -> None:
        """Remove rows that are there no more, whatever has deleted them."""
        for row in self.rows():
            if any(isinstance(part, bytes) for part in row.key):
                continue  # damaged text, which cannot be searched for
            columns = db.execute(f"PRAGMA table_info({row.table})").fetchall()
            names = sorted((one["pk"], one["name"]) for one in columns if one["pk"])
            where = " AND ".join(f"{name} IS ?" for _, name in names)
            query = f"SELECT 1 FROM {row.table} WHERE {where}"  # noqa: S608 - names of tables
            if db.execute(query, row.key).fetchone() is None:
                self.forget(row.table, *row.key)

    def clear(self) -> None:
        """Remove all rows: another file is in use."""
        self._rows.clear()

    def one(self, table: str, key: Key, make: Callable[[], T]) -> Optional[T]:
        """Return what ``make`` returns; None if it raises one of FAULTS, which is noted."""
        try:
            made = make()
        except FAULTS as error:
            self.note(table, key, error)
            return None
        if self._rows:
            self.forget(table, *key)
        return made

    def all(
        self,
        table: str,
        found: Iterable[Any],
        key: Callable[[Any], Key],
        make: Callable[[Any], T],
    ) -> list[T]:
        """Return what ``make`` returns for each row, without unreadable rows, which are noted."""
        rows = list(found)
        try:
            made = [make(row) for row in rows]
        except FAULTS:
            read = (self.one(table, key(row), lambda row=row: make(row)) for row in rows)  # type: ignore[misc]
            return [one for one in read if one is not None]
        if self._rows:
            for row in rows:
                self.forget(table, *key(row))
        return made
