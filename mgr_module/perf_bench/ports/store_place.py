"""Where the files of databases lie."""

from __future__ import annotations

import sqlite3
from typing import Optional, Protocol

from ..model.damage import StoreMark


class StorePlace(Protocol):
    """Where the files of databases lie, and the mark of them at the monitors."""

    def open(self, file: str, raw: bool = False) -> sqlite3.Connection:
        """A fresh connection, usable from any thread; ``raw``: without looking into the file.

        Raises sqlite3.Error or StoreUnavailable.
        """

    def trim(self, file: str) -> None:
        """Free what the pool still holds beyond the end of a file; nobody else may write to it."""

    def remove(self, file: str) -> None:
        """Remove a file that no connection is open to; one that is not there is no error."""

    def pool(self) -> Optional[int]:
        """The ID of the pool; None where it is not known."""

    def read_mark(self) -> Optional[StoreMark]:
        """The mark; None where there is none yet. Raises StoreUnavailable."""

    def write_mark(self, mark: StoreMark) -> None:
        """Keep the mark. Raises StoreUnavailable."""
