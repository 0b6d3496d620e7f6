"""Spans put together: no count is lost, no maximum, and "no data" is not made up."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latencies import NAN, columns
from perf_bench.model.finding import COMMIT
from perf_bench.model.history import BINS, SeriesPoint
from perf_bench.store.encoding import UNKNOWN, Block, Columns, merge, point, shrink


def _point(block: Block, osd: int, channel: str = COMMIT) -> Optional[SeriesPoint]:
    return point(block, osd, channel, 0, 3600)


def _merged(*spans: tuple[Sequence[float], Sequence[Optional[int]]]) -> SeriesPoint:
    """One OSD's spans, each of (means, operations) of one figure, as one."""
    blocks = [Block([7], {COMMIT: columns(means, ops=ops)}) for means, ops in spans]
    found = _point(merge(blocks), 7)
    assert found is not None
    return found


def test_means_and_operations() -> None:
    for spans, mean, ops in (
        # weighted by operations
        ([([0.010], [300]), ([0.050], [100])], 0.020, 400),
        # an idle span has no data and does not count
        ([([0.010], [300]), ([NAN], [0])], 0.010, 300),
        # without numbers of operations each frame is as good as another
        ([([0.010], [None]), ([0.030], [None])], 0.020, None),
        # known of one only: not known of both
        ([([0.010], [20]), ([0.030], [None])], 0.020, None),
        # a mean of no operation at all is a mean still
        ([([0.010], [0]), ([0.030], [0])], 0.020, 0),
        # more than fits
        ([([0.010], [UNKNOWN - 1]), ([0.010], [5])], 0.010, UNKNOWN - 1),
    ):
        merged = _merged(*spans)
        assert merged.mean == pytest.approx(mean, rel=0.01)
        assert merged.ops == ops


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    """Counts of a few hundred, figures from 1 ms to 10 s; some OSDs without data."""
    osds = sorted(draw(st.sets(st.integers(0, 5), min_size=1, max_size=4)))
    size = len(osds)
    means = draw(
        st.lists(st.one_of(st.just(NAN), st.floats(1e-3, 10.0)), min_size=size, max_size=size)
    )
    # Counts and operations of what has a mean; what has none has none of them.
    there = [0 if math.isnan(mean) else 1 for mean in means]

    def counted(kind: str) -> array[int]:
        some = draw(st.binary(min_size=size, max_size=size))
        return array(kind, [one * (n + 1) for one, n in zip(there, some)])

    return Block(
        osds,
        {
            COMMIT: Columns(
                shrink(means),
                shrink([2 * mean for mean in means]),
                counted("I"),
                [counted("H") for _ in range(BINS)],
            )
        },
    )


def _facts(parts: Sequence[Block]) -> dict[int, tuple[list[int], Optional[float], int]]:
    """By OSD its counts, its maximum and its operations, added up the plain way."""
    found: dict[int, tuple[list[int], Optional[float], int]] = {}
    for block in parts:
        for osd in block.osds:
            one = _point(block, osd)
            if one is None or one.maximum is None or one.ops is None:
                continue
            bins, peak, ops = found.get(osd, ([0] * BINS, None, 0))
            found[osd] = (
                [a + b for a, b in zip(bins, one.bins)],
                max(peak or 0.0, one.maximum),
                ops + one.ops,
            )
    return found


@settings(max_examples=30)
@given(st.lists(blocks(), min_size=1, max_size=6))
def test_nothing_is_lost(parts: list[Block]) -> None:
    assert _facts([merge(parts)]) == _facts(parts)


@settings(max_examples=30)
@given(st.lists(blocks(), min_size=3, max_size=6), st.integers(1, 2))
def test_it_does_not_matter_in_how_many_steps(parts: list[Block], cut: int) -> None:
    stepwise = merge([merge(parts[:cut]), merge(parts[cut:])])
    assert _facts([stepwise]) == _facts(parts)
    for osd in stepwise.osds:
        once, twice = _point(merge(parts), osd), _point(stepwise, osd)
        if once is None or twice is None:
            assert once is twice
        else:
            assert twice.mean == pytest.approx(once.mean, rel=0.02)
