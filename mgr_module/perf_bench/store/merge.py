"""Spans into a longer one: counts are added, maxima kept, means weighted by operations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

from ..model.history import BINS, SeriesPoint
from .encoding import UNKNOWN, Block, Columns, counts, operations, shrink, widen

_NAN = float("nan")


class _Sum:
    """One channel of one OSD, added up."""

    __slots__ = ("bins", "ops", "peak", "total", "weight")

    def __init__(self) -> None:
        self.total = 0.0
        self.weight = 0.0
        self.peak = _NAN
        self.ops = 0.0
        self.bins = [0] * BINS


def merge(blocks: Sequence[Block]) -> Block:
    """All blocks (of one chunk) as one. A block alone is itself."""
    if len(blocks) == 1:
        return blocks[0]
    sums: dict[str, dict[int, _Sum]] = {}
    for block in blocks:
        for name, columns in block.channels.items():
            _add(sums.setdefault(name, {}), block.osds, columns)
    osds = sorted({osd for block in blocks for osd in block.osds})
    return Block(osds, {name: _columns(by_osd, osds) for name, by_osd in sums.items()})


def _add(sums: dict[int, _Sum], osds: Sequence[int], columns: Columns) -> None:
    means, peaks = widen(columns.mean), widen(columns.peak)
    bins = list(zip(*columns.bins))
    for osd, mean, peak, ops, mine in zip(osds, means, peaks, columns.ops, bins):
        if math.isnan(mean):
            continue
        found = sums.get(osd)
        if found is None:
            found = sums[osd] = _Sum()
        # Where the operations are not known, each frame weighs the same.
        weight = ops if 0 < ops != UNKNOWN else sum(mine) or 1
        found.total += mean * weight
        found.weight += weight
        found.ops += _NAN if ops == UNKNOWN else ops
        if not peak <= found.peak:  # also while there is none yet
            found.peak = peak if peak == peak else found.peak  # noqa: PLR0124
        found.bins = [a + b for a, b in zip(found.bins, mine)]


def _columns(by_osd: dict[int, _Sum], osds: Sequence[int]) -> Columns:
    nothing = _Sum()
    sums = [by_osd.get(osd, nothing) for osd in osds]
    return Columns(
        mean=shrink([s.total / s.weight if s.weight else _NAN for s in sums]),
        peak=shrink([s.peak for s in sums]),
        ops=operations([s.ops for s in sums]),
        bins=[counts([s.bins[place] for s in sums]) for place in range(BINS)],
    )


def point(block: Block, osd: int, channel: str, start: int, seconds: int) -> Optional[SeriesPoint]:
    """What the block says of one OSD; None for "no data"."""
    columns = block.channels.get(channel)
    if columns is None or osd not in block.osds:
        return None
    place = block.osds.index(osd)
    one = slice(place, place + 1)
    (mean,), (peak,) = widen(columns.mean[one]), widen(columns.peak[one])
    if math.isnan(mean):
        return None
    bins = tuple(column[place] for column in columns.bins)
    ops = columns.ops[place]
    return SeriesPoint(
        start=start,
        seconds=seconds,
        mean=mean,
        maximum=None if math.isnan(peak) else peak,
        ops=None if ops == UNKNOWN else ops,
        frames=sum(bins),
        bins=bins,
    )
