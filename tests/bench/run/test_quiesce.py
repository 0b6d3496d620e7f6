"""Quiesce, killed and disturbed at every single step: in the end the cluster is as it was."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Callable, Optional

import pytest

from fakes.clock import FakeClock
from fakes.settings import FakeSettings, an_access
from held_cluster import (
    BEFORE,
    CLEAN,
    LIMIT,
    OPTION,
    POOL,
    QUIET,
    ROUND,
    STEPS,
    WANTED,
    Killed,
    World,
    a_round,
    die,
    dies_on_the_way,
    looks_on,
)
from perf_bench.bench.run.quiesce import Quiesce
from perf_bench.errors import (
    Busy,
    CommandFailed,
    NotNow,
    StoreUnavailable,
)
from perf_bench.model.quiesce import QuiesceState, Restored
from perf_bench.model.said import packed
from perf_bench.report.quiesce import quiesce, quiesce_text
from perf_bench.settings.journal import JOURNAL
from perf_bench.settings.undo import LATE


def _round(world: World) -> None:
    """A round's life in one mgr, which knows at its end that none runs."""
    a_round(world)
    world.running = None


def _recover(world: World) -> Quiesce:
    """A mgr that takes over and ticks for a while; the round is not carried on."""
    world.running = None
    mgr = world.mgr()
    looks_on(world, mgr, every=LATE / 5)
    return mgr


def _tick(world: World, mgr: Quiesce) -> None:
    """The same mgr looks on until no late order has to be waited for any more."""
    for _ in range(20):
        mgr.tick()
        world.clock.advance(LATE / 10)


def _carry_on(world: World) -> None:
    """A mgr that takes over and carries the round on."""
    world.running = ROUND
    _round(world)
    _recover(world)


MEASURE = CLEAN.index("measure")


def _die_after(act: Callable[[], None]) -> None:
    with suppress(Exception):
        act()
    raise Killed


def _fail_before(act: Callable[[], None]) -> None:
    raise CommandFailed(errno.ETIMEDOUT, "no answer")


def _fail_after(act: Callable[[], None]) -> None:
    act()
    raise CommandFailed(errno.ETIMEDOUT, "no answer")


def test_a_round_that_nothing_happens_to() -> None:
    world = World()
    mgr = world.mgr()
    changes = mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    assert world.values == QUIET
    assert [(c.what, c.was, c.want) for c in changes] == [
        ("flag/noscrub", "unset", "set"),
        ("balancer", "on", "off"),
        (POOL, "on", "off"),
        (OPTION, None, "120"),
    ]
    done = mgr.release(ROUND)
    assert world.values == BEFORE
    assert world.keys == {}
    assert [change.what for change in done.put_back] == [OPTION, POOL, "balancer", "flag/noscrub"]
    assert done.complete


@pytest.mark.parametrize("killed", [False, True])
def test_what_was_set_back_by_half_is_set_back(killed: bool) -> None:
    """Seen on 18: 'balancer on' took effect, 'config rm' of its option met no quorum."""
    world = World()
    world.values["balancer"] = None
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.values["balancer"] = "on"
    world.half_set["balancer"] = "on"
    if killed:
        mgr = _recover(world)
    else:
        assert "balancer" in [change.what for change in mgr.release(ROUND).put_back]
    assert world.values == {**BEFORE, "balancer": None}
    assert world.keys == {}
    assert not mgr.status().changed


def test_every_change_is_written_down_before_it_is_made() -> None:
    world = World()
    seen: list[str] = []
    put = world.put

    def watched(what: str, value: Optional[str]) -> None:
        entry = json.loads(world.keys[max(world.keys)])
        assert (entry["what"], entry["was"]) == (what, BEFORE[what])
        seen.append(what)
        put(what, value)

    world.put = watched  # type: ignore[method-assign]
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    assert len(seen) == 4


# --- killed ------------------------------------------------------------------------------------


@pytest.mark.parametrize("die", [die, _die_after])
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step(step: int, die: Any) -> None:
    world = World()
    world.plans[step] = die
    with pytest.raises(Killed):
        _round(world)
    mgr = _recover(world)
    assert world.values == BEFORE
    assert world.keys == {}
    assert mgr.status().state is QuiesceState.IDLE
    assert mgr.claims() == []


@pytest.mark.parametrize("die", [die, _die_after])
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_and_the_round_is_carried_on(step: int, die: Any) -> None:
    world = World()
    world.plans[step] = die
    with pytest.raises(Killed):
        _round(world)
    next_mgr = world.mgr()
    next_mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    # What was put back already is not taken anew: it may be an operator who did it.
    assert world.values == QUIET or step > MEASURE
    next_mgr.release(ROUND)
    assert world.values == BEFORE
    # an order of the dead mgr may still come, so its entry is kept for a while
    _tick(world, next_mgr)
    assert (world.values, world.keys) == (BEFORE, {})


def _second_kills() -> Iterator[tuple[int, int]]:
    for first in STEPS:
        for second in range(0, 2 * len(STEPS), 7):  # every seventh: each is met from some first
            yield first, first + 1 + second


@pytest.mark.parametrize("carried_on", [False, True])
@pytest.mark.parametrize("die", [die, _die_after])
def test_killed_again_at_any_step_of_what_comes_after(die: Any, carried_on: bool) -> None:
    for first, second in _second_kills():
        world = World()
        world.plans = {first: die, second: die}
        deaths = 0
        for act in (_round, _carry_on if carried_on else _recover, _recover):
            try:
                act(world)
            except Killed:
                deaths += 1
        assert (world.values, world.keys) == (BEFORE, {}), (first, second)
        assert deaths >= 1


@pytest.mark.parametrize("step", [n for n in STEPS if CLEAN[n].startswith("set")])
@pytest.mark.parametrize("ticks", [0, 1, 5])
def test_an_order_of_a_dead_mgr_is_carried_out_late(step: int, ticks: int) -> None:
    """The monitors had it already. Late means within what they take to carry it out."""
    world = World()

    world.plans[step] = dies_on_the_way(world)
    with pytest.raises(Killed):
        _round(world)
    world.running = None
    mgr = world.mgr()
    for _ in range(ticks):
        mgr.tick()
        world.clock.advance(LATE / 10)
    (late,) = world.late
    late()
    for _ in range(20):
        mgr.tick()
        world.clock.advance(LATE / 10)
    assert (world.values, world.keys) == (BEFORE, {})


def test_an_order_that_comes_late_over_what_an_operator_set() -> None:
    """It was given before the operator acted; left as it is it would stay for ever."""
    world = World()

    world.plans[CLEAN.index("set balancer")] = dies_on_the_way(world)
    with pytest.raises(Killed):
        _round(world)
    world.values["balancer"] = "upmap-by-hand"
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    mgr.release(ROUND)
    world.late[0]()
    _recover(world)
    assert (world.values, world.keys) == (BEFORE, {})


# --- an operator ---------------------------------------------------------------------------------

# What an operator may make of each setting that is neither what it was nor what we want.
THEIRS = {POOL: "warn", OPTION: "60", "balancer": "off-by-hand", "flag/noscrub": "other"}


def _interfere(world: World, step: int, what: str, value: Optional[str]) -> bool:
    """The operator acts right before a step, but not between our last look and our act."""
    if CLEAN[step] == f"set {what}":
        return False

    def plan(act: Callable[[], None]) -> None:
        world.values[what] = value
        act()

    world.plans[step] = plan
    return True


@pytest.mark.parametrize("what", THEIRS)
@pytest.mark.parametrize("step", STEPS)
def test_what_an_operator_sets_meanwhile_stays(step: int, what: str) -> None:
    world = World()
    if not _interfere(world, step, what, THEIRS[what]):
        return
    _round(world)
    _recover(world)
    assert world.values == {**BEFORE, what: THEIRS[what]}
    assert world.keys == {}


@pytest.mark.parametrize("what", THEIRS)
@pytest.mark.parametrize("step", STEPS)
def test_what_an_operator_takes_back_meanwhile_stays_back(step: int, what: str) -> None:
    world = World()
    if not _interfere(world, step, what, BEFORE[what]):
        return
    _round(world)
    assert (world.values, world.keys) == (BEFORE, {})


@pytest.mark.parametrize("what", THEIRS)
@pytest.mark.parametrize("die", [die, _die_after])
@pytest.mark.parametrize("carried_on", [False, True])
def test_an_operator_interferes_and_the_mgr_is_killed(
    what: str, die: Any, carried_on: bool
) -> None:
    for step in STEPS:
        for death in range(step + 1, len(STEPS), 7):  # every seventh: each is met from some step
            world = World()
            if not _interfere(world, step, what, THEIRS[what]):
                continue
            world.plans[death] = die
            with suppress(Killed):  # the round may have fewer steps now
                _round(world)
            world.plans.clear()
            (_carry_on if carried_on else _recover)(world)
            assert world.values == {**BEFORE, what: THEIRS[what]}, (step, death)
            assert world.keys == {}


def test_what_the_operator_had_set_is_not_even_written_down() -> None:
    world = World()
    world.values = dict(QUIET)
    mgr = world.mgr()
    assert mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT) == ()
    assert "save" not in world.steps
    assert mgr.release(ROUND) == Restored()
    assert world.values == QUIET


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("what", ["flag/noscrub", OPTION])
def test_an_operator_who_wants_the_same_and_is_faster_keeps_it(what: str, killed: bool) -> None:
    """Between our first look at a setting and the second, right before we would act."""
    world = World()
    looks = [n for n in STEPS if CLEAN[n] == f"read {what}"]
    assert _interfere(world, looks[1], what, WANTED[what])
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    if killed:
        mgr = _recover(world)
    mgr.release(ROUND)
    assert world.values == {**BEFORE, what: WANTED[what]}
    assert world.keys == {}


def test_the_only_change_of_a_round_was_the_operators() -> None:
    world = World()
    _interfere(world, 6, "balancer", "off")  # check, load, look, check, write down, check, look
    mgr = world.mgr()
    assert mgr.hold(ROUND, {"balancer": "off"}, world.clock.now() + LIMIT) == ()
    assert world.steps[2:7] == ["read balancer", "check", "save", "check", "read balancer"]
    _recover(world)  # the mgr was killed while it measured
    assert world.values == {**BEFORE, "balancer": "off"}
    assert world.keys == {}


@pytest.mark.parametrize("what", THEIRS)
def test_a_round_that_is_carried_on_does_not_take_anew_what_was_taken_back(what: str) -> None:
    world = World()
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.values[what] = BEFORE[what]
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    assert world.values == {**QUIET, what: BEFORE[what]}
    mgr.release(ROUND)
    assert (world.values, world.keys) == (BEFORE, {})


def test_it_is_said_what_is_left_and_what_is_gone() -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.values["balancer"] = "on"
    world.values[OPTION] = "60"
    del world.values[POOL]
    done = mgr.release(ROUND)
    assert [(left.what, left.now, left.gone) for left in done.left] == [
        (OPTION, "60", False),
        (POOL, None, True),
    ]
    assert [change.what for change in done.put_back] == ["flag/noscrub"]
    assert done.complete
    assert world.keys == {}


def test_an_operator_who_sets_what_we_hold_cannot_be_told_from_us() -> None:
    """Known, and said in the documents: it is put back to what it was."""
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.values["flag/noscrub"] = "set"
    mgr.release(ROUND)
    assert world.values["flag/noscrub"] == "unset"


# --- things that fail ----------------------------------------------------------------------------


@pytest.mark.parametrize("fail", [_fail_before, _fail_after])
@pytest.mark.parametrize("step", STEPS)
def test_any_step_fails_once(step: int, fail: Any) -> None:
    world = World()
    world.plans[step] = fail
    try:
        _round(world)
    except CommandFailed:
        world.running = None
    _recover(world)
    assert (world.values, world.keys) == (BEFORE, {})


@pytest.mark.parametrize("step", STEPS)
def test_the_same_mgr_goes_on_after_a_step_that_failed(step: int) -> None:
    world = World()
    world.plans[step] = _fail_after
    mgr = world.mgr()
    with suppress(CommandFailed):
        mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    mgr.release(ROUND)
    for _ in range(20):
        mgr.tick()
        world.clock.advance(LATE / 10)
    assert (world.values, world.keys) == (BEFORE, {})
    assert mgr.tick() is None


def test_a_hold_that_fails_has_put_all_back_before_it_raises() -> None:
    world = World()
    world.plans[world_step(f"set {POOL}")] = _fail_before
    mgr = world.mgr()
    with pytest.raises(CommandFailed):
        mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    assert world.values == BEFORE
    # it may still be carried out, so it is watched for a while: nothing that one has to act on
    assert mgr.claims() == []
    assert mgr.status().state is QuiesceState.IDLE
    assert mgr.status().watched == (POOL,)
    world.values[POOL] = "off"
    world.clock.advance(60)
    done = mgr.tick()
    assert done is not None
    assert [change.what for change in done.put_back] == [POOL]
    assert (world.values, world.keys) == (BEFORE, {})
    assert mgr.status().watched == ()


def test_a_setting_that_is_only_watched_is_read_every_ten_seconds() -> None:
    world = World()
    world.plans[world_step(f"set {POOL}")] = _fail_before
    mgr = world.mgr()
    with pytest.raises(CommandFailed):
        mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    assert mgr.status().watched == (POOL,)
    read = []
    for _ in range(9):
        before = len(world.steps)
        mgr.tick()
        read.append(f"read {POOL}" in world.steps[before:])
        world.clock.advance(5.0)
    assert read == [True, False] * 4 + [True]


def world_step(name: str) -> int:
    """The number of the first step of that name in a clean round."""
    return CLEAN.index(name)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("killed", [False, True])
def test_the_store_goes_away_at_any_step_and_comes_back(step: int, killed: bool) -> None:
    world = World()

    def plan(act: Callable[[], None]) -> None:
        world.away = True
        act()

    world.plans[step] = plan
    mgr = world.mgr()
    with suppress(StoreUnavailable):
        mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
        world.step("measure", lambda: None)
    done = mgr.release(ROUND)
    world.running = None
    # a store that is away keeps no setting from being put back
    assert world.values == BEFORE
    assert (done.unsaved is None) or (done.unsaved == "the database is away")
    if killed:
        mgr = world.mgr()
    for _ in range(3):
        with suppress(StoreUnavailable):
            mgr.tick()
        world.clock.advance(LATE)
    world.away = False
    for _ in range(3):
        mgr.tick()
        world.clock.advance(LATE)
    assert (world.values, world.keys) == (BEFORE, {})


def test_a_store_that_is_away_is_asked_once_a_restore() -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.away = True
    before = len(world.steps)
    assert mgr.release(ROUND).unsaved == "the database is away"
    assert world.steps[before:].count("strike") == 1


def test_a_setting_that_cannot_be_put_back_keeps_no_other_from_it() -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    put = world.put

    def broken(what: str, value: Optional[str]) -> None:
        if what == "balancer":
            raise CommandFailed(errno.EIO, "the balancer is ill")
        put(what, value)

    world.put = broken  # type: ignore[method-assign]
    done = mgr.release(ROUND)
    world.running = None
    assert [(waiting.change.what, waiting.why) for waiting in done.waiting] == [
        ("balancer", "the balancer is ill")
    ]
    assert world.values == {**BEFORE, "balancer": "off"}
    assert mgr.status().state is QuiesceState.RESTORE_PENDING
    began = world.clock.now()
    world.clock.advance(30)
    mgr.tick()
    (claim,) = mgr.claims()
    assert claim.since == began  # however often it is tried
    assert claim.message.endswith(
        "put back: balancer (balancer: the balancer is ill); by hand: set balancer on, "
        "or 'ceph-perf-bench restore' on any host"
    )
    assert packed(claim.message) is not None
    world.put = put  # type: ignore[method-assign]
    restored = mgr.restore()  # the operator's command
    assert restored.complete
    assert (world.values, world.keys) == (BEFORE, {})
    assert mgr.claims() == []


def test_putting_back_is_claimed_only_once_it_takes_long() -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    put, claimed = world.put, []

    def slow(what: str, value: Optional[str]) -> None:
        claimed.append([claim.code for claim in mgr.claims()])
        world.clock.advance(25)
        put(what, value)

    world.put = slow  # type: ignore[method-assign]
    assert mgr.release(ROUND).complete
    assert claimed == [[], [], [], ["PERF_BENCH_RESTORE_PENDING"]]
    assert (world.values, mgr.claims()) == (BEFORE, [])


def test_how_long_an_earlier_round_took_to_put_back_says_nothing_of_the_next() -> None:
    world = World()
    mgr = world.mgr()
    put, claimed = world.put, []

    def slow(what: str, value: Optional[str]) -> None:
        claimed.append([claim.since for claim in mgr.claims()])
        world.clock.advance(15)
        put(what, value)

    for _ in range(2):
        mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
        world.put = slow  # type: ignore[method-assign]
        assert mgr.release(ROUND).complete
        world.put = put  # type: ignore[method-assign]
        world.clock.advance(3600)
    assert claimed == [[]] * len(claimed)
    assert len(claimed) >= 6


def test_what_somebody_else_has_put_back_says_nothing_of_the_next_round() -> None:
    world = World()
    mgr = world.mgr()
    put, claimed = world.put, []

    def broken(what: str, value: Optional[str]) -> None:
        raise CommandFailed(errno.EIO, "ill")

    def watched(what: str, value: Optional[str]) -> None:
        claimed.append(mgr.claims())
        put(what, value)

    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.put = broken  # type: ignore[method-assign]
    assert not mgr.release(ROUND).complete
    world.values, world.keys = dict(BEFORE), {}  # 'ceph-perf-bench restore' on another host
    world.clock.advance(3600)
    mgr.tick()
    world.running = "round-8"
    world.put = put  # type: ignore[method-assign]
    mgr.hold("round-8", {"balancer": "off"}, world.clock.now() + LIMIT)
    world.put = watched  # type: ignore[method-assign]
    assert mgr.release("round-8").complete
    assert claimed == [[]]


def test_a_look_at_the_status_does_not_shorten_how_long_a_round_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A mgr that takes over: the look computes the limit of the mgr before, which is sooner."""
    world = World()
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    mgr = world.mgr()
    mgr.wake()
    now = world.clock.now

    def meanwhile() -> float:
        monkeypatch.setattr(world.clock, "now", now)
        mgr.hold(ROUND, WANTED, now() + 3 * LIMIT)
        return now()

    monkeypatch.setattr(world.clock, "now", meanwhile)
    mgr.state()
    world.clock.advance(2 * LIMIT)
    mgr.tick()
    assert world.values == QUIET


# --- time and turns ------------------------------------------------------------------------------


def test_held_for_too_long_it_is_restored_whatever_runs() -> None:
    world = World()
    mgr = world.mgr()
    until = world.clock.now() + LIMIT
    mgr.hold(ROUND, WANTED, until)
    world.clock.advance(LIMIT - 1)
    assert mgr.tick() is None
    assert (world.values, mgr.claims()) == (QUIET, [])
    world.clock.advance(1)
    done = mgr.tick()
    assert done is not None
    assert done.complete
    assert (world.values, world.keys) == (BEFORE, {})
    # and it is not held anew for a round that is carried on past its limit
    assert mgr.hold(ROUND, WANTED, until) == ()
    assert world.values == BEFORE


def test_a_carried_on_round_past_its_limit_is_restored_by_its_hold() -> None:
    world = World()
    until = world.clock.now() + LIMIT
    world.mgr().hold(ROUND, WANTED, until)
    world.clock.advance(LIMIT)
    assert world.mgr().hold(ROUND, WANTED, until) == ()
    assert (world.values, world.keys) == (BEFORE, {})


def test_a_round_that_vanished_is_restored_after() -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.running = None
    mgr.tick()
    assert (world.values, world.keys) == (BEFORE, {})


def test_the_next_round_waits_for_what_the_last_one_left() -> None:
    world = World()
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.running = "round-8"
    mgr = world.mgr()
    mgr.hold("round-8", {"balancer": "off"}, world.clock.now() + LIMIT)
    assert world.values == {**BEFORE, "balancer": "off"}
    mgr.release(ROUND)  # of a round that is gone: nothing
    assert world.values == {**BEFORE, "balancer": "off"}
    mgr.release("round-8")
    assert (world.values, world.keys) == (BEFORE, {})


def test_the_next_round_is_refused_while_it_cannot_be_put_back() -> None:
    world = World()
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    put = world.put

    def broken(what: str, value: Optional[str]) -> None:
        raise CommandFailed(errno.EIO, "ill")

    world.put = broken  # type: ignore[method-assign]
    with pytest.raises(NotNow, match=r"^changes of an earlier round are not put back yet: "):
        world.mgr().hold("round-8", WANTED, world.clock.now() + LIMIT)
    world.put = put  # type: ignore[method-assign]


def test_a_module_that_stops_puts_back_and_changes_nothing_more() -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    assert mgr.leave().complete
    assert (world.values, world.keys) == (BEFORE, {})
    with pytest.raises(NotNow, match=r"^perf_bench is being stopped on this mgr$"):
        mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    _carry_on(world)  # elsewhere it is held again, and put back
    assert (world.values, world.keys) == (BEFORE, {})


# --- what is shown -------------------------------------------------------------------------------


def test_status_through_a_rounds_life() -> None:
    world = World()
    mgr = world.mgr()
    with pytest.raises(NotNow, match=r"^perf_bench has not read its journal yet"):
        mgr.status()
    mgr.wake()
    assert mgr.status().state is QuiesceState.IDLE
    start = world.clock.now()
    mgr.hold(ROUND, WANTED, start + LIMIT)
    held = mgr.status()
    assert (held.state, held.since, held.until, held.holder) == (
        QuiesceState.HELD,
        start,
        start + LIMIT,
        ROUND,
    )
    assert [(c.what, c.was, c.want, c.now) for c in held.changed] == [
        ("flag/noscrub", "unset", "set", "set"),
        ("balancer", "on", "off", "off"),
        (POOL, "on", "off", "off"),
        (OPTION, None, "120", "120"),
    ]
    assert mgr.claims() == []
    with pytest.raises(Busy, match=r"^a round is running and holds these settings"):
        mgr.restore()
    assert world.values == QUIET
    world.running = None
    del world.values[POOL]
    pending = mgr.status()
    assert pending.state is QuiesceState.RESTORE_PENDING
    assert [c.now for c in pending.changed] == ["set", "off", None, "120"]
    (claim,) = mgr.claims()
    assert claim.evidence["holder"] == ROUND
    assert claim.evidence["changed"] == ["flag/noscrub", "balancer", POOL, OPTION]
    assert pending.commands == tuple(claim.evidence["commands"])
    assert pending.commands[-1] == "set flag/noscrub unset"
    assert claim.since == start
    assert mgr.restore().complete
    assert mgr.restore() == Restored()


def test_the_journal_of_the_version_before_is_read() -> None:
    """It had one document for all changes of a round, and said of each whether it was made."""
    world = World()
    world.values = dict(QUIET)
    changes = [
        {"what": what, "was": BEFORE[what], "want": WANTED[what], "at": 0.0, "made": True}
        for what in ("flag/noscrub", "balancer", POOL, OPTION)
    ]
    head = {"holder": ROUND, "since": 0.0, "until": world.clock.now() + LIMIT}
    world.keys[JOURNAL] = json.dumps({**head, "changes": changes, "colour": "red"})
    mgr = world.mgr()
    world.running = None
    done = mgr.tick()
    assert done is not None
    assert done.complete
    assert (world.values, world.keys) == (BEFORE, {})


def _held(settings: FakeSettings, wanted: Mapping[str, str]) -> Quiesce:
    """A mgr in which a round holds these settings."""
    clock = FakeClock()
    mgr = Quiesce(an_access(settings, clock=clock), lambda: ROUND)
    mgr.hold(ROUND, wanted, clock.now() + LIMIT)
    return mgr


def test_a_setting_that_cannot_be_read_was_set_by_nobody_else() -> None:
    """Without the monitors' answer it is not known who has set what, nor that all is as before."""
    settings = FakeSettings()
    mgr = _held(settings, {"flag/noscrub": "set", OPTION: "120"})
    settings.fault = CommandFailed(errno.ETIMEDOUT, "no answer from the monitors")
    shape = quiesce(mgr.status(), 7)
    shown = quiesce_text(shape)
    assert "somebody else" not in shown
    assert "as it was" not in shown
    assert shown.count("not known: no answer from the monitors") == 2
    assert [one["now"] for one in shape["changed"]] == [None, None]
    assert [one["unread"] for one in shape["changed"]] == ["no answer from the monitors"] * 2


def test_a_pool_that_was_removed_was_set_by_nobody_else() -> None:
    settings = FakeSettings()
    mgr = _held(settings, {POOL: "off"})
    del settings.values[POOL]
    shown = quiesce_text(quiesce(mgr.status(), 7))
    assert "somebody else" not in shown
    assert f"not known: no {POOL}" in shown
