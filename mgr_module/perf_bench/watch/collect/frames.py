"""Reads the points that OSDs have sent since the last read, and makes frames of them.

Their growth is put into bins of equal time; a complete bin becomes a frame.

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

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import isnan
from operator import add, itemgetter, mul, sub
from statistics import median
from typing import Any, Callable, NamedTuple, Optional

from ...model.cluster import Counters, RawPoint
from ...model.finding import (
    CHECKSUM,
    CLIENT_READ,
    CLIENT_WRITE,
    COMMIT,
    FRAME_SECONDS,
    QUEUE,
    READ,
    Frame,
    Mark,
    Roster,
)

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
            return self._counters.raw(cursor.osd, name)
        return ()

    def _fill(
        self, strip: DeltaStrip, cursor: ReadCursor, paced: Sequence[RawPoint], cuts: Cuts
    ) -> None:
        """Add the points before and after each edge, for every counter."""
        strip.add(cursor.osd, cuts)
        osd, raw, columns = cursor.osd, self._counters.raw, self._counters.columns
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
        columns = self._counters.columns(name, self._counters.raw(osd, name))
        by_stamp = {point[0]: point for point in zip(*columns)}
        _, sums, numbers = zip(*[by_stamp.get(stamp, _NO_POINT) for stamp in stamps])
        return sums, numbers


def _take_pace(cursor: ReadCursor, newest: RawPoint, now: float) -> None:
    """Take note of the newest point of the plan's first counter."""
    number = newest[2] if len(newest) > 2 else 0
    if number < cursor.number:
        cursor.restarted_at = newest[0]
    cursor.number = number
    cursor.newest = min(newest[0], now)


# --- frames ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RosterState:
    """A roster, the OSDs' positions in it, and ``groups``: the positions of each cohort."""

    roster: Roster
    places: Mapping[int, int]
    groups: tuple[tuple[int, ...], ...]
    down: frozenset[int]
    # By OSD when it was made (unix seconds), of those whose metadata say it.
    created_at: Mapping[int, float] = field(default_factory=dict)


class Bin:
    """Figures by channel and position in the roster of the time when the bin was opened."""

    def __init__(self, number: int, state: RosterState) -> None:
        self.start = number * FRAME_SECONDS
        self.places = state.places
        self._roster, self._groups = state.roster, state.groups
        members = len(state.roster.members)
        self._marks = array("H", bytes(2 * members))
        size = members + 1  # and one for OSDs that are not in the roster
        self._latency = {channel: _blank(size) for channel in MEASURED}
        self._ops = {channel: _blank(size) for channel in MEASURED}
        self._bytes = {slot: _blank(size) for slot in BYTES}

    def places_of(self, osds: Sequence[int]) -> list[int]:
        """Return the positions; OSDs that came after the bin was opened get the extra one."""
        beyond = len(self._marks)
        return [self.places.get(osd, beyond) for osd in osds]

    def put_latency(
        self, channel: str, places: Sequence[int], seconds: Sequence[float], ops: Sequence[float]
    ) -> None:
        """Set the means from the total seconds and operations; NaN without operations."""
        means = [took / done if done > 0 else _NAN for took, done in zip(seconds, ops)]
        _put(self._latency[channel], places, means)
        _put(self._ops[channel], places, ops)

    def put_bytes(self, slot: str, places: Sequence[int], amounts: Sequence[float]) -> None:
        _put(self._bytes[slot], places, amounts)

    def mark(self, osds: Iterable[int], mark: Mark) -> None:
        bits = int(mark)  # an IntFlag's own | takes 5 us
        for osd in osds:
            place = self.places.get(osd)
            if place is not None:
                self._marks[place] |= bits

    def blank(self, osds: Collection[int]) -> None:
        """Remove the data of OSDs under bench, and mark the others on their hosts as disturbed."""
        members = self._roster.members
        places = [self.places[osd] for osd in osds if osd in self.places]
        hosts = {members[place].host for place in places}
        for values in self._all():
            for place in places:
                values[place] = _NAN
        self.mark(osds, Mark.BENCHED)
        if hosts:
            beside = (one.osd for one in members if one.host in hosts and one.osd not in osds)
            self.mark(beside, Mark.DISTURBED)

    def frame(self) -> Frame:
        for values in self._all():
            values.pop()  # the extra position
        known = [channel for channel, ops in self._ops.items() if not all(map(isnan, ops))]
        return Frame(
            start=self.start,
            end=self.start + FRAME_SECONDS,
            roster=self._roster,
            latency={channel: self._latency[channel] for channel in known},
            ops={channel: self._ops[channel] for channel in known},
            load=self._load(),
            marks=self._marks,
        )

    def _all(self) -> Iterable[array[float]]:
        return (*self._latency.values(), *self._ops.values(), *self._bytes.values())

    def _load(self) -> Sequence[float]:
        """Return an estimate of the bytes/s of each OSD's device.

        ``op_in_bytes`` counts at the primary only, so with primary affinity or erasure coding it
        does not show the load of a device. Transactions and reads count on the OSD that does
        them, including those of replicas, recovery and scrub. So the bytes written in a cohort
        are distributed by transactions, the bytes read by reads.
        """
        load = _blank(len(self._marks))
        for places in self._groups:
            written = _shared(self._bytes["into"], self._ops[COMMIT], places)
            read = _shared(self._bytes["out"], self._ops[READ], places)
            for place, into, out in zip(places, written, read):
                load[place] = (into + (0.0 if isnan(out) else out)) / FRAME_SECONDS
        return load


def fill(strip: DeltaStrip, bins: Sequence[Bin]) -> None:
    """Copy a strip's figures into its bins, where slots that the OSDs do not send stay NaN."""
    places = [a_bin.places_of(strip.osds) for a_bin in bins]
    for channel, (whole, part) in MEASURED.items():
        if whole not in strip.slots or (part and part not in strip.slots):
            continue
        seconds, ops = strip.sums(whole), strip.numbers(whole)
        if part:
            seconds = [_less(*row) for row in zip(seconds, strip.sums(part))]
            ops = [_where_known(*row) for row in zip(ops, seconds)]
        for a_bin, where, took, done in zip(bins, places, seconds, ops):
            a_bin.put_latency(channel, where, took, done)
    for slot in strip.slots.intersection(BYTES):
        for a_bin, where, amounts in zip(bins, places, strip.sums(slot)):
            a_bin.put_bytes(slot, where, amounts)
    recovered = strip.sums("recovery") if "recovery" in strip.slots else ()
    for a_bin, moved in zip(bins, recovered):
        a_bin.mark([osd for osd, ops in zip(strip.osds, moved) if ops > 0], Mark.RECOVERING)


def _put(values: array[float], places: Sequence[int], figures: Sequence[float]) -> None:
    for place, figure in zip(places, figures):
        values[place] = figure


def _less(whole: Sequence[float], part: Sequence[float]) -> list[float]:
    return [0.0 if rest < 0 else rest for rest in map(sub, whole, part)]


def _where_known(ops: list[float], seconds: Sequence[float]) -> list[float]:
    """Return the operations; NaN for an unknown mean."""
    if not isnan(sum(seconds)):  # the usual case
        return ops
    return [_NAN if isnan(took) else done for done, took in zip(ops, seconds)]


def _shared(
    amounts: Sequence[float], counts: Sequence[float], places: Sequence[int]
) -> list[float]:
    """Return counts times the cohort's mean amount per count; without counts the amounts."""
    amounts = list(map(amounts.__getitem__, places))
    counts = list(map(counts.__getitem__, places))
    # Of most OSDs the amounts are not read.
    known = [at for at, both in enumerate(map(add, amounts, counts)) if not isnan(both)]
    count = sum([counts[at] for at in known])
    if not count:
        return amounts
    mean = sum([amounts[at] for at in known]) / count
    return list(map(mul, counts, repeat(mean)))


def _blank(size: int) -> array[float]:
    return array("d", [_NAN]) * size
