"""Reads every row once, a piece at a time, to find damaged rows before they are needed."""

from __future__ import annotations

import sqlite3
import time
from typing import Callable, NamedTuple, Optional

from ..model.damage import Key
from ..model.retention import KindSize
from . import cluster_spans, findings, removal, rows, schedules, states, wear
from .encoding import unpack
from .facts import document_of
from .loads import load_of
from .set_aside import SetAside

# Duration of a piece, during which other users of the store wait; a row of 10,000 OSDs can add
# 10 ms.
PIECE_SECONDS = 0.05


# How far a check of all rows is: the table's number, and the key of the last row.
RowPlace = tuple[int, Key]
# Rows and bytes of their values, by table.
Tally = dict[str, tuple[int, int]]
# About what SQLite needs for a number.
_NUMBER_BYTES = 6


class _Table(NamedTuple):
    """A table, its primary key, and the reader of a row; rows are selected from ``source``.

    ``kind`` names the data to an operator, ``counted`` says whether its rows are counted there.
    """

    name: str
    key: tuple[str, ...]
    read: Callable[[sqlite3.Row], object]
    kind: str
    source: str = ""
    counted: bool = True


def _sample(row: sqlite3.Row) -> object:
    return rows.sample_of([row[name] for name in rows.SAMPLE_COLUMNS])


def _result(row: sqlite3.Row) -> object:
    return rows.result_of([row[name] for name in rows.RESULT_COLUMNS])


def _series(row: sqlite3.Row) -> object:
    return unpack(row["data"], row["chunk"], ())


TABLES = (
    _Table(
        "rounds",
        ("id",),
        rows.round_of,
        "rounds",
        "(SELECT * FROM rounds LEFT JOIN waves ON round_id = id)",
    ),
    _Table("schedules", ("name",), schedules.saved_of, "schedules"),
    _Table("results", ("round_id", "osd"), _result, "rounds", counted=False),
    _Table("samples", ("round_id", "osd", "phase", "repeat"), _sample, "rounds", counted=False),
    _Table("loads", ("round_id", "repeat"), load_of, "rounds", counted=False),
    _Table("findings", ("id",), findings.finding_of, "findings"),
    _Table("states", ("name",), states.state_of, "states of detectors"),
    _Table("episodes", ("start",), states.episode_of, "laggy episodes"),
    _Table("host_facts", ("host",), document_of, "facts of hosts"),
    _Table("wear", ("round",), wear.wear_of, "wear of OSDs"),
    _Table("removed_rounds", ("round_id",), removal.removed_of, "removed rounds"),
    _Table(
        "cluster_spans", ("level", "start", "since"), cluster_spans.span_of, "cluster over time"
    ),
    _Table("series", ("level", "chunk", "start", "since"), _series, "latencies"),
)


def check_rows(
    db: sqlite3.Connection,
    aside: SetAside,
    place: Optional[RowPlace],
    seconds: Optional[float] = None,
    tally: Optional[Tally] = None,
) -> Optional[RowPlace]:
    """Read rows for about ``seconds`` from ``place`` on; None is the first row.

    Returns the place of the next piece, None after the last row. Unreadable rows go to ``aside``,
    what the rows take is added to ``tally``.
    """
    if place is None:
        forget_gone(db, aside)
    ends = time.monotonic() + (PIECE_SECONDS if seconds is None else seconds)
    number, after = (0, None) if place is None else place
    while number < len(TABLES):
        after = _read(db, aside, TABLES[number], after, ends, {} if tally is None else tally)
        if after is not None:
            return number, after
        number += 1
    return None


def forget_gone(db: sqlite3.Connection, aside: SetAside) -> None:
    """Take unreadable rows that are there no more off the list: whatever deletes old rows."""
    keys = {table.name: table.key for table in TABLES}
    for row in aside.rows():
        if any(isinstance(part, bytes) for part in row.key):
            continue  # damaged text, which cannot be searched for
        where = " AND ".join(f"{name} = ?" for name in keys[row.table])
        query = f"SELECT 1 FROM {row.table} WHERE {where}"  # noqa: S608 - names of tables
        if db.execute(query, row.key).fetchone() is None:
            aside.forget(row.table, *row.key)


def kinds(tally: Tally, used: int) -> list[KindSize]:
    """Return what each kind of data takes of ``used`` bytes, largest first.

    The bytes of values are known; keys, indexes and partly filled pages are spread over the kinds
    in proportion.
    """
    rows_of: dict[str, int] = {}
    bytes_of: dict[str, int] = {}
    for table in TABLES:
        count, size = tally.get(table.name, (0, 0))
        rows_of[table.kind] = rows_of.get(table.kind, 0) + (count if table.counted else 0)
        bytes_of[table.kind] = bytes_of.get(table.kind, 0) + size
    total = sum(bytes_of.values()) or 1
    found = [
        KindSize(kind, rows_of[kind], round(used * size / total)) for kind, size in bytes_of.items()
    ]
    return sorted(found, key=lambda one: -one.bytes)


def _read(
    db: sqlite3.Connection,
    aside: SetAside,
    table: _Table,
    after: Optional[Key],
    ends: float,
    tally: Tally,
) -> Optional[Key]:
    """Read rows until ``ends``; returns the key of the last one, None at the end of the table."""
    key = ", ".join(table.key)
    marks = ", ".join("?" * len(table.key))
    where = "" if after is None else f"WHERE ({key}) > ({marks})"
    source = table.source or table.name
    cursor = db.execute(f"SELECT * FROM {source} {where} ORDER BY {key}", after or ())  # noqa: S608
    count, size = tally.get(table.name, (0, 0))
    try:
        for row in cursor:
            count += 1
            size += sum([len(v) if isinstance(v, (str, bytes)) else _NUMBER_BYTES for v in row])
            found = tuple(row[name] for name in table.key)
            aside.one(table.name, found, lambda row=row: table.read(row))  # type: ignore[misc]
            if time.monotonic() >= ends:
                return found
    finally:
        tally[table.name] = count, size
        cursor.close()
    return None
