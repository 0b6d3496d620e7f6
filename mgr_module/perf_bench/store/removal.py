"""Removes rounds in short transactions, and remembers which were removed and why.

A round of 10,000 OSDs has 40,000 rows; deleting all of them at once would keep the store thread
busy for seconds. So the first transaction removes the round itself, which makes it invisible, and
each further one some of its rows. ``rows_left`` marks the rounds whose rows are not all removed: a
mgr that takes over continues there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from typing import Optional

from ..model.decode import decode
from ..model.retention import REMEMBERED, RemovedRound
from . import latest_results
from .set_aside import SetAside

# Rows that one transaction deletes, by table; those of one OSD are deleted together.
_TABLES = (("samples", "osd", 2000), ("results", "osd", 2000), ("loads", "repeat", 50))
_COLUMNS = "CAST(profile AS BLOB), CAST(label AS BLOB), created_at"
_ROUND = f"SELECT {_COLUMNS} FROM rounds WHERE id = ?"  # noqa: S608 - names of columns
_FORGET = f"""
    DELETE FROM removed_rounds WHERE rows_left = 0 AND round_id NOT IN (
        SELECT round_id FROM removed_rounds ORDER BY removed_at DESC, round_id DESC
        LIMIT {REMEMBERED})"""  # noqa: S608 - a number
_REMOVED = """
    SELECT round_id, profile, label, created_at, removed_at, why FROM removed_rounds
    ORDER BY removed_at DESC, round_id DESC LIMIT ?"""
_REMEMBER = "INSERT OR REPLACE INTO removed_rounds VALUES (?, ?, ?, ?, ?, ?, ?)"
_ONE = "SELECT * FROM removed_rounds WHERE round_id = ?"


@contextmanager
def without_cascade(db: sqlite3.Connection) -> Iterator[None]:
    """Let a round be deleted without its rows. Not within a transaction, where SQLite ignores it.

    A foreign key would delete all rows of the round in the same transaction.
    """
    db.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        db.execute("PRAGMA foreign_keys = ON")


def begin(db: sqlite3.Connection, round_id: int, now: float, why: str) -> Optional[RemovedRound]:
    """Remove a round, but not yet its rows; returns None if it does not exist.

    Use it in a transaction within ``without_cascade``.
    """
    row = db.execute(_ROUND, (round_id,)).fetchone()
    if row is None:
        return None
    profile, label, created_at = row
    if not isinstance(created_at, float):  # of a damaged row
        created_at = 0.0
    made = RemovedRound(round_id, _text(profile), _text(label), created_at, now, why)
    latest_results.step_back(db, round_id)
    db.execute(_REMEMBER, (*astuple(made), 1))
    for statement in (
        "DELETE FROM waves WHERE round_id = ?",
        "DELETE FROM baselines WHERE round_id = ?",
        "DELETE FROM rounds WHERE id = ?",
    ):
        db.execute(statement, (round_id,))
    db.execute(_FORGET)
    return made


def _text(value: Optional[bytes]) -> str:
    return "" if value is None else value.decode("utf-8", "replace")


def sweep(db: sqlite3.Connection, aside: SetAside) -> bool:
    """Delete some rows of removed rounds; returns False if there were none."""
    found = db.execute("SELECT round_id FROM removed_rounds WHERE rows_left LIMIT 1").fetchone()
    if found is None:
        return False
    (number,) = found
    for table, key, most in _TABLES:
        last = db.execute(
            f"SELECT {key} FROM {table} WHERE round_id = ? ORDER BY {key} LIMIT 1 OFFSET {most}",  # noqa: S608
            (number,),
        ).fetchone()
        if last is not None:
            db.execute(
                f"DELETE FROM {table} WHERE round_id = ? AND {key} <= ?",  # noqa: S608
                (number, last[0]),
            )
            return True
        db.execute(f"DELETE FROM {table} WHERE round_id = ?", (number,))  # noqa: S608
    db.execute("UPDATE removed_rounds SET rows_left = 0 WHERE round_id = ?", (number,))
    aside.forget_round(number)
    return True


def follow(source: sqlite3.Connection, copy: sqlite3.Connection) -> None:
    """Remove from a copy the rounds that its source has no more, and remember them as it does.

    A round that was removed while it was copied would lack rows. Use it in a transaction of
    ``copy``, without foreign keys; a source that is damaged may not know all its rounds.
    """
    left = {number for (number,) in source.execute("SELECT id FROM rounds")}
    for (number,) in copy.execute("SELECT id FROM rounds").fetchall():
        if number in left:
            continue
        latest_results.step_back(copy, number)
        for table in ("waves", "baselines", *(table for table, _, _ in _TABLES)):
            copy.execute(f"DELETE FROM {table} WHERE round_id = ?", (number,))  # noqa: S608
        copy.execute("DELETE FROM rounds WHERE id = ?", (number,))
        row = source.execute(_ONE, (number,)).fetchone()
        if row is not None:
            copy.execute(_REMEMBER, tuple(row))


def removed(db: sqlite3.Connection, limit: int, aside: SetAside) -> Sequence[RemovedRound]:
    """Return the rounds that were removed last, newest first."""
    found = db.execute(_REMOVED, (limit,))
    return aside.all("removed_rounds", found, lambda row: (row["round_id"],), removed_of)


def why_gone(db: sqlite3.Connection, round_id: int, aside: SetAside) -> Optional[RemovedRound]:
    """Return what is remembered of a removed round."""
    row = db.execute(_ONE, (round_id,)).fetchone()
    if row is None:
        return None
    return aside.one("removed_rounds", (round_id,), lambda: removed_of(row))


def removed_of(row: sqlite3.Row) -> RemovedRound:
    """Return the removed round in a row. Raises ValueError."""
    return decode(RemovedRound, dict(row))
