"""Stores schedules with their states, as JSON in one row each, and the baselines."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import partial
from typing import Callable, Optional

from ..model.comparison import Baseline
from ..model.decode import decode, from_json
from ..model.round import RoundLine
from ..model.schedule import Schedule, ScheduleState
from . import rows
from .unreadable import UnreadableRows

# By name a schedule and its state, if it has one yet.
SavedSchedules = Mapping[str, tuple[Schedule, Optional[ScheduleState]]]
# Baselines: the rounds that later rounds of their profile are compared with.
_SET_BASELINE = """
    INSERT INTO baselines (profile, round_id, set_at)
    SELECT profile, id, ? FROM rounds WHERE id = ?
    ON CONFLICT (profile) DO UPDATE SET round_id = excluded.round_id, set_at = excluded.set_at"""
_LINE = ", ".join(f"rounds.{name}" for name in rows.LINE_COLUMNS)
_ALL_BASELINES = f"""
    SELECT {_LINE}, set_at FROM baselines JOIN rounds ON rounds.id = round_id
    ORDER BY rounds.profile"""  # noqa: S608 - names of columns


def put_baseline(db: sqlite3.Connection, round_id: int, set_at: float) -> bool:
    """Make a round the baseline of its profile; returns False if the round does not exist."""
    return db.execute(_SET_BASELINE, (set_at, round_id)).rowcount == 1


def load_baselines(
    db: sqlite3.Connection, line_of: Callable[[sqlite3.Row], RoundLine]
) -> list[Baseline]:
    """Return all baselines by profile, without unreadable rounds."""
    found = [Baseline(line_of(row), row["set_at"]) for row in db.execute(_ALL_BASELINES)]
    return [one for one in found if not one.round.unreadable]


def put(db: sqlite3.Connection, schedule: Schedule) -> None:
    """Insert or update a schedule; an existing one keeps its state."""
    db.execute(
        "INSERT INTO schedules (name, schedule) VALUES (?, ?) "
        "ON CONFLICT (name) DO UPDATE SET schedule = excluded.schedule",
        (schedule.name, rows.dump(schedule)),
    )


def remove(db: sqlite3.Connection, name: str) -> bool:
    """Remove a schedule with its state; returns False if there is none of that name."""
    return db.execute("DELETE FROM schedules WHERE name = ?", (name,)).rowcount == 1


def put_states(db: sqlite3.Connection, states: Mapping[str, ScheduleState]) -> None:
    """Store states; those of removed schedules are ignored."""
    db.executemany(
        "UPDATE schedules SET state = ? WHERE name = ?",
        [(rows.dump(state), name) for name, state in states.items()],
    )


def load(db: sqlite3.Connection, unreadable: UnreadableRows) -> SavedSchedules:
    """Return all schedules by name; an unreadable state is None, which repeats no run."""
    loaded = {}
    for row in db.execute("SELECT name, schedule, state FROM schedules ORDER BY name"):
        key = (row["name"],)
        schedule = unreadable.one("schedules", key, partial(_schedule, row))
        if schedule is None:
            continue
        state = None
        if row["state"] is not None:
            state = unreadable.one("schedules", key, partial(_state, row))
        loaded[row["name"]] = (schedule, state)
    return loaded


def _schedule(row: sqlite3.Row) -> Schedule:
    return decode(Schedule, from_json(row["schedule"], "schedule"))


def _state(row: sqlite3.Row) -> ScheduleState:
    return decode(ScheduleState, from_json(row["state"], "state"))
