"""What a dry run says of wear, of clients, and of the settings that are held."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest

from asked import json_of
from nouns import STEP, a_plan, a_round
from past import api_of
from perf_bench.bench.compare.comparable import client_impact
from perf_bench.errors import CommandFailed, StoreUnavailable
from perf_bench.model.plan import Request
from perf_bench.model.round import ImpactState, RoundState, Verdict
from stage import Stage

FELT = {"client_latency": {"before_ms": 4.0, "median_ms": 6.0, "highest_ms": 12.0}}
ROUND = Request("osd-throughput", repeats=1)


# --- clients ----------------------------------------------------------------------------------


def _past(**named: Any) -> Any:
    named = {"environment": FELT, "verdict": Verdict.VALID, **named}
    return a_round(state=RoundState.DONE, **named)


def test_clients_of_comparable_rounds_count_whatever_their_verdict() -> None:
    small = a_plan([[0]], step=replace(STEP, block_size=4096))
    past = [
        _past(id=4, verdict=Verdict.ABORTED),
        _past(id=3, plan=small),
        _past(id=2, environment={}),
        _past(id=1),
    ]
    found = client_impact(a_plan([[0]]), past)
    assert (found.state, [one.round for one in found.rounds]) == (ImpactState.KNOWN, [4, 1])
    assert found.rounds[0].at_once == 2
    assert client_impact(a_plan([[0]]), past[1:3]).state is ImpactState.NOT_MEASURED
    assert client_impact(a_plan([[0]]), past[1:2]).state is ImpactState.NO_ROUNDS


# --- the answer -------------------------------------------------------------------------------


def test_a_dry_run_has_all_that_a_start_would_do(stage: Stage) -> None:
    api = api_of(stage)
    assert json_of(api, "round start", dry_run=True, **vars(ROUND))["clients"] == {
        "state": "no-rounds",
        "rounds": [],
    }
    stage.client_seconds = 0.004
    measure = stage.commands.measure

    def measured(*words: Any) -> Any:
        stage.client_seconds = 0.006
        stage.guard()
        return measure(*words)

    stage.commands.measure = measured  # type: ignore[method-assign, assignment]
    stage.bench.start(ROUND)
    stage.ended()
    shape = json_of(
        api,
        "round start",
        dry_run=True,
        **vars(Request("osd-throughput", repeats=1, max_repeats=3)),
    )
    (felt,) = shape["clients"]["rounds"]
    assert shape["clients"]["state"] == "known"
    assert (felt["round"], felt["before_ms"], felt["median_ms"], felt["times"]) == (1, 4, 6, 1.5)
    assert {"what": "balancer", "was": None, "want": "off"} in shape["holds"]
    assert shape["held_seconds"] == 900 + 2 * shape["most_seconds"]
    assert shape["most_bytes"] == 3 * shape["bytes"]
    (wear,) = shape["wear"]
    assert (wear["class"], wear["osds"]) == ("hdd", 6)
    # the round before counts, too
    assert wear["budget_percent"] == pytest.approx(
        100 * (shape["bytes_per_osd"] + shape["most_bytes_per_osd"]) / wear["budget_bytes"]
    )


def test_what_cannot_be_read_is_said_not_to_be_known(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise CommandFailed(110, "the monitors do not answer")

    def away(*_: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        answer.set_exception(StoreUnavailable("the database is away"))
        return answer

    monkeypatch.setattr(stage.settings, "read", fail)
    monkeypatch.setattr(stage.store_thread, "ask", away)
    shape = json_of(api_of(stage), "round start", dry_run=True, **vars(ROUND))
    assert (shape["holds"], shape["quiesce"]) == (None, [])
    assert shape["clients"] == {"state": "unread", "rounds": []}


def test_rounds_of_clients_do_not_tell_what_clients_will_feel(stage: Stage) -> None:
    shape = json_of(api_of(stage), "round start", dry_run=True, profile="rados-write", seconds=2)
    assert shape["clients"]["state"] == "own-clients"
    assert shape["wear"][0]["bytes_per_osd"] == shape["most_bytes_per_osd"]
