"""The tables of the watch, a step of the schema (see schema.py)."""

from __future__ import annotations

# Times are unix seconds. A series' row has a chunk of OSDs over one span, packed (encoding.py);
# the order of its key is that of reading: one OSD's day lies together.
WATCH: tuple[str, ...] = (
    """CREATE TABLE findings (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        code TEXT NOT NULL,
        severity TEXT NOT NULL,
        target_kind TEXT NOT NULL,
        target_id TEXT NOT NULL,
        message TEXT NOT NULL,
        evidence TEXT NOT NULL,
        first_seen REAL NOT NULL,
        last_seen REAL NOT NULL,
        state TEXT NOT NULL,
        muted_until REAL,
        closed_at REAL)""",
    """CREATE TABLE series (
        level INTEGER NOT NULL,
        chunk INTEGER NOT NULL,
        start INTEGER NOT NULL,
        since INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (level, chunk, start, since)) WITHOUT ROWID""",
    """CREATE TABLE states (
        name TEXT PRIMARY KEY,
        at REAL NOT NULL,
        data BLOB NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE episodes (
        start REAL PRIMARY KEY,
        end REAL,
        data TEXT NOT NULL) WITHOUT ROWID""",
)
