"""Checks, copies and replaces the database file."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import Any, Callable, Optional, TypeVar, cast

from ..errors import Busy, InvalidValue, NotFound, StoreTooNew, StoreUnavailable
from ..model.damage import Backup, Event, Incident, StoreMark, StoreState
from ..model.retention import StoreUsage
from ..model.said import say
from . import removal, schema
from .copying import Copying
from .database import (
    FIRST_FILE,
    Database,
    is_damage,
    make_shrinkable,
    prepare,
    seed,
    transaction,
    usage_of,
)

# Time limit of SQLite's own check, which is a single call; after it the check is unfinished.
CHECK_SECONDS = 1.0
_REMEMBERED = 20
# Parts that an incident names as missing.
_MISSING = 20
# Copies of the file in use, through its own connection: a backup, and a copy that replaces it.
_OF_FILE_IN_USE = (None, Event.COMPACTED)
_FROZEN = (
    "the database is being copied into a file that can shrink, and cannot be written until that is "
    "done: 'ceph perf-bench store status' tells when; try again then"
)


F = TypeVar("F", bound=Callable[..., Any])


def _or_unavailable(method: F) -> F:
    """End the reads before it, and turn sqlite3.Error into StoreUnavailable."""

    @wraps(method)
    def wrapped(self: Maintenance, *args: Any) -> Any:
        self._database.end_reading()
        try:
            return method(self, *args)
        except sqlite3.Error as error:
            raise StoreUnavailable(
                say("database-unusable", "the database cannot be used: {why}", why=str(error))
            ) from error

    return cast("F", wrapped)


class Maintenance:
    """The database's file as a whole. One copy at a time; ``copy_piece`` continues it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._copy: Optional[Copying] = None
        # The reason of the copy (None for a backup), its target file and its source file.
        self._event: Optional[Event] = None
        self._file = self._source = ""

    def state(self) -> StoreState:
        """How it is, as far as that is known: asks no database."""
        database = self._database
        error = database.trouble
        return StoreState(
            database.mark,
            database.damage,
            None if error is None else str(error),
            isinstance(error, StoreTooNew),
        )

    def usage(self) -> StoreUsage:
        """The size of the file in use; its rounds are not counted. Raises StoreUnavailable."""
        return self._database.read(usage_of)

    def check_pages(self) -> Optional[bool]:
        """Run SQLite's check of all pages; returns None if it takes over CHECK_SECONDS.

        A file that fails it is not used any more.
        """
        found = self._database.do(_quick_check)
        if found is None:
            return None
        if found != "ok":
            self._database.close()
            self._database.damage = found
        return found == "ok"

    @_or_unavailable
    def take_over(self) -> None:
        """Begin to copy the readable part of a damaged file into a new one."""
        database = self._database
        self._source = database.mark.file if database.mark else FIRST_FILE
        database.close()
        source = database.place.open(self._source, raw=True)
        self._begin(source, Event.DAMAGED, database.next_file())

    @_or_unavailable
    def backup(self) -> str:
        """Begin a copy of the file in use; returns its name."""
        database = self._database
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(database.now()))
        source = database.do(lambda db: db)
        self._begin(source, None, f"backup-{stamp}.db")
        return self._file

    @_or_unavailable
    def restore(self, file: str) -> None:
        """Begin to copy a backup, or a replaced file, into a new one.

        Raises NotFound, and InvalidValue if its schema cannot be read.
        """
        database = self._database
        if file not in _known(database.mark):
            raise NotFound(
                say(
                    "no-backup",
                    "no backup '{name}': 'ceph perf-bench store status' lists those there are",
                    name=file,
                )
            )
        database.close()
        self._source = file
        source = database.place.open(file, raw=True)
        self._begin(source, Event.RESTORED, database.next_file())

    @_or_unavailable
    def reset(self) -> None:
        """Use a new, empty file from now on. Its IDs continue."""
        database = self._database
        self.cancel()
        if database.mark is None:
            database.mark = database.place.read_mark()
        database.close()
        before = database.mark.file if database.mark else FIRST_FILE
        target = self._new(database.next_file(), schema.NEWEST)
        seed(target, database.mark)
        target.close()
        incident = Incident(database.now(), Event.RESET, before, "asked for by the operator")
        database.switch(incident, database.next_file())

    @_or_unavailable
    def compact(self) -> None:
        """Begin to copy the file in use into one that can give unused space back.

        Until the copy ends nothing can be written. Raises Busy while a round is unfinished.
        """
        database = self._database
        source = database.do(_without_rounds)
        self._begin(source, Event.COMPACTED, database.next_file())
        database.freeze(_FROZEN)

    @_or_unavailable
    def tidy(self) -> None:
        """Remove files that were copied whole into the one in use."""
        database = self._database
        mark = database.mark
        for file in mark.unused if mark else ():
            database.place.remove(file)
        if mark is not None and mark.unused:
            database.save_mark(replace(mark, unused=()))

    @_or_unavailable
    def copy_piece(self) -> bool:
        """Continue the copy for 0.1 s; returns whether there is more.

        Raises StoreUnavailable if there is none: another one, or a reset, has taken its place.
        """
        if self._copy is None:
            raise StoreUnavailable(
                say("copy-given-up", "another copy, or a reset of the database, has ended it")
            )
        try:
            if self._copy.piece():
                return True
            self._finish(self._copy)
        except BaseException:
            self.cancel()
            raise
        self.cancel()
        return False

    def cancel(self) -> None:
        """End the copy; the target file stays unused."""
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.target.close()
            if self._event not in _OF_FILE_IN_USE:
                copy.source.close()
        if self._database.frozen is not None:
            self._database.freeze(None)

    def _begin(self, source: sqlite3.Connection, event: Optional[Event], file: str) -> None:
        self.cancel()
        self._event, self._file = event, file
        try:
            in_use = event in _OF_FILE_IN_USE
            version = schema.NEWEST if in_use else self._readable_version(source)
        except BaseException:
            source.close()
            raise
        mark = self._database.mark
        target = self._new(file, version)
        self._copy = Copying(source, target, mark.next_round if mark else 0)
        self._copy.target.execute("PRAGMA foreign_keys = OFF")

    def _readable_version(self, source: sqlite3.Connection) -> int:
        """Return the schema version of the source; the newest if a damaged source has none."""
        prepare(source)
        try:
            # With this a truncated file is read as far as it goes.
            source.execute("PRAGMA writable_schema = ON")
            version = schema.version_of(source)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            version = 0
        if 0 < version <= schema.NEWEST:
            return version
        if self._event is Event.DAMAGED:
            return schema.NEWEST
        raise InvalidValue(
            say(
                "restore-schema",
                "'{file}' cannot be restored: its schema is {version}, this version reads 1 to "
                "{newest}",
                file=self._source,
                version=version,
                newest=schema.NEWEST,
            ),
            field="file",
        )

    def _new(self, file: str, version: int) -> sqlite3.Connection:
        """Create a database file with this schema version.

        What a copy that was interrupted has left under that name is removed.
        """
        self._database.place.remove(file)
        db = self._database.place.open(file)
        try:
            prepare(db)
            make_shrinkable(db)
            schema.migrate(db, version)
        except BaseException:
            db.close()
            raise
        return db

    def _finish(self, copy: Copying) -> None:
        database, event = self._database, self._event
        if event in _OF_FILE_IN_USE and copy.missing:
            raise StoreUnavailable(
                say(
                    "copy-not-whole",
                    "the copy is not whole, {rows:list} cannot be read: 'ceph perf-bench store "
                    "check' sets a damaged database aside",
                    rows=copy.missing,
                )
            )
        if event is None:
            with transaction(copy.target):
                removal.follow(copy.source, copy.target)
            _continue_ids(copy, database.mark)
            found = Backup(database.now(), self._file, copy.rows)
            mark = database.mark or StoreMark(FIRST_FILE)
            database.save_mark(replace(mark, backups=(*mark.backups, found)[-_REMEMBERED:]))
            return
        schema.migrate(copy.target)
        _continue_ids(copy, database.mark)
        if event is Event.RESTORED:
            _end_unfinished(copy.target, database.now())
            seed(copy.target, database.mark)
        before = database.file
        if event is Event.COMPACTED:
            copy.target.close()
            database.replace_copied(self._file)
            return
        why = database.damage or f"'{self._source}' was restored by the operator"
        missing = tuple(copy.missing[:_MISSING])
        if len(copy.missing) > _MISSING:
            missing = (*missing, f"{len(copy.missing) - _MISSING} more")
        copy.target.close()
        database.switch(
            Incident(database.now(), event, before, why, copy.rows, missing),
            self._file,
        )


def _known(mark: Optional[StoreMark]) -> set[str]:
    if mark is None:
        return set()
    return {*(one.file for one in mark.backups), *(one.file for one in mark.incidents)}


def _without_rounds(db: sqlite3.Connection) -> sqlite3.Connection:
    """Return the connection. Raises Busy while a round is unfinished: its samples would be lost."""
    query = "SELECT 1 FROM rounds WHERE state IN ('queued', 'running')"
    if db.execute(query).fetchone() is not None:
        raise Busy(
            say("round-unfinished", "a round is unfinished: the database is copied after its end")
        )
    return db


def _quick_check(db: sqlite3.Connection) -> Optional[str]:
    timer = threading.Timer(CHECK_SECONDS, db.interrupt)
    timer.start()
    try:
        return str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            return None
        raise
    finally:
        timer.cancel()


def _sequences(db: sqlite3.Connection) -> Optional[tuple[int, int]]:
    """Return the highest used IDs of rounds and findings; None if they cannot be read."""
    with suppress(sqlite3.Error):
        found = dict(map(tuple, db.execute("SELECT name, seq FROM sqlite_sequence")))
        return found.get("rounds", 0), found.get("findings", 0)
    return None


def _continue_ids(copy: Copying, mark: Optional[StoreMark]) -> None:
    """Let the copy go on after the IDs that its source has used, else after those of the mark."""
    used = _sequences(copy.source)
    if used is not None:
        mark = StoreMark("", next_round=used[0] + 1, next_finding=used[1] + 1)
    seed(copy.target, mark)


def _end_unfinished(db: sqlite3.Connection, now: float) -> None:
    """Mark rounds as failed that ran when the backup was made."""
    db.execute(
        "UPDATE rounds SET state = 'failed', verdict = 'failed', "
        "ended_at = MAX(?, COALESCE(started_at, 0)), "
        "reasons = '[\"it had not ended when the backup was made\"]' "
        "WHERE state IN ('queued', 'running')",
        (now,),
    )
