"""SQLite whose connection breaks, or waits, when a test says so: what RADOS does to it."""

from __future__ import annotations

import functools
import json
import sqlite3
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Callable, Optional

from perf_bench.model.json_fields import decode
from perf_bench.model.store import StoreMark
from perf_bench.store.sqlite import Store

# What libcephsqlite says when its RADOS client was blocklisted.
BROKEN = "disk I/O error"


class Faults:
    """The switches of one database, and what was done to it. Safe from any thread."""

    def __init__(self) -> None:
        # The next so many statements fail; -1 for all of them, until set back.
        self.failing = 0
        # A statement with this text fails, once.
        self.fail_at: Optional[str] = None
        # Statements with this text fail, until set back.
        self.refused: Optional[str] = None
        # What opening raises.
        self.closed_shop: Optional[Exception] = None
        self.opened = 0
        # Every statement, also those that failed.
        self.met: list[str] = []
        # Closing a connection fails too; it is closed all the same.
        self.close_fails = False
        self._way = threading.Event()
        self._way.set()

    def block(self) -> None:
        """From now on statements wait, as RADOS does while a placement group is inactive."""
        self._way.clear()

    def unblock(self) -> None:
        self._way.set()

    def meet(self, statement: str) -> None:
        """Let one statement through, late, or not at all."""
        self.met.append(statement)
        self._way.wait()
        if self.fail_at is not None and self.fail_at in statement:
            self.fail_at = None
            raise sqlite3.OperationalError(BROKEN)
        if self.refused is not None and self.refused in statement:
            raise sqlite3.OperationalError(BROKEN)
        if self.failing:
            self.failing -= 1 if self.failing > 0 else 0
            raise sqlite3.OperationalError(BROKEN)


class FilePlace:
    """The StorePlace port: the files of a folder, the first of them at ``path``, with faults.

    The mark is a file beside it, for the next mgr of a test.
    """

    def __init__(self, path: Path, faults: Faults) -> None:
        self.path = path
        self.faults = faults
        self.pool_id: Optional[int] = 1
        # Files whose objects beyond the end were freed.
        self.trimmed: list[str] = []
        # What the monitors say instead.
        self.no_monitors: Optional[Exception] = None

    def open(self, file: str, raw: bool = False) -> sqlite3.Connection:
        return opener(self.file(file), self.faults)()

    def file(self, name: str) -> Path:
        return self.path if name == "main.db" else self.path.with_name(name)

    def trim(self, file: str) -> None:
        self.trimmed.append(file)

    def remove(self, file: str) -> None:
        self.file(file).unlink(missing_ok=True)
        self.file(f"{file}-journal").unlink(missing_ok=True)

    def pool(self) -> Optional[int]:
        return self.pool_id

    def read_mark(self) -> Optional[StoreMark]:
        if self.no_monitors is not None:
            raise self.no_monitors
        if not self._mark.exists():
            return None
        return decode(StoreMark, json.loads(self._mark.read_text(encoding="utf-8")))

    def write_mark(self, mark: StoreMark) -> None:
        if self.no_monitors is not None:
            raise self.no_monitors
        self._mark.write_text(json.dumps(asdict(mark)), encoding="utf-8")

    @property
    def _mark(self) -> Path:
        return self.path.with_suffix(".mark")


def opener(path: Path, faults: Faults) -> Callable[[], sqlite3.Connection]:
    """What opens the database of that file, with its faults."""

    class Connection(sqlite3.Connection):
        def execute(self, *args: Any, **named: Any) -> sqlite3.Cursor:
            faults.meet(str(args[0]))
            return super().execute(*args, **named)

        def executemany(self, *args: Any, **named: Any) -> sqlite3.Cursor:
            faults.meet(str(args[0]))
            return super().executemany(*args, **named)

        def close(self) -> None:
            super().close()
            if faults.close_fails:
                raise sqlite3.OperationalError(BROKEN)

    def open_db() -> sqlite3.Connection:
        if faults.closed_shop is not None:
            raise faults.closed_shop
        faults.opened += 1
        db = sqlite3.connect(path, check_same_thread=False, factory=Connection)
        # No test pulls the plug, and a busy disk takes 20 ms for each commit. Past the faults.
        with suppress(sqlite3.DatabaseError):  # a damaged file says so when it is used
            db.cursor().execute("PRAGMA synchronous = OFF")
            db.cursor().execute("PRAGMA journal_mode = MEMORY")
        return db

    return open_db


def file_store(path: Path, faults: Optional[Faults] = None) -> Store:
    """The real store on a file; a new one gets its tables at once (test_schema.py makes them)."""
    place = FilePlace(path, faults or Faults())
    if not path.exists() and place.read_mark() is None:
        path.write_bytes(_empty_database())
    return Store(place, backend=f"sqlite:{path.name}")


class MemoryPlace:
    """The StorePlace port in memory: each connection has a database of its own."""

    def __init__(self, empty: Optional[sqlite3.Connection] = None) -> None:
        """``empty``: a database that each begins as."""
        self._empty = empty

    def open(self, file: str, raw: bool = False) -> sqlite3.Connection:
        # It is used on the database's thread although it may be made on another.
        made = sqlite3.connect(":memory:", check_same_thread=False)
        if self._empty is not None:
            self._empty.backup(made)
        return made

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
    """The store over a database in memory, whose tables are made once; closing it deletes all."""
    return Store(MemoryPlace(_empty_memory()), backend="memory")


@functools.cache
def _empty_memory() -> sqlite3.Connection:
    store = Store(MemoryPlace(), backend="memory")
    store.schema_version()
    return store.write(lambda db: db)


@functools.cache
def _empty_database() -> bytes:
    """A database with tables and no rows: all steps of the schema take as long as 20 rounds."""
    with TemporaryDirectory() as folder:
        place = FilePlace(Path(folder) / "main.db", Faults())
        store = Store(place, "")
        store.schema_version()
        store.close()
        return place.path.read_bytes()
