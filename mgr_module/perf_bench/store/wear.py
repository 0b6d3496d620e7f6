"""Stores the bytes that rounds write to each OSD; they stay when a round is removed."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from ..model.decode import decode
from ..model.wear import DAY, Booking, WearLedger
from .set_aside import SetAside


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
    return WearLedger(tuple(aside.all("wear", found, lambda row: (row[0], row[1]), booking_of)))


def booking_of(row: sqlite3.Row) -> Booking:
    """Return the booking in a row. Raises ValueError."""
    return decode(Booking, dict(row))
