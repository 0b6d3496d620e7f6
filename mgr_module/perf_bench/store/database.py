"""The database connection, its transactions, and the choice of the file."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Callable, Optional, TypeVar, Union

from ..errors import StoreUnavailable
from ..model.damage import Event, Incident, StoreMark
from ..model.retention import StoreUsage
from ..model.said import say
from ..ports import StorePlace
from . import schema
from .set_aside import SetAside
from .two_clocks import TwoClocks

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

FIRST_FILE = "main.db"
# IDs are reserved at the monitors in blocks of this size; a lost database skips at most one block.
_ROUNDS_AHEAD, _FINDINGS_AHEAD = 100, 1000
_JOURNAL_BYTES = 4 << 20
# Maximum number of backups, and of incidents, in the mark.
_REMEMBERED = 20
# SQLite before 3.32 allows no more in a statement (SQLITE_MAX_VARIABLE_NUMBER).
_MOST_PARAMETERS = 999

_log = logging.getLogger(__name__)


class Database:
    """One connection, used from one thread, reopened after a failure.

    Opening raises sqlite3.Error or StoreUnavailable. A connection fails when its RADOS client was
    blocklisted or lost its lock. The work is then retried once on a new connection, so every
    transaction must be idempotent. A file that is also damaged on the new connection is not used
    any more: ``damage`` has the reason until another file replaces it.
    """

    def __init__(
        self,
        place: StorePlace,
        now: Callable[[], float] = time.time,
        clocks: Optional[TwoClocks] = None,
    ) -> None:
        self.place = place
        self.now = now
        self.clocks = TwoClocks() if clocks is None else clocks
        self.aside = SetAside()
        self.mark: Optional[StoreMark] = None
        self.damage: Optional[str] = None
        # Why nothing may be written now; reading goes on.
        self.frozen: Optional[str] = None
        # The error of the last work; None if it succeeded.
        self.trouble: Optional[StoreUnavailable] = None
        # How often anything else than reading was done: what was read before may have changed.
        self.writes = 0
        # Whether a read transaction stays open for the reads that follow.
        self._keeps_reading = False
        self._db: Optional[sqlite3.Connection] = None

    def write(self, work: Work[T]) -> T:
        """Run the work in one write transaction; returns its result. Raises StoreUnavailable."""

        def locked(db: sqlite3.Connection) -> T:
            with transaction(db):
                return work(db)

        return self.do(locked)

    def read(self, work: Work[T]) -> T:
        """Run the work in a read transaction: on RADOS its lock costs two writes.

        Returns the work's result. Raises StoreUnavailable.
        """

        def locked(db: sqlite3.Connection) -> T:
            if not self._keeps_reading:
                with transaction(db, "DEFERRED"):
                    return work(db)
            if not db.in_transaction:
                db.execute("BEGIN DEFERRED")
            return work(db)

        return self._run(locked)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let the reads in the block share one transaction, until something else is done."""
        self._keeps_reading = True
        try:
            yield
        finally:
            self._keeps_reading = False
            self.end_reading()

    def end_reading(self) -> None:
        """End the transaction of the reads before, if there is one."""
        if self._db is not None and self._db.in_transaction:
            try:
                self._db.execute("ROLLBACK")
            except sqlite3.Error:  # the next work opens a new connection
                self.close()

    def do(self, work: Work[T]) -> T:
        """Run the work; after a failure once more on a new connection. Raises StoreUnavailable."""
        self.end_reading()
        self.writes += 1
        return self._run(work)

    def _run(self, work: Work[T]) -> T:
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
            if self.frozen is not None and "readonly" in str(error):
                raise StoreUnavailable(self.frozen) from None
            self.close()
        try:
            return work(self.connection())
        except sqlite3.Error as error:
            self.close()
            if is_damage(error):
                self.damage = str(error)
                raise StoreUnavailable(_damaged(self.damage)) from error
            raise StoreUnavailable(
                say("database-unusable", "the database cannot be used: {why}", why=str(error))
            ) from error

    def close(self) -> None:
        """Close the connection; the next work opens a new one."""
        self.writes += 1
        if self._db is not None:
            with suppress(sqlite3.Error):  # a failed connection need not close cleanly
                self._db.close()
            self._db = None

    def connection(self) -> sqlite3.Connection:
        """Return the connection; opens one if there is none."""
        if self._db is None:
            self.mark = self.place.read_mark()
            self._db = self._open_marked(self.mark)
            self._set_frozen()
        return self._db

    def freeze(self, why: Optional[str]) -> None:
        """Refuse to write from now on, for this reason; None ends that."""
        self.frozen = why
        self._set_frozen()

    def _set_frozen(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):  # of a failed connection; a new one comes here too
                self._db.execute(f"PRAGMA query_only = {int(self.frozen is not None)}")

    # --- which file --------------------------------------------------------------------------

    @property
    def file(self) -> str:
        """The name of the file in use."""
        return self.mark.file if self.mark else FIRST_FILE

    def switch(self, incident: Incident, file: str) -> None:
        """Use another file from now on; the old one stays in the pool unchanged."""
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

    def replace_copied(self, file: str) -> None:
        """Use a whole copy of the file from now on; the old one is to be removed."""
        self.close()
        mark = self.mark or StoreMark(FIRST_FILE, pool=self.place.pool())
        unused = (*mark.unused, mark.file)
        self.save_mark(replace(mark, file=file, number=mark.number + 1, unused=unused))

    def next_file(self) -> str:
        """Return the name of the file that would replace the current one."""
        return f"main-{(self.mark.number if self.mark else 1) + 1}.db"

    def save_mark(self, mark: StoreMark) -> None:
        """Save the mark at the monitors. Raises StoreUnavailable."""
        self.place.write_mark(mark)
        self.mark = mark

    def reserve(self, rounds: int = 0, findings: int = 0) -> None:
        """Reserve IDs up to these at the monitors: they are not reused even if the file is lost."""
        mark = self.mark
        if mark is None:
            return
        # A new pool may not be in the mgr's map yet.
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
        """Open a new file: the current one is empty, or its pool was replaced by another."""
        pool = self.place.pool()
        gone = mark.pool is not None and pool is not None and mark.pool != pool
        why = "its pool was deleted" if gone else "its file is empty or gone"
        _log.error("the database %s is lost: %s", mark.file, why)
        file = self.next_file()
        self.place.remove(file)  # what a copy that was interrupted has left
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
            make_shrinkable(db)
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
    # The journal keeps the length of the longest transaction otherwise.
    db.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES}")


def make_shrinkable(db: sqlite3.Connection) -> None:
    """Let an empty file give back space that is unused later; SQLite decides that at its begin.

    A file with tables would have to be written anew as a whole, see ``Maintenance.compact``.
    """
    if is_empty(db):
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("VACUUM")  # Ceph 17 and later have created a table of their own


def is_damage(error: Exception) -> bool:
    """Whether SQLite reports that the file is damaged or is not a database.

    Both are DatabaseError itself, on every Python; outages are OperationalError.
    """
    return type(error) is sqlite3.DatabaseError


def usage_of(db: sqlite3.Connection) -> StoreUsage:
    """Return the size of the file, from its header."""
    size, pages, free, mode = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_size", "page_count", "freelist_count", "auto_vacuum")
    )
    return StoreUsage(pages * size, free * size, shrinkable=mode != 0)


def is_empty(db: sqlite3.Connection) -> bool:
    """Whether the file has none of our tables; Ceph 17 and later create a table of their own."""
    found = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'rounds'").fetchone()
    return found is None and schema.version_of(db) == 0


def seed(db: sqlite3.Connection, mark: Optional[StoreMark]) -> None:
    """Continue IDs after those that are reserved in the mark."""
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
    """Return the highest used IDs of rounds and of findings."""
    found = dict(map(tuple, db.execute("SELECT name, seq FROM sqlite_sequence")))
    return found.get("rounds", 0), found.get("findings", 0)


def _damaged(why: str) -> str:
    return say(
        "database-damaged",
        "the database is damaged ({why}): what can be read of it is taken over into a new one; "
        "'ceph perf-bench store status' tells how far that is",
        why=why,
    )


@contextmanager
def transaction(db: sqlite3.Connection, lock: str = "IMMEDIATE") -> Iterator[None]:
    """Run the block in a transaction: commit it, or roll it back after an error."""
    db.execute(f"BEGIN {lock}")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def insert_rows(
    db: sqlite3.Connection,
    table: str,
    names: Sequence[str],
    rows: Iterable[tuple[Any, ...]],
    existing: str = "IGNORE",
) -> None:
    """Insert rows, many with each statement: half the time of one statement for each row.

    ``existing`` is what is done about a row whose key is there: IGNORE or REPLACE.
    """
    given, at_once = iter(rows), _MOST_PARAMETERS // len(names)
    head = f"INSERT OR {existing} INTO {table} ({', '.join(names)}) VALUES "  # noqa: S608
    marks = f"({', '.join('?' * len(names))})"
    while some := list(islice(given, at_once)):
        values = tuple(chain.from_iterable(some))
        db.execute(head + ", ".join([marks] * len(some)), values)


def _casefold(value: Optional[bytes]) -> Optional[str]:
    """Fold the case of text for SQL, where lower() only knows A to Z.

    It takes bytes, because damaged text would fail the whole statement.
    """
    return None if value is None else value.decode("utf-8", "replace").casefold()


def _text(data: bytes) -> Union[str, bytes]:
    """Decode text; return damaged text as bytes, so that only its row fails."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
