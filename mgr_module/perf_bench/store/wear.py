"""Stores the bytes that rounds write to each OSD; they stay when a round is removed.

A row is a round, with few distinct numbers of bytes: 10,000 OSDs take 50 KB. A row for each OSD
took ten times that, and a tenth of a round's start.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from ..model.decode import FAULTS, decode, from_json
from ..model.wear import DAY, RoundWear, WearLedger
from .rows import dump
from .unreadable import UnreadableRows


@dataclass(frozen=True)
class _Row:
    """The bytes that one round, named by its token, writes to each of these OSDs."""

    round: str
    at: float
    bytes: tuple[tuple[int, tuple[int, ...]], ...]


def book(db: sqlite3.Connection, token: str, at: float, planned: Mapping[int, int]) -> None:
    """Book the bytes that a round will write, by OSD; delete what is over a day old."""
    db.execute("DELETE FROM wear WHERE at <= ?", (at - DAY,))
    if planned:
        row = (token, at, _text(planned))
        db.execute("INSERT OR IGNORE INTO wear (round, at, bytes) VALUES (?, ?, ?)", row)


def settle(db: sqlite3.Connection, token: str, at: float, written: Mapping[int, int]) -> None:
    """Replace the booked bytes by the written ones; ``at`` is the end of the round.

    Of an OSD that is not in ``written`` the booking stays.
    """
    row = db.execute("SELECT round, at, bytes FROM wear WHERE round = ?", (token,)).fetchone()
    if row is None:
        return
    try:
        planned = wear_of(row).by_osd
    except FAULTS:  # the end of the round is not to fail for that
        planned = {}
    text = _text({**planned, **written})
    db.execute("UPDATE wear SET at = ?, bytes = ? WHERE round = ?", (at, text, token))


def forget(db: sqlite3.Connection, token: str) -> None:
    """Delete the bookings of a round that never began."""
    db.execute("DELETE FROM wear WHERE round = ?", (token,))


def load(db: sqlite3.Connection, unreadable: UnreadableRows) -> WearLedger:
    """Return all stored bookings."""
    found = db.execute("SELECT round, at, bytes FROM wear ORDER BY at, round")
    return WearLedger(tuple(unreadable.all("wear", found, lambda row: (row[0],), wear_of)))


def wear_of(row: sqlite3.Row) -> RoundWear:
    """Return the wear in a row. Raises ValueError."""
    fields = {"round": row["round"], "at": row["at"], "bytes": from_json(row["bytes"], "bytes")}
    read = decode(_Row, fields)
    by_osd = {osd: count for count, osds in read.bytes for osd in osds}
    return RoundWear(read.round, read.at, by_osd)


def _text(by_osd: Mapping[int, int]) -> str:
    osds: dict[int, list[int]] = {}
    for osd, count in by_osd.items():
        osds.setdefault(count, []).append(osd)
    return dump(list(osds.items()))
