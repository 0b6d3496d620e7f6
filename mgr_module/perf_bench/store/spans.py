"""Stores spans of time: writes them, rolls short ones up to longer ones, and deletes old ones.

A row is a span of ``level`` seconds. Its kind says what is in it and what its key is. ``since``
tells apart the parts of one span: after a failover both mgrs write one, and another set of OSDs
begins a new one. A part that is written again, by a write that got no answer, replaces itself.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Callable, Generic, NamedTuple, Optional, TypeVar

from ..model.history import DAY, FIVE_MINUTES, HOUR, SpanRow, WatchBatch
from .rows import UnreadableRows

T = TypeVar("T")
# Rows stay at least until they are rolled up: three times the span of the next level.
_LEAST_KEPT = {FIVE_MINUTES: 3.0 * HOUR, HOUR: 3.0 * DAY}
# Keys that are tended in one transaction: all of 10,000 OSDs take 40 minutes.
_TENDED = 4

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kind(Generic[T]):
    """What spans of a kind hold.

    ``levels`` are its spans in seconds, shortest first; each is made from the one before.
    ``pack`` and ``unpack`` (of the data and the key) are its codec; what cannot be unpacked raises
    one of FAULTS. ``merge`` makes one span of several, from its start and its level.
    """

    name: str
    levels: tuple[int, ...]
    pack: Callable[[T], Any]
    unpack: Callable[[Any, int], T]
    merge: Callable[[int, int, Sequence[T]], T]

    def row(self, level: int, key: int, start: int, since: int, value: T) -> SpanRow:
        """The row of a span."""
        return SpanRow(self.name, level, key, start, since, self.pack(value))

    def finer(self, level: int) -> Optional[int]:
        """The level that this one is made from; None for the shortest."""
        place = self.levels.index(level)
        return self.levels[place - 1] if place else None


class Period(NamedTuple):
    """Spans of ``level`` seconds that start in ``begin`` … ``end`` (unix seconds)."""

    level: int
    begin: float
    end: float


class Table(NamedTuple):
    """The table of spans, and the list of its rows that cannot be read."""

    db: sqlite3.Connection
    unreadable: UnreadableRows


# Before the first kind and key.
FIRST = ("", -1)


def put(db: sqlite3.Connection, rows: Iterable[SpanRow]) -> None:
    """Store rows; one with the same key is replaced."""
    db.executemany("INSERT OR REPLACE INTO spans VALUES (?, ?, ?, ?, ?, ?)", rows)


def tend(
    table: Table, kinds: Mapping[str, Kind[Any]], after: tuple[str, int], batch: WatchBatch
) -> tuple[str, int]:
    """Roll up the next few keys after ``after`` (kind and key) and delete their old rows.

    Returns the last one, FIRST at the end. Only spans that end before ``settled`` are rolled up: no
    more rows will come for them.
    """
    if batch.settled is None:
        return after
    for _ in range(_TENDED):
        found = table.db.execute(
            "SELECT kind, key FROM spans WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT 1",
            after,
        ).fetchone()
        if found is None:
            return FIRST
        after = found["kind"], found["key"]
        try:
            _tend(table, kinds[after[0]], after[1], batch, batch.settled)
        except sqlite3.Error:
            raise
        except Exception:  # noqa: BLE001 - a bug in one key must stop no other write
            _log.exception("spans of %s %d could not be rolled up", *after)
    return after


def _tend(table: Table, kind: Kind[Any], key: int, batch: WatchBatch, settled: float) -> None:
    where = "kind = ? AND key = ? AND level = ? AND start < ?"
    for level in kind.levels:
        finer = kind.finer(level)
        if finer is not None:
            (done,) = table.db.execute(
                f"SELECT max(start) FROM spans WHERE {where}",  # noqa: S608 - names of columns
                (kind.name, key, level, settled),
            ).fetchone()
            period = Period(finer, 0 if done is None else done + level, floor(settled, level))
            longer = _merged(kind, _stored(table, kind, key, period), level)
            put(table.db, [kind.row(level, key, start, start, value) for start, value in longer])
    for level in kind.levels:
        old = batch.at - max(batch.kept[level], _LEAST_KEPT.get(level, 0.0))
        table.db.execute(f"DELETE FROM spans WHERE {where}", (kind.name, key, level, old))  # noqa: S608


def read(table: Table, kind: Kind[T], key: int, period: Period) -> list[tuple[int, T]]:
    """The start and value of each span of a key, in order.

    Those that are not rolled up to the level yet are merged from shorter ones. Rows that cannot be
    read are left out.
    """
    level, begin, end = period
    spans = _stored(table, kind, key, period)
    finer = kind.finer(level)
    if finer is not None:
        behind = spans[-1][0] + level if spans else _ceil(begin, level)
        more = read(table, kind, key, Period(finer, behind, _ceil(end, level)))
        spans += _merged(kind, more, level)
    return spans


def _stored(table: Table, kind: Kind[T], key: int, period: Period) -> list[tuple[int, T]]:
    rows = table.db.execute(
        "SELECT * FROM spans WHERE kind = ? AND key = ? AND level = ? AND start >= ? AND start < ? "
        "ORDER BY start, since",
        (kind.name, key, *period),
    )
    spans = table.unreadable.all(
        "spans", rows, lambda row: (row["start"], kind.unpack(row["data"], key))
    )
    return _merged(kind, spans, period.level)


def _merged(kind: Kind[T], spans: Sequence[tuple[int, T]], level: int) -> list[tuple[int, T]]:
    """Merge spans, which are in order, to those of a level."""
    found = []
    for start, parts in groupby(spans, key=lambda one: floor(one[0], level)):
        values = [value for _, value in parts]
        found.append((start, kind.merge(start, level, values)))
    return found


def floor(at: float, span: int) -> int:
    """The start of the span in which this moment is."""
    return int(at // span) * span


def _ceil(at: float, span: int) -> int:
    return -floor(-at, span)
