"""Whole rounds on scripted OSDs: started, aborted, carried on by another mgr, kept in the end."""

from __future__ import annotations

import errno
import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Optional

import pytest

import threads
from fakes.commands import answers, first
from fakes.database import BROKEN
from nouns import BEGAN
from perf_bench.bench import service
from perf_bench.bench.context import LEAVE, namespace_of
from perf_bench.bench.service import MAX_RESUMES
from perf_bench.core.loop import sleep
from perf_bench.core.workers import Here
from perf_bench.errors import PerfBenchError, StoreTooNew, StoreUnavailable
from perf_bench.model.plan import MIB, Request
from perf_bench.model.round import Round, RoundState, Verdict
from stage import Stage

pytestmark = pytest.mark.usefixtures("quick")

# Six OSDs on three hosts: two waves of three. Two repeats of 1 GiB.
REQUEST = Request("osd-throughput", repeats=2)
ALL = {(repeat, osd) for repeat in (1, 2) for osd in range(6)}


@pytest.fixture
def sleeping(path: Path) -> Iterator[Stage]:
    """A bench that has not read its database yet."""
    made = Stage(path)
    yield made
    made.close()


@pytest.fixture
def stage(sleeping: Stage) -> Stage:
    sleeping.wake()
    sleeping.settle()  # it has looked at the past too
    return sleeping


@pytest.fixture
def successor(path: Path) -> Iterator[Callable[[], Stage]]:
    """Makes mgrs that take over, one after the other."""
    made: list[Stage] = []

    def take_over() -> Stage:
        made.append(Stage(path))
        return made[-1]

    yield take_over
    for stage in made:
        stage.close()


def _failure(ask: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(PerfBenchError) as caught:
        ask()
    return caught.value.errno, str(caught.value)


class Held:
    """An act of an OSD that waits, so that its round runs for as long as a test wants."""

    def __init__(self, stage: Stage, osd: int = 0) -> None:
        self.begun = threading.Event()
        self._go = threading.Event()
        stage.commands.script[osd] = [first(self._wait, answers())]

    def _wait(self) -> None:
        self.begun.set()
        assert self._go.wait(threads.PATIENCE)

    def until_it_runs(self) -> None:
        assert self.begun.wait(threads.PATIENCE)

    def go(self) -> None:
        self._go.set()


@pytest.fixture
def held(stage: Stage) -> Iterator[Held]:
    """osd.0 is held: what is started runs until ``go``."""
    made = Held(stage)
    yield made
    made.go()


# --- from start to end -----------------------------------------------------------------------


def test_a_round_runs_and_is_kept(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    slow = answers(50.0 * MIB)
    stage.commands.script[5] = [slow]
    with caplog.at_level(logging.INFO):
        started = stage.bench.start(REQUEST)
        stage.ended()

    round_ = stage.round()
    assert (round_.id, round_.state, round_.verdict) == (1, RoundState.DONE, Verdict.VALID)
    assert round_ == replace(
        started,
        environment={
            **started.environment,
            "quiesced": ["flag/noscrub", "flag/nodeep-scrub", "balancer"],
            "settings": {
                "put_back": [
                    {"what": "balancer", "now": None},
                    {"what": "flag/nodeep-scrub", "now": "unset"},
                    {"what": "flag/noscrub", "now": "unset"},
                ],
                "left": [],
                "waiting": [],
            },
        },
        state=RoundState.DONE,
        started_at=stage.clock.now(),
        ended_at=stage.clock.now(),
        verdict=Verdict.VALID,
        reasons=("median CV 0.0 % over 2 repeats",),
        conclusions=round_.conclusions,
        summary=round_.summary,
    )
    assert [c.message for c in round_.conclusions] == ["osd.5 on host-2 reaches 50 % of its peers"]
    assert round_.summary["osds_measured"] == 6
    assert stage.whys() == dict.fromkeys(ALL)
    results = stage.store_thread.call(lambda store: store.results(1))[0]
    assert results[0].osd == 5
    assert all(result.samples == 2 for result in results)
    assert caplog.messages[-1] == "round 1 ended: done"


def test_the_next_plan_knows_how_long_the_last_round_took(stage: Stage) -> None:
    # Each call takes 3 s; the limits assume 10.24 s.
    stage.commands.script.update(
        {osd: [first(lambda: stage.clock.advance(1.0), answers())] for osd in range(6)}
    )
    assert stage.bench.planner.prepare(REQUEST).plan.basis == "osd_bench limits"
    stage.bench.start(REQUEST)
    stage.ended()
    plan = stage.bench.planner.prepare(REQUEST).plan
    assert plan.basis == "the last round"
    assert 4.0 <= plan.seconds <= 12.0
    # another step, another figure
    other = replace(REQUEST, size="1M")
    assert stage.bench.planner.prepare(other).plan.basis == "osd_bench limits"


# --- what cannot be started ------------------------------------------------------------------


def test_no_round_before_the_database_is_read(sleeping: Stage) -> None:
    assert _failure(lambda: sleeping.bench.start(REQUEST)) == (
        errno.EAGAIN,
        (
            "perf_bench has just become active and has not read its database yet: try again in a "
            "few seconds; 'ceph perf-bench status' shows when it has"
        ),
    )


@pytest.mark.parametrize("fault", [StoreUnavailable, StoreTooNew])
def test_a_start_says_why_the_database_cannot_be_read(
    sleeping: Stage, monkeypatch: pytest.MonkeyPatch, fault: type[StoreUnavailable]
) -> None:
    def fails(*_words: object) -> None:
        raise fault("it has schema 99")

    with monkeypatch.context() as broken:
        broken.setattr(sleeping.store_thread, "ask", lambda work: Here().submit(fails))
        with pytest.raises(fault):
            sleeping.wake()
    with pytest.raises(fault) as caught:
        sleeping.bench.start(REQUEST)
    assert str(caught.value) == (
        "perf_bench has not read its database: it has schema 99; see 'ceph perf-bench store status'"
    )
    sleeping.wake()
    assert sleeping.bench.start(REQUEST).id == 1


def test_no_round_while_another_is_being_started(stage: Stage) -> None:
    stage.faults.block()
    first_one = threading.Thread(
        target=stage.bench.start, args=(REQUEST,), name="perf-bench-starter", daemon=True
    )
    before = len(stage.faults.met)
    first_one.start()
    threads.until(lambda: len(stage.faults.met) > before)
    assert _failure(lambda: stage.bench.start(REQUEST)) == (
        errno.EBUSY,
        "another round is being started at this moment",
    )
    # Nor is the database replaced then: the round would not be in the new one.
    assert _failure(stage.care.reset)[0] == errno.EBUSY
    stage.faults.unblock()
    threads.join("perf-bench-starter")
    stage.ended()
    assert stage.round().state == RoundState.DONE
    assert stage.store_thread.call(lambda store: store.rounds())[1] == 1


# --- ending it by hand -----------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, None])
def test_a_running_round_is_aborted(number: Optional[int], stage: Stage, held: Held) -> None:
    stage.bench.start(REQUEST)
    held.until_it_runs()
    assert stage.bench.abort(number).id == 1
    held.go()
    stage.ended()
    round_ = stage.round()
    assert (round_.state, round_.verdict) == (RoundState.ABORTED, Verdict.ABORTED)
    assert round_.reasons == ("aborted by the operator",)
    # what ran is kept, the second wave was not begun
    assert {osd for _, osd in stage.whys()} == {0, 1, 2}
    assert round_.summary["osds_measured"] == 3
    assert stage.progress.ended == {1: "aborted by the operator"}


def test_what_a_round_has_written_is_swept_once_it_measures_no_more(
    stage: Stage, held: Held
) -> None:
    """Its rows may wait for a database that its objects have filled."""
    stage.bench.start(REQUEST)
    held.until_it_runs()
    noted = {namespace_of(stage.round().token): "perf_bench"}
    stage.traces.kept = dict(noted)
    stage.sweep()
    assert stage.traces.kept == noted  # in use
    stage.faults.refused = "UPDATE rounds"
    held.go()
    active = stage.bench.active
    assert active is not None
    threads.until(lambda: active.phase == "saving")
    active.ending = LEAVE  # the next mgr uses it
    stage.sweep()
    assert stage.traces.kept == noted
    active.ending = None
    stage.sweep()
    assert stage.traces.kept == {}
    stage.faults.refused = None
    stage.ended()


def test_an_abort_is_finished_by_the_mgr_that_takes_over(
    stage: Stage, successor: Callable[[], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "LEAVE_WAIT", 0.05)
    stage.commands.script[0] = [stage.commands.hangs]
    stage.bench.start(REQUEST)
    stage.bench.abort(1)
    stage.settle()
    stage.leave()
    stage.crash()
    again = successor()
    again.traces.kept = {namespace_of(again.round().token): "perf_bench"}
    again.wake()
    again.ended()
    round_ = again.round()
    assert (round_.state, round_.verdict) == (RoundState.ABORTED, Verdict.ABORTED)
    assert round_.reasons == ("aborted by the operator",)
    assert again.commands.asked == []
    again.sweep()
    assert again.traces.kept == {}


@pytest.mark.parametrize("profile", ["osd-throughput", "rados-write"])
@pytest.mark.parametrize("number", [1, None])
def test_nobody_is_told_that_a_round_is_aborted_that_has_measured_all(
    number: Optional[int], profile: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its settings are put back, which takes seconds, before it is saved."""
    told: list[tuple[int, str]] = []
    release = stage.round_safety.release

    async def slowly(round_: Round) -> Any:
        asked = threading.Thread(
            target=lambda: told.append(_failure(lambda: stage.bench.abort(number)))
        )
        asked.start()
        while asked.is_alive():
            await sleep(0.002)
        return await release(round_)

    monkeypatch.setattr(stage.round_safety, "release", slowly)
    stage.bench.start(Request(profile, repeats=2))
    stage.ended()
    assert told == [(errno.EINVAL, "round 1 has measured all it will and is being saved")]
    assert (stage.round().state, stage.round().verdict) == (RoundState.DONE, Verdict.VALID)


def test_a_round_is_over_in_the_step_in_which_its_results_are_the_newest(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a start right after it would plan with the wear and the results of before."""
    stage.bench.start(REQUEST)
    stage.ended()
    stage.clock.advance(60.0)
    stage.bench.start(REQUEST)
    written = stage.bench.planner.prepare(
        REQUEST
    ).wear  # both are booked with the most they may write

    async def until_it_is_over() -> set[int]:
        while stage.bench.active is not None:
            await sleep(0.0)
        return {line.id for line, _ in stage.bench.results.newest().values()}

    assert stage.loop.ask(until_it_is_over, threads.PATIENCE) == {2}
    assert stage.bench.planner.prepare(REQUEST).wear == written


# --- removing --------------------------------------------------------------------------------


def test_an_ended_round_is_removed_with_what_is_known_of_it(stage: Stage) -> None:
    for _ in range(2):
        stage.bench.start(REQUEST)
        stage.ended()
    stage.bench.remove(2)
    stage.ended()
    assert {entry[0].id for entry in stage.bench.results.newest().values()} == {1}
    stage.bench.remove(1)
    stage.ended()
    assert stage.bench.results.newest() == {}


# --- another mgr takes over ------------------------------------------------------------------


def test_a_mgr_that_leaves_leaves_its_round_running(
    stage: Stage, held: Held, successor: Callable[[], Stage]
) -> None:
    stage.bench.start(REQUEST)
    held.until_it_runs()
    stage.clock.tick = 10.0
    stage.leave()
    held.go()
    stage.ended()
    assert stage.round().state == RoundState.RUNNING
    # no end of its progress either: the next one shows it
    assert stage.progress.ended == {}
    there = set(stage.whys())
    assert (1, 0) not in there

    stage.close()
    again = successor()
    again.wake()
    again.ended()
    assert set(again.whys()) == ALL
    assert len(again.commands.asked) == len(ALL - there)


def test_after_a_crash_exactly_the_missing_samples_are_measured(
    stage: Stage, successor: Callable[[], Stage]
) -> None:
    # The first wave answers, osd.3 of the second does not, and then the mgr is gone.
    second = threading.Event()
    stage.commands.script[3] = [first(second.set, stage.commands.hangs)]
    stage.commands.script[4] = [stage.commands.hangs]
    stage.commands.script[5] = [stage.commands.hangs]
    started = stage.bench.start(REQUEST)
    assert second.wait(threads.PATIENCE)
    stage.crash()

    again = successor()
    again.wake()
    again.ended()
    assert sorted(again.commands.asked) == [0, 1, 2, 3, 3, 4, 4, 5, 5]
    round_ = again.round()
    assert (round_.state, round_.verdict, round_.resumed) == (
        RoundState.DONE,
        Verdict.VALID,
        1,
    )
    assert round_.plan == started.plan
    assert round_.started_at == BEGAN
    assert again.whys() == dict.fromkeys(ALL)
    # progress goes on from where it was
    assert again.progress.fractions[1][0] == 0.25


def _unfinished(stage: Stage, resumed: int, number: int = 1) -> None:
    """The stored round as its mgr left it after so many times."""
    stage.stored(
        lambda store: store.save_round(
            replace(store.round(number), state=RoundState.RUNNING, resumed=resumed, ended_at=None)
        )
    )


def test_the_fourth_time_it_is_given_up(stage: Stage, successor: Callable[[], Stage]) -> None:
    stage.bench.start(REQUEST)
    stage.ended()
    _unfinished(stage, MAX_RESUMES)
    stage.close()
    again = successor()
    again.clock.advance(500)
    again.wake()
    round_ = again.round()
    assert (round_.state, round_.verdict) == (RoundState.FAILED, Verdict.FAILED)
    assert round_.reasons == ("its mgr stopped 4 times while it ran",)
    assert round_.ended_at == again.clock.now()
    assert again.commands.asked == []
    # what it had measured is kept
    assert set(again.whys()) == ALL
    again.bench.start(REQUEST)
    again.ended()


def test_a_mgr_that_leaves_begins_no_round(stage: Stage) -> None:
    stage.leave()
    assert _failure(lambda: stage.bench.start(REQUEST))[0] == errno.EAGAIN
    assert stage.store_thread.call(lambda store: store.rounds()) == ([], 0)


# --- the store is away -----------------------------------------------------------------------


def test_a_start_that_is_not_confirmed_begins_when_the_store_wakes_up(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = stage.loop.ask
    monkeypatch.setattr(stage.loop, "ask", lambda work: ask(work, 0.05))
    stage.faults.block()
    code, sentence = _failure(lambda: stage.bench.start(REQUEST))
    assert code == errno.EAGAIN
    assert sentence.startswith("not confirmed within 0.05 s, and may still be done")
    assert "being started" in _failure(lambda: stage.bench.start(REQUEST))[1]
    monkeypatch.undo()
    stage.faults.unblock()
    stage.ended()
    assert stage.round().state == RoundState.DONE


SAVED_LATE = "round 1 cannot be saved yet"


def test_the_end_of_a_round_is_saved_when_the_store_comes_back(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    # The last samples are written, the round's end is not.
    def go_away() -> None:
        stage.faults.refused = "UPDATE rounds"

    stage.commands.script[5] = [answers(), first(go_away, answers())]
    stage.bench.start(REQUEST)
    threads.until(lambda: any(SAVED_LATE in message for message in caplog.messages))

    active = stage.bench.active
    assert active is not None
    assert (active.phase, active.eta(0.0)) == ("saving", None)
    assert _failure(lambda: stage.bench.start(REQUEST)) == (
        errno.EBUSY,
        "round 1 has ended and waits for the database to take it: see 'ceph -s'",
    )
    stage.clock.advance(100)
    stage.faults.refused = None
    stage.ended()
    round_ = stage.round()
    assert (round_.state, round_.verdict) == (RoundState.DONE, Verdict.VALID)
    # it ended when it ended, not when it was saved
    assert round_.ended_at == BEGAN
    assert stage.progress.ended == {1: None}


def test_a_store_that_goes_away_ends_the_round(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    def go_away() -> None:
        stage.faults.failing = -1

    def until_that_was_seen() -> None:
        active = stage.bench.active
        assert active is not None
        threads.until(lambda: active.done >= 1)
        stage.store_thread.call(lambda _store: None)

    # osd.0 answers, its sample cannot be written, and then the others of the wave answer.
    stage.commands.script[0] = [first(go_away, answers())]
    for osd in (1, 2):
        stage.commands.script[osd] = [first(until_that_was_seen, answers())]
    stage.bench.start(REQUEST)
    threads.until(lambda: any(SAVED_LATE in message for message in caplog.messages))
    stage.faults.failing = 0
    stage.ended()

    round_ = stage.round()
    assert (round_.state, round_.verdict) == (RoundState.FAILED, Verdict.FAILED)
    why = f"samples could not be saved: the database cannot be used: {BROKEN}"
    assert round_.reasons == (why,)
    assert stage.progress.ended == {1: why}
    # Nothing more was measured, and what was is kept.
    assert sorted(stage.commands.asked) == [0, 1, 2]
    assert stage.whys() == {(1, osd): None for osd in (0, 1, 2)}


# --- no connection to the cluster -------------------------------------------------------------
