"""Wear: how many bytes our rounds wrote to each OSD's device, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

DAY = 86400.0


@dataclass(frozen=True)
class Booking:
    """What one round writes, or wrote, to one OSD. A row of the store: key (round, osd).

    ``round`` is the round's token. ``at`` is unix seconds: when it was booked, and once the
    round has ended when it ended; the bytes count for a day from then.
    """

    round: str
    osd: int
    at: float
    bytes: int


@dataclass(frozen=True)
class Overdraft:
    """An OSD that a round would write more to than a day allows, in bytes.

    ``free_at`` is unix seconds from which the round would fit; None: it is too large by itself.
    """

    osd: int
    written: int
    need: int
    budget: int
    free_at: Optional[float] = None


@dataclass(frozen=True)
class WearLedger:
    """All bookings that still count. Kept apart from the rounds: removing one unwrites nothing."""

    bookings: tuple[Booking, ...] = ()

    def written(self, now: float) -> Mapping[int, int]:
        """By OSD the bytes of the last 24 hours."""
        totals: dict[int, int] = {}
        for booking in self.bookings:
            if now - booking.at < DAY:
                totals[booking.osd] = totals.get(booking.osd, 0) + booking.bytes
        return totals
