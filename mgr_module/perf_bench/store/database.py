"""The connection and its transactions, and which file it is to."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Callable, Optional, TypeVar, Union

from ..errors import StoreUnavailable
from ..model.damage import Event, Incident, StoreMark
from ..ports import StorePlace
from . import schema
from .set_aside import SetAside

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

FIRST_FILE = "main.db"
# IDs are reserved at the monitors by so many: a lost database costs at most so many numbers.
_ROUNDS_AHEAD, _FINDINGS_AHEAD = 100, 1000
# The newest of each are remembered.
_REMEMBERED = 20

_log = logging.getLogger(__name__)


class Database:
    """One connection, used from one thread, reopened when it breaks.

    Opening raises sqlite3.Error or StoreUnavailable. A connection breaks when its RADOS client was
    blocklisted or lost its lock; then the work is tried once more on a new one, so every
    transaction must be idempotent. A file that is damaged on a new connection too is not used any
    more: ``damage`` says why, until another file takes its place.
    """

    def __init__(self, place: StorePlace, now: Callable[[], float] = time.time) -> None:
        self.place = place
        self.now = now
        self.aside = SetAside()
        self.mark: Optional[StoreMark] = None
        self.damage: Optional[str] = None
        # How the newest work has failed; None where it did not.
        self.trouble: Optional[StoreUnavailable] = None
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
            done = self._try(work)
        except StoreUnavailable as error:
            self.trouble = error
            raise
        self.trouble = None
        return done

    def _try(self, work: Work[T]) -> T:
        if self.damage is not None:
            raise StoreUnavailable(_damaged(self.damage))
        try:
            return work(self.connection())
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
                raise
            self.close()
        try:
            return work(self.connection())
        except sqlite3.Error as error:
            self.close()
            if is_damage(error):
                self.damage = str(error)
                raise StoreUnavailable(_damaged(self.damage)) from error
            raise StoreUnavailable(f"the database cannot be used: {error}") from error

    def close(self) -> None:
        """Let go of the connection; the next work opens one again."""
        if self._db is not None:
            with suppress(sqlite3.Error):  # a broken connection is gone either way
                self._db.close()
            self._db = None

    def connection(self) -> sqlite3.Connection:
        """The connection, opened where there is none."""
        if self._db is None:
            self.mark = self.place.read_mark()
            self._db = self._open_marked(self.mark)
        return self._db

    # --- which file --------------------------------------------------------------------------

    def switch(self, incident: Incident, file: str) -> None:
        """Use another file from now on; the one before stays in the pool as it is."""
        self.close()
        mark = self.mark or StoreMark(FIRST_FILE)
        self.save_mark(
            replace(
                mark,
                file=file,
                number=mark.number + 1,
                pool=self.place.pool(),
                incidents=(*mark.incidents, incident)[-_REMEMBERED:],
            )
        )
        self.damage = None
        self.aside.clear()

    def next_file(self) -> str:
        """The name of the file that takes the place of the one in use."""
        return f"main-{(self.mark.number if self.mark else 1) + 1}.db"

    def save_mark(self, mark: StoreMark) -> None:
        """Raises StoreUnavailable."""
        self.place.write_mark(mark)
        self.mark = mark

    def reserve(self, rounds: int = 0, findings: int = 0) -> None:
        """Have IDs up to these never used again, whatever becomes of the file."""
        mark = self.mark
        if mark is None:
            return
        # Just made, a pool is not in the mgr's map yet.
        pool = self.place.pool() if mark.pool is None else mark.pool
        if rounds < mark.next_round and findings < mark.next_finding and pool == mark.pool:
            return
        ahead = replace(
            mark,
            pool=pool,
            next_round=max(mark.next_round, rounds + _ROUNDS_AHEAD if rounds else 0),
            next_finding=max(mark.next_finding, findings + _FINDINGS_AHEAD if findings else 0),
        )
        try:
            self.save_mark(ahead)
        except StoreUnavailable as error:  # the next one tries again
            _log.warning("no IDs can be reserved at the monitors: %s", error)

    def _open_marked(self, mark: Optional[StoreMark]) -> sqlite3.Connection:
        file = mark.file if mark else FIRST_FILE
        db = self._open(file)
        try:
            if mark is not None and is_empty(db):
                db.close()
                db = self._instead_of_lost(mark)
            schema.migrate(db)
            if mark is None:
                self.save_mark(StoreMark(FIRST_FILE, pool=self.place.pool()))
            self.reserve(*_used(db))
        except BaseException:
            db.close()
            raise
        return db

    def _instead_of_lost(self, mark: StoreMark) -> sqlite3.Connection:
        """A new file: what has the name of the one before is of another pool, or was emptied."""
        pool = self.place.pool()
        gone = mark.pool is not None and pool is not None and mark.pool != pool
        why = "its pool was deleted" if gone else "its file is empty or gone"
        _log.error("the database %s is lost: %s", mark.file, why)
        file = self.next_file()
        db = self._open(file)
        try:
            schema.migrate(db)
            seed(db, mark)
            self.switch(Incident(self.now(), Event.LOST, mark.file, why), file)
        except BaseException:
            db.close()
            raise
        return db

    def _open(self, file: str) -> sqlite3.Connection:
        db = self.place.open(file)
        try:
            prepare(db)
            db.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            db.close()
            raise
        return db


def prepare(db: sqlite3.Connection) -> None:
    """What every connection of ours needs."""
    db.row_factory = sqlite3.Row
    db.text_factory = _text
    db.isolation_level = None  # transactions are begun where they are meant
    db.create_function("casefold", 1, _casefold, deterministic=True)


def is_damage(error: Exception) -> bool:
    """Whether SQLite says that the file is damaged, or is none of its own.

    These two are DatabaseError itself, on every Python; outages are OperationalError.
    """
    return type(error) is sqlite3.DatabaseError


def is_empty(db: sqlite3.Connection) -> bool:
    """Whether nothing of ours is in it; Ceph 17 and later make a table of their own."""
    found = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'rounds'").fetchone()
    return found is None and schema.version_of(db) == 0


def seed(db: sqlite3.Connection, mark: Optional[StoreMark]) -> None:
    """Let IDs go on behind those that may have been given away already."""
    if mark is None:
        return
    with transaction(db):
        for table, following in (("rounds", mark.next_round), ("findings", mark.next_finding)):
            row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
            if row is None:
                db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, following - 1))
            elif row["seq"] < following - 1:
                db.execute(
                    "UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (following - 1, table)
                )


def _used(db: sqlite3.Connection) -> tuple[int, int]:
    """The highest IDs of rounds and of findings that were given away."""
    found = dict(map(tuple, db.execute("SELECT name, seq FROM sqlite_sequence")))
    return found.get("rounds", 0), found.get("findings", 0)


def _damaged(why: str) -> str:
    return (
        f"the database is damaged ({why}): what can be read of it is taken over into a new one; "
        "'ceph perf-bench store status' tells how far that is"
    )


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
