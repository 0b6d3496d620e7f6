"""The connection and its transactions, shared by all that is stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Callable, Optional, TypeVar, Union

from ..errors import StoreUnavailable
from . import schema
from .set_aside import SetAside

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class Database:
    """One connection, used from one thread, reopened when it breaks.

    ``open_db`` returns a fresh connection and raises sqlite3.Error or StoreUnavailable. A
    connection breaks when its RADOS client was blocklisted or lost its lock; then the work is
    tried once more on a new one, so every transaction must be idempotent.
    """

    def __init__(self, open_db: Callable[[], sqlite3.Connection]) -> None:
        self._open_db = open_db
        self.aside = SetAside()
        self._db: Optional[sqlite3.Connection] = None

    def write(self, work: Work[T]) -> T:
        """Do the work in one transaction that may write."""

        def locked(db: sqlite3.Connection) -> T:
            with transaction(db):
                return work(db)

        return self.do(locked)

    def read(self, work: Work[T]) -> T:
        """Do the work in one transaction: on RADOS each costs two writes, SQLite's lock."""

        def locked(db: sqlite3.Connection) -> T:
            with transaction(db, "DEFERRED"):
                return work(db)

        return self.do(locked)

    def do(self, work: Work[T]) -> T:
        """Do the work; on a broken connection once more on a new one, then StoreUnavailable."""
        try:
            return work(self._connection())
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
                raise
            self.close()
        try:
            return work(self._connection())
        except sqlite3.Error as error:
            self.close()
            raise StoreUnavailable(f"the database cannot be used: {error}") from error

    def close(self) -> None:
        """Let go of the connection; the next work opens one again."""
        if self._db is not None:
            with suppress(sqlite3.Error):  # a broken connection is gone either way
                self._db.close()
            self._db = None

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            db = self._open_db()
            try:
                db.row_factory = sqlite3.Row
                db.text_factory = _text
                db.isolation_level = None  # transactions are begun where they are meant
                db.create_function("casefold", 1, _casefold, deterministic=True)
                db.execute("PRAGMA foreign_keys = ON")
                schema.migrate(db)
            except BaseException:
                db.close()
                raise
            self._db = db
        return self._db


@contextmanager
def transaction(db: sqlite3.Connection, lock: str = "IMMEDIATE") -> Iterator[None]:
    """All or nothing of what is done within."""
    db.execute(f"BEGIN {lock}")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _casefold(value: Optional[bytes]) -> Optional[str]:
    """SQLite's own lower() knows A to Z. Bytes: damaged text would fail the whole statement."""
    return None if value is None else value.decode("utf-8", "replace").casefold()


def _text(data: bytes) -> Union[str, bytes]:
    """Text; bytes where it is damaged, so that only the row fails that has it."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
