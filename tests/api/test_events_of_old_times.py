"""Rounds of a time that lies so many rounds ago that they are not on the first page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from perf_bench.answers.events import Events
from perf_bench.answers.shape import to_json
from perf_bench.model.finding import ConfigChange, ConfigLog
from perf_bench.model.quiesce import BALANCER_OPTION

HOUR = 3600.0
COUNT = 700
BEGAN = 1e6


class _Hourly:
    """A round every hour, the newest first; called as the store's thread calls it."""

    def __init__(self) -> None:
        self.pages = 0
        self._lines = [_line(number) for number in range(COUNT, 0, -1)]

    def call(self, ask: Any) -> Any:
        return ask(self)

    def rounds(self, limit: int, offset: int = 0) -> Any:
        self.pages += 1
        return self._lines[offset : offset + limit], COUNT


def _line(number: int) -> Any:
    began = BEGAN + HOUR * number
    return SimpleNamespace(
        id=number,
        profile="osd-iops",
        label="",
        created_at=began,
        started_at=began,
        ended_at=began + 600,
    )


def _asked(store: Any, first: int, last: int, changes: Any = ()) -> list[Any]:
    watch: Any = SimpleNamespace(findings=list)
    begin, end = BEGAN + HOUR * first, BEGAN + HOUR * (last + 1)
    happened = Events(watch, store, lambda: ConfigLog(changes)).between(begin, end, [])
    found: list[Any] = to_json(happened)["events"]
    return found


def test_rounds_of_weeks_ago_are_told() -> None:
    found = _asked(_Hourly(), 20, 22)
    assert [event["id"] for event in found] == [22, 21, 20]


def test_what_such_a_round_set_and_put_back_is_no_change_of_somebody() -> None:
    at = BEGAN + HOUR * 20
    changes = [
        ConfigChange(at + 601, BALANCER_OPTION, "false", None),
        ConfigChange(at + 1, BALANCER_OPTION, None, "false"),
    ]
    assert {event["kind"] for event in _asked(_Hourly(), 20, 22, changes)} == {"round"}


def test_the_newest_rounds_need_one_page() -> None:
    store = _Hourly()
    assert len(_asked(store, COUNT - 2, COUNT)) == 3
    assert store.pages == 1
