"""A judgement that fails: the round is saved as failed with the reason, and the next one starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Callable

import pytest

from asked import ask
from fakes.commands import Act
from fakes.loads import Run, steady
from past import api_of
from perf_bench.bench import round as round_page
from perf_bench.bench.round import judge
from perf_bench.model.plan import BenchAnswer, Request, Step
from perf_bench.model.rados import ClientRun, LoadOrder
from perf_bench.model.round import RoundState, Verdict
from stage import Stage

WHOLE = Request("osd-throughput", osds="0-2", repeats=2, max_repeats=2)
CLIENTS = Request("rados-write", clients=2, threads=8, seconds=4, repeats=2)


def _told(**absurd: Any) -> Run:
    """Clients of which one tells something absurd."""

    def run(order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
        first, *others = steady()(order, ended)
        return [replace(first, **absurd), *others]

    return run


def _answers(**absurd: Any) -> Act:
    def act(_osd: int, step: Step) -> BenchAnswer:
        answer = BenchAnswer(step.total_bytes, step.block_size, 10.0, 1e8, 25.0)
        return replace(answer, **absurd)

    return act


def _failed(stage: Stage, number: int = 1) -> str:
    """Why the round has failed."""
    stage.ended()
    round_ = stage.round(number)
    assert (round_.state, round_.verdict) == (RoundState.FAILED, Verdict.FAILED)
    (reason,) = round_.reasons
    return reason


def _goes_on(stage: Stage) -> None:
    """The next round can be started, the failed one removed."""
    stage.commands.script.clear()
    assert stage.bench.start(WHOLE).id == 2
    stage.ended()
    assert stage.round(2).state is RoundState.DONE
    stage.bench.remove(1)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every judgement fails, by round; empty it to let them succeed."""
    failing = [1]

    def fail(round_: Any, *words: Any) -> Any:
        if round_.id in failing:
            raise OverflowError("int too large to convert to float")
        return judge(round_, *words)

    monkeypatch.setattr(round_page, "judge", fail)
    return failing


def test_it_is_saved_with_the_reason_and_its_samples(
    stage: Stage, broken: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    stage.bench.start(WHOLE)
    assert _failed(stage) == (
        "what it measured cannot be judged (OverflowError: int too large to convert to float); "
        "its samples are kept: 'ceph perf-bench round export 1 --raw' prints them"
    )
    assert len(stage.whys()) == 6
    tries = [one for one in caplog.messages if one == "round 1 cannot be judged"]
    assert len(tries) == 1
    assert ask(api_of(stage), "round show", id=1)[0].state is RoundState.FAILED
    _goes_on(stage)


@pytest.mark.parametrize(
    "absurd",
    [
        {"operations": 10**300},
        {"operations": 2**63},
        {"op_size": 10**400},
        {"mean_latency": "fast"},
        {"seconds": None},
        {"rows": 7},
    ],
    ids=str,
)
def test_what_a_client_told_is_absurd(stage: Stage, absurd: dict[str, Any]) -> None:
    stage.loader.runs = [steady(), _told(**absurd)]
    stage.bench.start(CLIENTS)
    stage.ended()
    round_ = stage.round()
    assert round_.state in (RoundState.FAILED, RoundState.DONE)
    if round_.state is RoundState.FAILED:
        assert round_.reasons
    api = api_of(stage)
    assert ask(api, "round show", id=1)[0].id == 1
    assert ask(api, "round ls")[1] == 1
    ask(api, "round export", id=1, raw=True)
    _goes_on(stage)


@pytest.mark.parametrize(
    "absurd",
    [
        {"bytes_written": 10**30},
        {"iops": float("nan")},
        {"bytes_per_second": float("inf")},
        {"seconds": "long"},
        {"block_size": None},
    ],
    ids=str,
)
def test_what_an_osd_told_is_absurd(stage: Stage, absurd: dict[str, Any]) -> None:
    stage.commands.script[1] = [_answers(), _answers(**absurd)]
    stage.bench.start(WHOLE)
    stage.ended()
    assert stage.round().state.ended
    assert stage.whys()[1, 1] is None
    api = api_of(stage)
    assert ask(api, "round show", id=1)[0].id == 1
    ask(api, "round export", id=1, raw=True)
    _goes_on(stage)


def test_a_sample_that_cannot_be_stored_is_kept_without_its_figures(stage: Stage) -> None:
    stage.commands.script[1] = [_answers(bytes_written=10**30)]
    stage.bench.start(WHOLE)
    stage.ended()
    whys = stage.whys()
    assert {place for place, why in whys.items() if why is not None} == {(1, 1), (2, 1)}
    assert whys[1, 1] == "osd.1 answered: a number of bytes that cannot be"


def test_samples_that_cannot_be_read_again_are_no_round_without_them(stage: Stage) -> None:
    def damage() -> None:
        stage.store_thread.call(
            lambda store: store.write(
                lambda db: db.execute("UPDATE samples SET seconds = 'x' WHERE osd = 1").rowcount
            )
        )

    def act(osd: int, step: Step) -> BenchAnswer:
        stage.settle()
        damage()
        return _answers()(osd, step)

    stage.commands.script[2] = [_answers(), act]
    stage.bench.start(WHOLE)
    assert "sample write 1 of osd.1 in round 1" in _failed(stage)
    _goes_on(stage)


def test_repeats_of_clients_that_cannot_be_read_again_are_no_round_without_them(
    stage: Stage,
) -> None:
    def run(order: LoadOrder, ended: Callable[[], bool]) -> Sequence[ClientRun]:
        stage.settle()
        damage = "UPDATE loads SET data = 'x' WHERE repeat = 1"
        stage.stored(lambda store: store.write(lambda db: db.execute(damage).rowcount))
        return steady()(order, ended)

    stage.loader.runs = [steady(), run]
    stage.bench.start(CLIENTS)
    assert "cannot be read" in _failed(stage)
