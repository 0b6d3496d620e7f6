"""Stores the bytes that rounds write to each OSD; they stay when a round is removed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from ..model.decode import decode
from ..model.wear import DAY, RoundWear, WearLedger
from .set_aside import SetAside


@dataclass(frozen=True)
class Booking:
    """A row: the bytes that one round, named by its token, writes to one OSD."""

    round: str
    osd: int
    at: float
    bytes: int


def book(db: sqlite3.Connection, token: str, at: float, planned: Mapping[int, int]) -> None:
    """Book the bytes that a round will write, by OSD, and delete bookings over a day old."""
    db.execute("DELETE FROM wear WHERE at <= ?", (at - DAY,))
    rows = [(token, osd, at, count) for osd, count in planned.items()]
    db.executemany("INSERT OR IGNORE INTO wear (round, osd, at, bytes) VALUES (?, ?, ?, ?)", rows)


def settle(db: sqlite3.Connection, token: str, at: float, written: Mapping[int, int]) -> None:
    """Replace the booked bytes by the written ones; ``at`` is the end of the round."""
    db.execute("UPDATE wear SET at = ? WHERE round = ?", (at, token))
    rows = [(count, token, osd) for osd, count in written.items()]
    db.executemany("UPDATE wear SET bytes = ? WHERE round = ? AND osd = ?", rows)


def forget(db: sqlite3.Connection, token: str) -> None:
    """Delete the bookings of a round that never began."""
    db.execute("DELETE FROM wear WHERE round = ?", (token,))


def load(db: sqlite3.Connection, aside: SetAside) -> WearLedger:
    """Return all stored bookings."""
    found = db.execute("SELECT round, osd, at, bytes FROM wear ORDER BY at, round, osd")
    by_round: dict[tuple[str, float], dict[int, int]] = {}
    for one in aside.all("wear", found, lambda row: (row[0], row[1]), booking_of):
        by_round.setdefault((one.round, one.at), {})[one.osd] = one.bytes
    return WearLedger(tuple(RoundWear(*key, by_osd) for key, by_osd in by_round.items()))


def booking_of(row: sqlite3.Row) -> Booking:
    """Return the booking in a row. Raises ValueError."""
    return decode(Booking, dict(row))
