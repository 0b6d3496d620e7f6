"""Wear: the bytes that rounds wrote to each OSD's device, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Optional

DAY = 86400.0


@dataclass(frozen=True)
class RoundWear:
    """The bytes that one round writes, by OSD.

    ``round`` is the round's token. ``at`` is the unix time of the booking or, later, of the round's
    end; the bytes count for a day from then.
    """

    round: str
    at: float
    by_osd: Mapping[int, int]


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
class ClassWear:
    """What a round with all its repeats would write to the OSDs of one device class.

    The highest of its OSDs each: ``bytes_per_osd``, the share of a device that is written once
    over (``full_write_percent``), what that is of a day's writes of the least endurance that flash
    for servers is rated for (``rated_day_percent`` of ``rated_writes_per_day`` times the device;
    None for disks, which do not wear by writing),
    and the share of the wear budget with what rounds wrote in the last 24 h (``budget_percent``,
    of ``budget_bytes``). ``used_percent`` is the highest share of its rated endurance that a drive
    reports as used up. ``sizes_unknown`` and ``used_unknown`` count the OSDs without.
    """

    device_class: Optional[str]
    osds: int
    bytes_per_osd: int
    device_bytes: Optional[int]
    sizes_unknown: int
    full_write_percent: Optional[float]
    rated_writes_per_day: float
    rated_day_percent: Optional[float]
    budget_bytes: int
    budget_percent: Optional[float]
    used_percent: Optional[float]
    used_unknown: int


@dataclass(frozen=True)
class WearLedger:
    """The wear of all rounds that still count, also of removed ones."""

    rounds: tuple[RoundWear, ...] = ()

    def written(self, now: float) -> Mapping[int, int]:
        """By OSD the bytes of the last 24 hours."""
        totals: dict[int, int] = {}
        for one in self.rounds:
            if now - one.at < DAY:
                for osd, count in one.by_osd.items():
                    totals[osd] = totals.get(osd, 0) + count
        return totals
