"""Frames into minutes in memory and five minutes for the database."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from statistics import median_low
from typing import Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latencies import BEGAN, NAN, a_frame, a_roster
from perf_bench.model.finding import CHECKSUM, COMMIT, Frame, Mark
from perf_bench.model.history import CHUNK, LOAD, RATIO_EDGES, SeriesPoint, SpanRow
from perf_bench.store.encoding import SpanTotals, point
from perf_bench.store.series import SERIES
from perf_bench.store.series_builder import SeriesBuilder

TRIO = a_roster([0, 1, 2])
ALL = 1_000_000


def _fed(frames: Sequence[Frame], history: Optional[SeriesBuilder] = None) -> SeriesBuilder:
    """A history that has taken in these frames, one a tick."""
    history = history or SeriesBuilder()
    for frame in frames:
        history.feed(frame)
        history.step()
    return history


def _ended(frames: Sequence[Frame]) -> list[SpanRow]:
    history = _fed(frames)
    history.close()
    return _series(history)


def _series(history: SeriesBuilder, most: int = ALL) -> list[SpanRow]:
    """Rows of OSDs, without those of the whole cluster."""
    return [row for row in history.take(most) if row.kind == "series"]


def _points(rows: Sequence[SpanRow], osd: int, channel: str = COMMIT) -> list[SeriesPoint]:
    found = (
        point(SERIES.unpack(row.data, row.key), osd, channel, row.start, row.level) for row in rows
    )
    return [one for one in found if one is not None]


# --- minutes ---------------------------------------------------------------------------------


def test_the_time_of_checksums_is_not_kept() -> None:
    frames = [a_frame(TRIO, number, [0.01] * 3) for number in range(21)]
    told = [
        replace(one, latency={**one.latency, CHECKSUM: [0.01] * 3}, ops={CHECKSUM: [9.0] * 3})
        for one in frames
    ]
    (row,) = _ended(told)[:1]
    assert set(SERIES.unpack(row.data, row.key).channels) <= {COMMIT, LOAD}


def test_a_minute_has_the_mean_and_the_highest_frame() -> None:
    tens = [10.0] * 3
    frames = [
        a_frame(TRIO, 0, [0.010, 0.5, 0.5], ops=[30.0, *tens[1:]]),
        a_frame(TRIO, 1, [0.050, 0.5, 0.5], ops=tens),
        *(a_frame(TRIO, number, [NAN, 0.5, 0.5], ops=[NAN, *tens[1:]]) for number in (2, 3, 4)),
    ]
    history = _fed(frames)
    (minute,) = history.series(0, COMMIT, BEGAN, BEGAN + 300)
    assert (minute.start, minute.seconds) == (BEGAN, 60)
    assert minute.mean == pytest.approx(0.020, rel=0.005)
    assert minute.maximum == pytest.approx(0.050, rel=0.005)


def test_the_load_is_a_series() -> None:
    frames = [
        Frame(f.start, f.end, TRIO, f.latency, f.ops, [1e6 * (n + 1), 5.0, NAN], f.marks)
        for n, f in enumerate(a_frame(TRIO, n, [0.1] * 3) for n in range(5))
    ]
    (minute,) = _fed(frames).series(0, LOAD, BEGAN, BEGAN + 60)
    assert minute.mean == pytest.approx(2.5e6, rel=0.005)
    assert minute.maximum == pytest.approx(4e6, rel=0.005)
    rows = _ended(frames)
    (whole,) = _points(rows, 0, LOAD)
    # uncompared: all frames in the first place
    assert (whole.bins[0], whole.frames, whole.ops) == (5, 5, None)
    assert _points(rows, 2, LOAD) == []


def test_an_osd_that_is_benched_has_no_data() -> None:
    marks = [int(Mark.BENCHED | Mark.DOWN), int(Mark.DISTURBED), 0]
    rows = _ended([a_frame(TRIO, n, [0.9, 0.1, 0.1], marks=marks) for n in range(4)])
    assert [len(_points(rows, osd)) for osd in (0, 1, 2)] == [0, 1, 1]


def test_memory_is_bounded_in_time_and_in_bytes() -> None:
    history = _fed([a_frame(TRIO, 4 * n, [0.1] * 3) for n in range(189)])
    starts = [p.start - BEGAN for p in history.series(0, COMMIT, 0, BEGAN * 2)]
    assert starts == [60 * n for n in range(8, 188)]

    # A minute has the mean and the maximum of the latency and of the load, 2 bytes each: 24.
    history = _fed([a_frame(TRIO, 4 * n, [0.1] * 3) for n in range(9)], SeriesBuilder(budget=50))
    assert [p.start - BEGAN for p in history.series(0, COMMIT, 0, BEGAN * 2)] == [360, 420]


# --- five minutes ----------------------------------------------------------------------------


def test_a_burst_is_still_there_after_five_minutes() -> None:
    latencies = [[0.010, 0.010, 0.010 if n not in (7, 8) else 0.035] for n in range(20)]
    rows = _ended([a_frame(TRIO, n, one) for n, one in enumerate(latencies)])
    (burst,) = _points(rows, 2)
    assert burst.frames == 20
    assert (burst.frames_over(3.0), burst.frames_over(2.0), burst.frames_over(5.0)) == (2, 2, 0)
    assert burst.maximum == pytest.approx(0.035, rel=0.005)
    assert burst.ops == 200
    (calm,) = _points(rows, 1)
    assert calm.bins == (0, 20, 0, 0, 0, 0, 0, 0)


def test_five_minutes_are_handed_out_once_when_they_have_ended() -> None:
    history = _fed([a_frame(TRIO, n, [0.1] * 3) for n in range(20)])
    assert history.take(ALL) == []
    assert history.settled == BEGAN
    _fed([a_frame(TRIO, 20, [0.1] * 3)], history)
    assert history.settled == BEGAN  # not taken yet
    (row,) = _series(history)
    assert (row.level, row.key, row.start, row.since) == (300, 0, BEGAN, BEGAN)
    assert history.settled == BEGAN + 300
    assert history.take(ALL) == []


def test_a_step_takes_more_frames_the_more_wait() -> None:
    for waiting, minutes in ((1, 0), (5, 0), (36, 1), (72, 3)):
        history = SeriesBuilder()
        for number in range(waiting):
            history.feed(a_frame(TRIO, number, [0.1] * 3))
        history.step()
        assert len(history.series(0, COMMIT, BEGAN, BEGAN * 2)) == minutes


def test_a_mean_counts_by_its_operations() -> None:
    for ops, weights in (
        ([4.0, 2.0, 7.0], [4.0, 2.0, 0.0]),
        ([0.0, 2.0, 0.0], [1.0, 2.0, 0.0]),  # a mean is of one operation at least
        ([NAN, 2.0, 7.0], [1.0, 2.0, 0.0]),
        (None, [1.0, 1.0, 0.0]),
    ):
        totals = SpanTotals(3)
        totals.add([0.01, 0.02, NAN], ops)
        assert list(totals.weight) == weights
        assert list(totals.total) == pytest.approx([0.01 * weights[0], 0.02 * weights[1], 0.0])
        assert list(totals.peak) == [0.01, 0.02, 0.0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # left, and woken on another mgr
        ([0, 1, 2, 3], [9, 10]),
        ([0], [1]),
    ],
)
def test_who_begins_in_the_middle_has_a_row_of_its_own(first: list[int], second: list[int]) -> None:
    rows = [
        row
        for part in (first, second)
        for row in _ended([a_frame(TRIO, n, [0.1] * 3) for n in part])
    ]
    assert [row.start for row in rows] == [BEGAN, BEGAN]
    assert len({row.since for row in rows}) == 2
    assert [one.frames for one in _points(rows, 0)] == [len(first), len(second)]


def test_other_osds_end_what_has_begun() -> None:
    more = a_roster([0, 1, 2, 3])
    frames = [
        *(a_frame(TRIO, n, [0.1] * 3) for n in range(6)),
        *(a_frame(more, n, [0.2] * 4) for n in range(6, 20)),
    ]
    rows = _ended(frames)
    assert [(row.start, row.since) for row in rows] == [(BEGAN, BEGAN), (BEGAN, BEGAN + 90)]
    assert [one.frames for one in _points(rows, 0)] == [6, 14]
    assert [one.frames for one in _points(rows, 3)] == [14]
    history = _fed(frames)
    # the minute that both rosters share is told by its second part
    assert [p.start - BEGAN for p in history.series(3, COMMIT, 0, BEGAN * 2)] == [60, 120, 180]


def test_unknown_operations_are_those_of_the_osd_in_every_chunk() -> None:
    """Of an OSD beyond the first chunk as of one in it."""
    ids = [0, 1, CHUNK, CHUNK + 1, 2 * CHUNK]
    for unknown in range(len(ids)):
        ops = [NAN if place == unknown else 10.0 for place in range(len(ids))]
        rows = _ended([a_frame(a_roster(ids), n, [0.1] * 5, ops=ops) for n in range(4)])
        assert [row.key for row in rows] == [0, 1, 2]
        told = []
        for osd in ids:
            (one,) = _points([row for row in rows if row.key == osd // CHUNK], osd)
            told.append(one.ops)
        assert [place for place, one in enumerate(told) if one is None] == [unknown]


STEPS = st.lists(
    st.tuples(
        st.integers(1, 40), st.sampled_from([-90000, -3600, -300, -60, -15, 60, 3600, 90000])
    ),
    min_size=1,
    max_size=6,
)


@given(STEPS)
def test_clocks_that_are_set_lose_no_frame_and_make_no_hole(steps: list[tuple[int, int]]) -> None:
    frames, began, number = [], BEGAN, 0
    for count, step in steps:
        frames += [a_frame(TRIO, number + n, [0.1] * 3, began=began) for n in range(count)]
        number, began = number + count, began + step
    rows = _ended(frames)
    assert sum(one.frames for one in _points(rows, 0)) == len(frames)
    starts = [one.start for one in _fed(frames).series(0, COMMIT, 0, BEGAN * 2)]
    assert starts == sorted(set(starts))
    assert all(row.start <= row.since < row.start + 300 for row in rows)


# --- against a plain reckoning ---------------------------------------------------------------


def _bins(frames: Sequence[Sequence[float]], cohorts: Sequence[str], osd: int) -> list[int]:
    """The counts of one OSD, reckoned the plain way."""
    found = [0] * (len(RATIO_EDGES) + 2)
    for values in frames:
        mine = values[osd]
        there = [pair for pair in zip(values, cohorts) if not math.isnan(pair[0])]
        peers = [value for value, cohort in there if cohort == cohorts[osd]]
        if math.isnan(mine):
            continue
        if len(peers) < 2:
            found[0] += 1
        else:
            middle = median_low(peers)
            found[1 + bisect_right([middle * edge for edge in RATIO_EDGES], mine)] += 1
    return found


def test_counts_are_those_of_a_plain_reckoning() -> None:
    rng = random.Random(0)  # noqa: S311 - figures for a test
    cohorts = [rng.choice(["hdd", "hdd", "hdd", "ssd", "nvme"]) for _ in range(30)]
    frames = [
        [NAN if rng.random() < 0.2 else rng.lognormvariate(-5, 0.8) for _ in cohorts]
        for _ in range(20)
    ]
    roster = a_roster(range(30), cohorts)
    rows = _ended([a_frame(roster, n, values) for n, values in enumerate(frames)])
    for osd in range(30):
        found = _points(rows, osd)
        bins = _bins(frames, cohorts, osd)
        assert ([list(one.bins) for one in found] or [[0] * len(bins)]) == [bins]


def test_a_large_cohort_is_measured_by_a_part_of_it() -> None:
    size = 4000
    roster = a_roster(range(size))
    rng = random.Random(3)  # noqa: S311 - figures for a test
    values = [rng.lognormvariate(-5, 0.2) for _ in range(size)]
    values[17] = 10 * median_low(values)
    rows = _ended([a_frame(roster, 0, values)])
    (slow,) = _points(rows, 17)
    assert slow.frames_over(5.0) == 1
    edge = 1.2 * median_low(values)
    over = sum(
        sum(column)
        for row in rows
        for column in SERIES.unpack(row.data, row.key).channels[COMMIT].bins[2:]
    )
    assert over == pytest.approx(sum(value >= edge for value in values), rel=0.15)
