"""Merges spans into a longer one: adds counts, keeps maxima, weights means by operations."""

# ruff: noqa: PLR0124 - x == x is False for NaN

from __future__ import annotations

from array import array
from collections.abc import Sequence
from operator import add
from typing import Optional

from ..model.history import BINS, SeriesPoint
from .encoding import UNKNOWN, Block, Columns, counts, figure, operations, shrink, widen

_NAN = float("nan")


def merge(blocks: Sequence[Block]) -> Block:
    """Return all blocks, which must be of one chunk, as one."""
    if len(blocks) == 1:
        return blocks[0]
    osds = blocks[0].osds
    if any(block.osds != osds for block in blocks):
        osds = sorted({osd for block in blocks for osd in block.osds})
    parts: dict[str, list[Columns]] = {}
    for block in blocks:
        for name, columns in block.channels.items():
            parts.setdefault(name, []).append(_aligned(columns, block.osds, osds))
    return Block(osds, {name: _merged(columns) for name, columns in parts.items()})


def _aligned(columns: Columns, osds: Sequence[int], wanted: Sequence[int]) -> Columns:
    """Return the columns with a position for each wanted OSD; missing OSDs have no data."""
    if osds == wanted:
        return columns
    place = {osd: number for number, osd in enumerate(osds)}
    places = [place.get(osd) for osd in wanted]

    def spread(column: array[int], nothing: int) -> array[int]:
        return array(column.typecode, [nothing if p is None else column[p] for p in places])

    (no_data,) = shrink([_NAN])
    return Columns(
        spread(columns.mean, no_data),
        spread(columns.peak, no_data),
        spread(columns.ops, 0),
        [spread(column, 0) for column in columns.bins],
    )


def _merged(parts: Sequence[Columns]) -> Columns:
    """Merge columns of the same OSDs, whole columns at a time: 20 times as fast as one by one."""
    nothing = [0.0] * len(parts[0].mean)
    totals, weights, peaks, ops = nothing, nothing, nothing, nothing
    for part in parts:
        means = [mean if mean == mean else 0.0 for mean in widen(part.mean)]
        mine = _weights(part, means)
        totals = [total + mean * weight for total, mean, weight in zip(totals, means, mine)]
        weights = list(map(add, weights, mine))
        peaks = [b if b > a else a for a, b in zip(peaks, widen(part.peak))]  # noqa: FURB136
        ops = [a + (_NAN if n == UNKNOWN else n) for a, n in zip(ops, part.ops)]
    return Columns(
        mean=shrink([t / w if w else _NAN for t, w in zip(totals, weights)]),
        peak=shrink([peak or _NAN for peak in peaks]),
        ops=operations(ops),
        bins=[_added([part.bins[place] for part in parts]) for place in range(BINS)],
    )


def _weights(part: Columns, means: Sequence[float]) -> list[float]:
    """Return the weight of each mean: its operations, or its frames if those are unknown."""
    frames = [sum(mine) for mine in zip(*part.bins)]
    return [
        0.0 if not mean else ops if 0 < ops != UNKNOWN else count or 1
        for mean, ops, count in zip(means, part.ops, frames)
    ]


def _added(columns: Sequence[array[int]]) -> array[int]:
    """Return the sum of the columns; most columns have only zeros."""
    there = [column for column in columns if any(column)]
    if len(there) < 2:
        return there[0] if there else columns[0]
    return counts(map(sum, zip(*there)))


def point(block: Block, osd: int, channel: str, start: int, seconds: int) -> Optional[SeriesPoint]:
    """Return the block's point of one OSD; None for "no data"."""
    columns = block.channels.get(channel)
    if columns is None or osd not in block.osds:
        return None
    place = block.osds.index(osd)
    mean = figure(columns.mean, place)
    if mean is None:
        return None
    bins = tuple(column[place] for column in columns.bins)
    ops = columns.ops[place]
    return SeriesPoint(
        start=start,
        seconds=seconds,
        mean=mean,
        maximum=figure(columns.peak, place),
        ops=None if ops == UNKNOWN else ops,
        frames=sum(bins),
        bins=bins,
    )
