"""Counts of errors that are read now and then."""

from __future__ import annotations

import json
from typing import Optional

from perf_bench.model.hardware import DAY, CounterTrend
from perf_bench.model.json_fields import decode

HOUR = 3600.0


def _read(*readings: tuple[float, int], begins_at: Optional[int] = None) -> CounterTrend:
    """Readings as (hours, count)."""
    first, *rest = [(hours * HOUR, count) for hours, count in readings]
    growth = CounterTrend.first(first[1], first[0])
    for at, count in rest:
        # as it comes back from the database
        growth = decode(CounterTrend, json.loads(json.dumps(growth.read(count, at, begins_at))))
    return growth


def test_what_is_read() -> None:
    cases: list[tuple[list[tuple[float, int]], Optional[int], Optional[int], int]] = [
        ([(0, 500)], None, None, 0),  # who knows since when
        ([(0, 500), (1, 500)], None, 0, 0),
        ([(0, 500), (1, 503)], None, 3, 1),
        ([(0, 0), (1, 3), (2, 10)], None, 10, 2),
        ([(0, 0), (1, 3), (2, 3), (3, 10)], None, 10, 2),
        ([(0, 0), (1, 90), (26, 91)], None, 1, 1),  # the 90 are of the day before
        ([(0, 500), (1, 4)], None, 0, 0),  # the host started: from where, nobody knows
        ([(0, 500), (1, 4)], 0, 4, 1),  # an OSD counts from 0
        ([(0, 500), (1, 4), (2, 6)], 0, 6, 2),
        ([(2, 5), (1, 9)], None, None, 0),  # older facts than those before
        ([(n, 10 * n) for n in range(20)], None, 190, 12),  # many are kept as twelve
    ]
    for readings, begins_at, per_day, times in cases:
        growth = _read(*readings, begins_at=begins_at)
        now = max(hours for hours, _ in readings) * HOUR
        assert (growth.per_day(now), growth.times(now)) == (per_day, times)


def test_since_when_and_how_long() -> None:
    growth = _read((0, 0), (1, 3), (5, 4))
    assert growth.since(5 * HOUR) == HOUR
    assert growth.since(HOUR + DAY) == 5 * HOUR
    assert growth.since(5 * HOUR + DAY) is None
    assert growth.per_day(5 * HOUR + DAY) is None


def test_a_clock_that_was_ahead_does_not_stop_the_counting() -> None:
    """The host, and the mgr on it, were a year ahead for one reading."""
    growth = _read((-1, 5), (365 * 24, 5), (1, 25), (2, 45), (3, 65))
    later = 3 * HOUR
    assert growth.newest == 65
    assert (growth.per_day(later), growth.times(later)) == (60, 3)
    assert growth.since(later) == HOUR


def test_a_counter_that_nobody_has_read_for_a_day_has_not_stood_still() -> None:
    cases: list[tuple[float, Optional[int]]] = [(DAY - 1, 0), (DAY, None)]
    for later, grew in cases:
        read = _read((0, 5), (1, 5))
        assert read.per_day(read.at + later) == grew
