"""What our rounds write to each OSD, kept apart from them: removing a round unwrites nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from ..model.decode import decode
from ..model.wear import DAY, Booking, WearLedger
from .set_aside import SetAside


def book(db: sqlite3.Connection, token: str, at: float, planned: Mapping[int, int]) -> None:
    """Book what a round is going to write, in bytes by OSD; what is over a day old goes."""
    db.execute("DELETE FROM wear WHERE at <= ?", (at - DAY,))
    rows = [(token, osd, at, count) for osd, count in planned.items()]
    db.executemany("INSERT OR IGNORE INTO wear (round, osd, at, bytes) VALUES (?, ?, ?, ?)", rows)


def settle(db: sqlite3.Connection, token: str, at: float, written: Mapping[int, int]) -> None:
    """Put what it wrote in the place of what was booked, from the moment when it ended."""
    db.execute("UPDATE wear SET at = ? WHERE round = ?", (at, token))
    rows = [(count, token, osd) for osd, count in written.items()]
    db.executemany("UPDATE wear SET bytes = ? WHERE round = ? AND osd = ?", rows)


def forget(db: sqlite3.Connection, token: str) -> None:
    """Strike out a round that never began."""
    db.execute("DELETE FROM wear WHERE round = ?", (token,))


def load(db: sqlite3.Connection, aside: SetAside) -> WearLedger:
    """All bookings that may still count."""
    found = db.execute("SELECT round, osd, at, bytes FROM wear ORDER BY at, round, osd")
    return WearLedger(tuple(aside.all("wear", found, lambda row: (row[0], row[1]), booking_of)))


def booking_of(row: sqlite3.Row) -> Booking:
    """What is booked in a row. Raises ValueError."""
    return decode(Booking, dict(row))
