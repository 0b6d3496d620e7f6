"""Reads the points that OSDs have sent since the last read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from statistics import median
from typing import Any, Callable, Optional, Protocol, runtime_checkable

from ...ports import Counters
from ...ports.watch_inputs import Columns
from .channels import Plan
from .deltas import DeltaStrip
from .interpolation import Cuts, cuts_of

_PERIOD = 5.0
# The mgr stamps points on arrival, so none is in the future but for the time between two reads of
# the clock.
_FUTURE_SECONDS = 1.0

_NAN = float("nan")
_NO_POINT = (_NAN, _NAN, _NAN)

Pick = Callable[[Sequence[Any]], Sequence[Any]]


@runtime_checkable
class ByColumn(Protocol):
    """Counters that pick points before they convert them, by column: saves a fifth of a tick."""

    def columns(self, osd: int, name: str, pick: Pick) -> Columns:
        """Return the ``points`` that ``pick`` takes. Raises IndexError if ``pick`` does."""


class ReadCursor:
    """How far one OSD has been read. Times are unix seconds by the mgr's clock."""

    __slots__ = ("newest", "next_bin", "number", "osd", "plan", "read_at", "restarted_at")

    def __init__(self, osd: int, now: float) -> None:
        self.osd = osd
        self.plan: Plan = {}
        self.read_at = now
        self.next_bin = 0
        self.newest = now
        self.number = 0
        self.restarted_at: Optional[float] = None


class CounterReader:
    """Makes strips from points. ``stats_period`` is the recent seconds between two reports."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._columns = (
            counters.columns if isinstance(counters, ByColumn) else self._columns_of_points
        )
        self.stats_period = _PERIOD

    def read(self, cursors: Iterable[ReadCursor], next_bin: int, now: float) -> list[DeltaStrip]:
        """Return the bins from ``next_bin`` on that these OSDs have covered since the last read."""
        strips: dict[tuple[int, int, tuple[str, ...]], DeltaStrip] = {}
        spacings: list[float] = []
        for cursor in cursors:
            cursor.read_at = now
            pace = self._pace(cursor)
            stamps = pace[0]
            if len(stamps) > 1:
                spacings.append(stamps[-1] - stamps[-2])
            if stamps:
                _take_pace(cursor, stamps[-1], pace[2][-1], now)
            cuts = cuts_of(stamps, max(cursor.next_bin, next_bin), now + _FUTURE_SECONDS)
            if cuts is None:
                continue
            cursor.next_bin = cuts.stop
            key = cuts.first, cuts.stop, tuple(cursor.plan)
            if key not in strips:
                strips[key] = DeltaStrip(*key)
            self._fill(strips[key], cursor, pace, cuts)
        if spacings:
            self.stats_period = median(spacings)
        return list(strips.values())

    def _columns_of_points(self, osd: int, name: str, pick: Pick) -> Columns:
        return _by_column(pick(self._counters.points(osd, name)))

    def _pace(self, cursor: ReadCursor) -> Columns:
        """Return the points of the plan's first counter, which shows reports and restarts."""
        name = _paced(cursor.plan)
        return self._columns(cursor.osd, name, _all) if name else _by_column(())

    def _fill(self, strip: DeltaStrip, cursor: ReadCursor, pace: Columns, cuts: Cuts) -> None:
        """Add the points before and after each edge, for every counter."""
        strip.add(cursor.osd, cuts)
        pick: Pick = itemgetter(*cuts.around)
        stamps, sums, numbers = map(pick, pace)
        paced = _paced(cursor.plan)
        for slot, name in cursor.plan.items():
            if name == paced:
                strip.put(slot, sums, numbers)
            else:
                strip.put(slot, *self._at_stamps(cursor.osd, name, pick, stamps))

    def _at_stamps(
        self, osd: int, name: str, pick: Pick, stamps: Sequence[float]
    ) -> tuple[Sequence[float], Sequence[float]]:
        """Return the sums and numbers at these stamps; ``pick`` takes them if none is missing."""
        try:
            found, sums, numbers = self._columns(osd, name, pick)
            if found == stamps:
                return sums, numbers
        except IndexError:
            pass
        # A report has arrived meanwhile, or this counter has fewer points: look up the stamps.
        by_stamp = {point[0]: point for point in self._counters.points(osd, name)}
        _, sums, numbers = _by_column([by_stamp.get(stamp, _NO_POINT) for stamp in stamps])
        return sums, numbers


def _all(raw: Sequence[Any]) -> Sequence[Any]:
    return raw


def _by_column(points: Sequence[Any]) -> Columns:
    if not points:
        return (), (), ()
    stamps, sums, numbers = zip(*points)
    return stamps, sums, numbers


def _paced(plan: Plan) -> Optional[str]:
    return next(iter(plan.values()), None)


def _take_pace(cursor: ReadCursor, newest: float, number: int, now: float) -> None:
    if number < cursor.number:
        cursor.restarted_at = newest
    cursor.number = number
    cursor.newest = min(newest, now)
