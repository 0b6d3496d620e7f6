"""Where the edges of bins fall among the stamps of points. Bins are 15 s wide."""

from __future__ import annotations

from typing import Optional

import pytest

from perf_bench.watch.collect.frames import Cuts, bin_at, cuts_of, usable

RING = [5.0 * number for number in range(20)]  # 0, 5, … 95


@pytest.mark.parametrize(
    ("times", "latest", "expected"),
    [
        ([], 100.0, []),
        ([10.0], 100.0, [10.0]),
        (RING, 100.0, RING),
        # one stamp twice
        ([5.0, 10.0, 10.0, 15.0], 100.0, [5.0, 10.0, 10.0, 15.0]),
        # the clock stepped back by 30 s: what came before the step is not looked at
        ([95.0, 100.0, 105.0, 80.0, 85.0], 90.0, [80.0, 85.0]),
        # nothing has come since the step: stamps of a time to come
        ([95.0, 100.0, 105.0], 80.0, []),
        ([70.0, 75.0, 105.0], 80.0, [70.0, 75.0]),
        # the clock stepped an hour ahead
        ([0.0, 5.0, 3605.0, 3610.0], 3611.0, [3605.0, 3610.0]),
        # a period stretched to 20 s, and to a minute
        ([0.0, 20.0, 40.0], 41.0, [0.0, 20.0, 40.0]),
        ([0.0, 60.0, 120.0], 121.0, [0.0, 60.0, 120.0]),
    ],
)
def test_usable_stamps(times: list[float], latest: float, expected: list[float]) -> None:
    start, stop = usable(times, latest)
    assert times[start:stop] == expected


@pytest.mark.parametrize(
    ("times", "next_bin", "bins"),
    [
        ([], 0, None),
        ([7.0], 0, None),
        # two points within a bin, or over one edge: no bin from edge to edge
        ([16.0, 21.0], 0, None),
        ([13.0, 18.0], 0, None),
        # exactly from edge to edge
        ([15.0, 30.0], 0, (1, 2)),
        ([14.0, 31.0], 0, (1, 2)),
        # a whole ring: 0 to 95 s
        (RING, 0, (0, 6)),
        # what was read before is not read again
        (RING, 4, (4, 6)),
        (RING, 6, None),
        (RING, 99, None),
        # one delta over many bins
        ([2.0, 62.0], 0, (1, 4)),
    ],
)
def test_bins_that_are_covered(
    times: list[float], next_bin: int, bins: Optional[tuple[int, int]]
) -> None:
    cuts = cuts_of(times, next_bin, 1e9)
    assert (cuts and (cuts.first, cuts.stop)) == bins


def test_edges_lie_between_the_points_around_them() -> None:
    times = [12.0, 17.0, 22.0, 27.0, 32.0]
    # edges at 15 and 30: between 12 and 17, and between 27 and 32
    assert cuts_of(times, 0, 100.0) == Cuts(1, 2, (-5, -4, -2, -1), (0.6, 0.6))


def test_edges_on_points() -> None:
    cuts = cuts_of([15.0, 15.0, 20.0, 30.0], 0, 100.0)
    assert cuts is not None
    assert (cuts.first, cuts.stop) == (1, 2)
    # at the first point: nothing of the way; at the last: all of it
    assert cuts.shares == (0.0, 1.0)


def test_stamps_after_a_step_back_are_counted_from_the_end() -> None:
    cuts = cuts_of([95.0, 100.0, 30.0, 35.0, 40.0, 45.0], 0, 46.0)
    assert cuts == Cuts(2, 3, (-4, -3, -2, -1), (0.0, 1.0))


@pytest.mark.parametrize(
    ("moment", "number"), [(0.0, 0), (14.999, 0), (15.0, 1), (1_700_000_000.0, 113333333)]
)
def test_bin_of_a_moment(moment: float, number: int) -> None:
    assert bin_at(moment) == number
