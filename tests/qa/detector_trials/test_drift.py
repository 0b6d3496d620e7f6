"""The trial of drifting cohorts: the same from the same seed, and what it counts."""

from __future__ import annotations

import math

import pytest

from detector_trials import drift
from perf_bench.model.history import DAY, HOUR
from perf_bench.watch.detect.cohort_drift.compare import Point


def _steady(days: int, ratio: float = 1.0, at: float = math.inf) -> list[Point]:
    """Hours of a tide of load, slower by that ratio from a moment on."""
    hours = [drift._FIRST + HOUR * hour for hour in range(24 * days)]
    return [
        Point(
            start,
            0.3 * math.sin(start / DAY * 2 * math.pi) + math.log(ratio if start >= at else 1.0),
            (math.sin(start / DAY * 2 * math.pi),),
        )
        for start in hours
    ]


@pytest.mark.parametrize(("ratio", "levels"), [(1.0, []), (1.3, ["info"]), (1.6, ["warning"])])
def test_what_opens_is_counted_with_its_level(ratio: float, levels: list[str]) -> None:
    found = drift.judged(_steady(16, ratio, drift._FIRST + 12 * DAY))
    assert [one[1] for one in found["opened"]] == levels
    assert found["weeks"] == pytest.approx(1.0, abs=0.1)
    for opened in found["opened"]:
        assert opened[0] == 12 * DAY + 36 * HOUR


def test_a_drifted_cohort_differs_from_its_moment_on() -> None:
    hours = drift.hard(5)
    for was, is_ in zip(hours, drift.slower(hours, 2.0, 21 * DAY)):
        more = math.log(2.0) if is_.start >= hours[0].start + 21 * DAY else 0.0
        assert is_.level - was.level == pytest.approx(more)
