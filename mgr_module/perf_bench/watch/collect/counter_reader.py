"""Read what OSDs have sent since they were read last."""

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
# The mgr stamps points as they arrive, so none is of a time to come; clocks are read twice.
_FUTURE_SECONDS = 1.0

_NAN = float("nan")
_NO_POINT = (_NAN, _NAN, _NAN)

Pick = Callable[[Sequence[Any]], Sequence[Any]]


@runtime_checkable
class Picking(Protocol):
    """Counters that can pick before they convert: that is worth a fifth of a tick."""

    def picked(self, osd: int, name: str, pick: Pick) -> Sequence[CounterPoint]:
        """Those of ``points`` that ``pick`` takes; raises IndexError where it does."""


class ReadCursor:
    """How far one OSD has been read. Times are unix seconds, by the mgr's clock."""

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
    """Points → strips. ``stats_period`` is how far apart reports were of late, in seconds."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._picked = counters.picked if isinstance(counters, Picking) else self._pick_from_all
        self.stats_period = _PERIOD

    def read(self, tracks: Iterable[ReadCursor], next_bin: int, now: float) -> list[DeltaStrip]:
        """The bins that these OSDs cover since they were read last, ``next_bin`` and later."""
        strips: dict[tuple[int, int], DeltaStrip] = {}
        spacings: list[float] = []
        for track in tracks:
            track.read_at = now
            pace = self._pace(track)
            if len(pace) > 1:
                spacings.append(pace[-1][0] - pace[-2][0])
            if pace:
                _take_pace(track, pace[-1], now)
            stamps = [point[0] for point in pace]
            cuts = cuts_of(stamps, max(track.next_bin, next_bin), now + _FUTURE_SECONDS)
            if cuts is None:
                continue
            track.next_bin = cuts.stop
            key = cuts.first, cuts.stop
            if key not in strips:
                strips[key] = DeltaStrip(*key, SLOTS)
            self._fill(strips[key], track, pace, cuts)
        if spacings:
            self.stats_period = median(spacings)
        return list(strips.values())

    def _pick_from_all(self, osd: int, name: str, pick: Pick) -> Sequence[CounterPoint]:
        picked: Sequence[CounterPoint] = pick(self._counters.points(osd, name))
        return picked

    def _pace(self, track: ReadCursor) -> Sequence[CounterPoint]:
        """The counter whose stamps and growth tell of reports and restarts: the plan's first."""
        name = _paced(track.plan)
        return self._counters.points(track.osd, name) if name else ()

    def _fill(
        self, strip: DeltaStrip, track: ReadCursor, pace: Sequence[CounterPoint], cuts: Cuts
    ) -> None:
        """Put in what every counter says around each edge."""
        strip.add(track.osd, cuts)
        pick: Pick = itemgetter(*cuts.around)
        paced = _paced(track.plan)
        stamps, sums, numbers = zip(*pick(pace))
        for slot in SLOTS:
            name = track.plan.get(slot)
            if name is None:
                strip.put(slot, repeat(_NAN, len(stamps)), repeat(_NAN, len(stamps)))
            elif name == paced:
                strip.put(slot, sums, numbers)
            else:
                strip.put(slot, *self._context(track.osd, name, pick, stamps))

    def _context(
        self, osd: int, name: str, pick: Pick, stamps: tuple[float, ...]
    ) -> tuple[Sequence[float], Sequence[float]]:
        """The sums and numbers at these stamps, which lie where ``pick`` takes them."""
        try:
            found, sums, numbers = zip(*self._picked(osd, name, pick))
            if found == stamps:
                return sums, numbers
        except IndexError:
            pass
        # A report came in meanwhile, or this counter has not been sent for as long.
        by_stamp = {point[0]: point for point in self._counters.points(osd, name)}
        _, sums, numbers = zip(*(by_stamp.get(stamp, _NO_POINT) for stamp in stamps))
        return sums, numbers


def _paced(plan: Plan) -> Optional[str]:
    return next(iter(plan.values()), None)


def _take_pace(track: ReadCursor, newest: CounterPoint, now: float) -> None:
    at, _, number = newest
    if number < track.number:
        track.restarted_at = at
    track.number = number
    track.newest = min(at, now)
