"""Schedules on a whole bench: started once, refused and tried again, taken over, told of."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import threads
from asked import ask, json_of
from evidence import checked
from past import api_of
from perf_bench.answers import dashboard
from perf_bench.answers.api import Api
from perf_bench.answers.shape import to_json
from perf_bench.errors import NotFound, StoreUnavailable
from perf_bench.model.finding_kinds import ROUND_FAILED
from perf_bench.model.plan import Request, ScheduleRequest, ScheduleState
from roles import ROLES
from stage import Stage

HOURLY = ScheduleRequest("hourly", "osd-throughput", every="1h", osds="0,1")
HOUR = 3600.0


def _look(stage: Stage, seconds: float) -> None:
    """Let time pass; the mgr looks at its end."""
    stage.clock.advance(seconds)
    stage.schedule()


def _pass(stage: Stage, seconds: float) -> None:
    """The same, and what it started ends."""
    _look(stage, seconds)
    stage.ended()


def _rounds(stage: Stage) -> list[str]:
    return [line.label for line in stage.store_thread.call(lambda store: store.rounds())[0]]


def _shown(api: Api) -> dict[str, Any]:
    (shown,) = ask(api, "schedule ls")
    return dict(to_json(shown))


def test_a_schedule_starts_its_rounds(stage: Stage, api: Api) -> None:
    api.round_scheduler.add(HOURLY)
    assert json_of(api, "status")["scheduler"] == {
        "enabled": True,
        "next": "2023-11-14T23:13:20.000Z",
    }
    _pass(stage, HOUR - 20)
    assert _rounds(stage) == []
    _pass(stage, 30)
    assert _rounds(stage) == ["schedule hourly"]
    shown = _shown(api)
    assert (shown["last_round"], shown["last_result"]) == (1, "valid")
    assert shown["next"] == "2023-11-15T00:13:20.000Z"
    # and no second one for the same run
    _pass(stage, 30)
    assert len(_rounds(stage)) == 1
    _pass(stage, HOUR)
    assert len(_rounds(stage)) == 2


def test_its_rounds_raise_no_option_where_its_maker_may_not(stage: Stage, path: Path) -> None:
    seen = []
    prepare = stage.bench.planner.prepare

    def spied(request: Request, attended: bool = True) -> Any:
        seen.append((request.may_raise, attended))
        return prepare(request, attended)

    stage.bench.planner.prepare = spied  # type: ignore[method-assign]
    api = api_of(stage)
    asked = {"name": "s", "profile": "osd-throughput", "every": "1h", "osds": "0"}
    assert "answer" in dashboard.answer(api, "schedule_add", asked, ROLES["starter"])
    _pass(stage, HOUR + 20)
    ask(api, "schedule rm", name="s")
    assert "answer" in dashboard.answer(api, "schedule_add", asked, ROLES["loader"])
    _pass(stage, HOUR + 20)
    assert seen == [(False, False), (True, False)]
    saved = stage.store_thread.call(lambda store: store.schedules())
    assert [schedule.may_raise for schedule, _ in saved.values()] == [True]


def test_the_next_mgr_knows_the_schedules_and_starts_no_run_twice(
    stage: Stage, api: Api, path: Path
) -> None:
    api.round_scheduler.add(HOURLY)
    _pass(stage, HOUR + 10)
    stage.crash()
    successor = Stage(path)
    successor.wake()
    _pass(successor, HOUR + 20)
    assert _rounds(successor) == ["schedule hourly"]
    _pass(successor, HOUR)
    assert len(_rounds(successor)) == 2
    successor.close()


def test_a_start_that_nobody_noted_is_found_by_its_token(
    stage: Stage, api: Api, path: Path
) -> None:
    """The mgr died between the start and its note: the round is there, the state is not."""
    api.round_scheduler.add(HOURLY)
    before = stage.store_thread.call(lambda store: store.schedules())["hourly"][1]
    _pass(stage, HOUR + 10)
    state = {"hourly": before or ScheduleState()}
    stage.store_thread.call(lambda store: store.put_schedule_states(state))
    stage.crash()
    successor = Stage(path)
    successor.wake()
    _pass(successor, HOUR + 20)
    assert len(_rounds(successor)) == 1
    assert _shown(api_of(successor))["last_round"] == 1
    successor.close()


def test_a_refused_run_is_tried_again_and_then_reported(stage: Stage, api: Api) -> None:
    api.round_scheduler.add(HOURLY)
    stage.outlook.change(slow_ops={1: 1})
    _pass(stage, HOUR + 10)
    assert _rounds(stage) == []
    waiting = _shown(api)["waiting"]
    assert (waiting["tries"], waiting["reasons"]) == (1, ["1 slow operation on osd.1"])
    # the cluster is well again: within the time
    stage.outlook.change(slow_ops={})
    _pass(stage, 120)
    assert len(_rounds(stage)) == 1
    assert stage.round_scheduler.claims() == []

    stage.outlook.change(slow_ops={1: 1})
    _pass(stage, HOUR)
    _pass(stage, HOUR)
    (claim,) = checked(stage.round_scheduler.claims())
    assert (claim.code, claim.target.kind, claim.target.id) == (
        ROUND_FAILED.code,
        "schedule",
        "hourly",
    )
    assert "1 slow operation on osd.1" in claim.message
    assert any("a run could not start within its time" in line for _, line in stage.notifier.lines)
    assert _shown(api)["last_result"].startswith("not started: refused")


@pytest.mark.parametrize("change", ["rm", "pause"])
def test_what_was_taken_back_before_its_start_is_not_started(
    stage: Stage, api: Api, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """It is planned when the operator is told that it is paused or removed."""
    api.round_scheduler.add(HOURLY)
    _pass(stage, HOUR / 2)
    prepare = stage.bench.planner.prepare

    def meanwhile(*words: Any) -> Any:
        ask(api, f"schedule {change}", name="hourly")
        return prepare(*words)

    monkeypatch.setattr(stage.bench.planner, "prepare", meanwhile)
    _pass(stage, HOUR / 2 + 10)
    assert _rounds(stage) == []


def test_one_that_is_removed_is_gone(stage: Stage, api: Api) -> None:
    api.round_scheduler.add(HOURLY)
    assert ask(api, "schedule rm", name="hourly").name == "hourly"
    assert ask(api, "schedule ls") == []
    for change in ("rm", "pause", "resume"):
        with pytest.raises(NotFound, match="no schedule 'hourly'"):
            ask(api, f"schedule {change}", name="hourly")
    _pass(stage, HOUR + 10)
    assert _rounds(stage) == []
    # one of the same name begins anew
    api.round_scheduler.add(HOURLY)
    assert _shown(api)["last_round"] is None


def test_a_database_that_is_away_starts_nothing(stage: Stage, api: Api) -> None:
    api.round_scheduler.add(HOURLY)
    stage.faults.failing = -1
    stage.clock.advance(HOUR + 10)
    with pytest.raises(StoreUnavailable):
        stage.schedule()
    stage.faults.failing = 0
    _pass(stage, 60)
    assert len(_rounds(stage)) == 1


def test_a_run_that_goes_on_is_none_that_could_not_start(
    stage: Stage, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its start could not be noted: the database was away for a moment."""
    api.round_scheduler.add(HOURLY)
    _look(stage, HOUR / 2)
    stage.commands.script[0] = [stage.commands.hangs]
    begin = stage.bench.begin

    async def begun(*words: Any) -> Any:
        found = await begin(*words)
        stage.faults.refused = "UPDATE schedules"
        return found

    monkeypatch.setattr(stage.bench, "begin", begun)
    with pytest.raises(StoreUnavailable):
        _look(stage, HOUR / 2 + 10)
    stage.faults.refused = None
    _look(stage, 20)
    shown = _shown(api)
    assert (shown["last_round"], shown["waiting"]) == (1, None)
    _look(stage, HOUR)  # the next run is due, and the round goes on
    assert stage.round_scheduler.claims() == []
    assert [line for _, line in stage.notifier.lines if "could not start" in line] == []


@pytest.mark.parametrize("scheduled", [True, False])
def test_a_start_that_is_stored_although_that_failed_is_none(
    stage: Stage, api: Api, monkeypatch: pytest.MonkeyPatch, scheduled: bool
) -> None:
    """The COMMIT was done, and its answer lost. Else the next mgr would run that round."""
    api.round_scheduler.add(HOURLY)
    _pass(stage, HOUR / 2)
    ask = stage.store_thread.ask

    def lost(question: Any) -> Any:
        answer = ask(question)
        if getattr(answer.result(threads.PATIENCE), "token", None) is None:
            return answer
        failed: Future[object] = Future()
        failed.set_exception(StoreUnavailable("no answer"))
        return failed

    def begin() -> None:
        if scheduled:
            _look(stage, HOUR / 2 + 10)
        else:
            stage.bench.start(Request("osd-throughput", repeats=1, label="mine"))

    with monkeypatch.context() as broken:
        broken.setattr(stage.store_thread, "ask", lost)
        with pytest.raises(StoreUnavailable):
            begin()
        assert len(_rounds(stage)) == 1
    stage.settle()
    assert _rounds(stage) == []
    assert stage.commands.asked == []
    _pass(stage, 20 if scheduled else HOUR / 2 + 10)
    assert _rounds(stage) == ["schedule hourly"]
    assert _shown(api)["last_result"] == "valid"
