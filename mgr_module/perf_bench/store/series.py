"""The series of OSDs: minutes in memory, spans in the database; of one OSD, peers, cohorts."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, Optional

from ..model.finding import FRAME_SECONDS
from ..model.history import (
    CHUNK,
    DAY,
    FIVE_MINUTES,
    HOUR,
    LEAST_OSDS,
    LOAD,
    MINUTE,
    RATIO_EDGES,
    SAMPLED_OSDS,
    SPAN_CHANNELS,
    SPAN_LOADS,
    BandPoint,
    CohortSpan,
    Compared,
    SeriesPoint,
    band_point,
)
from ..model.statistics import median
from . import spans
from .encoding import UNKNOWN, Block, Columns, merge, pack, point, unpack, widen
from .spans import Period, Table

SERIES: spans.Kind[Block] = spans.Kind(
    "series", (FIVE_MINUTES, HOUR, DAY), pack, unpack, lambda _start, _level, parts: merge(parts)
)
# An OSD counts in a span that it has data of a quarter of, and so many operations.
_LEAST_SHARE = 0.25
_LEAST_OPS = 100
# The first bin of frames that stand out against the peers.
_OUT = RATIO_EDGES.index(1.2) + 2
# Smaller means are zero, and no latency.
_PLAUSIBLE = 1e-9
# Three hours, which operators look at first.
MINUTES = 180
# Maximum bytes. With the sums of the current five minutes (8 MB for 10,000 OSDs) this is 45 MB. Up
# to 8,500 OSDs with five channels and the load have three hours; with more the rings are shorter.
BUDGET = 37_000_000
_READ = tuple(dict.fromkeys((*SPAN_CHANNELS, *SPAN_LOADS)))


# --- the last hours in memory ------------------------------------------------------------------


class Minute(NamedTuple):
    """One minute of all OSDs; its columns have no operations and no bins."""

    start: int
    block: Block

    @property
    def bytes(self) -> int:
        return sum(2 * one.mean.itemsize * len(one.mean) for one in self.block.channels.values())


class MinuteRing:
    """A ring of minutes, oldest first; the oldest are dropped beyond the limits."""

    def __init__(self, minutes: int = MINUTES, budget: int = BUDGET) -> None:
        self._limit = minutes
        self._budget = budget
        self._minutes: deque[Minute] = deque()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._minutes)

    @property
    def newest(self) -> Optional[Minute]:
        return self._minutes[-1] if self._minutes else None

    def put(self, minute: Minute) -> None:
        """Add a minute, or the part of one since the OSDs changed."""
        self._minutes.append(minute)
        self.bytes += minute.bytes
        while len(self._minutes) > self._limit or (
            self.bytes > self._budget and len(self._minutes) > 1
        ):
            self.bytes -= self._minutes.popleft().bytes

    def between(self, begin: float, end: float) -> list[Minute]:
        """Return the minutes that start in ``begin`` … ``end``, in order."""
        # A copy: the watch's thread adds minutes meanwhile.
        found = [minute for minute in tuple(self._minutes) if begin <= minute.start < end]
        return sorted(found, key=lambda minute: minute.start)

    def series(self, osd: int, channel: str, begin: float, end: float) -> list[SeriesPoint]:
        """Return an OSD's minutes with data that start in ``begin`` … ``end``, each once."""
        minutes = self.between(begin, end)
        points = (point(block, osd, channel, start, MINUTE) for start, block in minutes)
        return list({one.start: one for one in points if one is not None}.values())


def by_osd(minute: Minute, channels: Iterable[str]) -> dict[str, dict[int, float]]:
    """Return the means of one minute by channel and OSD, without those that have no data."""
    found = {}
    for channel in channels:
        columns = minute.block.channels.get(channel)
        if columns is not None:
            values = zip(minute.block.osds, widen(columns.mean))
            found[channel] = {osd: mean for osd, mean in values if mean == mean}  # noqa: PLR0124
    return found


# --- spans in the database ---------------------------------------------------------------------


def read(
    table: Table, osd: int, channels: Collection[str], period: Period
) -> dict[str, list[SeriesPoint]]:
    """Return an OSD's points with data by channel, in order."""
    found: dict[str, list[SeriesPoint]] = {channel: [] for channel in channels}
    for start, block in blocks(table, osd // CHUNK, channels, period):
        for channel, points in found.items():
            one = point(block, osd, channel, start, period.level)
            if one is not None:
                points.append(one)
    return found


def blocks(
    table: Table, chunk: int, channels: Collection[str], period: Period
) -> list[tuple[int, Block]]:
    """Return the start and the block of each span of a chunk, with these channels."""

    def some(data: Any, key: int) -> Block:
        return unpack(data, key, channels)

    return spans.read(table, SERIES, chunk, period, some)


# --- with the band of the peers --------------------------------------------------------------


def band(spans: Iterable[tuple[int, Block]], level: int, of: Compared) -> list[BandPoint]:
    """Return the points of these spans, in order; a span may have several parts."""
    wanted = {*of.own, *of.peers}
    by_start: dict[int, dict[int, float]] = {}
    osds: Sequence[int] = ()
    places: list[int] = []
    for start, block in spans:
        if block.osds is not osds:  # minutes have the same ones
            osds = block.osds
            places = [place for place, osd in enumerate(osds) if osd in wanted]
        columns = block.channels.get(of.channel)
        if columns is not None:
            means = widen(array("H", [columns.mean[place] for place in places]))
            values = zip([osds[place] for place in places], means)
            known = {osd: mean for osd, mean in values if mean == mean}  # noqa: PLR0124
            by_start.setdefault(start, {}).update(known)
    points = (band_point(start, level, values, of) for start, values in sorted(by_start.items()))
    return [one for one in points if one is not None]


def stored_band(table: Table, of: Compared, period: Period) -> list[BandPoint]:
    """Return the points of a period."""
    chunks = sorted({osd // CHUNK for osd in (*of.own, *of.peers)})
    read_ = (blocks(table, chunk, (of.channel,), period) for chunk in chunks)
    return band(chain.from_iterable(read_), period.level, of)


# --- whole cohorts ---------------------------------------------------------------------------


class _Own(NamedTuple):
    """One OSD in one channel over a span; ``ops`` is None if unknown."""

    osd: int
    mean: float
    ops: Optional[int]
    frames: int
    stands_out: bool


def cohorts(
    table: Table, members: Sequence[Collection[int]], period: Period
) -> list[list[CohortSpan]]:
    """Return by cohort the spans of a period, in order.

    A channel is unknown in a span in which fewer than half of the OSDs that were read have data.
    OSDs that stand out against their peers in most frames are left out, if fewer than half do.
    """
    chunks_of = [frozenset(_chunks(osds)) for osds in members]
    number_of = {osd: number for number, osds in enumerate(members) for osd in osds}
    by_start: dict[int, list[tuple[int, Block]]] = {}
    for chunk in sorted(frozenset().union(*chunks_of)):
        for start, block in blocks(table, chunk, _READ, period):
            by_start.setdefault(start, []).append((chunk, block))
    found: list[list[CohortSpan]] = [[] for _ in members]
    for start, parts_of in sorted(by_start.items()):
        parts = [_Part() for _ in members]
        for chunk, block in parts_of:
            _divide(block, number_of, [chunk in chunks for chunks in chunks_of], parts)
        for part, mine in zip(parts, found):
            span = _span(start, period.level, part)
            if span is not None:
                mine.append(span)
    return found


class _Part:
    """A cohort's part of one span: how many of its OSDs are there, and their figures by channel."""

    def __init__(self) -> None:
        self.there = 0
        self.owns: dict[str, list[_Own]] = {name: [] for name in _READ}


def _divide(
    block: Block, number_of: Mapping[int, int], reads: Sequence[bool], parts: Sequence[_Part]
) -> None:
    """Add a block to the parts of those cohorts that read it."""
    for osd in block.osds:
        number = number_of.get(osd)
        if number is not None and reads[number]:
            parts[number].there += 1
    for name, columns in block.channels.items():
        for own in _of_block(block.osds, columns):
            number = number_of.get(own.osd)
            if number is not None and reads[number]:
                parts[number].owns[name].append(own)


def _chunks(osds: Collection[int]) -> list[int]:
    """The chunks that are read of a cohort."""
    step = max(1, -(-len(osds) // SAMPLED_OSDS))
    return sorted({osd // CHUNK for osd in osds})[::step]


def _span(start: int, level: int, part: _Part) -> Optional[CohortSpan]:
    enough = max(LEAST_OSDS, part.there / 2)
    least = level * _LEAST_SHARE / FRAME_SECONDS
    owns = part.owns
    latency = tuple(_latency(owns[name], least, enough) for name in SPAN_CHANNELS)
    if all(one is None for one in latency):
        return None
    observed = {own.osd: own.frames for own in owns[LOAD]}
    load = tuple(_load(name, owns[name], observed, enough) for name in SPAN_LOADS)
    return CohortSpan(start, latency, load)


def _of_block(osds: Sequence[int], columns: Columns) -> list[_Own]:
    frames = [sum(mine) for mine in zip(*columns.bins)]
    out = [sum(mine) for mine in zip(*columns.bins[_OUT:])]
    rows = zip(osds, widen(columns.mean), columns.ops, frames, out)
    return [
        _Own(osd, mean, None if ops == UNKNOWN else ops, count, 2 * far > count)
        for osd, mean, ops, count, far in rows
        if mean == mean and count  # noqa: PLR0124 - False for NaN
    ]


def _latency(owns: Sequence[_Own], least: float, enough: float) -> Optional[float]:
    """Return the median of the OSDs that do not stand out; None with too few."""
    known = [
        own
        for own in owns
        if own.frames >= least
        and own.mean > _PLAUSIBLE
        and (own.ops is None or own.ops >= _LEAST_OPS)
    ]
    alike = [own for own in known if not own.stands_out]
    if 2 * len(alike) <= len(known):
        alike = known
    return median([own.mean for own in alike]) if len(known) >= enough else None


def _load(
    name: str, owns: Sequence[_Own], observed: Mapping[int, int], enough: float
) -> Optional[float]:
    """Return the rate of the median OSD: of bytes, or of operations; None with too few."""
    if name == LOAD:
        rates = [own.mean for own in owns]
    else:
        rates = [
            own.ops / (FRAME_SECONDS * max(own.frames, observed.get(own.osd, 0)))
            for own in owns
            if own.ops is not None
        ]
    return median(rates) if len(rates) >= enough else None
