"""The database connection, its transactions, and the choice of the file."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Callable, Optional, Protocol, TypeVar, Union

from ..errors import StoreDamaged, StoreUnavailable
from ..model.store import Event, Incident, StoreMark, StoreState, StoreUsage
from . import schema
from .rows import UnreadableRows

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
# The parameters of a statement, by place or by name.
Values = Union[Sequence[Any], Mapping[str, Any]]

FIRST_FILE = "main.db"
# IDs are reserved at the monitors in blocks of this size; a lost database skips at most one block.
_ROUNDS_AHEAD, _FINDINGS_AHEAD = 100, 1000
_JOURNAL_BYTES = 4 << 20
# Maximum number of backups, and of incidents, in the mark.
REMEMBERED = 20
# After so many damaged files within a day a new one is no help.
_MOST_DAMAGED, _DAY = 3, 86400.0
# An mgr whose clock is wrong by more writes nothing (seconds): that would be removed as old, or
# never, and would stand at wrong times. What is known of the monitors' time is late by what passed
# between the mgr's activation and the first question, minutes on a large cluster.
MOST_BEHIND, MOST_AHEAD = 60.0, 600.0
# SQLite before 3.32 allows no more in a statement (SQLITE_MAX_VARIABLE_NUMBER).
_MOST_PARAMETERS = 999

_log = logging.getLogger(__name__)


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


class Database:
    """One connection, used from one thread, reopened after a failure.

    Opening raises sqlite3.Error or StoreUnavailable. A connection fails when its RADOS client was
    blocklisted or lost its lock. The work is then retried once on a new connection, so every
    transaction must be idempotent. A file that is also damaged on the new connection, or that is
    empty or gone, is replaced at once by a new one: IDs go on, the old file stays in the pool.
    """

    def __init__(
        self,
        place: StorePlace,
        now: Callable[[], float] = time.time,
        mons: Callable[[], Optional[float]] = lambda: None,
    ) -> None:
        """``mons`` returns the monitors' time in unix seconds; None if it is not known."""
        self.place = place
        self.now = now
        self._mons = mons
        self.unreadable = UnreadableRows()
        self.mark: Optional[StoreMark] = None
        # The error of the last work; None if it succeeded.
        self.trouble: Optional[StoreUnavailable] = None
        # How often anything else than reading was done: what was read before may have changed.
        self.writes = 0
        # Whether a read transaction stays open for the reads that follow.
        self._keeps_reading = False
        self._db: Optional[sqlite3.Connection] = None

    def write(self, work: Work[T]) -> T:
        """Run the work in one write transaction; returns its result. Raises StoreUnavailable."""
        self.end_reading()
        self.writes += 1
        wrong = self.wrong_clock
        if wrong is not None:
            raise StoreUnavailable(wrong)
        return self._run(work, "IMMEDIATE")

    def read(self, work: Work[T]) -> T:
        """Run the work in a read transaction: on RADOS its lock costs two writes.

        Returns the work's result. Raises StoreUnavailable.
        """
        return self._run(work, "DEFERRED")

    def _run(self, work: Work[T], lock: str, again: bool = True) -> T:
        """Run the work in a transaction; after a failure once more on a new connection."""
        try:
            db = self.connection()
            if lock == "DEFERRED" and self._keeps_reading:
                if not db.in_transaction:
                    db.execute("BEGIN DEFERRED")
                done = work(db)
            else:
                with transaction(db, lock):
                    done = work(db)
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except StoreUnavailable as error:
            self.trouble = error
            raise
        except sqlite3.Error as error:
            self.close()
            if again:
                return self._run(work, lock, again=False)
            self.trouble = unusable(error)
            if is_damage(error):
                self.trouble = self._replace_damaged(str(error))
            raise self.trouble from error
        self.trouble = None
        return done

    def rows(self, query: str, values: Values = ()) -> list[sqlite3.Row]:
        """The rows of one query. Raises StoreUnavailable."""
        return self.read(lambda db: db.execute(query, values).fetchall())

    def load(
        self, table: str, query: str, values: Values, make: Callable[[sqlite3.Row], T]
    ) -> list[T]:
        """What ``make`` makes of each row; those that cannot be read are listed and left out.

        The rows have the columns of the table's key. Raises StoreUnavailable.
        """
        return self.unreadable.all(table, self.rows(query, values), make)

    def execute(self, query: str, values: Values = ()) -> None:
        """Write one statement. Raises StoreUnavailable."""
        self.write(lambda db: db.execute(query, values))

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

    @property
    def state(self) -> StoreState:
        """How it is, as far as that is known without a query; from any thread."""
        return StoreState(self.mark, self.trouble, self.wrong_clock, self.unreadable.rows())

    @property
    def wrong_clock(self) -> Optional[str]:
        """Why this mgr's clock is not to be written by; None while it agrees with the monitors'."""
        mons = self._mons()
        ahead = 0.0 if mons is None else self.now() - mons
        if -MOST_BEHIND <= ahead <= MOST_AHEAD:
            return None
        return (
            f"the clock of this mgr's host is {abs(ahead):.0f} s "
            f"{'ahead of' if ahead > 0 else 'behind'} that of the monitors: nothing is written "
            "until they agree; see 'chronyc tracking' on the host"
        )

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
        return self._db

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
                incidents=(*mark.incidents, incident)[-REMEMBERED:],
            )
        )
        self.unreadable.clear()

    def begin_anew(self, event: Event, why: str) -> None:
        """Use a new, empty file from now on. Its IDs go on, the old file stays as it is.

        Raises StoreUnavailable.
        """
        self.close()
        if self.mark is None:
            self.mark = self.place.read_mark()
        file = self.next_file()
        self.place.remove(file)  # what one that was interrupted has left
        try:
            with closing(self._open(file)) as db:
                schema.migrate(db)
                seed(db, self.mark)
        except sqlite3.Error as error:
            raise unusable(error) from error
        self.switch(Incident(self.now(), event, self.file, why), file)

    def _replace_damaged(self, why: str) -> StoreUnavailable:
        """Replace the file, unless that was done often of late; returns what to raise."""
        before, after = self.file, self.now() - _DAY
        incidents = self.mark.incidents if self.mark else ()
        if sum(one.event is Event.DAMAGED and one.at > after for one in incidents) >= _MOST_DAMAGED:
            return StoreDamaged(
                f"the database is damaged ({why}): it was replaced three times within a day "
                "already: look for what damages it, then 'ceph perf-bench store reset'"
            )
        _log.error("the database %s is damaged: %s", before, why)
        self.begin_anew(Event.DAMAGED, why)
        return StoreUnavailable(
            f"the database {before} was damaged ({why}) and has been replaced by an empty one"
        )

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
        db = self._open(self.file)
        try:
            if mark is not None and is_empty(db):
                db.close()
                pool = self.place.pool()
                gone = mark.pool is not None and pool is not None and mark.pool != pool
                why = "its pool was deleted" if gone else "its file is empty or gone"
                _log.error("the database %s is lost: %s", mark.file, why)
                self.begin_anew(Event.LOST, why)
                db = self._open(self.file)
            schema.migrate(db)
            if mark is None:
                self.save_mark(StoreMark(FIRST_FILE, pool=self.place.pool()))
            self.reserve(*_used(db))
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
    """Let an empty file give back space that is unused later; SQLite decides that at its begin."""
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
    following = {"rounds": mark.next_round, "findings": mark.next_finding}
    with transaction(db):
        for (table, ahead), used in zip(following.items(), _used(db)):
            db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            db.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, max(used, ahead - 1)))


def _used(db: sqlite3.Connection) -> tuple[int, int]:
    """Return the highest used IDs of rounds and of findings."""
    found = dict(map(tuple, db.execute("SELECT name, seq FROM sqlite_sequence")))
    return found.get("rounds", 0), found.get("findings", 0)


def unusable(error: sqlite3.Error) -> StoreUnavailable:
    """What to raise for an error of SQLite."""
    return StoreUnavailable(f"the database cannot be used: {error}")


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


def end_unfinished(db: sqlite3.Connection, now: float) -> None:
    """Mark rounds as failed that ran when a backup was made."""
    db.execute(
        "UPDATE rounds SET state = 'failed', verdict = 'failed', "
        "ended_at = MAX(?, COALESCE(started_at, 0)), "
        "reasons = '[\"it had not ended when the backup was made\"]' "
        "WHERE state IN ('queued', 'running')",
        (now,),
    )
