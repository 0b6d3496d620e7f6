"""Steps in which the past is read: one at a time, and again some time after an error."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import pytest

from perf_bench.errors import StoreUnavailable
from perf_bench.model.history import DAY
from perf_bench.watch.detect.cohort_drift.past import CohortPasts

BEGAN = 2800 * 7 * DAY


class Queue:
    """Keeps what it was asked; the test answers when it likes."""

    def __init__(self) -> None:
        self.asked: list[Future[None]] = []

    def ask(self, question: Any) -> Future[None]:
        self.asked.append(Future())
        return self.asked[-1]


def test_a_step_begins_when_the_one_before_has_ended() -> None:
    queue = Queue()
    pasts = CohortPasts(queue)  # type: ignore[arg-type]  # the part of it that is used
    for tick in range(3):
        pasts.tick({"a": [1, 2, 3]}, BEGAN + 5 * tick)
    assert len(queue.asked) == 1
    queue.asked[0].set_result(None)
    for tick in range(3, 6):
        pasts.tick({"a": [1, 2, 3]}, BEGAN + 5 * tick)
    assert len(queue.asked) == 2


@pytest.mark.parametrize(
    ("later", "asked"), [([5.0, 55.0], 1), ([5.0, 64.0], 1), ([5.0, 65.0], 2), ([5.0, 99.0], 2)]
)
def test_after_an_error_it_waits_for_a_minute(later: Sequence[float], asked: int) -> None:
    queue = Queue()
    pasts = CohortPasts(queue)  # type: ignore[arg-type]
    pasts.tick({"a": [1, 2, 3]}, BEGAN)
    queue.asked[0].set_exception(StoreUnavailable("no pool"))
    for seconds in later:
        pasts.tick({"a": [1, 2, 3]}, BEGAN + seconds)
    assert pasts.problem == "no pool"
    assert len(queue.asked) == asked
