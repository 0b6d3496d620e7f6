"""The rounds that the later ones of their profile are held against."""

from __future__ import annotations

import sqlite3

from ..model.comparison import Baseline
from . import rows

_SET = """
    INSERT INTO baselines (profile, round_id, set_at)
    SELECT profile, id, ? FROM rounds WHERE id = ?
    ON CONFLICT (profile) DO UPDATE SET round_id = excluded.round_id, set_at = excluded.set_at"""
_LINE = ", ".join(f"rounds.{name}" for name in rows.LINE_COLUMNS)
_ALL = f"""
    SELECT {_LINE}, set_at FROM baselines JOIN rounds ON rounds.id = round_id
    ORDER BY rounds.profile"""  # noqa: S608 - names of columns


def put(db: sqlite3.Connection, round_id: int, set_at: float) -> bool:
    """Make it its profile's baseline, in the place of another; False if there is no such round."""
    return db.execute(_SET, (set_at, round_id)).rowcount == 1


def load(db: sqlite3.Connection) -> list[Baseline]:
    """All baselines, by profile."""
    return [Baseline(rows.line_of(row), row["set_at"]) for row in db.execute(_ALL)]
