"""Keeps in a table which round has the newest figures of each OSD.

A cluster of 10,000 OSDs with a round a day has 3.6 million results after a year. Searching the
newest of each took 3 s with 100 such rounds, and it is needed at the end of every round.
"""

from __future__ import annotations

import sqlite3

_ENDED = "('done', 'aborted', 'failed')"
_NOTE = f"""
    INSERT INTO newest (osd, profile, round_id)
    SELECT osd, profile, round_id FROM results JOIN rounds ON rounds.id = round_id
    WHERE round_id = ? AND median_bytes_per_second IS NOT NULL AND state IN {_ENDED}
    ON CONFLICT (osd, profile) DO UPDATE
    SET round_id = excluded.round_id WHERE excluded.round_id > newest.round_id"""  # noqa: S608
# The index over (osd, round_id) finds the round before in one or two steps.
_STEP_BACK = f"""
    UPDATE newest SET round_id = (
        SELECT results.round_id FROM results JOIN rounds ON rounds.id = results.round_id
        WHERE results.osd = newest.osd AND rounds.profile = newest.profile
        AND results.round_id < newest.round_id
        AND median_bytes_per_second IS NOT NULL AND state IN {_ENDED}
        ORDER BY results.round_id DESC LIMIT 1)
    WHERE round_id = ?"""  # noqa: S608


def note(db: sqlite3.Connection, round_id: int) -> None:
    """Update the table with a round's results, if it has ended. Call it after writing them."""
    db.execute(_NOTE, (round_id,))


def step_back(db: sqlite3.Connection, round_id: int) -> None:
    """Make the rounds before this one the newest again. Call it before removing the round."""
    db.execute(_STEP_BACK, (round_id,))
    db.execute("DELETE FROM newest WHERE round_id IS NULL")
