"""Skips rows that cannot be decoded, and lists them with the reasons."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional, TypeVar

from ..model.json_fields import FAULTS
from ..model.store import Key, UnreadableRow

T = TypeVar("T")
# By table the columns that name a row, in the order of its name (model/damage.py).
_KEYS: Mapping[str, tuple[str, ...]] = {
    "rounds": ("id",),
    "schedules": ("name",),
    "samples": ("round_id", "osd", "phase", "repeat"),
    "results": ("round_id", "osd"),
    "loads": ("round_id", "repeat"),
    "findings": ("id",),
    "states": ("name",),
    "episodes": ("start",),
    "host_facts": ("host",),
    "wear": ("round",),
    "removed_rounds": ("round_id",),
    "spans": ("kind", "level", "key", "start", "since"),
}
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

    def note(self, table: str, row: Any, error: Exception) -> str:
        """Add a row; returns the reason."""
        why, key = str(error) or type(error).__name__, _key(table, row)
        if len(self._rows) < MOST or (table, key) in self._rows:
            self._rows[table, key] = UnreadableRow(table, key, why)
        return why

    def forget_gone(self, db: sqlite3.Connection) -> None:
        """Remove rows that are there no more, whatever has deleted them."""
        for row in self.rows():
            if any(isinstance(part, bytes) for part in row.key):
                continue  # damaged text, which cannot be searched for
            where = " AND ".join(f"{name} IS ?" for name in _KEYS[row.table])
            query = f"SELECT 1 FROM {row.table} WHERE {where}"  # noqa: S608 - names of tables
            if db.execute(query, row.key).fetchone() is None:
                del self._rows[row.table, row.key]

    def clear(self) -> None:
        """Remove all rows: another file is in use."""
        self._rows.clear()

    def all(self, table: str, found: Iterable[Any], make: Callable[[Any], T]) -> list[T]:
        """Return what ``make`` returns for each row; one for which it raises a fault is noted.

        The rows have the columns of the table's key.
        """
        made = []
        for row in found:
            try:
                made.append(make(row))
            except FAULTS as error:
                self.note(table, row, error)
            else:
                if self._rows:
                    self._rows.pop((table, _key(table, row)), None)
        return made


def _key(table: str, row: Any) -> Key:
    return tuple(row[name] for name in _KEYS[table])
