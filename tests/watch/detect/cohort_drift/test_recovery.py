"""Hours and days with recovery, just below, at and above the share that leaves them out."""

from __future__ import annotations

import math

import pytest

from perf_bench.model.finding import Frame, Mark, Roster, Watched
from perf_bench.model.history import DAY, HOUR
from perf_bench.watch.detect.cohort_drift.past import RecoveryHours

BEGAN = 2800 * 7 * DAY
MEMBERS = tuple(Watched(osd, f"osd.{osd}", "h", "hdd" if osd < 4 else "ssd") for osd in range(6))


def frames(found: RecoveryHours, hour: int, marked: int, *, of: int = 4) -> None:
    """An hour of four OSDs in so many frames each; in so many of all of them recovery is seen."""
    left = marked
    for number in range(of):
        marks = [int(Mark.RECOVERING) if at < min(4, left) else 0 for at in range(6)]
        left -= min(4, left)
        at = BEGAN + hour * HOUR + number * 15
        frame = Frame(at, at + 15, Roster(MEMBERS), {}, {}, [math.nan] * 6, marks)
        found.add(frame, {one.osd: one.cohort for one in MEMBERS})


@pytest.mark.parametrize(("marked", "left_out"), [(0, False), (3, False), (4, True), (16, True)])
def test_an_hour_with_a_quarter_of_recovery_is_left_out(marked: int, left_out: bool) -> None:
    """Of 16 frames of its OSDs; the other cohort has none."""
    found = RecoveryHours()
    frames(found, 5, marked)
    assert set(found.hours("hdd")) == set()  # it goes on
    frames(found, 6, 0)
    assert set(found.hours("hdd")) == ({BEGAN + 5 * HOUR} if left_out else set())
    assert set(found.hours("ssd")) == set()
