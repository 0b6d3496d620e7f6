"""What happened in a time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional

import pytest

from perf_bench.api.events import Events


class _Rounds:
    """The list of rounds, called as the store's thread calls it."""

    def __init__(self, *lines: Any) -> None:
        self._lines = lines

    def call(self, ask: Any) -> Any:
        return ask(self)

    def rounds(self, limit: int) -> Any:
        return self._lines[:limit], len(self._lines)


@pytest.mark.parametrize(
    ("began", "ended", "told"),
    [
        (50.0, 99.0, False),
        (50.0, 100.0, True),
        (50.0, None, True),  # it still runs
        (199.0, 300.0, True),
        (200.0, 300.0, False),
        (None, None, False),  # it has not begun
    ],
)
def test_a_round_is_told_if_it_ran_in_that_time(
    began: Optional[float], ended: Optional[float], told: bool
) -> None:
    line = SimpleNamespace(id=7, profile="osd-iops", label="", started_at=began, ended_at=ended)
    watch: Any = SimpleNamespace(findings=list)
    rounds: Any = _Rounds(line)
    found = Events(watch, rounds, list).between(100.0, 200.0, [])
    assert [event["id"] for event in found["events"]] == ([7] if told else [])
    assert found["configuration"] == "told"
