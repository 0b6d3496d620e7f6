"""Recorded latencies as CSV, the input of ``qa/replay``."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from ..answers.csv_text import csv_text
from ..model.frame import CHANNELS, Watched
from ..model.history import LOAD, SeriesPoint

_PLACE = ("ts", "osd", "host", "cohort", "rack", "enclosure", "device", "seconds", "throughput")


@dataclass(frozen=True)
class Recorded:
    """One OSD and its points by channel, ``load`` among them."""

    member: Watched
    series: Mapping[str, Sequence[SeriesPoint]]


def trace_header(channels: Sequence[str] = CHANNELS) -> str:
    """The first line."""
    columns = [f"{kind}_{channel}" for channel in channels for kind in ("latency", "ops", "peak")]
    return csv_text([(*_PLACE, *columns)])


def trace_csv(one: Recorded, channels: Sequence[str] = CHANNELS) -> str:
    """The lines of one OSD, so that nobody has to hold the points of all.

    A row is one OSD over one span of ``seconds`` that begins at ``ts`` (unix seconds). By channel
    there are the mean latency, the operations behind it and the highest 15 s in it; latencies in
    seconds, throughput in bytes/s, an empty cell for "no data".
    """
    return csv_text(_rows(one, channels))


def _rows(one: Recorded, channels: Sequence[str]) -> Iterator[Sequence[object]]:
    by_channel = {
        channel: {(point.start, point.seconds): point for point in _finest(points)}
        for channel, points in one.series.items()
    }
    member = one.member
    place = (member.osd, member.host, member.cohort, member.rack, member.enclosure, member.device)
    for start, seconds in sorted({span for points in by_channel.values() for span in points}):
        load = by_channel.get(LOAD, {}).get((start, seconds))
        row: list[object] = [_plain(start), *place, seconds, _digits(load.mean) if load else None]
        for channel in channels:
            row += _cells(by_channel.get(channel, {}).get((start, seconds)))
        yield row


def _cells(point: Optional[SeriesPoint]) -> Sequence[object]:
    if point is None:
        return (None, None, None)
    peak = None if point.maximum is None else _digits(point.maximum)
    return (_digits(point.mean), point.ops, peak)


def _finest(points: Sequence[SeriesPoint]) -> list[SeriesPoint]:
    """Drop points whose time is covered by finer ones: memory and database overlap."""
    kept: list[SeriesPoint] = []
    starts: list[float] = []
    for point in sorted(points, key=lambda point: (point.seconds, point.start)):
        place = bisect_left(starts, point.start)
        if place == len(starts) or starts[place] >= point.start + point.seconds:
            starts.insert(place, point.start)
            kept.append(point)
    return kept


def _plain(start: float) -> object:
    return int(start) if start == int(start) else start


def _digits(value: float) -> str:
    """Three significant digits: series are stored with no more."""
    return f"{value:.5g}"
