"""Commits that wait for the database, and those that do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from perf_bench.model.doctor_snapshot import stall_of


def points(*steps: tuple[float, int]) -> list[tuple[float, float, int]]:
    """A time average of reports 5 s apart, by how much its sum and its number grew in each."""
    found = [(0.0, 100.0, 1000)]
    for seconds, count in steps:
        at, total, number = found[-1]
        found.append((at + 5, total + seconds, number + count))
    return found


def test_stalls() -> None:
    cases: list[tuple[Sequence[tuple[float, int]], Sequence[tuple[float, int]], float, float]] = [
        ([(1.0, 1000)] * 4, [(0.5, 1000)] * 4, 0.0, 0.0),
        ([(4.8, 2), (4.0, 4)], [(0.1, 2), (0.8, 4)], 4.7, 2.35),  # 0.8 s each is no stall
        ([(10.0, 4), (9.0, 1)], [(0.0, 4), (0.0, 1)], 19.0, 9.0),
        ([(10.0, 4)], [(5.0, 4)], 0.0, 0.0),  # the device is as slow
        ([(0.0, 0), (9.0, 1)], [(0.0, 0), (0.0, 1)], 9.0, 9.0),  # none ended within a report
        ([(-90.0, -900), (1.0, 9)], [(-50.0, -900), (0.1, 9)], 0.0, 0.0),  # a restart
        ([], [], 0.0, 0.0),
    ]
    for syncs, flushes, seconds, longest in cases:
        stall = stall_of(points(*syncs), points(*flushes), (), 7)
        assert stall[:2] == pytest.approx((seconds, longest))
        assert stall[2:] == (0, 7)


def test_a_long_commit_among_quick_ones_is_told_by_the_count_of_slow_ones() -> None:
    syncs, flushes = points((4.9, 500), (4.9, 500), (4.9, 500)), points(*[(0.1, 500)] * 3)
    slows = [(0.0, 3.0, 0), (5.0, 3.0, 0), (10.0, 40.0, 0), (15.0, 40.0, 0)]
    stall = stall_of(syncs, flushes, slows, 7)
    assert (round(stall.seconds, 3), stall.slow) == (4.8, 37)
    # and where the device's flush took as long, it is the device
    assert stall_of(syncs, points(*[(3.0, 500)] * 3), slows, 7).slow == 0
    restarted = [(0.0, 3.0, 0), (5.0, 3.0, 0), (10.0, 0.0, 0), (15.0, 0.0, 0)]
    assert stall_of(syncs, flushes, restarted, 7).seconds == 0


def test_reports_that_are_not_of_the_same_time_are_left_out() -> None:
    flushes = [(at + 1, total, count) for at, total, count in points((0.0, 1), (0.0, 1))]
    assert stall_of(points((9.0, 1), (9.0, 1)), flushes, (), 7).seconds == 0
