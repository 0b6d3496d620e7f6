"""Reads the series of OSDs: rows of a chunk of OSDs over one span."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..model.history import CHUNK, DAY, FIVE_MINUTES, HOUR, SeriesPoint
from . import spans
from .encoding import Block, pack, unpack
from .merge import merge, point

SERIES: spans.Kind[Block] = spans.Kind(
    "series", (FIVE_MINUTES, HOUR, DAY), pack, unpack, lambda _start, _level, parts: merge(parts)
)


def read(
    table: spans.Table, osd: int, channels: Collection[str], period: spans.Period
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
    table: spans.Table, chunk: int, channels: Collection[str], period: spans.Period
) -> list[tuple[int, Block]]:
    """Return the start and the block of each span of a chunk, with these channels."""

    def some(data: Any, key: int) -> Block:
        return unpack(data, key, channels)

    return spans.read(table, SERIES, chunk, period, some)
