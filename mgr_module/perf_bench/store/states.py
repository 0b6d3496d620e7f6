"""What the detectors and the laggy tracker save: one row each, and the past episodes."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Optional

from ..model.decode import decode, from_json
from ..model.history import SavedState
from ..model.laggy import Episode
from .set_aside import SetAside

# Episodes of a quarter are enough to see whether they come again.
EPISODES_KEPT_SECONDS = 90 * 86400
# A megabyte of figures is 60 ms in one call of the JSON library, which lets no other thread run
# meanwhile; so lists and mappings go in pieces.
_PIECE = 500


def put(db: sqlite3.Connection, at: float, states: Mapping[str, Mapping[str, Any]]) -> None:
    """Store these states, each instead of the one before."""
    db.executemany(
        "INSERT OR REPLACE INTO states VALUES (?, ?, ?)",
        [(name, at, zlib.compress(_dump(state), 1)) for name, state in states.items()],
    )


def load(db: sqlite3.Connection, name: str, aside: SetAside) -> Optional[SavedState]:
    """The state of that name. One that cannot be read any more is none: start cold."""
    row = db.execute("SELECT at, data FROM states WHERE name = ?", (name,)).fetchone()
    return None if row is None else aside.one("states", (name,), lambda: state_of(row))


def state_of(row: sqlite3.Row) -> SavedState:
    """The state in a row. Raises one of FAULTS."""
    found = json.loads(zlib.decompress(row["data"]))
    return decode(SavedState, {"at": row["at"], "state": found})


def put_episodes(db: sqlite3.Connection, at: float, episodes: Sequence[Episode]) -> None:
    """Store episodes; one that began at the same time is the same one. Old ones go."""
    if not episodes:
        return
    db.executemany(
        "INSERT OR REPLACE INTO episodes VALUES (?, ?, ?)",
        [(one.start, one.end, json.dumps(asdict(one))) for one in episodes],
    )
    db.execute("DELETE FROM episodes WHERE start < ?", (at - EPISODES_KEPT_SECONDS,))


def episodes(
    db: sqlite3.Connection, limit: int, offset: int, aside: SetAside
) -> tuple[list[Episode], int]:
    """A page of the episodes, newest first, and how many there are."""
    found = db.execute(
        "SELECT start, data FROM episodes ORDER BY start DESC LIMIT ? OFFSET ?", (limit, offset)
    )
    made = aside.all("episodes", found, lambda row: (row["start"],), episode_of)
    (total,) = db.execute("SELECT count(*) FROM episodes").fetchone()
    return made, total


def episode_of(row: sqlite3.Row) -> Episode:
    """The episode in a row. Raises ValueError."""
    return decode(Episode, from_json(row["data"], "data"))


def _dump(value: Any) -> bytes:
    return "".join(_pieces(value)).encode()


def _pieces(value: Any) -> Iterator[str]:
    """The value as JSON, in texts of calls that are each short."""
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
