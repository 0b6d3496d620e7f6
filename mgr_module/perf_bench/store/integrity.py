"""Reads every row once, a piece at a time, to find damaged rows before they are needed."""

from __future__ import annotations

import sqlite3
import time
from typing import Callable, NamedTuple, Optional

from ..model.damage import Key
from ..ports import RowPlace
from . import findings, rows, schedules, states, wear
from .encoding import unpack
from .facts import document_of
from .loads import load_of
from .set_aside import SetAside

# Duration of a piece, during which other users of the store wait; a row of 10,000 OSDs can add
# 10 ms.
PIECE_SECONDS = 0.05


class _Table(NamedTuple):
    """A table, its primary key, and the reader of a row; rows are selected from ``source``."""

    name: str
    key: tuple[str, ...]
    read: Callable[[sqlite3.Row], object]
    source: str = ""


def _sample(row: sqlite3.Row) -> object:
    return rows.sample_of([row[name] for name in rows.SAMPLE_COLUMNS])


def _result(row: sqlite3.Row) -> object:
    return rows.result_of([row[name] for name in rows.RESULT_COLUMNS])


def _series(row: sqlite3.Row) -> object:
    return unpack(row["data"], row["chunk"], ())


TABLES = (
    _Table(
        "rounds", ("id",), rows.round_of, "(SELECT * FROM rounds LEFT JOIN waves ON round_id = id)"
    ),
    _Table("schedules", ("name",), schedules.saved_of),
    _Table("results", ("round_id", "osd"), _result),
    _Table("samples", ("round_id", "osd", "phase", "repeat"), _sample),
    _Table("loads", ("round_id", "repeat"), load_of),
    _Table("findings", ("id",), findings.finding_of),
    _Table("states", ("name",), states.state_of),
    _Table("episodes", ("start",), states.episode_of),
    _Table("host_facts", ("host",), document_of),
    _Table("wear", ("round", "osd"), wear.booking_of),
    _Table("series", ("level", "chunk", "start", "since"), _series),
)


def check_rows(
    db: sqlite3.Connection,
    aside: SetAside,
    place: Optional[RowPlace],
    seconds: Optional[float] = None,
) -> Optional[RowPlace]:
    """Read rows for about ``seconds`` from ``place`` on; None is the first row.

    Returns the place of the next piece, None after the last row. Unreadable rows go to ``aside``.
    """
    ends = time.monotonic() + (PIECE_SECONDS if seconds is None else seconds)
    number, after = (0, None) if place is None else place
    while number < len(TABLES):
        after = _read(db, aside, TABLES[number], after, ends)
        if after is not None:
            return number, after
        number += 1
    return None


def _read(
    db: sqlite3.Connection, aside: SetAside, table: _Table, after: Optional[Key], ends: float
) -> Optional[Key]:
    """Read rows until ``ends``; returns the key of the last one, None at the end of the table."""
    key = ", ".join(table.key)
    marks = ", ".join("?" * len(table.key))
    where = "" if after is None else f"WHERE ({key}) > ({marks})"
    source = table.source or table.name
    cursor = db.execute(f"SELECT * FROM {source} {where} ORDER BY {key}", after or ())  # noqa: S608
    try:
        for row in cursor:
            found = tuple(row[name] for name in table.key)
            aside.one(table.name, found, lambda row=row: table.read(row))  # type: ignore[misc]
            if time.monotonic() >= ends:
                return found
    finally:
        cursor.close()
    return None
