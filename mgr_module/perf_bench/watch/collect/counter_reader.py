"""Reads the points that OSDs have sent since the last read, as growth in bins of equal time.

The mgr stamps every point on arrival, and its clock may step. A counter is assumed to grow evenly
between two points: a delta over several bins (with a busy mgr reports are 20 s apart and more) is
divided between them. The OSDs of a read nearly always fill the same bins. Their points are in flat
lists, so that ``map`` does the arithmetic: 40 ns per figure instead of 200.

The counters of each channel, for every release:

| channel | counters |
| --- | --- |
| commit | ``bluestore.txc_commit_lat``; on 16 ``bluestore.commit_lat`` |
| read | ``bluestore.read_lat`` |
| queue | ``osd.op_latency`` less ``osd.op_process_latency``: both count the same operations |
| client_read | ``osd.op_r_latency`` |
| client_write | ``osd.op_w_latency`` |
| checksum | ``bluestore.csum_lat``; not on 16 |
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import add, itemgetter, mul, sub
from statistics import median
from typing import Any, Callable, NamedTuple, Optional, Protocol, runtime_checkable

from ...model.cluster import Columns, Counters, RawPoint
from ...model.frame import CHECKSUM, CLIENT_READ, CLIENT_WRITE, COMMIT, FRAME_SECONDS, QUEUE, READ

# The slots that are read of an OSD, with the names of their counters in the releases. Slots that
# also grow on idle OSDs come first: the first one of a plan shows reports and restarts.
SLOTS: dict[str, tuple[str, ...]] = {
    "commit": ("bluestore.txc_commit_lat", "bluestore.commit_lat"),
    "read": ("bluestore.read_lat",),
    "whole": ("osd.op_latency",),
    "process": ("osd.op_process_latency",),
    "client_read": ("osd.op_r_latency",),
    "client_write": ("osd.op_w_latency",),
    "checksum": ("bluestore.csum_lat",),
    "into": ("osd.op_in_bytes",),
    "out": ("osd.op_out_bytes",),
    "recovery": ("osd.recovery_ops",),
}
BYTES = ("into", "out")
# Channel -> the slot whose mean it is, and the slot whose sum is subtracted first.
MEASURED: dict[str, tuple[str, Optional[str]]] = {
    COMMIT: ("commit", None),
    READ: ("read", None),
    QUEUE: ("whole", "process"),
    CLIENT_READ: ("client_read", None),
    CLIENT_WRITE: ("client_write", None),
    CHECKSUM: ("checksum", None),
}

# By slot the counter's name on an OSD. Slots that the OSD does not send are left out, because the
# mgr would return 0 for them.
Plan = dict[str, str]


def plan_for(names: Collection[str]) -> Plan:
    """Return the plan for an OSD that sends these counters; empty if it sends none of them."""
    found: Plan = {}
    for slot, known in SLOTS.items():
        for name in known:
            if name in names:
                found.setdefault(slot, name)
    return found


def without_bytes(plan: Plan) -> Plan:
    """Return the plan without the counters of bytes."""
    return {slot: name for slot, name in plan.items() if slot not in BYTES}


_NAN = float("nan")
# Reports further apart than this (seconds) are an outage or a step of the clock.
_GAP = 300.0


class Cuts(NamedTuple):
    """The bins from ``first`` up to ``stop``, and the positions of their edges.

    ``around`` has for each edge the indexes of the points before and after it, counted from the
    newest (-1); ``shares`` the position of the edge between the two, 0 to 1.
    """

    first: int
    stop: int
    around: tuple[int, ...]
    shares: tuple[float, ...]


def bin_at(moment: float) -> int:
    """Return the number of the bin that contains this moment (unix seconds)."""
    return int(moment // FRAME_SECONDS)


def usable(times: Sequence[float], latest: float) -> tuple[int, int]:
    """Return the range of the newest stamps that only grow and are no later than ``latest``.

    After the clock stepped back, points before the step have stamps in the future. After it
    stepped far ahead, the delta over the step cannot be assigned to bins.
    """
    stop = len(times)
    if times and times[-1] <= latest and times[-1] - times[0] <= _GAP and _grows(times):
        return 0, stop  # the usual case
    while stop and times[stop - 1] > latest:
        stop -= 1
    start = max(0, stop - 1)
    while start and 0 <= times[start] - times[start - 1] <= _GAP:
        start -= 1
    return start, stop


def cuts_of(times: Sequence[float], next_bin: int, latest: float) -> Optional[Cuts]:
    """Return the bins from ``next_bin`` on that points with these stamps cover completely."""
    start, stop = usable(times, latest)
    if stop - start < 2:
        return None
    # The first edge not before the first point, and the last not after the last.
    first = max(next_bin, -bin_at(-times[start]))
    last = bin_at(times[stop - 1])
    if last <= first:
        return None
    around: list[int] = []
    shares: list[float] = []
    after = start + 1
    for number in range(first, last + 1):
        edge = number * FRAME_SECONDS
        after = bisect_left(times, edge, after, stop)
        before = times[after - 1]
        around += (after - 1 - len(times), after - len(times))
        # Two points can have the same stamp.
        shares.append((edge - before) / (times[after] - before) if edge > before else 0.0)
    return Cuts(first, last, tuple(around), tuple(shares))


def _grows(times: Sequence[float]) -> bool:
    return sorted(times) == list(times)  # a fourth of the time of comparing one by one


# By bin the figure of each OSD, in their order; NaN if unknown.
Table = list[list[float]]


class DeltaStrip:
    """The bins from ``first`` up to ``stop`` of OSDs that send the same ``slots``."""

    def __init__(self, first: int, stop: int, slots: Iterable[str]) -> None:
        self.first = first
        self.stop = stop
        self.slots = frozenset(slots)
        self.osds: list[int] = []
        self._shares: list[float] = []
        # Numbers instead of points: thousands of tuples would trigger the garbage collector.
        self._sums: dict[str, list[float]] = {slot: [] for slot in self.slots}
        self._numbers: dict[str, list[float]] = {slot: [] for slot in self.slots}

    def add(self, osd: int, cuts: Cuts) -> None:
        """Add an OSD; ``put`` adds its points afterwards, slot by slot."""
        self.osds.append(osd)
        self._shares += cuts.shares

    def put(self, slot: str, sums: Iterable[float], numbers: Iterable[float]) -> None:
        """Add the points before and after each edge, of the OSD that was added last."""
        self._sums[slot] += sums
        self._numbers[slot] += numbers

    def sums(self, slot: str) -> Table:
        """Return the growth of the counter's sum (or value); NaN if it fell after a restart."""
        return self._growths(self._sums[slot])

    def numbers(self, slot: str) -> Table:
        """Return the growth of the number of operations; NaN if it fell."""
        return self._growths(self._numbers[slot])

    def _growths(self, values: Sequence[float]) -> Table:
        before, after = values[0::2], values[1::2]
        steps = list(map(sub, after, before))
        _void(steps)
        edges = list(map(add, before, map(mul, self._shares, steps)))
        width = self.stop - self.first + 1
        table = []
        for number in range(width - 1):
            grown = list(map(sub, edges[number + 1 :: width], edges[number::width]))
            _void(grown)
            table.append(grown)
        return table


def _void(growths: list[float]) -> None:
    """Replace negative values by NaN in place; there are hardly ever any."""
    # A NaN at the beginning is its minimum, which is not >= 0; one elsewhere hides no other value.
    if growths and not min(growths) >= 0:
        growths[:] = [_NAN if growth < 0 else growth for growth in growths]


_PERIOD = 5.0
# The mgr stamps points on arrival, so none is in the future but for the time between two reads of
# the clock.
_FUTURE_SECONDS = 1.0

# OSDs whose points are in memory at once. Those of about this many stay in a processor's own cache:
# with 2,000 at once a tick took a fifth more CPU.
_AT_ONCE = 128

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
