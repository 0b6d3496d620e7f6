"""What is recorded of OSDs over time: ``osd series``, and ``trace export`` for qa/replay."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from ..core.clock import Clock
from ..errors import InvalidValue
from ..model.cluster import Cluster
from ..model.finding import CHANNELS, Watched, check_channel
from ..model.history import DAY, FIVE_MINUTES, HOUR, LOAD, SLOW_FRAME_RATIO, SeriesPoint
from ..model.json_fields import Json
from ..model.osd import Selection, no_such_osd
from ..model.phrases import parse_duration
from ..store.sqlite import Store, StoreThread
from ..watch.service import Watch
from .paging import MAPS_AGE
from .shape import Count
from .text import csv_text, duration, iso

# A trace goes through the mgr as one text, on the thread on which other commands wait.
_TRACE_BYTES = 8 << 20
_PIECE_BYTES = 2 << 20
_TRACE_SECONDS = 5.0
# More rows than this are not begun; one has a hundred bytes or more.
_MOST_ROWS = 200_000
# Levels of recorded series, finest first, with the longest time each is used for.
LEVELS = ((FIVE_MINUTES, 2 * DAY), (HOUR, 30 * DAY), (DAY, 400 * DAY))
# A row of a series: a value for each of its columns.
SeriesRow = Sequence[Optional[float]]


@dataclass(frozen=True)
class OsdSeries:
    """An OSD's latencies over time, by channel rows of columns.

    at in unix seconds, the span's seconds, mean and maximum (of 15 s) in milliseconds, operations,
    frames of 15 s that were at least twice as slow as the peers'.
    """

    osd: Count
    from_: str
    to: str
    columns: Sequence[str]
    channels: Mapping[str, Sequence[SeriesRow]]


class SeriesAnswers:
    """What is asked of recorded latencies."""

    def __init__(
        self, watch: Watch, cluster: Cluster, store_thread: StoreThread, clock: Clock
    ) -> None:
        self._watch = watch
        self._cluster = cluster
        self._store_thread = store_thread
        self._clock = clock

    def series(
        self, osd: int, since: Optional[str] = None, channel: Optional[str] = None
    ) -> OsdSeries:
        """An OSD's latencies over ``since`` ("6h", by default 3 h), at the level that fits it.

        By channel rows of [unix seconds, seconds of the span, mean, maximum of the 15 s in it,
        operations, frames at least twice as slow as its peers]; latencies in milliseconds.
        """
        self._member(osd)
        span = parse_duration(since, "since") if since else 3 * HOUR
        check_channel(channel)
        end = self._clock.now()
        points = self._points(osd, end - span, end, [channel] if channel else CHANNELS)
        return OsdSeries(
            osd=osd,
            from_=str(iso(end - span)),
            to=str(iso(end)),
            columns=["at", "seconds", "mean_ms", "max_ms", "ops", "slow_frames"],
            channels={name: [_row(one) for one in found] for name, found in points.items()},
        )

    def trace(self, since: Optional[str] = None, expression: Optional[str] = None) -> str:
        """The recorded series of OSDs (all, or those ``expression`` selects) as CSV.

        Raises InvalidValue where they are more than one answer may be or take.
        """
        span, chosen = self._traced(since, expression)
        if len(chosen) * (span // FIVE_MINUTES + 180) > _MOST_ROWS:
            raise _too_much(chosen, span)
        text_, rest = self._trace_of(span, chosen, _TRACE_BYTES)
        if rest is not None:
            raise _too_much(chosen, span)
        return text_

    def trace_piece(
        self, begin: int, since: Optional[str] = None, expression: Optional[str] = None
    ) -> Json:
        """A piece of the same that begins with the first OSD from ID ``begin`` on.

        ``csv`` has its header and whole OSDs; ``next`` is where the next piece begins, null after
        the last one.
        """
        span, chosen = self._traced(since, expression)
        text_, rest = self._trace_of(span, [osd for osd in chosen if osd >= begin], _PIECE_BYTES)
        return {"csv": text_, "next": rest}

    def _traced(self, since: Optional[str], expression: Optional[str]) -> tuple[int, list[int]]:
        """How many seconds of which OSDs are asked for."""
        span = parse_duration(since, "since") if since else DAY
        chosen = Selection.parse(expression or "all").select(self._cluster.osds(MAPS_AGE))
        members = {member.osd for member in self._watch.members()}
        return span, [osd.id for osd in chosen if osd.id in members]

    def _trace_of(self, span: int, chosen: list[int], most: int) -> tuple[str, Optional[int]]:
        """CSV of as many OSDs as fit ``most`` bytes and the time, one at least; the next one."""
        members = {member.osd: member for member in self._watch.members()}
        end, until = self._clock.now(), self._clock.monotonic() + _TRACE_SECONDS
        parts = [trace_header()]
        size = 0
        for number, osd in enumerate(chosen):
            left = until - self._clock.monotonic()
            if number and (size >= most or left <= 0):
                return "".join(parts), osd
            points = self._points(osd, end - span, end, (*CHANNELS, LOAD), left)
            parts.append(trace_csv(Recorded(members[osd], points)))
            size += len(parts[-1])
        return "".join(parts), None

    def _points(
        self, osd: int, begin: float, end: float, channels: Sequence[str], limit: float = 5.0
    ) -> dict[str, list[SeriesPoint]]:
        """The points by channel: recent whole minutes from memory, older ones from the store.

        The hour in which the minutes begin is read as five minutes, so that they do not overlap.
        A store that is away raises StoreUnavailable.
        """
        level = next((level for level, back in LEVELS if end - begin <= back), DAY)
        fresh = {name: self._watch.minutes(osd, name, begin, end) for name in channels}
        starts = [points[0].start for points in fresh.values() if points]
        until = min(starts, default=end)

        def read(store: Store) -> dict[str, list[SeriesPoint]]:
            found: dict[str, list[SeriesPoint]] = {name: [] for name in channels}
            after = begin
            for seconds in (one for one in (DAY, HOUR, FIVE_MINUTES) if one <= level):
                before = until if seconds == FIVE_MINUTES else until // seconds * seconds
                if after < before:
                    spans = store.watch.all_series(osd, channels, seconds, after, before)
                    for name, points in spans.items():
                        found[name] += points
                    after = before
            return found

        older: Mapping[str, Sequence[SeriesPoint]] = {}
        if until - begin > FIVE_MINUTES:
            older = self._store_thread.call(read, limit)
        both = {name: [*older.get(name, ()), *fresh[name]] for name in channels}
        return {name: points for name, points in both.items() if points}

    def _member(self, osd: int) -> None:
        if all(one.id != osd for one in self._cluster.osds(MAPS_AGE)):
            raise no_such_osd(osd)


def _too_much(chosen: Sequence[int], span: int) -> InvalidValue:
    return InvalidValue(
        f"{len(chosen)} OSDs over {duration(span)} are too much for one answer: "
        "'ceph-perf-bench trace' asks piece by piece; or choose some with --osds, or a shorter "
        "--since",
        field="since",
    )


def _row(point: SeriesPoint) -> list[Any]:
    slow = point.frames_over(SLOW_FRAME_RATIO) if point.bins else None
    maximum = None if point.maximum is None else round(point.maximum * 1000, 3)
    mean = round(point.mean * 1000, 3)
    return [int(point.start), point.seconds, mean, maximum, point.ops, slow]


# --- a trace --------------------------------------------------------------------------------------

_PLACE = ("ts", "osd", "host", "cohort", "rack", "enclosure", "device", "seconds", "throughput")


class Recorded(NamedTuple):
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
