"""Stores series as rows: writes them, rolls them up, deletes old ones, and reads them."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Optional

from ..model.history import CHUNK, DAY, FIVE_MINUTES, HOUR, SeriesPoint, SeriesRow, WatchBatch
from .encoding import CODES, Block, Damaged, pack, unpack
from .merge import merge, point
from .two_clocks import Times

# The level that each level is made from.
_FROM = {HOUR: FIVE_MINUTES, DAY: HOUR}
_LEVELS = (FIVE_MINUTES, *_FROM)
# Rows stay at least until they are rolled up: three times the span of the next level.
_AT_LEAST = {source: 3.0 * level for level, source in _FROM.items()}
# Chunks that are rolled up in one transaction: all of 10,000 OSDs take 40 minutes.
_TENDED = 4

_log = logging.getLogger(__name__)


def put(
    db: sqlite3.Connection, rows: Iterable[SeriesRow], kept: Mapping[int, float], times: Times
) -> None:
    """Store rows; an equal row that exists already is left as it is.

    Another one under the same key is of a clock that was set, or of another mgr's: a row of five
    minutes is put beside it, a longer one, which was made anew, replaces it.

    Longer spans around them that a clock that was ahead has ended early are rolled up again, unless
    what they were made of is too old to be there: then this clock is behind. So are those after
    them, as ``_roll_up`` goes on after the last one: a clock that is behind for a while would leave
    a gap.
    """
    given = list(rows)
    for row in given:  # one by one: two of a batch may have the same key
        db.execute(
            "INSERT OR REPLACE INTO series VALUES (?, ?, ?, ?, ?)",
            (row.level, row.chunk, row.start, _since(db, row), row.data),
        )
    db.executemany(
        "DELETE FROM series WHERE level = ? AND chunk = ? AND start >= ?",
        {
            (level, row.chunk, _floor(row.start, level))
            for row in given
            for level, source in _FROM.items()
            if level > row.level
            and _floor(row.start, level) >= times.later - _kept_seconds(kept, source)
        },
    )


def _since(db: sqlite3.Connection, row: SeriesRow) -> int:
    """The ``since`` under which a row does not replace another one of the same five minutes."""
    since = row.since
    while row.level == FIVE_MINUTES:
        found = db.execute(
            "SELECT data FROM series WHERE level = ? AND chunk = ? AND start = ? AND since = ?",
            (row.level, row.chunk, row.start, since),
        ).fetchone()
        if found is None or found[0] == row.data:
            break
        since += 1
    return since


def tend(db: sqlite3.Connection, after: int, batch: WatchBatch, times: Times) -> int:
    """Roll up the next few chunks after ``after`` and delete their old rows.

    Returns the last chunk, -1 at the end. Only spans that end before ``settled`` are rolled up: no
    more rows will come for them.
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
            _tend_chunk(db, chunk, batch.settled, batch.kept, times)
        except sqlite3.Error:
            raise
        except Exception:  # noqa: BLE001 - a bug in one chunk must stop no other write
            _log.exception("the series of OSDs %d on could not be rolled up", chunk * CHUNK)
    return chunk


def _tend_chunk(
    db: sqlite3.Connection, chunk: int, settled: float, kept: Mapping[int, float], times: Times
) -> None:
    for level in _FROM:
        _roll_up(db, level, chunk, settled, kept, times)
    for level in _LEVELS:
        # Rows in the future come from a wrong clock, and would never expire.
        db.execute(
            "DELETE FROM series WHERE level = ? AND chunk = ? AND (start < ? OR start > ?)",
            (level, chunk, times.earlier - _kept_seconds(kept, level), times.later + DAY),
        )


def _kept_seconds(kept: Mapping[int, float], level: int) -> float:
    return max(kept[level], _AT_LEAST.get(level, 0.0))


def read(
    db: sqlite3.Connection,
    osd: int,
    channels: Collection[str],
    level: int,
    begin: float,
    end: float,
) -> dict[str, list[SeriesPoint]]:
    """Return an OSD's points with data by channel that start in ``begin`` … ``end``.

    Spans that are not rolled up to ``level`` yet are merged from finer rows.
    """
    spans = assembled(db, level, osd // CHUNK, channels, begin, end)
    found: dict[str, list[SeriesPoint]] = {channel: [] for channel in channels}
    for start, block in spans:
        for channel, points in found.items():
            one = point(block, osd, channel, start, level)
            if one is not None:
                points.append(one)
    return found


def assembled(
    db: sqlite3.Connection,
    level: int,
    chunk: int,
    channels: Collection[str],
    begin: float,
    end: float,
) -> list[tuple[int, Block]]:
    """Return the stored spans, and after them those merged from finer rows."""
    spans = _spans(db, level, chunk, begin, end, channels)
    if level in _FROM:
        behind = spans[-1][0] + level if spans else _ceil(begin, level)
        finer = assembled(db, _FROM[level], chunk, channels, behind, _ceil(end, level))
        spans += _longer(finer, level)
    return spans


def _longer(spans: Iterable[tuple[int, Block]], level: int) -> Iterator[tuple[int, Block]]:
    """Merge spans to those of a longer level."""
    for start, parts in groupby(spans, key=lambda one: _floor(one[0], level)):
        yield start, merge([block for _, block in parts])


def _next_chunk(db: sqlite3.Connection, after: int) -> Optional[int]:
    """Return the first chunk after ``after`` that has rows at any level; None at the end."""
    found = [
        row[0]
        for level in _LEVELS
        for row in db.execute(
            "SELECT chunk FROM series WHERE level = ? AND chunk > ? ORDER BY chunk LIMIT 1",
            (level, after),
        )
    ]
    return min(found, default=None)


def _roll_up(
    db: sqlite3.Connection,
    level: int,
    chunk: int,
    settled: float,
    kept: Mapping[int, float],
    times: Times,
) -> None:
    source = _FROM[level]
    (done,) = db.execute(
        "SELECT max(start) FROM series WHERE level = ? AND chunk = ? AND start < ?",
        (level, chunk, settled),
    ).fetchone()
    begin = done + level if done is not None else 0
    spans = _spans(db, source, chunk, begin, _floor(settled, level))
    longer = _longer(spans, level)
    made = [SeriesRow(level, chunk, start, start, pack(block)) for start, block in longer]
    put(db, made, kept, times)


def _spans(
    db: sqlite3.Connection,
    level: int,
    chunk: int,
    begin: float,
    end: float,
    only: Collection[str] = CODES,
) -> list[tuple[int, Block]]:
    """Return start and block of each stored span in order; parts of a span are merged."""
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
