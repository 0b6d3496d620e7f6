"""A time with more restarts than are told: the newest of each kind, and the report says so."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from perf_bench.api.events import MOST_EVENTS, Events
from perf_bench.api.period import PeriodApi
from perf_bench.model.cluster_span import ClusterSpan


class _NoRounds:
    def call(self, _ask: Any) -> Any:
        return [], 0


def _events(spans: list[ClusterSpan], end: float) -> dict[str, Any]:
    watch: Any = SimpleNamespace(findings=list)
    rounds: Any = _NoRounds()
    return dict(Events(watch, rounds, list).between(0.0, end, spans))


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


def test_a_report_says_that_restarts_are_left_out() -> None:
    count = MOST_EVENTS + 10
    end = 300.0 * count
    answer = {
        **_events(_restarted(count), end),
        "channels": [],
        "work": [[0, end]],
        "groups": [],
    }
    cluster: Any = SimpleNamespace(latency=lambda *_arguments: answer)
    parts: Any = SimpleNamespace(cluster=cluster)
    incomplete: list[str] = []
    PeriodApi(parts)._latency(int(end), True, incomplete)
    assert incomplete == [
        f"only the newest {MOST_EVENTS} changes of kind down",
        f"only the newest {MOST_EVENTS} changes of kind restart",
    ]
