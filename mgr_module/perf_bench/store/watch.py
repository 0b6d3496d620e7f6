"""Stores the data of the watch: findings, detectors' states, laggy episodes, and spans."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable, Optional, TypeVar

from ..model.finding import Finding
from ..model.history import (
    BandPoint,
    ClusterSpan,
    CohortSpan,
    Compared,
    SavedState,
    SeriesPoint,
    WatchBatch,
)
from ..model.json_fields import decode, from_json
from ..model.verdict import Episode
from . import series, spans
from .cluster_spans import CLUSTER
from .database import Database
from .rows import dump, unpack
from .spans import Period, Table

T = TypeVar("T")

_KINDS = {kind.name: kind for kind in (series.SERIES, CLUSTER)}
# Maximum list length for one call of the JSON library: a megabyte of figures takes 60 ms, during
# which no other thread runs.
_PIECE = 500
_COLUMNS = (
    "id", "code", "severity", "target_kind", "target_id", "message", "evidence", "first_seen",
    "last_seen", "state", "muted_until", "closed_at", "acknowledged",
)  # fmt: skip
_NAMES, _MARKS = ", ".join(_COLUMNS), ", ".join("?" * len(_COLUMNS))
_SET = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
_PUT = f"""
    INSERT INTO findings ({_NAMES}) VALUES ({_MARKS}) ON CONFLICT (id) DO UPDATE SET {_SET}"""  # noqa: S608 - names and marks


class WatchStore:
    """The watch's data. Every method is one transaction; errors as for Store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tended = spans.FIRST

    def write(self, batch: WatchBatch) -> None:
        """Write all of the batch or nothing; writing it again changes nothing."""
        findings = list(map(_row, batch.findings))
        states = [(name, batch.at, _packed(state)) for name, state in batch.states.items()]
        episodes = [(one.start, one.end, dump(one)) for one in batch.episodes]

        def work(db: sqlite3.Connection) -> tuple[str, int]:
            spans.put(db, batch.spans)
            db.executemany(_PUT, findings)
            db.executemany("DELETE FROM findings WHERE id = ?", [(n,) for n in batch.forgotten])
            db.executemany("INSERT OR REPLACE INTO states VALUES (?, ?, ?)", states)
            db.executemany("INSERT OR REPLACE INTO episodes VALUES (?, ?, ?)", episodes)
            return spans.tend(Table(db, self._database.unreadable), _KINDS, self._tended, batch)

        self._tended = self._database.write(work)
        if batch.findings:
            self._database.reserve(findings=max(finding.id for finding in batch.findings))

    def findings(self) -> tuple[list[Finding], int]:
        """All findings by ID, and the next ID; an ID is never used twice."""
        query = f"SELECT {_NAMES} FROM findings ORDER BY id"  # noqa: S608
        found = self._database.load("findings", query, (), _finding)
        used = self._database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'findings'")
        return found, (used[0][0] if used else 0) + 1

    def state(self, name: str) -> Optional[SavedState]:
        """The state saved under that name; None also if it cannot be read."""
        query = "SELECT name, at, data FROM states WHERE name = ?"
        found = self._database.load("states", query, (name,), state_of)
        return found[0] if found else None

    def episodes(self, limit: int = 50, offset: int = 0) -> tuple[list[Episode], int]:
        """A page of the laggy episodes, newest first, and how many there are."""
        query = "SELECT start, data FROM episodes ORDER BY start DESC LIMIT ? OFFSET ?"
        found = self._database.load("episodes", query, (limit, offset), _episode)
        return found, self._database.rows("SELECT count(*) FROM episodes")[0][0]

    def series(
        self, osd: int, channels: Collection[str], level: int, begin: float, end: float
    ) -> dict[str, list[SeriesPoint]]:
        """One OSD's points of ``level`` seconds that start in ``begin`` … ``end``, by channel.

        Spans without data are left out, and so are rows that are damaged.
        """
        period = Period(level, begin, end)
        return self._read(lambda table: series.read(table, osd, channels, period))

    def cluster_spans(self, level: int, begin: float, end: float) -> list[ClusterSpan]:
        """The cluster's spans of ``level`` seconds (five minutes or an hour), in order.

        Those that start in ``begin`` … ``end``; rows that are damaged are left out.
        """
        period = Period(level, begin, end)
        found = self._read(lambda table: spans.read(table, CLUSTER, 0, period))
        return [span for _, span in found]

    def peer_band(self, of: Compared, level: int, begin: float, end: float) -> list[BandPoint]:
        """OSDs against peers, by spans of ``level`` seconds that start in ``begin`` … ``end``.

        All rows of 64 OSDs are read where one of them is wanted: choose peers that are close.
        """
        return self._read(lambda table: series.stored_band(table, of, Period(level, begin, end)))

    def cohort_spans(
        self, cohorts: Sequence[Collection[int]], level: int, begin: float, end: float
    ) -> list[list[CohortSpan]]:
        """By cohort (OSD IDs) its spans of ``level`` seconds that start in ``begin`` … ``end``.

        About 1 ms for 64 OSDs and a span; of more than 1,000 OSDs some are read.
        """
        period = Period(level, begin, end)
        return self._read(lambda table: series.cohorts(table, cohorts, period))

    def _read(self, query: Callable[[Table], T]) -> T:
        return self._database.read(lambda db: query(Table(db, self._database.unreadable)))


def _row(finding: Finding) -> tuple[Any, ...]:
    saved = asdict(finding)
    target, note = saved.pop("target"), saved["acknowledged"]
    saved.update(target_kind=target["kind"], target_id=target["id"])
    saved["evidence"] = dump(finding.evidence)
    saved["acknowledged"] = None if note is None else dump(note)
    return tuple(saved[name] for name in _COLUMNS)


def _finding(row: sqlite3.Row) -> Finding:
    note = row["acknowledged"]
    return decode(
        Finding,
        {
            **dict(row),
            "target": {"kind": row["target_kind"], "id": row["target_id"]},
            "evidence": from_json(row["evidence"], "evidence"),
            "acknowledged": None if note is None else from_json(note, "acknowledged"),
        },
    )


def state_of(row: sqlite3.Row) -> SavedState:
    """Return the state in a row. Raises one of FAULTS."""
    return decode(SavedState, {"at": row["at"], "state": unpack(row["data"])})


def _episode(row: sqlite3.Row) -> Episode:
    return decode(Episode, from_json(row["data"], "data"))


def _packed(state: Any) -> bytes:
    return zlib.compress("".join(_pieces(state)).encode(), 1)


def _pieces(value: Any) -> Iterator[str]:
    """Yield the value as JSON in pieces, each from a short call."""
    if isinstance(value, Mapping):
        yield "{"
        for place, (key, entry) in enumerate(value.items()):
            yield ("," if place else "") + json.dumps(str(key)) + ":"
            yield from _pieces(entry)
        yield "}"
    elif isinstance(value, (list, tuple)) and len(value) > _PIECE:
        yield "["
        for begin in range(0, len(value), _PIECE):
            piece = json.dumps(value[begin : begin + _PIECE], separators=(",", ":"))
            yield ("," if begin else "") + piece[1:-1]
        yield "]"
    else:
        yield json.dumps(value, separators=(",", ":"))
