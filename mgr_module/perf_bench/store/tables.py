"""Newest results, the wear of drives, repeats of clients, and facts of hosts."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, cast

from ..model.admission import DAY, RoundWear
from ..model.json_fields import Reader, decode, from_json, reader_of
from ..model.rados import LoadSample
from .rows import dump, unpack

# By host when its facts came (unix seconds), their document, and the host's history.
SavedFacts = Mapping[str, tuple[float, Any, Mapping[str, Any]]]

# Which round has the newest figures of each OSD. A cluster of 10,000 OSDs with a round a day has
# 3.6 million results after a year. Searching the newest of each took 3 s with 100 such rounds, and
# it is needed at the end of every round.
ENDED = "('done', 'aborted', 'failed')"
_NOTE_NEWEST = f"""
    INSERT INTO newest (osd, profile, round_id)
    SELECT osd, profile, round_id FROM results JOIN rounds ON rounds.id = round_id
    WHERE round_id = ? AND median_bytes_per_second IS NOT NULL AND state IN {ENDED}
    ON CONFLICT (osd, profile) DO UPDATE
    SET round_id = excluded.round_id WHERE excluded.round_id > newest.round_id"""  # noqa: S608
# The index over (osd, round_id) finds the round before in one or two steps.
_STEP_BACK = f"""
    UPDATE newest SET round_id = (
        SELECT results.round_id FROM results JOIN rounds ON rounds.id = results.round_id
        WHERE results.osd = newest.osd AND rounds.profile = newest.profile
        AND results.round_id < newest.round_id
        AND median_bytes_per_second IS NOT NULL AND state IN {ENDED}
        ORDER BY results.round_id DESC LIMIT 1)
    WHERE round_id = ?"""  # noqa: S608


def note_newest(db: sqlite3.Connection, round_id: int) -> None:
    """Update the table with a round's results, if it has ended. Call it after writing them."""
    db.execute(_NOTE_NEWEST, (round_id,))


def step_back(db: sqlite3.Connection, round_id: int) -> None:
    """Make the rounds before this one the newest again. Call it before removing the round."""
    db.execute(_STEP_BACK, (round_id,))
    db.execute("DELETE FROM newest WHERE round_id IS NULL")


# --- wear ------------------------------------------------------------------------------------
# The bytes that rounds write to each OSD; they stay when a round is removed. A row is a round, with
# few distinct numbers of bytes: 10,000 OSDs take 50 KB. A row for each OSD took ten times that, and
# a tenth of a round's start.


_read_bytes: Reader = reader_of(cast("Any", tuple[tuple[int, tuple[int, ...]], ...]))


def book_wear(db: sqlite3.Connection, token: str, at: float, planned: Mapping[int, int]) -> None:
    """Book the bytes that a round will write, by OSD; delete what is over a day old."""
    db.execute("DELETE FROM wear WHERE at <= ?", (at - DAY,))
    if planned:
        row = (token, at, _by_bytes(planned))
        db.execute("INSERT OR IGNORE INTO wear (round, at, bytes) VALUES (?, ?, ?)", row)


def settle_wear(db: sqlite3.Connection, token: str, at: float, written: Mapping[int, int]) -> None:
    """Replace the booked bytes; ``at`` is the end of the round."""
    query = "UPDATE wear SET at = ?, bytes = ? WHERE round = ?"
    db.execute(query, (at, _by_bytes(written), token))


def wear_of(row: sqlite3.Row) -> RoundWear:
    """Return the wear in a row. Raises one of FAULTS."""
    found = _read_bytes(from_json(row["bytes"], "bytes"), "")
    by_osd = {osd: count for count, osds in found for osd in osds}
    return RoundWear(str(row["round"]), float(row["at"]), by_osd)


def _by_bytes(by_osd: Mapping[int, int]) -> str:
    osds: dict[int, list[int]] = {}
    for osd, count in by_osd.items():
        osds.setdefault(count, []).append(osd)
    return dump(list(osds.items()))


# --- repeats of clients, facts of hosts ------------------------------------------------------


def load_of(row: sqlite3.Row) -> LoadSample:
    """Return the repeat in a row. Raises one of FAULTS."""
    return decode(LoadSample, unpack(row["data"]))


def facts_of(row: sqlite3.Row) -> tuple[str, tuple[float, Any, Mapping[str, Any]]]:
    """Return a host and its facts from a row. Raises one of FAULTS."""
    host, received_at, data, memory = row
    if type(host) is not str or type(received_at) is not float:
        raise ValueError("the host or the time is of another type than its column")
    return host, (received_at, unpack(data), {} if memory is None else unpack(memory))
