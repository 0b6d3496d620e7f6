"""Schedules and how far each of them is: one row a schedule, both as JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from ..model.comparison import Baseline
from ..ports import SavedSchedules
from . import rows

# The rounds that the later ones of their profile are held against.

_SET_BASELINE = """
    INSERT INTO baselines (profile, round_id, set_at)
    SELECT profile, id, ? FROM rounds WHERE id = ?
    ON CONFLICT (profile) DO UPDATE SET round_id = excluded.round_id, set_at = excluded.set_at"""
_LINE = ", ".join(f"rounds.{name}" for name in rows.LINE_COLUMNS)
_ALL_BASELINES = f"""
    SELECT {_LINE}, set_at FROM baselines JOIN rounds ON rounds.id = round_id
    ORDER BY rounds.profile"""  # noqa: S608 - names of columns


def put_baseline(db: sqlite3.Connection, round_id: int, set_at: float) -> bool:
    """Make it its profile's baseline, in the place of another; False if there is no such round."""
    return db.execute(_SET_BASELINE, (set_at, round_id)).rowcount == 1


def load_baselines(db: sqlite3.Connection) -> list[Baseline]:
    """All baselines, by profile."""
    return [Baseline(rows.line_of(row), row["set_at"]) for row in db.execute(_ALL_BASELINES)]


def put(db: sqlite3.Connection, name: str, schedule: Mapping[str, Any]) -> None:
    """Store a schedule; one that is there keeps its state."""
    db.execute(
        "INSERT INTO schedules (name, schedule) VALUES (?, ?) "
        "ON CONFLICT (name) DO UPDATE SET schedule = excluded.schedule",
        (name, json.dumps(schedule)),
    )


def remove(db: sqlite3.Connection, name: str) -> bool:
    """Remove a schedule with its state; False if there is none of that name."""
    return db.execute("DELETE FROM schedules WHERE name = ?", (name,)).rowcount == 1


def put_states(db: sqlite3.Connection, states: Mapping[str, Mapping[str, Any]]) -> None:
    """Store states; that of a schedule which is gone is passed over."""
    db.executemany(
        "UPDATE schedules SET state = ? WHERE name = ?",
        [(json.dumps(state), name) for name, state in states.items()],
    )


def load(db: sqlite3.Connection) -> SavedSchedules:
    """All schedules by name."""
    found = db.execute("SELECT name, schedule, state FROM schedules ORDER BY name")
    return {
        row["name"]: (
            json.loads(row["schedule"]),
            None if row["state"] is None else json.loads(row["state"]),
        )
        for row in found
    }
