"""What is said of a round of OSDs while it runs, and of its clients afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from asked import json_of
from nouns import a_plan, a_round
from past import api_of
from perf_bench.bench.context import ActiveRound
from perf_bench.model.plan import Request
from perf_bench.model.round import RoundState
from stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    made.wake()
    yield made
    made.close()


def test_the_place_of_a_round() -> None:
    plan = a_plan([[0, 1], [2, 3]], repeats=5)
    active = ActiveRound(a_round(plan, RoundState.RUNNING, id=1))
    active.enters(plan.phases[0], 0.0)
    assert active.place() is None
    active.bench_began(2, 4, 2, 0.0)
    assert active.place() == (4, 2, 2)
    active.rests(plan.phases[0], 10.0, 0.0)
    assert active.place() is None


def test_what_clients_felt_is_seen_while_it_runs_and_kept_with_the_round(stage: Stage) -> None:
    stage.client_seconds = 0.004
    seen: list[Any] = []
    api = api_of(stage)
    measure = stage.commands.measure

    def measured(*words: Any) -> Any:
        stage.client_seconds = 0.006
        stage.guard()
        seen.append(json_of(api, "round live", id=1))
        return measure(*words)

    stage.commands.measure = measured  # type: ignore[method-assign, assignment]
    stage.bench.start(Request("osd-throughput", repeats=1))
    stage.ended()
    first = seen[0]
    assert (first["phase"], first["repeat"], first["wave"]) == ("write", 1, 1)
    assert first["osds"]["planned"] == 6
    assert first["client_latency"]["before_ms"] == 4.0
    assert [one["ms"] for one in first["client_latency"]["points"]] == [6.0]
    assert seen[-1]["waves"] >= seen[-1]["wave"]
    noted = stage.round().environment["client_latency"]
    assert noted == {"before_ms": 4.0, "median_ms": 6.0, "highest_ms": 6.0}
    over = json_of(api, "round live", id=1)
    assert (over["phase"], over["wave"], over["client_latency"]) == (None, None, None)


def test_without_operations_of_clients_nothing_is_kept(stage: Stage) -> None:
    stage.bench.start(Request("osd-throughput", repeats=1))
    stage.ended()
    assert "client_latency" not in stage.round().environment
