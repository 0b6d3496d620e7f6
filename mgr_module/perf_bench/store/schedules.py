"""Schedules and how far each of them is: one row a schedule, both as JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from ..ports import SavedSchedules


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
