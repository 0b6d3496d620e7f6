"""What happened in a time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional

import pytest

from perf_bench.answers.events import Events
from perf_bench.answers.shape import to_json
from perf_bench.model.finding import ConfigChange, ConfigLog
from perf_bench.model.quiesce import BALANCER_OPTION


class _Rounds:
    """The list of rounds, called as the store's thread calls it."""

    def __init__(self, *lines: Any) -> None:
        self._lines = lines

    def call(self, ask: Any) -> Any:
        return ask(self)

    def rounds(self, limit: int) -> Any:
        return self._lines[:limit], len(self._lines)


def _line(began: Optional[float], ended: Optional[float]) -> Any:
    return SimpleNamespace(
        id=7,
        profile="osd-iops",
        label="",
        created_at=began or 1.0,
        started_at=began,
        ended_at=ended,
    )


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
    line = _line(began, ended)
    watch: Any = SimpleNamespace(findings=list)
    rounds: Any = _Rounds(line)
    found = to_json(Events(watch, rounds, ConfigLog).between(100.0, 200.0, []))
    assert [event["id"] for event in found["events"]] == ([7] if told else [])
    assert found["configuration"] == "told"


OWN = (("false", 101.0), ("true", 139.0), (None, 140.0))  # as a round sets and puts back


@pytest.mark.parametrize(
    ("name", "steps", "ended", "told"),
    [
        (BALANCER_OPTION, OWN, 130.0, 0),
        (BALANCER_OPTION, OWN, None, 3),  # it still runs: the balancer is off now
        (BALANCER_OPTION, OWN, 79.0, 3),  # 61 s after the end is no round's work
        (BALANCER_OPTION, OWN, 80.0, 0),
        (BALANCER_OPTION, OWN[:2], 130.0, 2),  # not as it was: somebody else had a hand in it
        (BALANCER_OPTION, (("false", 99.0), *OWN[1:]), 130.0, 3),  # begun before the round
        ("osd/osd_max_backfills", OWN, 130.0, 3),
    ],
)
def test_what_a_round_sets_and_puts_back_is_no_change(
    name: str, steps: Any, ended: Optional[float], told: int
) -> None:
    values = [None, *(value for value, _ in steps)]
    changes = [ConfigChange(at, name, before, after) for (after, at), before in zip(steps, values)][
        ::-1
    ]
    watch: Any = SimpleNamespace(findings=list)
    rounds: Any = _Rounds(_line(100.0, ended))
    found = to_json(Events(watch, rounds, lambda: ConfigLog(changes)).between(50.0, 200.0, []))
    assert len([event for event in found["events"] if event["kind"] == "config"]) == told
