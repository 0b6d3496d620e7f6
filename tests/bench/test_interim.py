"""What is said of a round of OSDs while it runs, and of its clients afterwards."""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import Any

import pytest

from asked import json_of
from nouns import a_plan, a_round
from past import api_of
from perf_bench.bench.context import RESTING, SAVING, ActiveRound
from perf_bench.errors import CommandFailed
from perf_bench.model.plan import Phase, Request
from perf_bench.model.round import RoundState
from stage import Stage


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
    # nor is it told of the next round, which does not get so far
    stage.no_way = CommandFailed(errno.ENOTCONN, "no way")
    stage.bench.start(Request("osd-throughput", repeats=1))
    stage.ended()
    assert "client_latency" not in stage.round(2).environment


def test_without_operations_of_clients_nothing_is_kept(stage: Stage) -> None:
    stage.bench.start(Request("osd-throughput", repeats=1))
    stage.ended()
    assert "client_latency" not in stage.round().environment


# --- what is said of a running round between two looks --------------------------------------------


# Two waves of two OSDs, five repeats: 20 samples, estimated at 100 s.
PLAN = a_plan([[0, 1], [2, 3]], repeats=5)


def _active(done: int, done_before: int = 0, phase: str = "write") -> ActiveRound:
    round_ = a_round(PLAN, RoundState.RUNNING, id=1)
    return ActiveRound(round_, done_before=done_before, done=done, phase=phase, began=1000.0)


def test_how_far_it_is_and_how_long_it_takes() -> None:
    for active, progress, eta in [
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
    ]:
        assert active.progress() == progress
        assert active.eta(now=1060.0) == (None if eta is None else pytest.approx(eta))


def _rests() -> ActiveRound:
    """Two samples of 10 s each, then 1200 s of rest and one, twice."""
    step = PLAN.step
    phases = (
        Phase(step, ((0,), (1,)), "together"),
        Phase(step, ((0,),), "rested-1", 1200.0),
        Phase(step, ((0,),), "rested-2", 1200.0),
    )
    plan = replace(PLAN, phases=phases, repeats=1, max_repeats=1, seconds=2440.0)
    return ActiveRound(a_round(plan), began=1000.0)


def test_rests_are_counted_as_they_pass() -> None:
    active = _rests()
    together, first, second = active.round.plan.phases
    active.enters(together, 1000.0)
    assert active.eta(1000.0) == pytest.approx(2440)
    active.done = 2
    active.rests(first, 1200.0, 1020.0)
    assert active.phase == RESTING
    assert active.eta(1020.0) == pytest.approx(2420)
    assert active.eta(1620.0) == pytest.approx(1820)
    active.enters(first, 2220.0)
    assert active.phase == "rested-1-write"
    assert active.eta(2220.0) == pytest.approx(1220)
    active.done = 3
    # most of it passed before this mgr took over
    active.rests(second, 200.0, 2230.0)
    assert active.eta(2230.0) == pytest.approx(210)
    active.enters(second, 2430.0)
    assert active.eta(2430.0) == pytest.approx(10)
