"""Keeps the last hours in memory: a mean and a maximum for each OSD, channel and minute."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Optional

from ..model.history import MINUTE, SeriesPoint
from .encoding import figure, widen

# Three hours, which operators look at first.
MINUTES = 180
# Maximum bytes. With the sums of the current five minutes (8 MB for 10,000 OSDs) this is 45 MB. Up
# to 9,300 OSDs with five channels and the load have three hours; with more the rings are shorter.
BUDGET = 37_000_000


@dataclass(frozen=True)
class MinuteColumns:
    """One minute of all OSDs: by channel the means and, except for ``load``, the maxima, shrunk."""

    start: int
    osds: array[int]
    means: Mapping[str, array[int]]
    peaks: Mapping[str, array[int]]

    @property
    def bytes(self) -> int:
        columns = (*self.means.values(), *self.peaks.values())
        return sum(len(column) * column.itemsize for column in columns)


class MinuteRing:
    """A ring of minutes, oldest first; the oldest are dropped beyond the limits."""

    def __init__(self, minutes: int = MINUTES, budget: int = BUDGET) -> None:
        self._limit = minutes
        self._budget = budget
        self._minutes: deque[MinuteColumns] = deque()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._minutes)

    @property
    def newest(self) -> Optional[MinuteColumns]:
        return self._minutes[-1] if self._minutes else None

    def put(self, minute: MinuteColumns) -> None:
        """Add a minute, or the part of one since the OSDs changed.

        If the clock was set back it replaces that minute and those after it.
        """
        while self._minutes and _replaced(self._minutes[-1], minute):
            self.bytes -= self._minutes.pop().bytes
        self._minutes.append(minute)
        self.bytes += minute.bytes
        while len(self._minutes) > self._limit or (
            self.bytes > self._budget and len(self._minutes) > 1
        ):
            self.bytes -= self._minutes.popleft().bytes

    def between(self, begin: float, end: float) -> list[MinuteColumns]:
        """Return the minutes that start in ``begin`` … ``end``."""
        # A copy: the watch's thread adds minutes meanwhile.
        return [minute for minute in tuple(self._minutes) if begin <= minute.start < end]

    def series(self, osd: int, channel: str, begin: float, end: float) -> list[SeriesPoint]:
        """Return an OSD's minutes with data that start in ``begin`` … ``end``, each once."""
        found: dict[int, SeriesPoint] = {}
        for minute in self.between(begin, end):
            point = _point(minute, osd, channel)
            if point is not None:
                found[minute.start] = point
        return list(found.values())


def _replaced(before: MinuteColumns, now: MinuteColumns) -> bool:
    """Whether a minute was measured anew, by a clock that was set back."""
    return before.start > now.start or (before.start == now.start and before.osds == now.osds)


def by_osd(minute: MinuteColumns, channels: Iterable[str]) -> dict[str, dict[int, float]]:
    """Return the means of one minute by channel and OSD, without those that have no data."""
    found = {}
    for channel in channels:
        means = minute.means.get(channel)
        if means is not None:
            values = zip(minute.osds, widen(means))
            found[channel] = {osd: mean for osd, mean in values if mean == mean}  # noqa: PLR0124
    return found


def _point(minute: MinuteColumns, osd: int, channel: str) -> Optional[SeriesPoint]:
    place = bisect_left(minute.osds, osd)
    means = minute.means.get(channel)
    if means is None or place == len(minute.osds) or minute.osds[place] != osd:
        return None
    mean = figure(means, place)
    if mean is None:
        return None
    peaks = minute.peaks.get(channel)
    maximum = figure(peaks, place) if peaks is not None else None
    return SeriesPoint(minute.start, MINUTE, mean, maximum)
