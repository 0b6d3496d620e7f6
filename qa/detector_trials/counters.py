"""Rows of cumulative counters go through the module's own collector, on a fake clock."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from perf_bench.bench.context import OsdsUnderBench
from perf_bench.model.cluster import Columns, CounterPoint, RawPoint
from perf_bench.model.finding import COMMIT, READ, Frame, Roster, Watched
from perf_bench.model.osd import Member, Osd
from perf_bench.watch.collect.collector import Collector

from .layout import PAIRS, Layout
from .spool import Row

# The counters that the pairs of a trace are recordings of.
_NAMES = {READ: "bluestore.read_lat", COMMIT: "bluestore.txc_commit_lat"}
_BYTES = "osd.op_in_bytes"
# What the mgr keeps of each counter.
_POINTS = 20
_TICK = 5.0
# After the last row before a gap the collector still hands out what it holds; a stretched
# period of reports is no gap.
_LINGER = 300.0


def counted_frames(rows: Iterable[Row], layout: Layout, roster: Roster) -> Iterator[Frame]:
    """What the collector makes of the rows when it ticks every 5 s as they come in."""
    clock = _Clock()
    counters = _Recorded(layout, len(roster.members))
    collector: Collector | None = None
    upcoming = iter(rows)
    row = next(upcoming, None)
    last = -_LINGER
    while row is not None or clock.time < last + _LINGER:
        if row is not None and clock.time + _TICK < row[0] and clock.time >= last + _LINGER:
            clock.time = row[0] - _TICK  # over a gap
        clock.time += _TICK
        while row is not None and row[0] <= clock.time:
            counters.take(row)
            last = row[0]
            row = next(upcoming, None)
        if collector is None:
            collector = Collector(counters, _Standing(roster), clock, OsdsUnderBench())
        yield from collector.tick()


class _Clock:
    """It stands where the rows are."""

    def __init__(self) -> None:
        self.time = -_LINGER

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


class _Standing:
    """The trace's OSDs, all up all the time."""

    def __init__(self, roster: Roster) -> None:
        self._members = tuple(map(_member, roster.members))

    def members(self, max_age: float = 0.0) -> Sequence[Member]:  # noqa: ARG002 - the port's
        return self._members


def _member(watched: Watched) -> Member:
    places = {"rack": watched.rack, "enclosure": watched.enclosure}
    osd = Osd(
        id=watched.osd,
        host=watched.host,
        device_class=watched.cohort,
        data_device=watched.device,
        location={kind: place for kind, place in places.items() if place},
    )
    return Member(osd)


class _Recorded:
    """The Counters port over recorded rows: what came in so far, the newest 20 of each."""

    def __init__(self, layout: Layout, members: int) -> None:
        names = list(layout.values)
        # By the module's name of a counter: where in a row its total and its number stand.
        self._at: dict[str, tuple[int, int | None]] = {
            _NAMES[channel]: (names.index(total), names.index(count))
            for channel, (total, count) in PAIRS.items()
            if total in names
        }
        if "bytes" in names:
            self._at[_BYTES] = (names.index("bytes"), None)
        self._points: list[dict[str, deque[CounterPoint]]] = [
            {name: deque(maxlen=_POINTS) for name in self._at} for _ in range(members)
        ]

    def take(self, row: Row) -> None:
        at, member, numbers = row
        for name, (total, count) in self._at.items():
            value = numbers[total]
            number = 0.0 if count is None else numbers[count]
            if not (math.isnan(value) or math.isnan(number)):  # an empty cell is no point
                self._points[member][name].append((at, value, int(number)))

    def names(self, osd: int) -> frozenset[str]:  # noqa: ARG002 - all have the trace's columns
        return frozenset(self._at)

    def raw(self, osd: int, name: str) -> Sequence[CounterPoint]:
        return tuple(self._points[osd][name])

    def columns(self, _name: str, raw: Sequence[RawPoint]) -> Columns:
        stamps, sums, numbers = zip(*raw) if raw else ((), (), ())
        return stamps, sums, numbers
