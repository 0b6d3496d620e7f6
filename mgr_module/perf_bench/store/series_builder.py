"""Makes the minutes in memory and the rows for the database from frames."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from itertools import chain, islice
from typing import Optional

from ..model.finding import CHECKSUM, Frame, Mark, Roster
from ..model.history import (
    CHUNK,
    FIVE_MINUTES,
    LOAD,
    MINUTE,
    BandPoint,
    Compared,
    SeriesPoint,
    SpanRow,
)
from .cluster_spans import MINUTES, ClusterSpanBuilder, Five
from .encoding import Block, Columns, PeerHistogram, SpanTotals, cohorts_of, columns_of, point
from .series import SERIES, band
from .spans import floor

_NAN = float("nan")
_NO_OPS = array("I")
_BENCHED = int(Mark.BENCHED)  # an IntFlag makes "&" 20 times slower
# Maximum bytes of minutes in memory. With the sums of the current five minutes (8 MB for 10,000
# OSDs) this is 45 MB. Up to 8,500 OSDs with five channels and the load have three hours; more have
# fewer minutes.
BUDGET = 37_000_000
# For each multiple of so many waiting frames a tick takes one more.
_BACKLOG = 6


class SeriesBuilder:
    """Takes frames in order of time, on one thread; ``series`` is thread-safe.

    A minute is kept in memory and goes into its five minutes; five minutes become rows, which wait
    until they are taken. Other OSDs, or a clock that was set back, end both early: the rest of the
    five minutes becomes another row.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        # The start and the figures of each, without operations and bins; oldest first.
        self._minutes: deque[tuple[int, Block]] = deque()
        self.cluster = ClusterSpanBuilder()
        self._frames: deque[Frame] = deque()
        self._roster: Optional[Roster] = None
        self._osds: array[int] = array("l")
        self._cohorts: list[list[int]] = []
        self._minute: Optional[int] = None
        self._minute_sums: dict[str, SpanTotals] = {}
        self._since = 0
        self._sums: dict[str, SpanTotals] = {}
        self._standing: dict[str, PeerHistogram] = {}
        self._closed: deque[tuple[int, Iterator[SpanRow]]] = deque()

    def feed(self, frame: Frame) -> None:
        """Put a frame in the queue."""
        self._frames.append(frame)

    def step(self, all_: bool = False) -> None:
        """Process one frame, more if many wait; with ``all_`` all of them.

        A frame of 10,000 OSDs with five channels takes 17 ms, and 20 ms more at the end of a
        minute. With so many OSDs the collector returns four frames at once, so each tick takes one.
        """
        for _ in range(len(self._frames) if all_ else 1 + len(self._frames) // _BACKLOG):
            if self._frames:
                self._take_in(self._frames.popleft())

    def _take_in(self, frame: Frame) -> None:
        minute = floor(frame.start, MINUTE)
        if frame.roster is not self._roster:
            osds = array("l", [member.osd for member in frame.roster.members])
            if osds != self._osds:
                self._end()
                self._osds = osds
            self._roster, self._cohorts = frame.roster, cohorts_of(frame.roster)
        if minute != self._minute:
            self._turn(minute)
            self._minute = minute
        if not self._sums and not self._minute_sums:
            self._since = math.floor(frame.start)
        self._add(frame)
        self.cluster.frame(frame)

    def series(self, osd: int, channel: str, begin: float, end: float) -> list[SeriesPoint]:
        """Return the complete minutes in memory with data that start in ``begin`` … ``end``."""
        minutes = self._between(begin, end)
        points = (point(block, osd, channel, start, MINUTE) for start, block in minutes)
        return list({one.start: one for one in points if one is not None}.values())

    @property
    def newest(self) -> Optional[Block]:
        """The figures of the newest complete minute."""
        return self._minutes[-1][1] if self._minutes else None

    def band(self, of: Compared, begin: float, end: float) -> list[BandPoint]:
        """Return the complete minutes in memory with the band of the peers."""
        return band(self._between(begin, end), MINUTE, of)

    def _between(self, begin: float, end: float) -> list[tuple[int, Block]]:
        # A copy: the watch's thread adds minutes meanwhile.
        found = [minute for minute in tuple(self._minutes) if begin <= minute[0] < end]
        return sorted(found, key=lambda minute: minute[0])

    def _keep(self, start: int, block: Block) -> None:
        """Add a minute, or the part of one since the OSDs changed; drop the oldest."""
        self._minutes.append((start, block))
        size = sum(2 * one.mean.itemsize * len(one.mean) for one in block.channels.values())
        most = min(MINUTES, self._budget // max(1, size))
        while len(self._minutes) > max(1, most):
            self._minutes.popleft()

    def take(self, limit: int) -> list[SpanRow]:
        """Return up to ``limit`` rows of ended five minutes, each once. A row takes 0.5 ms."""
        rows: list[SpanRow] = []
        while self._closed and len(rows) < limit:
            rows += islice(self._closed[0][1], limit - len(rows))
            if len(rows) < limit:
                self._closed.popleft()
        return rows

    @property
    def settled(self) -> Optional[float]:
        """The time (unix seconds) before which all rows were taken; None without frames."""
        if self._closed:
            return self._closed[0][0]
        return None if self._minute is None else floor(self._minute, FIVE_MINUTES)

    def close(self) -> None:
        """End the current minute and five minutes, so that their rows can be taken."""
        self.step(all_=True)
        self._end()

    def _end(self) -> None:
        self._end_minute()
        self._end_five()
        self._minute = None

    def _turn(self, minute: int) -> None:
        """End the minute before, and its five minutes unless ``minute`` is in them."""
        if self._minute is None:
            return
        self._end_minute()
        back = minute < self._minute
        if back or floor(minute, FIVE_MINUTES) != floor(self._minute, FIVE_MINUTES):
            self._end_five()

    def _add(self, frame: Frame) -> None:
        hidden = any(mark & _BENCHED for mark in frame.marks)
        size = len(self._osds)
        for channel, means in {**frame.latency, LOAD: frame.load}.items():
            if channel == CHECKSUM:
                continue
            values = means
            if hidden:
                pairs = zip(means, frame.marks)
                values = [_NAN if mark & _BENCHED else mean for mean, mark in pairs]
            if channel not in self._minute_sums:
                self._minute_sums[channel] = SpanTotals(size)
            if channel not in self._standing:
                self._standing[channel] = PeerHistogram(size, compared=channel != LOAD)
            self._minute_sums[channel].add(values, frame.ops.get(channel))
            self._standing[channel].add(values, () if channel == LOAD else self._cohorts)

    def _end_minute(self) -> None:
        if self._minute is None or self._roster is None or not self._minute_sums:
            return
        columns = {
            channel: Columns(sums.means(), sums.peaks(), _NO_OPS, ())
            for channel, sums in self._minute_sums.items()
        }
        block = Block(self._osds, columns)
        self._keep(self._minute, block)
        self.cluster.minute(self._minute, block, self._roster)
        for channel, sums in self._minute_sums.items():
            if channel not in self._sums:
                self._sums[channel] = SpanTotals(len(self._osds))
            self._sums[channel].take(sums)
        self._minute_sums = {}

    def _end_five(self) -> None:
        if self._minute is None or not self._sums:
            return
        start = floor(self._minute, FIVE_MINUTES)
        five = Five(start, self._since, self._osds, self._sums, self._standing)
        self._closed.append((start, chain((self.cluster.five(five),), _rows(five))))
        self._sums, self._standing = {}, {}


def _rows(of: Five) -> Iterator[SpanRow]:
    """Yield the rows of the chunks with data, each made when it is taken."""
    begin, osds = 0, of.osds
    while begin < len(osds):
        chunk = osds[begin] // CHUNK
        end = bisect_left(osds, (chunk + 1) * CHUNK)
        part = slice(begin, end)
        columns = {name: columns_of(one, of.standing[name], part) for name, one in of.sums.items()}
        there = {name: one for name, one in columns.items() if any(map(any, one.bins))}
        if there:
            yield SERIES.row(FIVE_MINUTES, chunk, of.start, of.since, Block(osds[part], there))
        begin = end
