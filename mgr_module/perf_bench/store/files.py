"""The database's file as a whole: its size, SQLite's check, backup, restore and reset."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import replace

from ..errors import InvalidValue, NotFound
from ..model.store import Backup, Event, Incident, StoreChecked, StoreMark
from . import schema
from .database import (
    FIRST_FILE,
    REMEMBERED,
    Database,
    end_unfinished,
    is_damage,
    prepare,
    seed,
    unusable,
)

# A check takes no longer: other questions wait meanwhile.
CHECK_SECONDS = 2.0
# Steps of SQLite's machine, some milliseconds.
_STEPS = 10_000


class Files:
    """What is done to the file; used on the database's thread.

    A copy is made in one go: what others ask and write meanwhile waits in the queue of the thread.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def probe(self) -> None:
        """Read something of the file in use, so that one that is damaged, empty or gone is met.

        Rows that could not be read and are there no more are forgotten.
        """
        self._database.rows("SELECT 1 FROM rounds LIMIT 1")
        self._database.read(self._database.unreadable.forget_gone)

    def check(self, at: float) -> StoreChecked:
        """Run SQLite's check of all pages, for CHECK_SECONDS.

        ``pages`` is None where it was not done by then. A file that fails it is replaced.
        """

        def work(db: sqlite3.Connection) -> StoreChecked:
            found, ends = StoreChecked(at), time.monotonic() + CHECK_SECONDS
            # SQLite asks it each time after so many steps, and stops where it is true.
            db.set_progress_handler(lambda: time.monotonic() > ends, _STEPS)
            try:
                _check(db)
                found = replace(found, pages=True)
            except sqlite3.OperationalError as error:
                if "interrupted" not in str(error):
                    raise
            finally:
                db.set_progress_handler(None, 0)
            return found

        return self._database.read(work)

    def backup(self) -> Backup:
        """Copy the file in use; returns the backup. Raises StoreUnavailable."""
        database = self._database
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(database.now()))
        file = f"backup-{stamp}.db"
        database.end_reading()
        try:
            with closing(self._copy(database.connection(), file)) as copy:
                made = Backup(database.now(), file, _rows(copy))
        except sqlite3.Error as error:
            database.close()
            raise unusable(error) from error
        mark = database.mark or StoreMark(FIRST_FILE)
        database.save_mark(replace(mark, backups=(*mark.backups, made)[-REMEMBERED:]))
        return made

    def restore(self, file: str) -> str:
        """Put a copy of a backup, or of a replaced file, in the place of the file in use.

        Rounds that ran when it was made have failed in it. Returns its name. Raises NotFound, and
        InvalidValue for one that is damaged or of another schema.
        """
        database = self._database
        if database.mark is None:
            database.mark = database.place.read_mark()
        mark = database.mark or StoreMark(FIRST_FILE)
        if file not in {*(one.file for one in mark.backups), *(one.file for one in mark.incidents)}:
            raise NotFound(
                f"no backup '{file}': 'ceph perf-bench store status' lists those there are"
            )
        database.close()
        target = database.next_file()
        try:
            with closing(database.place.open(file, raw=True)) as source:
                prepare(source)
                version = schema.version_of(source)
                if not schema.OLDEST <= version <= schema.NEWEST:
                    known = f"this version reads {schema.OLDEST} to {schema.NEWEST}"
                    raise _no_restore(file, f"its schema is {version}, {known}")
                copy = self._copy(source, target)
            with closing(copy):
                schema.migrate(copy)
                end_unfinished(copy, database.now())
                seed(copy, mark)
                rows = _rows(copy)
        except sqlite3.Error as error:
            if is_damage(error):
                raise _no_restore(file, f"it is damaged ({error})") from error
            raise unusable(error) from error
        why = f"'{file}' was restored by the operator"
        before = database.file
        database.switch(Incident(database.now(), Event.RESTORED, before, why, rows), target)
        return file

    def reset(self) -> None:
        """Put an empty file in the place of the one in use; IDs go on. Raises StoreUnavailable."""
        self._database.begin_anew(Event.RESET, "asked for by the operator")

    def _copy(self, source: sqlite3.Connection, file: str) -> sqlite3.Connection:
        """Copy a database by SQLite's own means; a copy that is not sound raises DatabaseError."""
        self._database.place.remove(file)
        target = self._database.place.open(file)
        try:
            source.backup(target, pages=32)
            prepare(target)
            _check(target)
        except BaseException:
            target.close()
            raise
        return target


def _check(db: sqlite3.Connection) -> None:
    """Run SQLite's check of all pages; raises DatabaseError for a file that fails it."""
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(str(found))


def _no_restore(file: str, why: str) -> InvalidValue:
    return InvalidValue(f"'{file}' cannot be restored: {why}", field="file")


def _rows(db: sqlite3.Connection) -> int:
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    rows = 'SELECT count(*) FROM "{}"'
    return sum(db.execute(rows.format(name)).fetchone()[0] for (name,) in db.execute(tables))
