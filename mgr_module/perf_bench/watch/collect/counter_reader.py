"""Reads the points that OSDs have sent since the last read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from statistics import median
from typing import Any, Callable, Optional, Protocol, runtime_checkable

from ...model.cluster import Columns, Counters, RawPoint
from .channels import Plan
from .deltas import DeltaStrip
from .interpolation import Cuts, cuts_of

_PERIOD = 5.0
# The mgr stamps points on arrival, so none is in the future but for the time between two reads of
# the clock.
_FUTURE_SECONDS = 1.0

# OSDs whose points are in memory at once. Those of about this many stay in a processor's own cache:
# with 2,000 at once a tick took a fifth more CPU.
_AT_ONCE = 128

_NAN = float("nan")
_NO_POINT = (_NAN, _NAN, _NAN)


@runtime_checkable
class RawCounters(Protocol):
    """Counters whose points can be chosen before they are converted: most are not needed."""

    def raw(self, osd: int, name: str) -> Sequence[RawPoint]:
        """Return the ``points`` of a counter, not converted; each begins with its stamp."""

    def columns(self, name: str, raw: Sequence[RawPoint]) -> Columns:
        """Convert raw points of a counter."""


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
        self._raw: Callable[[int, str], Sequence[RawPoint]] = counters.points
        self._columns: Callable[[str, Sequence[RawPoint]], Columns] = _columns_of_points
        if isinstance(counters, RawCounters):
            self._raw, self._columns = counters.raw, counters.columns
        self.stats_period = _PERIOD

    def read(
        self, cursors: Sequence[ReadCursor], next_bin: int, now: float
    ) -> Iterator[DeltaStrip]:
        """Yield the bins from ``next_bin`` on that these OSDs have covered since the last read.

        A strip is read when it is asked for, ``stats_period`` is known after the last one.
        """
        spacings: list[float] = []
        for begin in range(0, len(cursors), _AT_ONCE):
            some = cursors[begin : begin + _AT_ONCE]
            yield from self._strips(some, next_bin, now, spacings)
        if spacings:
            self.stats_period = median(spacings)

    def _strips(
        self, cursors: Iterable[ReadCursor], next_bin: int, now: float, spacings: list[float]
    ) -> Iterable[DeltaStrip]:
        """Return the strips of some OSDs, and add the seconds between their two newest reports."""
        strips: dict[tuple[int, int, tuple[str, ...]], DeltaStrip] = {}
        for cursor in cursors:
            cursor.read_at = now
            paced = self._paced(cursor)
            if not paced:
                continue
            stamps = [point[0] for point in paced]
            if len(stamps) > 1:
                spacings.append(stamps[-1] - stamps[-2])
            _take_pace(cursor, paced[-1], now)
            cuts = cuts_of(stamps, max(cursor.next_bin, next_bin), now + _FUTURE_SECONDS)
            if cuts is None:
                continue
            cursor.next_bin = cuts.stop
            key = cuts.first, cuts.stop, tuple(cursor.plan)
            if key not in strips:
                strips[key] = DeltaStrip(*key)
            self._fill(strips[key], cursor, paced, cuts)
        return strips.values()

    def _paced(self, cursor: ReadCursor) -> Sequence[RawPoint]:
        """Return the points of the plan's first counter, which shows reports and restarts."""
        for name in cursor.plan.values():
            return self._raw(cursor.osd, name)
        return ()

    def _fill(
        self, strip: DeltaStrip, cursor: ReadCursor, paced: Sequence[RawPoint], cuts: Cuts
    ) -> None:
        """Add the points before and after each edge, for every counter."""
        strip.add(cursor.osd, cuts)
        osd, raw, columns = cursor.osd, self._raw, self._columns
        pick: Callable[[Sequence[Any]], Sequence[Any]] = itemgetter(*cuts.around)
        others = iter(cursor.plan.items())
        slot, name = next(others)
        numbers: Sequence[float]
        stamps, sums, numbers = columns(name, pick(paced))
        strip.put(slot, sums, numbers)
        for slot, name in others:
            try:
                found, sums, numbers = columns(name, pick(raw(osd, name)))
            except IndexError:  # this counter has fewer points
                found = ()
            if found != stamps:  # or a report has arrived meanwhile
                sums, numbers = self._at_stamps(osd, name, stamps)
            strip.put(slot, sums, numbers)

    def _at_stamps(
        self, osd: int, name: str, stamps: Sequence[float]
    ) -> tuple[Sequence[float], Sequence[float]]:
        """Return the sums and numbers at these stamps; NaN for those that are not there."""
        by_stamp = {point[0]: point for point in self._counters.points(osd, name)}
        _, sums, numbers = zip(*[by_stamp.get(stamp, _NO_POINT) for stamp in stamps])
        return sums, numbers


def _columns_of_points(_name: str, points: Sequence[RawPoint]) -> Columns:
    stamps, sums, numbers = zip(*points)
    return stamps, sums, numbers


def _take_pace(cursor: ReadCursor, newest: RawPoint, now: float) -> None:
    """Take note of the newest point of the plan's first counter."""
    number = newest[2] if len(newest) > 2 else 0
    if number < cursor.number:
        cursor.restarted_at = newest[0]
    cursor.number = number
    cursor.newest = min(newest[0], now)
