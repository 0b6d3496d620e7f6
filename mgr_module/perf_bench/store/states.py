"""Stores the detectors' states, one row each, and the past laggy episodes."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

from ..model.decode import decode, from_json
from ..model.history import SavedState
from ..model.laggy import Episode
from .rows import dump, unpack
from .unreadable import UnreadableRows

# Episodes of a quarter are enough to see whether they recur.
EPISODES_KEPT_SECONDS = 90 * 86400
# Maximum list length for one call of the JSON library: a megabyte of figures takes 60 ms, during
# which no other thread runs.
_PIECE = 500


def put(db: sqlite3.Connection, at: float, states: Mapping[str, Mapping[str, Any]]) -> None:
    """Store these states, which replace the ones before."""
    db.executemany(
        "INSERT OR REPLACE INTO states VALUES (?, ?, ?)",
        [(name, at, zlib.compress(_dump(state), 1)) for name, state in states.items()],
    )


def load(db: sqlite3.Connection, name: str, unreadable: UnreadableRows) -> Optional[SavedState]:
    """Return the state of that name; None if there is none or it is unreadable."""
    row = db.execute("SELECT at, data FROM states WHERE name = ?", (name,)).fetchone()
    return None if row is None else unreadable.one("states", (name,), lambda: state_of(row))


def state_of(row: sqlite3.Row) -> SavedState:
    """Return the state in a row. Raises one of FAULTS."""
    return decode(SavedState, {"at": row["at"], "state": unpack(row["data"])})


def put_episodes(db: sqlite3.Connection, now: float, episodes: Sequence[Episode]) -> None:
    """Store episodes, identified by their start, and delete those that are old at ``now``."""
    if not episodes:
        return
    db.executemany(
        "INSERT OR REPLACE INTO episodes VALUES (?, ?, ?)",
        [(one.start, one.end, dump(one)) for one in episodes],
    )
    db.execute("DELETE FROM episodes WHERE start < ?", (now - EPISODES_KEPT_SECONDS,))


def episodes(
    db: sqlite3.Connection, limit: int, offset: int, unreadable: UnreadableRows
) -> tuple[list[Episode], int]:
    """Return a page of the episodes, newest first, and their total number."""
    found = db.execute(
        "SELECT start, data FROM episodes ORDER BY start DESC LIMIT ? OFFSET ?", (limit, offset)
    )
    made = unreadable.all("episodes", found, lambda row: (row["start"],), episode_of)
    (total,) = db.execute("SELECT count(*) FROM episodes").fetchone()
    return made, total


def episode_of(row: sqlite3.Row) -> Episode:
    """Return the episode in a row. Raises ValueError."""
    return decode(Episode, from_json(row["data"], "data"))


def _dump(value: Any) -> bytes:
    return "".join(_pieces(value)).encode()


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
