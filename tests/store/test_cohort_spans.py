"""The hours and days of whole cohorts, read from the series of their OSDs."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pytest

from latencies import BEGAN, NAN
from perf_bench.model.finding import COMMIT, QUEUE, READ
from perf_bench.model.history import (
    BINS,
    CHUNK,
    DAY,
    HOUR,
    LOAD,
    SAMPLED_OSDS,
    SPAN_CHANNELS,
    SPAN_LOADS,
    CohortSpan,
    SpanRow,
    WatchBatch,
)
from perf_bench.store.encoding import UNKNOWN, Block, Columns, pack, shrink
from perf_bench.store.sqlite import Store

# Frames of an hour.
ALL = 240


def row(
    start: int,
    osds: Sequence[int],
    means: Sequence[float],
    *,
    level: int = HOUR,
    channel: str = COMMIT,
    ops: int = 3600,
    frames: int = ALL,
    slow: Sequence[int] = (),
    load: bool = True,
) -> SpanRow:
    """One chunk; OSDs at the places in ``slow`` had all frames at 1.5 times the peers and more."""
    size = len(osds)
    there = [frames if mean == mean else 0 for mean in means]  # noqa: PLR0124 - not NaN
    typical = [0 if place in slow else count for place, count in enumerate(there)]
    apart = [count if place in slow else 0 for place, count in enumerate(there)]
    nothing = array("H", [0] * size)
    bins = [nothing, array("H", typical), nothing, array("H", apart), *[nothing] * (BINS - 4)]
    own = Columns(shrink(means), shrink(means), array("I", [ops] * size), bins)
    rates = shrink([1e6] * size)
    all_ = array("H", [ALL * level // HOUR] * size)
    bytes_ = Columns(rates, rates, array("I", [UNKNOWN] * size), [all_, *[nothing] * (BINS - 1)])
    columns = {channel: own, LOAD: bytes_} if load else {channel: own}
    return SpanRow(
        "series", level, osds[0] // CHUNK, start, start, pack(Block(list(osds), columns))
    )


def spans(
    store: Store, rows: Sequence[SpanRow], *cohorts: Sequence[int], level: int = HOUR
) -> list[list[CohortSpan]]:
    store.watch.write(WatchBatch(at=BEGAN, spans=rows))
    return store.watch.cohort_spans(cohorts, level, BEGAN, BEGAN + DAY)


def of(span: CohortSpan, channel: str = COMMIT) -> float:
    found = span.latency[SPAN_CHANNELS.index(channel)]
    assert found is not None
    return found


def test_the_median_osd_by_cohort(store: Store) -> None:
    means = [0.001, 0.002, 0.003, 0.010, 0.020, 0.030]
    first, second = spans(store, [row(BEGAN, range(6), means)], [0, 1, 2], [3, 4, 5])
    assert [one.start for one in first + second] == [BEGAN, BEGAN]
    assert (of(first[0]), of(second[0])) == pytest.approx((0.002, 0.020), rel=0.01)
    load = dict(zip(SPAN_LOADS, first[0].load))
    assert load[COMMIT] == pytest.approx(1.0)  # 3600 operations in 240 frames of 15 s
    assert load[LOAD] == pytest.approx(1e6, rel=0.01)
    assert load[READ] is None


@pytest.mark.parametrize(("slow", "median"), [([], 0.003), ([4], 0.0025), ([3, 4], 0.002)])
def test_osds_that_stand_out_are_left_out(store: Store, slow: Sequence[int], median: float) -> None:
    """They are findings of their own."""
    means = [0.001, 0.002, 0.003, 0.004, 0.005]
    ((span,),) = spans(store, [row(BEGAN, range(5), means, slow=slow)], range(5))
    assert of(span) == pytest.approx(median, rel=0.01)


@pytest.mark.parametrize(
    ("known", "size", "count"),
    [(2, 6, 0), (3, 6, 1), (3, 7, 0), (4, 7, 1)],  # half of them, and three at least
)
def test_with_data_of_fewer_than_half_it_is_unknown(
    store: Store, known: int, size: int, count: int
) -> None:
    means = [0.001] * known + [NAN] * (size - known)
    (found,) = spans(store, [row(BEGAN, range(size), means)], range(size))
    assert len(found) == count


@pytest.mark.parametrize(("ops", "count"), [(99, 0), (100, 1), (UNKNOWN, 1)])
def test_an_osd_needs_a_hundred_operations(store: Store, ops: int, count: int) -> None:
    (found,) = spans(store, [row(BEGAN, range(3), [0.001] * 3, ops=ops)], range(3))
    assert len(found) == count


@pytest.mark.parametrize(("frames", "count"), [(59, 0), (60, 1)])
def test_an_osd_needs_a_quarter_of_the_hour(store: Store, frames: int, count: int) -> None:
    (found,) = spans(store, [row(BEGAN, range(3), [0.001] * 3, frames=frames)], range(3))
    assert len(found) == count


def test_operations_are_told_per_second_of_what_was_seen(store: Store) -> None:
    """An OSD that worked in half of the frames has the rate of the whole hour."""
    ((span,),) = spans(
        store, [row(BEGAN, range(3), [0.001] * 3, channel=QUEUE, frames=120)], range(3)
    )
    assert dict(zip(SPAN_LOADS, span.load))[QUEUE] == pytest.approx(1.0)


def test_of_many_osds_some_are_read(store: Store) -> None:
    """Every third chunk of 2,001 OSDs."""
    osds = range(2 * SAMPLED_OSDS + 1)
    chunks = [range(at, min(at + CHUNK, len(osds))) for at in range(0, len(osds), CHUNK)]
    rows = [
        row(BEGAN, chunk, [0.001 if number % 3 == 0 else 9.0] * len(chunk))
        for number, chunk in enumerate(chunks)
    ]
    ((span,),) = spans(store, rows, osds)
    assert of(span) == pytest.approx(0.001, rel=0.01)
