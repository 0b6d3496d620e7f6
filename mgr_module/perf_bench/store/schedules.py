"""Stores schedules with their states, as JSON in one row each, and the baselines."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Callable, Optional

from ..model.comparison import Baseline
from ..model.decode import decode, from_json
from ..model.round import RoundLine
from ..model.said import codes_of, unpacked
from ..model.schedule import Schedule, ScheduleState
from . import rows
from .set_aside import SetAside

# By name a schedule and its state, if it has one yet.
SavedSchedules = Mapping[str, tuple[Schedule, Optional[ScheduleState]]]
# In a state: the codes of its sentences.
_SAID = "said"
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
        (schedule.name, json.dumps(asdict(schedule))),
    )


def remove(db: sqlite3.Connection, name: str) -> bool:
    """Remove a schedule with its state; returns False if there is none of that name."""
    return db.execute("DELETE FROM schedules WHERE name = ?", (name,)).rowcount == 1


def put_states(db: sqlite3.Connection, states: Mapping[str, ScheduleState]) -> None:
    """Store states; those of removed schedules are ignored."""
    db.executemany(
        "UPDATE schedules SET state = ? WHERE name = ?",
        [(json.dumps(_saved(state)), name) for name, state in states.items()],
    )


def load(db: sqlite3.Connection, aside: SetAside) -> SavedSchedules:
    """Return all schedules by name; an unreadable state is None, which repeats no run."""
    loaded = {}
    for row in db.execute("SELECT name, schedule, state FROM schedules ORDER BY name"):
        key = (row["name"],)
        schedule = aside.one("schedules", key, partial(_schedule, row))
        if schedule is None:
            continue
        state = None
        if row["state"] is not None:
            state = aside.one("schedules", key, partial(_state, row))
        loaded[row["name"]] = (schedule, state)
    return loaded


def saved_of(row: sqlite3.Row) -> tuple[Schedule, Optional[ScheduleState]]:
    """Return a schedule and its state. Raises ValueError."""
    return _schedule(row), None if row["state"] is None else _state(row)


def _schedule(row: sqlite3.Row) -> Schedule:
    return decode(Schedule, from_json(row["schedule"], "schedule"))


def _saved(state: ScheduleState) -> dict[str, Any]:
    reasons = state.pending.reasons if state.pending else ()
    texts = {"given_up": state.given_up, "problem": state.problem, "reasons": reasons}
    return {**asdict(state), _SAID: codes_of(texts)}


def _state(row: sqlite3.Row) -> ScheduleState:
    saved = from_json(row["state"], "state")
    state = decode(ScheduleState, saved)
    said = saved.get(_SAID)
    if not isinstance(said, dict):
        return state
    given_up = state.given_up and unpacked(state.given_up, said.get("given_up"))
    problem = state.problem and unpacked(state.problem, said.get("problem"))
    pending, codes = state.pending, said.get("reasons")
    if pending is not None and isinstance(codes, list) and len(codes) == len(pending.reasons):
        reasons = tuple(unpacked(text, one) for text, one in zip(pending.reasons, codes))
        pending = replace(pending, reasons=reasons)
    return replace(state, given_up=given_up, problem=problem, pending=pending)
