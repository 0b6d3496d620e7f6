"""Spans of OSDs in the database: read of one OSD, of OSDs against their peers, of cohorts."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, Optional

from ..model.finding import FRAME_SECONDS
from ..model.history import (
    CHUNK,
    DAY,
    FIVE_MINUTES,
    HOUR,
    LEAST_OSDS,
    LOAD,
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
_READ = tuple(dict.fromkeys((*SPAN_CHANNELS, *SPAN_LOADS)))


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
    some = replace(SERIES, unpack=lambda data, key: unpack(data, key, channels))
    return spans.read(table, some, chunk, period)


def by_osd(block: Block, channels: Iterable[str]) -> dict[str, dict[int, float]]:
    """Return the means of a span by channel and OSD, without those that have no data."""
    found = {}
    for channel in channels:
        columns = block.channels.get(channel)
        if columns is not None:
            values = zip(block.osds, widen(columns.mean))
            found[channel] = {osd: mean for osd, mean in values if mean == mean}  # noqa: PLR0124
    return found


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

    A channel is unknown in a span in which fewer than half of the OSDs with any data have some.
    OSDs that stand out against their peers in most frames are left out, if fewer than half do.
    """
    number_of = {osd: number for number, osds in enumerate(members) for osd in osds}
    owns_of: dict[tuple[int, int], dict[str, list[_Own]]] = {}
    for chunk in sorted({chunk for osds in members for chunk in _chunks(osds)}):
        for start, block in blocks(table, chunk, _READ, period):
            for name, columns in block.channels.items():
                for own in _of_block(block.osds, columns):
                    number = number_of.get(own.osd)
                    if number is not None:
                        owns = owns_of.setdefault((start, number), {name: [] for name in _READ})
                        owns[name].append(own)
    found: list[list[CohortSpan]] = [[] for _ in members]
    for start, number in sorted(owns_of):
        span = _span(start, period.level, owns_of[start, number])
        if span is not None:
            found[number].append(span)
    return found


def _chunks(osds: Collection[int]) -> list[int]:
    """The chunks that are read of a cohort."""
    step = max(1, -(-len(osds) // SAMPLED_OSDS))
    return sorted({osd // CHUNK for osd in osds})[::step]


def _span(start: int, level: int, owns: Mapping[str, Sequence[_Own]]) -> Optional[CohortSpan]:
    there = {own.osd for of_channel in owns.values() for own in of_channel}
    enough = max(LEAST_OSDS, len(there) / 2)
    least = level * _LEAST_SHARE / FRAME_SECONDS
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
