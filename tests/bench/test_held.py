"""Held settings, killed and disturbed at every single step: in the end all is as it was."""

from __future__ import annotations

import errno
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from itertools import product
from threading import Barrier, Event
from typing import Any, Callable, Optional

import pytest

from fakes.loop import FakeLoop
from held_cluster import (
    BEFORE,
    CLEAN,
    LIMIT,
    LOG,
    OPTION,
    POOL,
    QUIET,
    ROUND,
    STEPS,
    WANTED,
    Killed,
    Mgr,
    World,
    a_round,
    die,
    looks_on,
)
from perf_bench.bench.held import LATE
from perf_bench.core.loop import Cancelled
from perf_bench.core.workers import Workers
from perf_bench.errors import Busy, CommandFailed, NotNow, PerfBenchError, StoreUnavailable
from perf_bench.model.admission import QuiesceState, Restored
from threads import PATIENCE

NEXT = "round-8"
MINUTE = 60.0
Act = Callable[[], None]


def _round(world: World) -> None:
    """A round's life in one mgr, which knows at its end that none runs."""
    a_round(world)
    world.running = None


def _recover(world: World) -> Mgr:
    """A mgr that takes over and looks on for a while; the round is not carried on."""
    world.running = None
    mgr = world.mgr()
    looks_on(world, mgr, every=LATE / 5)
    return mgr


def _carry_on(world: World) -> None:
    """A mgr that takes over and carries the round on."""
    world.running = ROUND
    _round(world)
    _recover(world)


MEASURE = CLEAN.index("measure")
ORDERS = [n for n in STEPS if CLEAN[n].startswith(("set", "save"))]


def _die_after(act: Act) -> None:
    with suppress(Exception):
        act()
    raise Killed


def _hold(world: World, mgr: Optional[Mgr] = None, holder: str = ROUND) -> Mgr:
    mgr = mgr or world.mgr()
    mgr.hold(holder, WANTED, world.clock.now() + LIMIT)
    return mgr


# --- killed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("die", [die, _die_after])
def test_killed_at_any_step_and_the_round_is_carried_on(die: Any) -> None:
    for step in STEPS:
        world = World()
        world.plans[step] = die
        with pytest.raises(Killed):
            _round(world)
        next_mgr = _hold(world)
        # What was put back already is not taken anew: it may be an operator who did it.
        assert world.values == QUIET or step > MEASURE, step
        next_mgr.end(ROUND)
        assert world.values == BEFORE, step
        # a command of the dead mgr may still come, so its change is kept for a while
        looks_on(world, next_mgr)
        assert (world.values, world.keys) == (BEFORE, {}), step


# --- late commands -------------------------------------------------------------------------------


@pytest.mark.parametrize("after_the_next", [False, True])
@pytest.mark.parametrize("step", [n for n in ORDERS if n < CLEAN.index(f"set {OPTION}")])
def test_a_command_that_timed_out_is_carried_out_beside_the_next_try(
    step: int, after_the_next: bool
) -> None:
    """The monitors have no quorum: the round waits for them, and holds its settings again."""
    world = World()
    mgr = world.mgr()

    def times_out(act: Act) -> None:
        world.late.append(act)
        raise CommandFailed(errno.ETIMEDOUT, "timed out")

    world.plans[step] = times_out
    with pytest.raises(CommandFailed):
        a_round(world, mgr)
    (late,) = world.late
    if not after_the_next:
        late()
    _hold(world, mgr)
    if after_the_next:
        late()
    assert world.values == QUIET
    mgr.end(ROUND)
    world.running = None
    looks_on(world, mgr)
    assert (world.values, world.keys) == (BEFORE, {})


def test_it_is_looked_at_each_minute_for_ten_minutes() -> None:
    world = World()
    world.plans[CLEAN.index("set balancer")] = die
    with pytest.raises(Killed):
        a_round(world)
    world.running = None
    mgr = world.mgr()
    read = []
    for _ in range(14):
        before = len(world.steps)
        mgr.step()
        read.append("read balancer" in world.steps[before:])
        assert mgr.claims() == []
        world.clock.advance(LATE / 20)
    assert read == [True, False] * 7
    assert mgr.status().state is QuiesceState.IDLE
    assert "balancer" in mgr.status().watched
    looks_on(world, mgr, LATE / 2)
    assert (world.keys, mgr.status().watched) == ({}, ())


# --- a mgr that was replaced ---------------------------------------------------------------------


def _pause_at(step: int, meanwhile: Callable[[World], None]) -> World:
    """The mgr stops before a step; others act; then it goes on as if nothing had been."""
    world = World()
    former = world.mgr(lambda: ROUND)

    def pause(act: Act) -> None:
        world.plans.clear()
        meanwhile(world)
        world.clock.advance(45)
        act()

    world.plans[step] = pause
    with suppress(PerfBenchError):
        a_round(world, former)
    former.end(ROUND)
    looks_on(world, former, 3 * MINUTE, MINUTE)
    return world


def test_a_mgr_that_goes_on_after_a_pause_spoils_no_later_round() -> None:
    for step in STEPS:
        others: list[Mgr] = []

        def next_round(world: World, others: list[Mgr] = others) -> None:
            others.append(_hold(world, world.mgr(lambda: NEXT), NEXT))

        world = _pause_at(step, next_round)
        # one command that was on its way at the pause may hit the round; none comes after it
        touched = [what for what in QUIET if world.values[what] != QUIET[what]]
        assert touched in ([], [CLEAN[step].removeprefix("set ")]), step
        # nor does it take away what the mgr that holds them has recorded
        assert set(world.recorded) >= {what for what in QUIET if QUIET[what] != BEFORE[what]}, step
        others[0].end(NEXT)
        looks_on(world, others[0])
        assert (world.values, world.keys) == (BEFORE, {}), step


def test_a_mgr_that_was_replaced_changes_nothing() -> None:
    world = World()
    former = _hold(world)
    world.running = NEXT
    mgr = _hold(world, holder=NEXT)
    before = dict(world.keys)
    assert {one.why for one in former.end(ROUND).waiting} == {"another mgr is the active one"}
    with pytest.raises(NotNow):
        former.hold("round-9", WANTED, world.clock.now() + LIMIT)
    assert (world.values, world.keys) == (QUIET, before)
    mgr.end(NEXT)
    # what the operator sets after that stays, whatever the former mgr still tries
    world.values["flag/noscrub"] = "set"
    former.step()
    former.restore()
    assert world.values == {**BEFORE, "flag/noscrub": "set"}


# --- an operator ---------------------------------------------------------------------------------

# What an operator may make of each setting that is neither what it was nor what we want.
THEIRS = {POOL: "warn", OPTION: "60", "balancer": "off-by-hand", "flag/noscrub": "other"}


def _interfere(world: World, step: int, what: str, value: Optional[str]) -> bool:
    """The operator acts right before a step, but not between our last look and our act."""
    if CLEAN[step] == f"set {what}":
        return False

    def plan(act: Act) -> None:
        world.values[what] = value
        act()

    world.plans[step] = plan
    return True


@pytest.mark.parametrize("what", THEIRS)
def test_what_an_operator_sets_meanwhile_stays(what: str) -> None:
    for step in STEPS:
        world = World()
        if _interfere(world, step, what, THEIRS[what]):
            _round(world)
            _recover(world)
            assert (world.values, world.keys) == ({**BEFORE, what: THEIRS[what]}, {}), step


@pytest.mark.parametrize("die", [die, _die_after])
@pytest.mark.parametrize("carried_on", [False, True])
def test_an_operator_interferes_and_the_mgr_is_killed(die: Any, carried_on: bool) -> None:
    for what, step in product(THEIRS, STEPS):
        for death in range(step + 1, len(STEPS), 5):  # every fifth: each is met from some step
            world = World()
            if not _interfere(world, step, what, THEIRS[what]):
                continue
            world.plans[death] = die
            with suppress(Killed):  # the round may have fewer steps now
                _round(world)
            world.plans.clear()
            (_carry_on if carried_on else _recover)(world)
            held = (world.values, world.keys)
            assert held == ({**BEFORE, what: THEIRS[what]}, {}), (what, step, death)


def test_it_is_said_what_is_left_and_what_is_gone(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LOG, "disabled", False)
    caplog.set_level("INFO")
    world = World()
    mgr = _hold(world)
    world.values["balancer"] = "on"
    world.values[OPTION] = "60"
    del world.values[POOL]
    done = mgr.end(ROUND)
    assert [(left.what, left.now, left.gone) for left in done.left] == [
        (OPTION, "60", False),
        (POOL, None, True),
    ]
    assert [change.what for change in done.put_back] == ["flag/noscrub"]
    assert [change.what for change in done.same] == ["balancer"]
    assert done.complete
    assert world.keys == {}
    assert f"{OPTION}: left, was None, is 60" in caplog.messages
    last = mgr.status().last
    assert last is not None
    assert (last.put_back, last.left) == (done.put_back, done.left)


def test_flags_are_set_and_put_back_side_by_side() -> None:
    # The monitors take a second for each change of the OSD map, and as long for two at once.
    world, both = World(), Barrier(2)
    world.values["flag/nodeep-scrub"] = "unset"
    put = world.put

    def waits(what: str, value: Optional[str]) -> None:
        if what.startswith("flag/"):
            both.wait(PATIENCE)
        put(what, value)

    world.put = waits
    beside = Workers("beside", 4)
    mgr = world.mgr(beside=beside)
    _hold(world, mgr)
    assert world.values["flag/noscrub"] == world.values["flag/nodeep-scrub"] == "set"
    assert mgr.end(ROUND).complete
    beside.close(PATIENCE)
    assert world.values["flag/noscrub"] == world.values["flag/nodeep-scrub"] == "unset"


def test_a_balancer_whose_option_was_not_removed_any_more_is_still_ours() -> None:
    """Its mgr died after 'balancer on', which sets the option."""
    world = World()
    world.values["balancer"] = None
    mgr = _hold(world)
    world.values["balancer"] = "on"
    assert not mgr.end(ROUND).left
    assert world.values["balancer"] is None


# --- things that fail ----------------------------------------------------------------------------


@pytest.mark.parametrize("killed", [False, True])
def test_the_key_store_goes_away_at_any_step_and_comes_back(killed: bool) -> None:
    for step in STEPS:
        world = World()

        def plan(act: Act, world: World = world) -> None:
            world.away = True
            act()

        world.plans[step] = plan
        mgr = world.mgr()
        with suppress(StoreUnavailable):
            _hold(world, mgr)
            world.step("measure", lambda: None)
        done = mgr.end(ROUND)
        world.running = None
        # a store that is away keeps no setting from being put back that is known
        assert world.values == BEFORE, step
        assert done.unsaved in {None, "the monitors are away"}
        if killed:
            mgr = world.mgr()
        looks_on(world, mgr, 3 * LATE, LATE)
        world.away = False
        looks_on(world, mgr, 3 * LATE, LATE)
        assert (world.values, world.keys) == (BEFORE, {}), step


def test_a_setting_that_cannot_be_put_back_keeps_no_other_from_it() -> None:
    world = World()
    mgr = _hold(world)
    put = world.put

    def broken(what: str, value: Optional[str]) -> None:
        if what == "balancer":
            raise CommandFailed(errno.EIO, "the balancer is ill")
        put(what, value)

    world.put = broken
    done = mgr.end(ROUND)
    world.running = None
    assert [(waiting.change.what, waiting.why) for waiting in done.waiting] == [
        ("balancer", "the balancer is ill")
    ]
    assert world.values == {**BEFORE, "balancer": "off"}
    assert list(world.recorded) == ["balancer"]
    assert mgr.status().state is QuiesceState.RESTORE_PENDING
    began = world.clock.now()
    world.clock.advance(30)
    mgr.step()
    (claim,) = mgr.claims()
    assert claim.since == began  # when it was changed, however often it is tried
    assert (claim.evidence["holder"], claim.evidence["changed"]) == (ROUND, ["balancer"])
    assert claim.message.endswith(
        "put back: balancer (balancer: the balancer is ill); by hand: set balancer on, "
        "or 'ceph-perf-bench restore' on any host"
    )
    world.put = put
    assert world.mgr().restore().complete  # the operator's command, elsewhere
    assert (world.values, world.keys) == (BEFORE, {})
    world.clock.advance(LATE / 10)
    mgr.step()
    assert (mgr.claims(), mgr.status().why) == ([], None)


# --- time and turns ------------------------------------------------------------------------------


def test_held_for_too_long_it_is_restored_whatever_runs() -> None:
    world = World()
    mgr = world.mgr()
    until = world.clock.now() + LIMIT
    mgr.hold(ROUND, WANTED, until)
    world.clock.advance(LIMIT - 1)
    assert mgr.step() == Restored()
    assert (world.values, mgr.claims()) == (QUIET, [])
    world.clock.advance(1)
    assert mgr.step().complete
    assert (world.values, world.keys) == (BEFORE, {})
    assert world.values == BEFORE


@pytest.mark.parametrize("at", range(1, 5))
def test_a_round_that_is_ended_while_settings_are_changed_puts_them_back(at: int) -> None:
    """One call after the other has the monitors: what is put back comes after what is made."""
    world, loop = World(), FakeLoop()
    mgr = world.mgr(lambda: None, Workers("held", 1)).held
    put, made = world.put, []

    def ends_the_round(what: str, value: Optional[str]) -> None:
        made.append(what)
        put(what, value)
        if len(made) == at:
            ended = Event()
            loop.post(lambda: task.cancel("enough"))
            loop.post(ended.set)
            assert ended.wait(PATIENCE)

    def until(done: Future[Any]) -> Any:
        while not done.done():
            loop.turn(0.01)
        return done.result()

    world.put = ends_the_round
    hold = partial(mgr.hold, ROUND, WANTED, world.clock.now() + LIMIT)
    task = loop.spawn(mgr.do(hold))
    step = loop.spawn(mgr.do(mgr.step)).done
    with pytest.raises(Cancelled):
        until(task.done)
    world.put = put
    until(step)
    assert not until(loop.spawn(mgr.do(mgr.release)).done).waiting
    assert (world.values, world.keys) == (BEFORE, {})


# --- what is shown -------------------------------------------------------------------------------


def test_status_through_a_rounds_life() -> None:
    world = World()
    mgr = world.mgr()
    mgr.step()
    assert mgr.status().state is QuiesceState.IDLE
    start = world.clock.now()
    _hold(world, mgr)
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
    now = {"flag/noscrub": "set", "balancer": "off", POOL: None, OPTION: "120"}
    assert {c.what: c.now for c in pending.changed} == now
    assert "set flag/noscrub unset" in pending.commands
    assert mgr.claims() == []  # it was not tried yet
    assert mgr.restore().complete
    assert mgr.restore() == Restored()
