"""What keeps a round from starting on a whole bench, and what is kept of it."""

from __future__ import annotations

import errno
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import pytest

import threads
from asked import ask, json_of
from fakes.cluster import FakeCluster
from fakes.commands import answers, first
from nouns import some_osds
from past import api_of
from perf_bench.bench import round as round_page
from perf_bench.bench.context import Commands
from perf_bench.bench.held import EARLIER_KEYS, ROUND
from perf_bench.errors import CommandFailed, NotNow
from perf_bench.model.admission import Rules
from perf_bench.model.finding import Claim
from perf_bench.model.plan import Request
from perf_bench.model.round import Round, RoundState, Verdict
from stage import Stage

GIB = 1 << 30
# 1 GiB to each of six OSDs.
REQUEST = Request("osd-throughput", repeats=1)


def _run(stage: Stage, request: Request = REQUEST) -> None:
    stage.bench.start(request)
    stage.ended()


def _reasons(stage: Stage, request: Request = REQUEST, attended: bool = True) -> tuple[str, ...]:
    return stage.bench.planner.prepare(request, attended).admission.reasons


def test_what_cannot_be_forced_is_refused_all_the_same(stage: Stage) -> None:
    stage.admission = Rules(window="25:00-26:00")
    with pytest.raises(NotNow, match="admission_window: '25:00-26:00' is not a window"):
        stage.bench.start(replace(REQUEST, force=True))


def test_nobody_reads_what_is_not_known_of_a_schedule(stage: Stage) -> None:
    stage.outlook.change(checks=None)
    assert _reasons(stage) == ()
    assert _reasons(stage, attended=False) == ("the cluster's health is not known yet",)


# --- wear ------------------------------------------------------------------------------------


def _written(stage: Stage) -> dict[int, int]:
    ledger = stage.store_thread.call(lambda store: store.wear())
    return dict(ledger.written(stage.clock.now()))


def test_what_rounds_write_is_counted_whether_or_not_they_are_removed(stage: Stage) -> None:
    stage.admission = Rules(wear_bytes_per_day=3 << 30)
    _run(stage)
    _run(stage, replace(REQUEST, osds="0,1"))
    assert _written(stage) == {0: 2 * GIB, 1: 2 * GIB, **dict.fromkeys((2, 3, 4, 5), GIB)}
    stage.bench.remove(1)
    stage.ended()
    assert _reasons(stage) == ()
    two = replace(REQUEST, repeats=2)
    stage.clock.advance(3600)
    assert _reasons(stage, two) == (
        (
            "osd.0 and osd.1: rounds wrote 2.0 GiB in the last 24 h, this one would write 2.0 GiB "
            "more, and the budget is 3.0 GiB a day: it fits in 23 h"
        ),
    )
    stage.clock.advance(23 * 3600)
    assert _reasons(stage, two) == ()


def test_an_aborted_round_is_booked_with_what_its_last_benches_may_have_written(
    stage: Stage,
) -> None:
    stage.commands.script[0] = [first(lambda: stage.bench.abort(None), answers())]
    _run(stage, replace(REQUEST, repeats=3))
    assert _written(stage) == {
        **dict.fromkeys((0, 1, 2), 2 * GIB),
        **dict.fromkeys((3, 4, 5), GIB),
    }


# --- what a round holds up ---------------------------------------------------------------------


BEFORE = {
    "flag/noscrub": "unset",
    "flag/nodeep-scrub": "unset",
    "balancer": None,
    "pool/3/pg_autoscale_mode": "on",
}
HELD = {**BEFORE, "flag/noscrub": "set", "flag/nodeep-scrub": "set", "balancer": "off"}


def _claims(stage: Stage) -> list[Claim]:
    return list(stage.round_safety.held.claims())


def test_a_round_holds_up_what_would_disturb_it(stage: Stage) -> None:
    during: list[Any] = []

    def look() -> None:
        during.append(dict(stage.settings.values))
        during.append(json_of(api_of(stage), "quiesce status"))

    stage.commands.script[0] = [first(look, answers())]
    stage.keys.moving = [3]
    _run(stage)
    values, status = during
    assert values == {**HELD, "pool/3/pg_autoscale_mode": "off"}
    assert (status["state"], status["holder"]) == ("held", "round 1")
    assert stage.settings.values == BEFORE
    assert stage.keys.keys == {}
    assert stage.round().environment["quiesced"] == [
        "flag/noscrub",
        "flag/nodeep-scrub",
        "balancer",
        "pool/3/pg_autoscale_mode",
    ]
    assert json_of(api_of(stage), "status")["quiesce"] == {"state": "idle"}


def test_a_dry_run_says_what_would_be_changed(stage: Stage) -> None:
    # Of the mgr's own map: the monitors' dump of 10,000 OSDs has 7 MB.
    for flag in ("flag/noscrub", "flag/nodeep-scrub"):
        del stage.settings.values[flag]
    stage.outlook.change(flags=frozenset(("noscrub",)))
    plan = ask(api_of(stage), "round start", dry_run=True, **vars(REQUEST))
    assert plan.quiesce == ["flag/nodeep-scrub unset to set", "balancer not set to off"]
    stage.admission = Rules(quiesce=False)
    assert ask(api_of(stage), "round start", dry_run=True, **vars(REQUEST)).quiesce == []


@pytest.mark.parametrize("how", ["aborted", "the OSDs are out of reach"])
def test_all_is_put_back_however_it_ends(how: str, stage: Stage) -> None:
    if how == "aborted":
        stage.commands.script[0] = [first(lambda: stage.bench.abort(None), answers())]
    else:
        stage.no_way = CommandFailed(errno.ENOTCONN, "no way")
    _run(stage)
    assert stage.round().state in (RoundState.ABORTED, RoundState.FAILED)
    assert stage.settings.values == BEFORE
    assert stage.keys.keys == {}


def _waits(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """A round that has met monitors without a quorum."""
    stage.settings.fault = CommandFailed(errno.ETIMEDOUT, "osd set: timed out")
    stage.bench.start(REQUEST)
    threads.until(lambda: "round 1 waits: osd set: timed out" in caplog.messages)


def test_monitors_without_a_quorum_are_waited_for(
    stage: Stage, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_page, "_RETRY_SECONDS", 0.01)
    _waits(stage, caplog)
    stage.settings.fault = None
    stage.ended()
    assert stage.round().state == RoundState.DONE
    assert stage.round().environment["quiesced"]
    assert stage.settings.values["flag/noscrub"] == "unset"
    assert stage.keys.keys == {}


def test_what_cannot_be_put_back_yet_is_told_and_tried_again(stage: Stage) -> None:
    def go_away() -> None:
        stage.settings.fault = CommandFailed(errno.ETIMEDOUT, "no answer")

    stage.commands.script[5] = [first(go_away, answers())]
    _run(stage)
    assert stage.round().state is RoundState.DONE
    (claim,) = _claims(stage)
    assert claim.code == "PERF_BENCH_RESTORE_PENDING"
    assert "flag/noscrub, flag/nodeep-scrub and balancer (balancer: no answer" in claim.message
    assert json_of(api_of(stage), "status")["quiesce"] == {"state": "restore-pending"}
    stage.guard()
    assert stage.settings.values == HELD
    stage.settings.fault = None
    done = stage.round_safety.restore()
    assert done.complete
    assert [one.what for one in done.put_back] == [*HELD][2::-1]
    assert json_of(api_of(stage), "quiesce status")["state"] == "idle"
    assert stage.settings.values == BEFORE
    assert _claims(stage) == []


@pytest.mark.parametrize("connects", [True, False])
def test_a_mgr_that_takes_over_changes_nothing_before_its_round_goes_on(
    connects: bool, stage: Stage, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Benches of the mgr before may still run in their OSDs, which must get no new map then."""
    stage.commands.script[5] = [stage.commands.hangs]
    stage.bench.start(replace(REQUEST, repeats=2))
    threads.until(lambda: 5 in stage.commands.asked)
    left = dict(stage.settings.values), dict(stage.keys.keys)
    stage.crash()
    goes_on = threading.Event()

    class Successor(Stage):
        def _open_commands(self) -> Commands:
            assert goes_on.wait(threads.PATIENCE)
            return super()._open_commands()

    successor = Successor(path)
    successor.authority.writer = "4200"
    successor.settings.values, successor.keys.keys = left
    successor.no_way = None if connects else CommandFailed(errno.ENOTCONN, "no way")
    ordered: list[str] = []
    set_ = successor.settings.set

    def notes(what: str, value: Optional[str]) -> None:
        ordered.append(what)
        set_(what, value)

    monkeypatch.setattr(successor.settings, "set", notes)
    successor.wake()
    successor.guard()  # the serve loop's, while the round's thread still connects
    before = list(ordered)
    goes_on.set()
    successor.ended()
    assert before == []
    assert successor.round().state is (RoundState.DONE if connects else RoundState.FAILED)
    assert sorted(ordered) == sorted(set(ordered))  # each is put back once
    assert successor.settings.values == BEFORE
    assert successor.keys.keys == {}
    successor.close()


def test_a_mgr_whose_database_is_away_puts_back_all_the_same(stage: Stage, path: Path) -> None:
    successor = Stage(path)
    successor.settings.values = dict(HELD)
    change = {"what": "flag/noscrub", "was": "unset", "want": "set", "at": 0.0, "made": True}
    journal = {"holder": "gone", "since": 0.0, "until": 2e9, "changes": [change]}
    successor.keys.keys[EARLIER_KEYS[ROUND]] = json.dumps(journal)
    successor.guard()
    assert successor.settings.values["flag/noscrub"] == "unset"
    assert successor.keys.keys == {}
    successor.close()


# --- the guard -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "reason", "code"),
    [
        (
            {"pgs": {"active+clean": 60, "active+clean+laggy": 4}},
            "4 PGs more than before the round became laggy",
            "guard-laggy-pgs",
        ),
        (
            {"slow_ops": {3: 7}},
            "7 more slow operations than before the round, on osd.3",
            "guard-slow-ops",
        ),
    ],
)
def test_a_round_that_does_harm_is_ended_within_a_tick(
    fields: dict[str, Any], reason: str, code: str, stage: Stage
) -> None:
    def harm() -> None:
        stage.outlook.change(**fields)
        stage.guard()

    stage.commands.script[2] = [first(harm, answers())]
    _run(stage, replace(REQUEST, repeats=4))
    round_ = stage.round()
    assert (round_.state, round_.verdict) == (RoundState.ABORTED, Verdict.ABORTED)
    assert round_.reasons == (f"ended by the guard: {reason}",)
    assert [(one.code, one.message) for one in round_.conclusions] == [(code, reason)]
    # the wave that ran, and no other
    assert sorted(stage.commands.asked) == [0, 1, 2]
    assert stage.settings.values == BEFORE


def _maps(stage: Stage, maps: int) -> None:
    stage.outlook.epochs += maps
    stage.guard()


@pytest.mark.parametrize("forced", [False, True])
def test_many_maps_end_a_round_that_was_not_forced_in_spite_of_them(
    forced: bool, stage: Stage
) -> None:
    stage.guard()
    for _ in range(40 if forced else 0):
        stage.clock.advance(5)
        _maps(stage, 100)
    stage.commands.script[0] = [first(lambda: _maps(stage, 50), answers())]
    _run(stage, replace(REQUEST, repeats=7, force=True))
    round_ = stage.round()
    if forced:
        assert round_.state is RoundState.DONE
        return
    assert round_.state is RoundState.ABORTED
    (conclusion,) = round_.conclusions
    assert (conclusion.code, conclusion.evidence) == ("guard-osd-maps", {"maps": 50})
    assert stage.settings.values == BEFORE


def test_a_window_that_closes_ends_a_round(stage: Stage) -> None:
    def pass_time() -> None:
        stage.clock.advance(50)  # less than what an OSD has for its answer
        stage.guard()

    stage.admission = Rules(window="22:00-22:14")
    stage.commands.script[0] = [first(pass_time, answers())]
    _run(stage)
    assert stage.round().reasons == ("ended by the guard: the window 22:00-22:14 UTC has closed",)


# --- options that a round raises ---------------------------------------------------------------

SMALL = Request("osd-iops", repeats=1)
RAISED = "config/osd/osd_bench_small_size_max_iops"


def _fast(stage: Stage) -> None:
    """A round of which each sample took 44 ms: the next one needs more work than is allowed."""
    for osd in range(6):
        stage.commands.script[osd] = [answers(3000 * 4096 / 0.044)]
    _run(stage, SMALL)


def test_limits_are_raised_for_short_samples_and_put_back(stage: Stage) -> None:
    _fast(stage)
    prepared, forecast = stage.bench.planner.foresee(SMALL)
    assert prepared.plan.raised == (("osd_bench_small_size_max_iops", 800),)
    assert (RAISED, None, "800") in [(c.what, c.was, c.want) for c in forecast.holds or ()]
    stage.commands.options["osd_bench_small_size_max_iops"] = 800
    during: list[object] = []

    def look() -> None:
        during.append(stage.settings.read(RAISED))

    stage.commands.script[0] = [first(look, answers(3000 * 4096 / 0.044))]
    _run(stage, SMALL)
    assert during == ["800"]
    assert stage.settings.read(RAISED) is None
    assert stage.round(2).state == RoundState.DONE
    assert stage.round(2).plan.raised == prepared.plan.raised
    assert RAISED in stage.round(2).environment["quiesced"]


def test_nothing_is_raised_where_rounds_may_change_nothing(stage: Stage) -> None:
    _fast(stage)
    stage.admission = replace(stage.admission, quiesce=False)
    assert stage.bench.planner.prepare(SMALL).plan.raised == ()


@pytest.mark.parametrize("back", [0, 24])
def test_a_round_that_takes_far_too_long_is_ended_whatever_the_clock_says(
    back: int, stage: Stage
) -> None:
    def pass_time() -> None:
        stage.clock.advance(2 * 3600)
        stage.clock.set_by(-3600.0 * back)
        stage.guard()

    stage.commands.script[0] = [first(pass_time, answers())]
    _run(stage)
    # An OSD that had been asked before may not have answered for two hours: one more reason.
    assert any(
        reason.startswith("ended by the guard: it took more than ")
        for reason in stage.round().reasons
    )


# --- a mgr that carries a round on ---------------------------------------------------------------


def _is_amid(stage: Stage) -> None:
    stage.commands.script[5] = [stage.commands.hangs]
    stage.bench.start(replace(REQUEST, repeats=2))
    threads.until(lambda: 5 in stage.commands.asked)


def _carries_on(
    stage: Stage, path: Path, cluster: Optional[FakeCluster] = None, **changed: Any
) -> tuple[Round, list[int]]:
    """What becomes of the round of a mgr that dies now, and the OSDs that the next one asks.

    The next mgr is there after two minutes, and its guard looks before the bench of osd.0 or osd.5.
    """
    settings, keys = dict(stage.settings.values), dict(stage.keys.keys)
    stage.crash()
    successor = Stage(path, cluster)
    successor.admission = stage.admission
    successor.authority.writer = "4200"
    successor.settings.values, successor.keys.keys = settings, keys
    successor.outlook.change(**changed)
    successor.clock.advance(120)
    for osd in (0, 5):
        successor.commands.script[osd] = [first(successor.guard, answers())]
    successor.wake()
    successor.ended()
    found, asked = successor.round(), list(successor.commands.asked)
    successor.close()
    return found, asked


@pytest.mark.parametrize("again", [False, True])
def test_what_disturbed_a_round_before_its_mgr_died_is_told_once(
    stage: Stage, path: Path, again: bool
) -> None:
    backfilling = {"active+clean": 60, "active+remapped+backfilling": 4}
    _is_amid(stage)
    for pgs in (backfilling, {"active+clean": 64}):
        stage.outlook.change(pgs=pgs)
        stage.guard()
    stage.settle()
    found, _ = _carries_on(stage, path, pgs=backfilling if again else {"active+clean": 64})
    assert (found.state, found.resumed) == (RoundState.DONE, 1)
    assert found.verdict is Verdict.CONTAMINATED
    assert [one.code for one in found.conclusions if one.code.startswith("guard-")] == [
        "guard-recovery"
    ]


def test_a_round_that_the_guard_has_ended_is_not_carried_on(stage: Stage, path: Path) -> None:
    """Its mgr dies while it waits for the benches in flight (up to 15 s)."""
    _is_amid(stage)
    laggy = {"active+clean": 60, "active+clean+laggy": 4}
    stage.outlook.change(pgs=laggy)
    stage.guard()
    stage.settle()
    found, asked = _carries_on(stage, path, pgs=laggy)
    assert (found.verdict, asked) == (Verdict.ABORTED, [])
    assert found.reasons == ("ended by the guard: 4 PGs more than before the round became laggy",)


def test_osds_that_went_down_with_their_mgr_end_its_round(stage: Stage, path: Path) -> None:
    _is_amid(stage)
    cluster = FakeCluster(some_osds(6))
    cluster.set_down(1, 2, 3)
    found, _ = _carries_on(stage, path, cluster)
    assert found.reasons == ("ended by the guard: 3 OSDs went down: osd.1, osd.2 and osd.3",)
