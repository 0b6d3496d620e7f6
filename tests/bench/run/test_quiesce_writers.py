"""Quiesce with two writers, late writes, journals that cannot be read, and clocks that jump."""

from __future__ import annotations

import errno
import json
from contextlib import suppress
from typing import Any, Callable

import pytest

from evidence import checked
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
    World,
    a_round,
    die,
    dies_on_the_way,
    looks_on,
)
from perf_bench.bench.run.quiesce import Quiesce
from perf_bench.errors import CommandFailed, NotNow, PerfBenchError
from perf_bench.model.quiesce import QuiesceState
from perf_bench.settings.journal import JOURNAL
from perf_bench.settings.undo import LATE

NEXT = "round-8"
MINUTE = 60.0


# --- late orders ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [n for n in STEPS[: CLEAN.index("measure")] if CLEAN[n].startswith(("set", "save"))],
)
@pytest.mark.parametrize("after_the_next", [False, True])
def test_an_order_that_timed_out_is_carried_out_beside_the_next_try(
    step: int, after_the_next: bool
) -> None:
    """The monitors have no quorum: the round waits for them, and holds its settings again."""
    world = World()
    mgr = world.mgr()

    def times_out(act: Callable[[], None]) -> None:
        world.late.append(act)
        raise CommandFailed(errno.ETIMEDOUT, "timed out")

    world.plans[step] = times_out
    with pytest.raises(CommandFailed):
        a_round(world, mgr)
    (late,) = world.late
    if not after_the_next:
        late()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    if after_the_next:
        late()
    assert world.values == QUIET
    mgr.release(ROUND)
    world.running = None
    looks_on(world, mgr)
    assert (world.values, world.keys) == (BEFORE, {})


@pytest.mark.parametrize("seconds", [0.0, 29.0, 31.0, 120.0, LATE - 31])
@pytest.mark.parametrize("step", [n for n in STEPS if CLEAN[n].startswith(("set", "save"))])
def test_an_order_is_carried_out_long_after_its_mgr_died(step: int, seconds: float) -> None:
    world = World()

    world.plans[step] = dies_on_the_way(world)
    with pytest.raises(Killed):
        a_round(world)
    world.running = None
    mgr = world.mgr()
    looks_on(world, mgr, seconds)
    world.late[0]()
    looks_on(world, mgr)
    assert (world.values, world.keys) == (BEFORE, {})


def test_after_a_second_look_that_saw_nothing_it_is_let_go() -> None:
    world = World()
    world.plans[CLEAN.index("set balancer")] = die
    with pytest.raises(Killed):
        a_round(world)
    world.running = None
    mgr = world.mgr()
    looks_on(world, mgr, LATE - 30)
    assert world.entries == ["balancer"]
    assert mgr.status().watched == ("balancer",)
    assert (mgr.status().state, mgr.claims()) == (QuiesceState.IDLE, [])
    looks_on(world, mgr, MINUTE)
    assert world.keys == {}


@pytest.mark.parametrize("step", [n for n in STEPS if CLEAN[n] == "strike"])
def test_a_removal_that_comes_late_hits_no_other_entry(step: int) -> None:
    world = World()

    world.plans[step] = dies_on_the_way(world)
    with pytest.raises(Killed):
        a_round(world)
    world.running = NEXT
    mgr = world.mgr()
    mgr.hold(NEXT, WANTED, world.clock.now() + LIMIT)
    entries = [name for name in world.entries if name in WANTED]
    world.late[0]()
    assert set(entries) <= set(world.entries)
    world.running = None
    looks_on(world, world.mgr())  # that mgr died: the journal still names everything
    assert (world.values, world.keys) == (BEFORE, {})


# --- a mgr that was superseded --------------------------------------------------------------------


def _pause_at(step: int, meanwhile: Callable[[World], None]) -> World:
    """The mgr stops before a step; others act; then it goes on as if nothing had been."""
    world = World()
    former = world.mgr(lambda: ROUND)

    def pause(act: Callable[[], None]) -> None:
        world.plans.clear()
        meanwhile(world)
        world.clock.advance(45)
        act()

    world.plans[step] = pause
    with suppress(PerfBenchError):
        a_round(world, former)
    former.release(ROUND)
    for _ in range(3):
        with suppress(PerfBenchError):
            former.tick()
        world.clock.advance(MINUTE)
    return world


@pytest.mark.parametrize("step", STEPS)
def test_a_mgr_that_goes_on_after_a_pause_leaves_nothing_changed(step: int) -> None:
    others: list[Quiesce] = []

    def take_over(world: World) -> None:
        world.running = None
        others.append(world.mgr(lambda: None))
        looks_on(world, others[0], 90)

    world = _pause_at(step, take_over)
    looks_on(world, others[0])
    assert (world.values, world.keys) == (BEFORE, {})


@pytest.mark.parametrize("step", STEPS)
def test_a_mgr_that_goes_on_after_a_pause_spoils_no_later_round(step: int) -> None:
    others: list[Quiesce] = []

    def next_round(world: World) -> None:
        others.append(world.mgr(lambda: NEXT))
        others[0].hold(NEXT, WANTED, world.clock.now() + LIMIT)

    world = _pause_at(step, next_round)
    # one order that was on its way at the pause may hit the round; none comes after it
    touched = [what for what in QUIET if world.values[what] != QUIET[what]]
    assert touched in ([], [CLEAN[step].removeprefix("set ")])
    others[0].release(NEXT)
    looks_on(world, others[0])
    assert (world.values, world.keys) == (BEFORE, {})


def test_a_mgr_that_was_superseded_releases_nothing() -> None:
    world = World()
    former = world.mgr()
    former.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.running = NEXT
    mgr = world.mgr()
    mgr.hold(NEXT, WANTED, world.clock.now() + LIMIT)
    before = dict(world.keys)
    done = former.release(ROUND)
    assert done.unsaved == "another mgr is the active one"
    former.leave()
    with pytest.raises(NotNow):
        former.hold("round-9", WANTED, world.clock.now() + LIMIT)
    assert (world.values, world.keys) == (QUIET, before)
    mgr.release(NEXT)
    # what the operator sets after that stays, whatever the former mgr still tries
    world.values["flag/noscrub"] = "set"
    former.tick()
    former.restore()
    assert world.values == {**BEFORE, "flag/noscrub": "set"}


def test_what_a_former_mgr_still_wrote_is_found_within_a_minute() -> None:
    """Its entry and its order were on their way when it was superseded."""
    world = World()
    mgr = world.mgr(lambda: None)
    mgr.tick()
    document = {
        "format": 2,
        "holder": ROUND,
        "writer": "99",
        "since": 0.0,
        "until": world.clock.now() + LIMIT,
        "what": "flag/noscrub",
        "was": "unset",
        "want": "set",
        "at": world.clock.now(),
    }
    world.keys[f"{JOURNAL}/99.000001"] = json.dumps(document)
    world.values["flag/noscrub"] = "set"
    world.clock.advance(MINUTE)
    mgr.tick()
    assert world.values == BEFORE


def test_the_journal_is_read_once_a_minute() -> None:
    world = World()
    mgr = world.mgr()
    mgr.tick()
    read = []
    for seconds in (59.5, 0.5, 59.5, 0.5):
        before = len(world.steps)
        world.clock.advance(seconds)
        mgr.tick()
        read.append("load" in world.steps[before:])
    assert read == [False, True, False, True]


def _next_round_beside_a_late_order() -> tuple[World, Quiesce]:
    """A round that holds the balancer, while an order of an earlier round may still come."""
    world = World()
    world.plans[CLEAN.index("set balancer")] = die
    with pytest.raises(Killed):
        a_round(world)
    world.clock.advance(MINUTE)
    world.running = NEXT
    mgr = world.mgr()
    mgr.hold(NEXT, WANTED, world.clock.now() + LIMIT)
    return world, mgr


def test_a_round_takes_no_entry_of_an_earlier_one_for_its_own() -> None:
    world, mgr = _next_round_beside_a_late_order()
    status = mgr.status()
    assert status.watched == ("balancer",)
    assert (status.state, status.holder) == (QuiesceState.HELD, NEXT)
    assert status.since == world.clock.now()
    mgr.tick()
    assert world.values == QUIET


def test_a_round_that_holds_its_settings_has_nothing_to_put_back_and_no_reason() -> None:
    """What keeps the mgr from looking at the earlier order is told when it matters."""
    world, mgr = _next_round_beside_a_late_order()
    world.active += 1
    world.clock.advance(10)
    done = mgr.tick()
    assert done is not None
    assert done.unsaved == "another mgr is the active one"
    assert (mgr.status().state, mgr.status().why) == (QuiesceState.HELD, "")


# --- what an operator sets meanwhile --------------------------------------------------------------


def test_who_set_the_same_meanwhile_is_known_and_keeps_it() -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.authors["flag/noscrub"] = "client.admin"
    mgr.tick()
    world.authors.clear()  # the audit log forgets
    done = mgr.release(ROUND)
    assert [(left.what, left.now, left.by) for left in done.left] == [
        ("flag/noscrub", "set", "client.admin")
    ]
    assert world.values == {**BEFORE, "flag/noscrub": "set"}
    assert world.keys == {}
    last = mgr.status().last
    assert last is not None
    assert [change.what for change in last.put_back] == [OPTION, POOL, "balancer"]
    assert last.left == done.left


def test_the_log_of_authors_is_read_every_15_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    looked: list[float] = []
    monkeypatch.setattr(
        mgr._undoer, "look_for_authors", lambda _held: looked.append(world.clock.monotonic())
    )
    for _ in range(61):
        mgr.tick()
        world.clock.advance(1.0)
    assert [after - before for before, after in zip(looked, looked[1:])] == [15.0] * 4


def test_what_was_left_is_told_in_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LOG, "disabled", False)
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.values[OPTION] = "60"
    del world.values[POOL]
    mgr.release(ROUND)
    assert [record.getMessage() for record in caplog.records] == [
        f"{OPTION} was set to 60 by others: it is not put back",
        f"{POOL} is gone: it is not put back",
    ]


# --- effects --------------------------------------------------------------------------------------


def test_it_is_put_back_when_the_daemons_say_so() -> None:
    world = World()
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.slow[OPTION] = "osd.2 still goes by osd_bench_duration = 120"
    done = mgr.release(ROUND)
    world.running = None
    assert [waiting.why for waiting in done.waiting] == [world.slow[OPTION]]
    assert world.entries == [OPTION]
    assert mgr.status().state is QuiesceState.RESTORE_PENDING
    assert world.slow[OPTION] in mgr.claims()[0].message
    world.slow.clear()
    mgr.tick()
    assert (world.values, world.keys, mgr.claims()) == (BEFORE, {}, [])
    last = mgr.status().last
    assert last is not None
    assert {change.what for change in last.put_back} == set(QUIET) - {"flag/nodeep-scrub"}


# --- journals that cannot be read -----------------------------------------------------------------

GOOD: dict[str, Any] = {
    "format": 2,
    "holder": ROUND,
    "writer": "99",
    "since": 0.0,
    "until": 1.0,
    "what": "flag/noscrub",
    "was": "unset",
    "want": "set",
    "at": 0.0,
}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[" * 60000, ""),
        ("[]", "it is not a JSON object"),
        ("null", "it is not a JSON object"),
        (json.dumps({**GOOD, "format": 3}), "written by a newer version"),
        (json.dumps({**GOOD, "format": "two"}), "written by a newer version"),
        (json.dumps({**GOOD, "what": "colour"}), "no setting is called 'colour'"),
        (json.dumps({**GOOD, "what": "flag/no\nscrub"}), "its what is not a short text"),
        (json.dumps({**GOOD, "want": 7}), "its want is not a short text"),
        (json.dumps({**GOOD, "want": "unset"}), "it changes flag/noscrub to what it was"),
        (json.dumps({**GOOD, "until": float("nan")}), "its until is not a time"),
        (json.dumps({**GOOD, "since": True}), "its since is not a time"),
        (json.dumps({key: GOOD[key] for key in GOOD if key != "was"}), "'was'"),
        (json.dumps({"holder": "a"}), ""),
        (json.dumps({"holder": "a", "since": 0, "until": 1, "changes": 3}), "not a list"),
        (json.dumps({"holder": "a", "since": 0, "until": 1, "changes": [3]}), "not a JSON object"),
    ],
)
@pytest.mark.parametrize("key", [JOURNAL, f"{JOURNAL}/7.000001"])
def test_what_cannot_be_read_stops_nothing_else_and_is_claimed(
    key: str, text: str, why: str
) -> None:
    world = World()
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.keys[key] = text
    world.running = None
    mgr = world.mgr()
    looks_on(world, mgr, MINUTE)
    assert world.values == BEFORE
    assert world.keys == {key: text}  # nobody removes what nobody could read
    assert mgr.status().state is QuiesceState.RESTORE_PENDING
    assert key in mgr.status().why
    (claim,) = checked(mgr.claims())
    assert f"{key} (" in claim.message
    assert why in claim.message
    assert f"ceph config-key get {key}" in claim.evidence["commands"]
    done = mgr.restore()  # nothing could be put back, and not all was looked at
    assert not done.complete
    assert key in (done.unsaved or "")
    with pytest.raises(NotNow, match="cannot be read"):
        mgr.hold(NEXT, WANTED, world.clock.now() + LIMIT)
    assert world.values == BEFORE
    del world.keys[key]
    looks_on(world, mgr, 2 * MINUTE)
    assert mgr.claims() == []
    assert mgr.status().state is QuiesceState.IDLE


def test_since_when_the_journal_cannot_be_read_is_told() -> None:
    """That is since it was read last, however often it is tried after that."""
    world = World()
    mgr = world.mgr()
    looks_on(world, mgr, 2 * MINUTE)
    mgr.tick()
    read = world.clock.now()
    world.keys[f"{JOURNAL}/7.000001"] = "{"
    world.clock.advance(MINUTE)
    looks_on(world, mgr, 3 * MINUTE)
    assert [claim.since for claim in mgr.claims()] == [read]


def test_what_is_looked_at_is_told() -> None:
    world = World()
    mgr = world.mgr()

    def gaps() -> list[tuple[str, tuple[str, ...]]]:
        (look,) = mgr.looks()
        return [(gap.code, gap.units) for gap in look.gaps]

    assert gaps() == [("unread", ("journal",))]
    mgr.tick()
    assert gaps() == []
    key = f"{JOURNAL}/7.000001"
    world.keys[key] = "{"
    world.clock.advance(MINUTE)
    mgr.tick()
    assert gaps() == [("unreadable", (key,))]


def test_of_two_rounds_that_left_changes_the_first_is_named() -> None:
    world = World()
    for name, what in ((ROUND, "flag/noscrub"), (NEXT, "balancer")):
        mgr = world.mgr()
        mgr.hold(ROUND, {what: WANTED[what]}, world.clock.now() + LIMIT)
        for key, text in world.keys.items():
            if json.loads(text).get("what") == what:
                world.keys[key] = json.dumps({**json.loads(text), "holder": name})
    world.running = None
    mgr = world.mgr()
    mgr.wake()
    (claim,) = mgr.claims()
    assert claim.evidence["changed"] == ["flag/noscrub", "balancer"]
    assert (claim.evidence["holder"], mgr.status().holder) == (ROUND, ROUND)


@pytest.mark.parametrize("count", [7, 8, 9])
def test_the_commands_of_eight_changes_are_told(count: int) -> None:
    world = World()
    pools = {f"pool/{number}/pg_autoscale_mode": "on" for number in range(10, 10 + count)}
    world.values.update(pools)
    mgr = world.mgr()
    mgr.hold(ROUND, dict.fromkeys(pools, "off"), world.clock.now() + LIMIT)
    status = mgr.status()
    assert len(status.changed) == count
    # the last ones, which are put back first
    last = sorted(pools)[::-1][:8]
    assert status.commands == tuple(f"set {pool} on" for pool in last)
    assert status.more_changes == count - len(last)
    world.running = None
    (claim,) = mgr.claims()
    assert (" && ".join(status.commands) in claim.message) is (count <= 8)


def test_more_pools_than_one_key_could_name() -> None:
    world = World()
    pools = {f"pool/{number}/pg_autoscale_mode": "on" for number in range(10, 1510)}
    world.values.update(pools)
    mgr = world.mgr()
    wanted = dict.fromkeys(pools, "off")
    assert len(mgr.hold(ROUND, wanted, world.clock.now() + LIMIT)) == len(pools)
    assert all(len(text) < 1024 for text in world.keys.values())
    world.running = None
    looks_on(world, world.mgr(), MINUTE)
    assert (world.values, world.keys) == ({**BEFORE, **pools}, {})


# --- clocks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jump", [-86400.0, 86400.0, -3 * LIMIT, 3 * LIMIT])
@pytest.mark.parametrize("step", STEPS)
def test_the_clock_is_set_while_a_round_is_held(step: int, jump: float) -> None:
    world = World()

    def plan(act: Callable[[], None]) -> None:
        world.clock.set_by(jump)
        act()

    world.plans[step] = plan
    mgr = world.mgr()
    mgr.hold(ROUND, WANTED, world.clock.now() + LIMIT)
    if step < CLEAN.index("measure"):
        # a jump after the first look at the clock takes nothing from a round's time
        assert world.values in (QUIET, BEFORE)
    mgr.release(ROUND)
    world.running = None
    looks_on(world, mgr, MINUTE)
    assert (world.values, world.keys) == (BEFORE, {})


@pytest.mark.parametrize("jump", [-86400.0, 0.0, 86400.0])
def test_the_clock_is_another_on_the_mgr_that_takes_over(jump: float) -> None:
    world = World()
    world.plans[CLEAN.index(f"set {POOL}")] = die
    with pytest.raises(Killed):
        a_round(world)
    world.clock.set_by(jump)
    world.running = None
    mgr = world.mgr()
    mgr.tick()
    assert world.values == BEFORE
    looks_on(world, mgr, LATE + MINUTE)
    assert world.keys == {}


def test_a_round_that_goes_on_is_held_as_long_as_it_was_to_be() -> None:
    """Also by a mgr that does not hold it anew."""
    world = World()
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    mgr = world.mgr()
    for _ in range(10):
        mgr.tick()
        world.clock.advance(LIMIT / 10 - 1)
    mgr.tick()
    assert world.values == QUIET
    world.clock.advance(11)
    mgr.tick()
    assert world.values == BEFORE


@pytest.mark.parametrize("jump", [-86400.0, 0.0])
def test_a_round_that_is_carried_on_is_held_no_longer_than_it_was_to_be(jump: float) -> None:
    world = World()
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.clock.set_by(jump)
    mgr = world.mgr()
    mgr.tick()
    assert world.values == QUIET
    world.clock.advance(LIMIT + 1)
    mgr.tick()
    assert world.values == BEFORE


def test_a_mgr_that_takes_over_holds_for_what_is_left_of_the_time() -> None:
    world = World()
    world.mgr().hold(ROUND, WANTED, world.clock.now() + LIMIT)
    world.clock.advance(LIMIT / 2)
    mgr = world.mgr()
    mgr.tick()
    world.clock.advance(LIMIT / 2 - 1)
    mgr.tick()
    assert world.values == QUIET
    world.clock.advance(1)
    mgr.tick()
    assert world.values == BEFORE
