"""Wear: the bytes that rounds wrote to each OSD's device, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

DAY = 86400.0


@dataclass(frozen=True)
class Booking:
    """The bytes that one round writes to one OSD. A row of the store: key (round, osd).

    ``round`` is the round's token. ``at`` is the unix time of the booking or, later, of the round's
    end; the bytes count for a day from then.
    """

    round: str
    osd: int
    at: float
    bytes: int


@dataclass(frozen=True)
class Overdraft:
    """An OSD to which a round would write more bytes than a day's budget.

    ``free_at`` is the unix time from which the round would fit; None if it never does.
    """

    osd: int
    written: int
    need: int
    budget: int
    free_at: Optional[float] = None


@dataclass(frozen=True)
class WearLedger:
    """All bookings that still count, also those of removed rounds."""

    bookings: tuple[Booking, ...] = ()

    def written(self, now: float) -> Mapping[int, int]:
        """By OSD the bytes of the last 24 hours."""
        totals: dict[int, int] = {}
        for booking in self.bookings:
            if now - booking.at < DAY:
                totals[booking.osd] = totals.get(booking.osd, 0) + booking.bytes
        return totals
