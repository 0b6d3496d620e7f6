"""Each rule of the comparison at its limits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from perf_bench.model.history import DAY, HOUR
from perf_bench.watch.detect.cohort_drift import drift as module
from perf_bench.watch.detect.cohort_drift.drift import (
    Comparison,
    Past,
    Point,
    compare,
)

# Midnight of a Thursday, where the weeks of unix time begin.
BEGAN = 2800 * 7 * DAY


def past(levels: Sequence[float], hours: int = 24, load: float = 1.0) -> Past:
    """Blocks (days) of this level, with so many hours each."""
    return Past(
        [
            Point(BEGAN + day * DAY + hour * HOUR, level, (load,))
            for day, level in enumerate(levels)
            for hour in range(hours)
        ]
    )


def newest(levels: Sequence[float], days: int, load: float = 1.0) -> tuple[list[Point], float]:
    """Hours of these levels up to the end of that day."""
    now = BEGAN + days * DAY
    starts = [now - (len(levels) - at) * HOUR for at in range(len(levels))]
    return [Point(at, level, (load,)) for at, level in zip(starts, levels)], now


def drifted(reference: Past, levels: Sequence[float], days: int) -> bool:
    points, now = newest(levels, days)
    found = compare(reference, points, now, -math.inf)
    assert isinstance(found, Comparison)
    return found.drifted


@pytest.mark.parametrize(
    ("a_day", "days", "known"),
    [
        (2, 3, True),  # six of three days
        (3, 2, False),  # six of two days
        (1, 5, False),  # five
        (9, 2, False),  # of a day three count
    ],
)
def test_how_many_hours_of_like_load_are_needed(a_day: int, days: int, known: bool) -> None:
    found = past([0.0] * days, a_day).excess(Point(BEGAN + 99 * DAY, 0.5, (1.0,)))
    assert (found == 0.5) is known
    assert (found is None) is not known


def test_the_twelve_nearest_count_and_three_of_a_day_at_most() -> None:
    """Four days at this load, and four that are a little off and slower."""
    near = [
        Point(BEGAN + day * DAY + hour * HOUR, 0.0, (1.0,)) for day in range(4) for hour in range(3)
    ]
    off = [
        Point(BEGAN + day * DAY + hour * HOUR, 9.0, (1.01,))
        for day in range(4, 8)
        for hour in range(9)
    ]
    point = Point(BEGAN + 99 * DAY, 0.5, (1.0,))
    assert Past([*near, *off]).excess(point) == 0.5
    # With a day less of them, three hours of one of the others are among the twelve.
    assert Past([*near[3:], *off]).excess(point) == 0.5
    assert Past([*near[9:], *off]).excess(point) == pytest.approx(-8.5)


@pytest.mark.parametrize(("z", "found"), [(3.95, False), (4.05, True)])
def test_a_drift_is_more_than_four_deviations_of_the_days(z: float, found: bool) -> None:
    """Days at -0.08 and 0.08; each is compared with the others."""
    reference = past([-0.08, 0.08] * 7)
    deviation, second = reference.noise
    assert second < 3.9 * deviation
    middle = reference.excess(Point(BEGAN + 99 * DAY, 0.0, (1.0,)))
    assert middle is not None
    level = z * deviation - middle
    assert drifted(reference, [level] * 48, 17) is found


@pytest.mark.parametrize(("level", "found"), [(0.59, False), (0.61, True)])
def test_a_drift_is_more_than_all_but_one_of_the_days(level: float, found: bool) -> None:
    """Two of fourteen days were at 0.6, and one at 2: that one does not count."""
    reference = past([0.0] * 11 + [2.0, 0.6, 0.6])
    assert reference.noise[0] == module.NOISE_FLOOR
    assert drifted(reference, [level] * 48, 17) is found


@pytest.mark.parametrize(("more", "found"), [(-1e-6, False), (0.0, True)])
def test_an_hour_is_slower_from_1_1_times_on(more: float, found: bool) -> None:
    """One more than a quarter of the hours is at that."""
    levels = [math.log(1.1) + more] * 13 + [0.5] * 35
    assert drifted(past([0.0] * 14), levels, 17) is found
