"""A time with more events than are told: the newest of each kind, and the answer says so."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from perf_bench.answers.cluster import Trends
from perf_bench.answers.events import MOST_EVENTS, Events
from perf_bench.answers.period import PeriodAnswers
from perf_bench.answers.shape import to_json
from perf_bench.model.finding import ConfigChange, ConfigLog
from perf_bench.model.history import ClusterSpan


class _NoRounds:
    def call(self, _ask: Any) -> Any:
        return [], 0


def _events(spans: list[ClusterSpan], end: float) -> dict[str, Any]:
    watch: Any = SimpleNamespace(findings=list)
    rounds: Any = _NoRounds()
    found: dict[str, Any] = to_json(Events(watch, rounds, ConfigLog).between(0.0, end, spans))
    return found


def _restarted(count: int) -> list[ClusterSpan]:
    """An OSD goes down and restarts in each of so many spans of five minutes."""
    return [
        ClusterSpan(
            300 * n,
            300,
            6,
            (),
            restarted=((n % 6, 300 * n + 60),),
            went_down=((n % 6, 300 * n + 30),),
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [10, MOST_EVENTS, MOST_EVENTS + 10])
def test_the_newest_of_each_kind_are_told(count: int) -> None:
    found = _events(_restarted(count), 300.0 * count)["events"]
    kinds = [one["kind"] for one in found]
    most = min(count, MOST_EVENTS)
    assert (kinds.count("restart"), kinds.count("down")) == (most, most)


def test_osds_of_a_span_that_are_not_kept_are_counted() -> None:
    """Also where all that are kept were outside of the time."""
    span = ClusterSpan(
        0, 300, 9, restarted=((1, 60), (2, 90)), more_restarted=7, went_down=(), more_went_down=0
    )
    (event,) = _events([span], 300.0)["events"]
    assert (event["osds"], event["osds_left_out"]) == ([1, 2], 7)
    watch: Any = SimpleNamespace(findings=list)
    rounds: Any = _NoRounds()
    found = to_json(Events(watch, rounds, ConfigLog).between(200.0, 300.0, [span]))
    (event,) = found["events"]
    assert (event["osds"], event["osds_left_out"]) == ([], 7)
    assert event["at"] == "1970-01-01T00:03:20.000Z"


@pytest.mark.parametrize("count", [MOST_EVENTS, MOST_EVENTS + 22])
def test_rounds_that_are_left_out_are_counted(count: int) -> None:
    """A round every hour: three days have more than are told."""
    lines = [
        SimpleNamespace(
            id=number,
            profile="osd-iops",
            label="",
            created_at=3600.0 * number,
            started_at=3600.0 * number,
            ended_at=3600.0 * number + 600,
        )
        for number in range(count, 0, -1)
    ]
    rounds: Any = SimpleNamespace(call=lambda _ask: (lines, count))
    watch: Any = SimpleNamespace(findings=list)
    found = to_json(Events(watch, rounds, ConfigLog).between(0.0, 3600.0 * (count + 1), []))
    told = [one["id"] for one in found["events"]]
    assert told == list(range(count, count - MOST_EVENTS, -1))
    more = count - MOST_EVENTS
    assert found["events_left_out"] == ({"round": more} if more else {})


CUT_OFF = (
    "those before 1970-01-02 00:01 UTC, the oldest that is read of the monitors' log: "
    "'ceph config log 2000' prints more of it"
)


@pytest.mark.parametrize(
    ("begins", "told"),
    [
        (None, "told"),
        (50.0, "told"),
        (86460.0, CUT_OFF),
    ],
)
def test_a_log_of_changes_that_does_not_reach_back_is_not_all(begins: Any, told: str) -> None:
    """Each round writes entries, too: 200 are over within days."""
    watch: Any = SimpleNamespace(findings=list)
    rounds: Any = _NoRounds()
    changes = [ConfigChange(90000.0, "osd/osd_max_backfills", "1", "8")]
    found = to_json(
        Events(watch, rounds, lambda: ConfigLog(changes, begins)).between(100.0, 1e5, [])
    )
    assert [one["name"] for one in found["events"]] == ["osd/osd_max_backfills"]
    assert found["configuration"] == told


@pytest.mark.parametrize("more", [0, 10])
def test_a_report_says_that_restarts_are_left_out(more: int) -> None:
    count = MOST_EVENTS + more
    end = 300.0 * count
    watch: Any = SimpleNamespace(findings=list)
    rounds: Any = _NoRounds()
    happened = Events(watch, rounds, ConfigLog).between(0.0, end, _restarted(count))
    answer = Trends({}, end, happened)
    cluster: Any = SimpleNamespace(trends=lambda *_arguments: answer)
    parts: Any = SimpleNamespace(cluster=cluster)
    incomplete: list[str] = []
    PeriodAnswers(parts)._latency(int(end), True, incomplete)
    said = [f"only the newest {MOST_EVENTS} changes of kind {kind}" for kind in ("down", "restart")]
    assert incomplete == (said if more else [])
