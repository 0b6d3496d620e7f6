"""Reads the points that OSDs have sent since the last read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import itemgetter
from statistics import median
from typing import Any, Callable, Optional, Protocol, runtime_checkable

from ...ports import CounterPoint, Counters
from .channels import SLOTS, Plan
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
class Picking(Protocol):
    """Counters that pick points before they convert them: saves a fifth of a tick."""

    def picked(self, osd: int, name: str, pick: Pick) -> Sequence[CounterPoint]:
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
        self._picked = counters.picked if isinstance(counters, Picking) else self._pick_from_all
        self.stats_period = _PERIOD

    def read(self, cursors: Iterable[ReadCursor], next_bin: int, now: float) -> list[DeltaStrip]:
        """Return the bins from ``next_bin`` on that these OSDs have covered since the last read."""
        strips: dict[tuple[int, int], DeltaStrip] = {}
        spacings: list[float] = []
        for cursor in cursors:
            cursor.read_at = now
            pace = self._pace(cursor)
            if len(pace) > 1:
                spacings.append(pace[-1][0] - pace[-2][0])
            if pace:
                _take_pace(cursor, pace[-1], now)
            stamps = [point[0] for point in pace]
            cuts = cuts_of(stamps, max(cursor.next_bin, next_bin), now + _FUTURE_SECONDS)
            if cuts is None:
                continue
            cursor.next_bin = cuts.stop
            key = cuts.first, cuts.stop
            if key not in strips:
                strips[key] = DeltaStrip(*key, SLOTS)
            self._fill(strips[key], cursor, pace, cuts)
        if spacings:
            self.stats_period = median(spacings)
        return list(strips.values())

    def _pick_from_all(self, osd: int, name: str, pick: Pick) -> Sequence[CounterPoint]:
        picked: Sequence[CounterPoint] = pick(self._counters.points(osd, name))
        return picked

    def _pace(self, cursor: ReadCursor) -> Sequence[CounterPoint]:
        """Return the points of the plan's first counter, which shows reports and restarts."""
        name = _paced(cursor.plan)
        return self._counters.points(cursor.osd, name) if name else ()

    def _fill(
        self, strip: DeltaStrip, cursor: ReadCursor, pace: Sequence[CounterPoint], cuts: Cuts
    ) -> None:
        """Add the points before and after each edge, for every counter."""
        strip.add(cursor.osd, cuts)
        pick: Pick = itemgetter(*cuts.around)
        paced = _paced(cursor.plan)
        stamps, sums, numbers = zip(*pick(pace))
        for slot in SLOTS:
            name = cursor.plan.get(slot)
            if name is None:
                strip.put(slot, repeat(_NAN, len(stamps)), repeat(_NAN, len(stamps)))
            elif name == paced:
                strip.put(slot, sums, numbers)
            else:
                strip.put(slot, *self._at_stamps(cursor.osd, name, pick, stamps))

    def _at_stamps(
        self, osd: int, name: str, pick: Pick, stamps: tuple[float, ...]
    ) -> tuple[Sequence[float], Sequence[float]]:
        """Return the sums and numbers at these stamps; ``pick`` takes them if none is missing."""
        try:
            found, sums, numbers = zip(*self._picked(osd, name, pick))
            if found == stamps:
                return sums, numbers
        except IndexError:
            pass
        # A report has arrived meanwhile, or this counter has fewer points: look up the stamps.
        by_stamp = {point[0]: point for point in self._counters.points(osd, name)}
        _, sums, numbers = zip(*(by_stamp.get(stamp, _NO_POINT) for stamp in stamps))
        return sums, numbers


def _paced(plan: Plan) -> Optional[str]:
    return next(iter(plan.values()), None)


def _take_pace(cursor: ReadCursor, newest: CounterPoint, now: float) -> None:
    at, _, number = newest
    if number < cursor.number:
        cursor.restarted_at = at
    cursor.number = number
    cursor.newest = min(at, now)
