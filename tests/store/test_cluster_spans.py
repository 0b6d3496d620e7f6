"""The cluster over time: made from frames, stored, rolled up to hours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

import pytest

import latencies
from latencies import BEGAN, NAN, a_frame, a_roster
from perf_bench.model.finding import COMMIT, Frame, Mark
from perf_bench.model.history import (
    ALL_OSDS,
    DAY,
    FIVE_MINUTES,
    HOUR,
    ClusterSpan,
    WatchBatch,
    merged,
)
from perf_bench.store.series_builder import SeriesBuilder
from perf_bench.store.sqlite import Store

MANY = a_roster(range(100), ["hdd a"] * 60 + ["ssd b"] * 40)
CALM = [0.001 * (1 + place) for place in range(100)]
BUSY = (100.0, 50.0, 4e6, 2e6, 0.0, 1.0)


def _built(
    frames: Sequence[Frame], works: Sequence[tuple[Optional[float], ...]] = ()
) -> SeriesBuilder:
    builder = SeriesBuilder()
    for work in works:
        builder.cluster.note(work)
    for frame in frames:
        builder.feed(frame)
    builder.close()
    return builder


def _taken(builder: SeriesBuilder) -> list[ClusterSpan]:
    return latencies.cluster_spans(builder.take(1000))


def _five(frames: Sequence[Frame]) -> ClusterSpan:
    parts = _taken(_built(frames))
    return merged(parts[0].start, FIVE_MINUTES, parts)


def test_who_was_watched_is_known_in_ranges() -> None:
    some, few = a_roster((0, 1, 2, 7, 9, 10), ["hdd"] * 6), a_roster((2, 3), ["hdd"] * 2)
    span = _five([a_frame(some, number, CALM[:6]) for number in range(20)])
    assert span.watched == ((0, 2), (7, 7), (9, 10))
    assert span.is_watched(8) is False
    both = _five(
        [a_frame(some, number, CALM[:6]) for number in range(10)]
        + [a_frame(few, number, CALM[:2]) for number in range(10, 20)]
    )
    assert [osd for osd in range(12) if both.is_watched(osd)] == [0, 1, 2, 3, 7, 9, 10]
    # Of a row of an older version it is not known: then all were.
    assert ClusterSpan(BEGAN, FIVE_MINUTES, 3).is_watched(5)


def test_percentiles_of_all_osds_and_of_each_class() -> None:
    span = _five([a_frame(MANY, number, CALM) for number in range(20)])
    assert (span.start, span.seconds, span.osds) == (BEGAN, FIVE_MINUTES, 100)
    found = {(group, channel): figures for group, channel, *figures in span.latency}
    assert found.keys() == {(group, COMMIT) for group in (ALL_OSDS, "hdd", "ssd")}
    # The numbers of the OSDs in order of their latencies: 50, 95 and 99 of 100.
    for group, expected in (
        (ALL_OSDS, (50, 95, 99)),
        ("hdd", (30, 57, 60)),
        ("ssd", (80, 98, 100)),
    ):
        osds, *figures = found[group, COMMIT]
        assert osds == {ALL_OSDS: 100, "hdd": 60, "ssd": 40}[group]
        assert figures == pytest.approx([0.001 * one for one in expected], rel=0.005)


@pytest.mark.parametrize("nothing", [NAN, math.inf])
def test_osds_without_data_count_for_nothing(nothing: float) -> None:
    values = [nothing] * 99 + [0.004]
    (minute,) = _built([a_frame(MANY, n, values) for n in range(4)]).cluster.minutes(0, math.inf)
    assert minute.osds == 1
    assert {(one[0], one[2]) for one in minute.latency} == {(ALL_OSDS, 1), ("ssd", 1)}
    (empty,) = _built([a_frame(MANY, 0, [nothing] * 100)]).cluster.minutes(0, math.inf)
    assert (empty.osds, empty.latency) == (0, ())


def test_a_burst_stands_out_and_what_is_chance_does_not() -> None:
    roster = a_roster(range(6))

    def frame(number: int, burst: bool) -> Frame:
        values, ops = [0.002] * 6, [50.0] * 6
        if burst:
            values[1] = values[4] = values[5] = 0.02
        ops[4] = 1.0  # too few operations
        values[5] = 0.02 if number == 3 else 0.002  # one frame only
        return a_frame(roster, number, values, ops=ops)

    span = _five([frame(number, number in (2, 3)) for number in range(20)])
    assert (span.apart, span.more_apart) == (((1, 2),), 0)


@pytest.mark.parametrize(
    ("times", "frames", "told"),
    [(3.1, 1, 0), (3.1, 2, 2), (2.1, 4, 0), (2.1, 5, 5), (1.6, 9, 0), (1.6, 10, 10)],
)
def test_the_slower_an_osd_is_the_fewer_frames_make_it_stand_out(
    times: float, frames: int, told: int
) -> None:
    roster = a_roster(range(4))
    latencies = [[0.01] * 3 + [0.01 * (times if n < frames else 1)] for n in range(20)]
    span = _five([a_frame(roster, n, latency) for n, latency in enumerate(latencies)])
    assert span.apart == (((3, told),) if told else ())


def test_parts_of_five_minutes_are_told_as_one_with_what_happened_in_each() -> None:
    """Parts that are stored together have the same key, and the last one would be all there is."""
    marks = [0, int(Mark.RESTARTED), 0]
    before = [
        a_frame(a_roster(range(3)), n, [0.001] * 3, marks=marks if n else None) for n in (0, 1)
    ]
    after = [a_frame(a_roster(range(4)), n, [0.001] * 4) for n in range(2, 20)]
    span = _five([*before, *after])
    assert span.restarted == ((1, BEGAN + 15),)
    assert span.osds == 4


def test_restarts_and_osds_that_go_down_are_told_once() -> None:
    roster = a_roster(range(3))
    marks = {0: [0, 0, int(Mark.DOWN)], 5: [0, int(Mark.RESTARTED), int(Mark.DOWN)]}
    now = marks[0]
    frames = []
    for number in range(20):
        now = marks.get(number, now)
        if number == 9:
            now = [int(Mark.DOWN), now[1], 0]
        frames.append(a_frame(roster, number, [0.001] * 3, marks=now))
    span = _five(frames)
    # osd.2 was down before anybody looked.
    assert span.restarted == ((1, BEGAN + 5 * 15),)
    assert span.went_down == ((0, BEGAN + 9 * 15),)


def test_minutes_tell_what_happened_in_them() -> None:
    """Of up to three hours they are all that is read: what only five minutes tell is not shown."""
    marks = {5: [int(Mark.RESTARTED), 0, 0], 6: [int(Mark.RESTARTED), int(Mark.DOWN), 0]}
    now, frames = [0, 0, 0], []
    for number in range(12):
        now = marks.get(number, now)
        frames.append(a_frame(a_roster(range(3)), number, [0.001] * 3, marks=now))
    # Other OSDs within the minute: its second part takes the first one's place.
    frames += [a_frame(a_roster(range(4)), n, [0.001] * 4, marks=[*now, 0]) for n in (7, 20)]
    frames[8:12] = []
    builder = _built(frames)
    minutes = builder.cluster.minutes(0, math.inf)
    assert [(one.start - BEGAN) // 60 for one in minutes] == [0, 1, 5]
    assert [one.restarted for one in minutes] == [(), ((0, BEGAN + 75),), ()]
    assert [one.went_down for one in minutes] == [(), ((1, BEGAN + 90),), ()]
    first = merged(BEGAN, FIVE_MINUTES, _taken(builder)[:2])
    assert (first.restarted, first.went_down) == (((0, BEGAN + 75),), ((1, BEGAN + 90),))


def test_work_is_the_mean_of_what_is_known() -> None:
    works = [BUSY, (200.0, *BUSY[1:]), (None,) * 6]
    (minute,) = _built([a_frame(a_roster([0]), 0, [0.1])], works).cluster.minutes(0, math.inf)
    assert minute.work == (150.0, *BUSY[1:])


# --- in the database ---


def _span(number: int, **more: object) -> ClusterSpan:
    latency = (("", COMMIT, 3, 0.001 * (1 + number % 2), 0.01, 0.02),)
    return ClusterSpan(
        BEGAN + FIVE_MINUTES * number,
        FIVE_MINUTES,
        3,
        latency,
        BUSY,
        ((1, 4),),
        **more,  # type: ignore[arg-type]
    )


def _write(store: Store, spans: Sequence[ClusterSpan], at: float) -> None:
    rows = latencies.cluster_rows(spans)
    store.watch.write(WatchBatch(at=at, spans=rows, settled=at))


def test_hours_are_rolled_up_when_they_have_ended(store: Store) -> None:
    _write(store, [_span(n, restarted=((2, BEGAN + n),)) for n in range(18)], BEGAN + 5400)
    for _ in range(2):  # the second hour is merged from five minutes as long as it goes on
        first, second = store.watch.cluster_spans(HOUR, BEGAN, BEGAN + DAY)
        assert (first.start, first.seconds, second.start) == (BEGAN, HOUR, BEGAN + HOUR)
        assert first.latency == (("", COMMIT, 3, 0.0015, 0.01, 0.02),)
        assert (first.apart, second.apart) == (((1, 48),), ((1, 24),))
        assert len(first.restarted) == 12
        assert first.work == BUSY
        _write(store, [], BEGAN + 5400)
    assert len(store.watch.cluster_spans(FIVE_MINUTES, BEGAN, BEGAN + DAY)) == 18
    assert len(store.watch.cluster_spans(FIVE_MINUTES, BEGAN + 300, BEGAN + 600)) == 1
