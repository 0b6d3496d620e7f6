"""Rows of means become frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from perf_bench.model.finding import FRAME_SECONDS, Frame, Roster

from .layout import Layout
from .spool import Row

# Rules count minutes: a longer span is handed out as so many of them.
_LONGEST = 60.0


def frames(
    rows: Iterable[Row], layout: Layout, roster: Roster, seconds: float = FRAME_SECONDS
) -> Iterator[Frame]:
    """One frame for each span of ``seconds`` that has a row; the rows come by time."""
    current, filling = -1, _Filling(layout, roster)
    for at, member, numbers in rows:
        number = int(at // seconds)
        if number != current:
            if current >= 0:
                yield from _parts(filling.frame(current * seconds, (current + 1) * seconds))
            current, filling = number, _Filling(layout, roster)
        filling.put(member, numbers)
    if current >= 0:
        yield from _parts(filling.frame(current * seconds, (current + 1) * seconds))


def _parts(frame: Frame) -> Iterator[Frame]:
    """The frame, or its minutes with the same means."""
    count = math.ceil((frame.end - frame.start) / _LONGEST)
    if count == 1:
        yield frame
        return
    ops = {name: [value / count for value in values] for name, values in frame.ops.items()}
    seconds = (frame.end - frame.start) / count
    for part in range(count):
        start = frame.start + part * seconds
        yield replace(frame, start=start, end=start + seconds, ops=ops)


class _Filling:
    """One frame while its rows come; several rows of one OSD are joined into one figure."""

    def __init__(self, layout: Layout, roster: Roster) -> None:
        count = len(roster.members)
        self._roster = roster
        self._names = tuple(layout.values)
        self._columns = [[math.nan] * count for _ in self._names]
        self._marks = [0] * count
        self._marked = layout.marks is not None
        self._rows = [0] * count

    def put(self, member: int, numbers: Sequence[float]) -> None:
        if self._marked:
            self._marks[member] |= int(numbers[-1])
        if self._rows[member]:
            numbers = self._joined(member, numbers)
        for column, value in zip(self._columns, numbers):
            column[member] = value
        self._rows[member] += 1

    def _joined(self, member: int, numbers: Sequence[float]) -> list[float]:
        """What is there with one more row: operations add up and weigh the latencies."""
        rows = self._rows[member]
        before = {name: column[member] for name, column in zip(self._names, self._columns)}
        after = dict(zip(self._names, numbers))
        joined = {}
        for name in self._names:
            kind, _, channel = name.partition(":")
            old, new = before[name], after[name]
            if kind == "ops":
                joined[name] = _sum(old, new)
            else:
                ops = f"ops:{channel}"
                weights = before.get(ops, math.nan), after.get(ops, math.nan)
                known = kind == "latency" and sum(weights) > 0
                joined[name] = _mean(old, new, *(weights if known else (rows, 1)))
        return list(joined.values())

    def frame(self, start: float, end: float) -> Frame:
        columns = dict(zip(self._names, self._columns))
        nothing = [math.nan] * len(self._marks)
        latency = {
            name.partition(":")[2]: [value or math.nan for value in column]
            for name, column in columns.items()
            if name.startswith("latency:")
        }
        ops = {channel: columns.get(f"ops:{channel}", nothing) for channel in latency}
        return Frame(start, end, self._roster, latency, ops, columns["throughput"], self._marks)


def _mean(old: float, new: float, old_weight: float, new_weight: float) -> float:
    """The weighted mean of those of the two that are known."""
    if math.isnan(old) or math.isnan(new):
        return _sum(old, new)
    return (old * old_weight + new * new_weight) / (old_weight + new_weight)


def _sum(old: float, new: float) -> float:
    if math.isnan(old) or math.isnan(new):
        return new if math.isnan(old) else old
    return old + new
