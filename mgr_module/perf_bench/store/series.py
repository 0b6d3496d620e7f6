"""Series as rows: put, rolled up, thinned out, and read."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from typing import Optional

from ..model.history import DAY, FIVE_MINUTES, HOUR, SeriesPoint, SeriesRow, WatchBatch
from .encoding import CHUNK, CODES, Block, Damaged, pack, unpack
from .merge import merge, point

# Which level is made from which.
_FROM = {HOUR: FIVE_MINUTES, DAY: HOUR}
_LEVELS = (FIVE_MINUTES, *_FROM)
# Rows stay at least until they are rolled up: three times the span of the next level.
_AT_LEAST = {source: 3.0 * level for level, source in _FROM.items()}
# So many chunks are looked after in one transaction: 10,000 OSDs are round in 40 minutes.
_TENDED = 4

_log = logging.getLogger(__name__)


def put(db: sqlite3.Connection, rows: Iterable[SeriesRow]) -> None:
    """Store rows; one that is there already is replaced by its equal."""
    db.executemany(
        "INSERT OR REPLACE INTO series VALUES (?, ?, ?, ?, ?)",
        [(row.level, row.chunk, row.start, row.since, row.data) for row in rows],
    )


def tend(db: sqlite3.Connection, after: int, batch: WatchBatch) -> int:
    """Roll up and thin out the next few chunks after that one; returns the last, or -1.

    Only spans that end before ``settled`` are rolled up: no more rows will come for them.
    """
    if batch.settled is None:
        return after
    chunk = after
    for _ in range(_TENDED):
        found = _next_chunk(db, chunk)
        if found is None:
            return -1
        chunk = found
        try:
            _tend_chunk(db, chunk, batch.settled, batch)
        except sqlite3.Error:
            raise
        except Exception:  # noqa: BLE001 - a fault of ours in one chunk must stop no other write
            _log.exception("the series of OSDs %d on could not be rolled up", chunk * CHUNK)
    return chunk


def _tend_chunk(db: sqlite3.Connection, chunk: int, settled: float, batch: WatchBatch) -> None:
    for level in _FROM:
        _roll_up(db, level, chunk, settled)
    for level in _LEVELS:
        kept = max(batch.kept[level], _AT_LEAST.get(level, 0.0))
        # Those of the future are of a clock that was wrong, and would never go.
        db.execute(
            "DELETE FROM series WHERE level = ? AND chunk = ? AND (start < ? OR start > ?)",
            (level, chunk, batch.at - kept, batch.at + DAY),
        )


def read(
    db: sqlite3.Connection,
    osd: int,
    channels: Collection[str],
    level: int,
    begin: float,
    end: float,
) -> dict[str, list[SeriesPoint]]:
    """One OSD's points that start in ``begin`` … ``end``; those without data are left out.

    What has not been rolled up to ``level`` yet is put together from what there is.
    """
    spans = _assembled(db, level, osd // CHUNK, channels, begin, end)
    found: dict[str, list[SeriesPoint]] = {channel: [] for channel in channels}
    for start, block in spans:
        for channel, points in found.items():
            one = point(block, osd, channel, start, level)
            if one is not None:
                points.append(one)
    return found


def _assembled(
    db: sqlite3.Connection,
    level: int,
    chunk: int,
    channels: Collection[str],
    begin: float,
    end: float,
) -> list[tuple[int, Block]]:
    """The stored spans, and behind them those that finer rows make up."""
    spans = _spans(db, level, chunk, begin, end, channels)
    if level in _FROM:
        behind = spans[-1][0] + level if spans else _ceil(begin, level)
        finer = _assembled(db, _FROM[level], chunk, channels, behind, _ceil(end, level))
        spans += _longer(finer, level)
    return spans


def _longer(spans: Iterable[tuple[int, Block]], level: int) -> Iterator[tuple[int, Block]]:
    """Spans put together to those of a longer level."""
    for start, parts in groupby(spans, key=lambda one: _floor(one[0], level)):
        yield start, merge([block for _, block in parts])


def _next_chunk(db: sqlite3.Connection, after: int) -> Optional[int]:
    """The first chunk after that one which has rows at any level."""
    found = [
        row[0]
        for level in _LEVELS
        for row in db.execute(
            "SELECT chunk FROM series WHERE level = ? AND chunk > ? ORDER BY chunk LIMIT 1",
            (level, after),
        )
    ]
    return min(found, default=None)


def _roll_up(db: sqlite3.Connection, level: int, chunk: int, settled: float) -> None:
    source = _FROM[level]
    (done,) = db.execute(
        "SELECT max(start) FROM series WHERE level = ? AND chunk = ? AND start < ?",
        (level, chunk, settled),
    ).fetchone()
    begin = done + level if done is not None else 0
    spans = _spans(db, source, chunk, begin, _floor(settled, level))
    longer = _longer(spans, level)
    put(db, [SeriesRow(level, chunk, start, start, pack(block)) for start, block in longer])


def _spans(
    db: sqlite3.Connection,
    level: int,
    chunk: int,
    begin: float,
    end: float,
    only: Collection[str] = CODES,
) -> list[tuple[int, Block]]:
    """Start and block of each stored span, in order; parts of one span are put together."""
    rows = db.execute(
        "SELECT start, data FROM series WHERE level = ? AND chunk = ? AND start >= ? AND start < ? "
        "ORDER BY start, since",
        (level, chunk, begin, end),
    ).fetchall()
    found: list[tuple[int, list[Block]]] = []
    for start, data in rows:
        block = _unpack(data, level, chunk, start, only)
        if block is None:
            continue
        if found and found[-1][0] == start:
            found[-1][1].append(block)
        else:
            found.append((start, [block]))
    return [(start, merge(blocks)) for start, blocks in found]


def _unpack(
    data: bytes, level: int, chunk: int, start: int, only: Collection[str]
) -> Optional[Block]:
    try:
        return unpack(data, chunk, only)
    except Damaged as error:
        _log.warning(
            "left out %d s from %d of OSDs %d to %d, their row is damaged: %s",
            level, start, chunk * CHUNK, chunk * CHUNK + CHUNK - 1, error,
        )  # fmt: skip
        return None


def _floor(at: float, span: int) -> int:
    return int(at // span) * span


def _ceil(at: float, span: int) -> int:
    return -_floor(-at, span)
