# ruff: noqa: S608 - names of tables and columns
"""Copies what is readable of one database into another, a piece at a time.

Rows are read in the order of their keys up to a damaged page, then from the other end. The rounds
between are read one by one, and the rows of rounds are read by round: a damaged page only loses
the rows on it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, Optional

from .database import insert_rows, is_damage, transaction

# Duration of a piece, during which other users of the store wait.
PIECE_SECONDS = 0.1
# Maximum number of rounds that are read one by one.
_MOST_SINGLE = 100_000


class _CopiedTable(NamedTuple):
    """A table, its key, how many rows are read at once, and whether its rows are of rounds."""

    name: str
    key: tuple[str, ...]
    batch: int = 200
    of_round: bool = False


_ROUNDS = _CopiedTable("rounds", ("id",), 20)
_TABLES = (
    _ROUNDS,
    _CopiedTable("schedules", ("name",)),
    _CopiedTable("baselines", ("profile",)),
    _CopiedTable("findings", ("id",)),
    _CopiedTable("removed_rounds", ("round_id",)),
    _CopiedTable("waves", ("round_id",), 20, True),
    _CopiedTable("results", ("osd",), 1000, True),
    _CopiedTable("samples", ("osd", "phase", "repeat"), 1000, True),
    _CopiedTable("loads", ("repeat",), 20, True),
    _CopiedTable("newest", ("osd", "profile"), 1000),
    _CopiedTable("wear", ("round",), 20),
    _CopiedTable("episodes", ("start",)),
    _CopiedTable("states", ("name",), 2),
    _CopiedTable("host_facts", ("host",), 10),
    _CopiedTable("cluster_spans", ("level", "start", "since"), 50),
    _CopiedTable("series", ("level", "chunk", "start", "since"), 50),
)


class Copying:
    """One copy. ``target`` has the schema of ``source``; its existing rows stay.

    ``last_round`` is the highest round ID that may exist, for reading rounds one by one.
    """

    def __init__(
        self, source: sqlite3.Connection, target: sqlite3.Connection, last_round: int
    ) -> None:
        self._last_round = last_round
        self.source = source
        self.target = target
        self.rows = 0
        # Descriptions of what could not be read.
        self.missing: list[str] = []
        self._steps = self._all()

    def piece(self) -> bool:
        """Copy for about PIECE_SECONDS; returns whether there is more.

        Raises sqlite3.Error in an outage.
        """
        ends = time.monotonic() + PIECE_SECONDS
        with _reading(self.source), transaction(self.target):
            return any(time.monotonic() >= ends for _ in self._steps)

    def _all(self) -> Iterator[None]:
        there = {name for (name,) in self.target.execute("SELECT name FROM sqlite_master")}
        for table in _TABLES:
            if table.name not in there:
                continue
            if not table.of_round:
                yield from self._table(table, "1", ())
                continue
            numbers = self.target.execute("SELECT id FROM rounds ORDER BY id").fetchall()
            for (number,) in numbers:
                yield from self._table(table, "round_id = ?", (number,))
                yield  # there may be thousands of small rounds
        # Rows of rounds were read by the rounds in the target; these tables are small.
        for name in there & {"newest", "baselines"}:
            self.target.execute(f"DELETE FROM {name} WHERE round_id NOT IN (SELECT id FROM rounds)")

    def _table(self, table: _CopiedTable, where: str, values: tuple[Any, ...]) -> Iterator[None]:
        """Copy all rows of a table, or those of one round."""
        first: list[Optional[Sequence[Any]]] = [None]
        last: list[Optional[Sequence[Any]]] = [None]
        whole = yield from self._one_way(table, where, values, first, last, forward=True)
        if whole:
            return
        yield from self._one_way(table, where, values, last, first, forward=False)
        if table is _ROUNDS:
            yield from self._single(first[0], last[0])
        of = f" of round {values[0]}" if values else ""
        self.missing.append(f"rows of {table.name}{of}")

    def _one_way(
        self,
        table: _CopiedTable,
        where: str,
        values: tuple[Any, ...],
        here: list[Optional[Sequence[Any]]],
        there: list[Optional[Sequence[Any]]],
        forward: bool,
    ) -> Generator[None, None, bool]:
        """Copy rows in one direction; returns True if no damaged page was met.

        ``here`` holds the last key of this direction, ``there`` that of the other one.
        """
        batch = table.batch
        while True:
            try:
                rows = self._read(table, where, values, here[0], there[0], forward, batch)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                if batch == 1:
                    return False
                batch = 1
                continue
            if rows:
                self._put(table, rows)
                here[0] = tuple(rows[-1][name] for name in table.key)
            if len(rows) < batch:
                return True
            yield

    def _read(  # noqa: PLR0913, PLR0917
        self,
        table: _CopiedTable,
        where: str,
        values: tuple[Any, ...],
        here: Optional[Sequence[Any]],
        there: Optional[Sequence[Any]],
        forward: bool,
        batch: int,
    ) -> list[sqlite3.Row]:
        key, marks = ", ".join(table.key), ", ".join("?" * len(table.key))
        onward, backward = (">", "<") if forward else ("<", ">")
        parts, bound = [where], list(values)
        for sign, place in ((onward, here), (backward, there)):
            if place is not None:
                parts.append(f"({key}) {sign} ({marks})")
                bound += place
        order = ", ".join(f"{name} {'ASC' if forward else 'DESC'}" for name in table.key)
        query = (
            f"SELECT * FROM {table.name} WHERE {' AND '.join(parts)} ORDER BY {order} LIMIT {batch}"
        )
        return self.source.execute(query, bound).fetchall()

    def _single(
        self, after: Optional[Sequence[Any]], before: Optional[Sequence[Any]]
    ) -> Iterator[None]:
        """Copy the rounds between two keys one by one."""
        first = after[0] + 1 if after else 1
        last = before[0] if before else self._last_round + 1
        for number in range(first, min(last, first + _MOST_SINGLE)):
            yield
            try:
                rows = self.source.execute(
                    "SELECT * FROM rounds WHERE id = ?", (number,)
                ).fetchall()
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
                continue
            self._put(_ROUNDS, rows)

    def _put(self, table: _CopiedTable, rows: Sequence[sqlite3.Row]) -> None:
        if not rows:
            return
        insert_rows(self.target, table.name, rows[0].keys(), map(tuple, rows))
        self.rows += len(rows)


@contextmanager
def _reading(db: sqlite3.Connection) -> Iterator[None]:
    """Hold one read transaction, which takes one lock. Its end can fail on a damaged file."""
    db.execute("BEGIN DEFERRED")
    try:
        yield
    finally:
        with suppress(sqlite3.DatabaseError):
            db.execute("ROLLBACK")
