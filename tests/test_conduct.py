"""What is said of a running round between two looks."""

from __future__ import annotations

from typing import Optional

import pytest

from nouns import a_plan, a_round
from perf_bench.conduct import SAVING, Active
from perf_bench.model.round import RoundState
from perf_bench.run.runner import Stop

# Two waves of two OSDs, five repeats: 20 samples, estimated at 100 s.
PLAN = a_plan([[0, 1], [2, 3]], repeats=5)


def _active(done: int, done_before: int = 0, phase: str = "write") -> Active:
    round_ = a_round(PLAN, RoundState.RUNNING, id=1)
    return Active(round_, Stop(), done_before, done, phase, began=1000.0)


@pytest.mark.parametrize(
    ("active", "progress", "eta"),
    [
        # nothing measured yet: the plan's estimate
        (_active(0), 0.0, 100.0),
        # 5 samples in 60 s, 15 to go
        (_active(5), 0.25, 180.0),
        (_active(20), 1.0, 0.0),
        # carried on at 10 of 20: the plan's estimate of what is left
        (_active(10, done_before=10), 0.5, 50.0),
        # and 2 more since: 60 s for 2, 8 to go
        (_active(12, done_before=10), 0.6, 240.0),
        # nobody knows how long the database takes
        (_active(20, phase=SAVING), 1.0, None),
    ],
)
def test_how_far_it_is_and_how_long_it_takes(
    active: Active, progress: float, eta: Optional[float]
) -> None:
    assert active.progress() == progress
    assert active.eta(now=1060.0) == (None if eta is None else pytest.approx(eta))


def test_a_round_of_nothing_is_all_done() -> None:
    active = Active(a_round(a_plan([])), Stop())
    assert active.progress() == 1.0
