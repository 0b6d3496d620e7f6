"""The scheduler, driven step by step through its days; what it keeps goes through JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime, timezone
from typing import Callable, Optional

import pytest

from nouns import a_round
from perf_bench.bench.schedules import (
    GRACE,
    Start,
    claims,
    coming_runs,
    refused,
    resume,
    started,
    step,
)
from perf_bench.bench.times import parse_window
from perf_bench.model.json_fields import decode
from perf_bench.model.plan import (
    Missed,
    Schedule,
    ScheduleState,
)

HOUR = 3600.0
DAY = 86400.0
MIDNIGHT = 1_699_920_000.0  # 2023-11-14 00:00 UTC, a Tuesday
NIGHTLY = Schedule("nightly", "p", cron="0 3 * * *", since=MIDNIGHT)
WINDOW = replace(NIGHTLY, window=parse_window("02:00-05:00"))
HOURLY = Schedule("hourly", "p", every=3600, anchor=MIDNIGHT, since=MIDNIGHT)
DOWN = ("osd.3 is down",)


class Driver:
    """Does what the module's thread does: saves, starts, answers. A round's ID counts up."""

    def __init__(self, *schedules: Schedule) -> None:
        self.schedules = list(schedules)
        self.saved = "{}"
        self.saves = 0
        self.rounds: dict[str, int] = {}  # by token, as the store keeps them
        self.refuse: tuple[str, ...] = ()
        self.busy = False
        self.starts: list[str] = []
        self.reports: list[str] = []

    def run(self, first: float, last: float, every: float = 60.0) -> Driver:
        at = first
        while at <= last:
            self.look(at)
            at += every
        return self

    def look(self, now: float, lose: Optional[str] = None) -> Driver:
        """One turn; ``lose`` is where the mgr dies: before the "start", or before its "answer"."""
        states = {name: decode(ScheduleState, one) for name, one in json.loads(self.saved).items()}
        turn = step(now, self.schedules, states, a_round() if self.busy else None)
        self._save(turn.states)
        self.reports += [f"{_time(now)} {message}" for _, message in turn.reports]
        if turn.start is None or lose == "start":
            return self
        name = turn.start.schedule.name
        if self.refuse:
            state = refused(turn.states[name], now, self.refuse)
            self._save({**turn.states, name: state})
            return self
        number = self._start(now, turn.start)
        if lose != "answer":
            self._save({**turn.states, name: started(turn.states[name], number)})
        return self

    def be_busy(self, busy: bool) -> Driver:
        self.busy = busy
        return self

    def resume(self, at: float) -> Driver:
        self.schedules = [resume(schedule, at) for schedule in self.schedules]
        return self

    def _start(self, now: float, start: Start) -> int:
        if start.token not in self.rounds:  # the store keeps one round a token
            self.rounds[start.token] = len(self.rounds) + 1
            self.starts.append(f"{_time(now)} {start.schedule.name}")
        return self.rounds[start.token]

    def _save(self, states: dict[str, ScheduleState]) -> None:
        text = json.dumps({name: asdict(state) for name, state in states.items()})
        self.saves += text != self.saved
        self.saved = text

    def state(self, name: str = "nightly") -> ScheduleState:
        return decode(ScheduleState, json.loads(self.saved)[name])


def _time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, tz=timezone.utc):%d %H:%M}"


MADE_UP = "schedule nightly: a run was due while no mgr was active: run late, once"
MADE_UP_BY_NEXT = (
    "schedule nightly: a run was due while no mgr was active: replaced by the next run"
)
LEFT_OUT = (
    "schedule nightly: a run was due while no mgr was active: skipped, because of --missed skip"
)

Act = Callable[[Driver], object]
# what happens, the starts, the reports
DAYS: list[tuple[str, list[Schedule], Act, list[str], list[str]]] = [
    ("a quiet week", [NIGHTLY],
     lambda d: d.run(MIDNIGHT, MIDNIGHT + 3 * DAY),
     ["14 03:00 nightly", "15 03:00 nightly", "16 03:00 nightly"], []),
    ("a step that comes late is no miss", [NIGHTLY],
     lambda d: (d.look(MIDNIGHT), d.look(MIDNIGHT + 3 * HOUR + GRACE - 1)),
     ["14 03:09 nightly"], []),
    ("down over the run, made up for once", [NIGHTLY],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 9 * HOUR, MIDNIGHT + DAY)),
     ["14 09:00 nightly"], [f"14 09:00 {MADE_UP}"]),
    ("down for days: once, not thrice", [NIGHTLY],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 3 * DAY + 9 * HOUR, MIDNIGHT + 4.2 * DAY)),
     ["17 09:00 nightly", "18 03:00 nightly"], [f"17 09:00 {MADE_UP}"]),
    ("down for days, back in time for a run: nothing to make up for", [NIGHTLY],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 2 * DAY + 3 * HOUR + 60, MIDNIGHT + 3 * DAY)),
     ["16 03:01 nightly"], []),
    ("down over the run, left out", [replace(NIGHTLY, missed=Missed.SKIP)],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 9 * HOUR, MIDNIGHT + 1.2 * DAY)),
     ["15 03:00 nightly"], [f"14 09:00 {LEFT_OUT}"]),
    ("missed, and the next one is in the next window: that makes up for it", [WINDOW],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 9 * HOUR, MIDNIGHT + 2.2 * DAY)),
     ["15 03:00 nightly", "16 03:00 nightly"], [f"14 09:00 {MADE_UP_BY_NEXT}"]),
    ("the same where the interval comes due outside the window",
     [replace(HOURLY, name="nightly", window=WINDOW.window)],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 9 * HOUR, MIDNIGHT + 1.1 * DAY)),
     ["15 02:00 nightly"], [f"14 09:00 {MADE_UP_BY_NEXT}"]),
    ("missed, and made up for when the window opens, long before the next",
     [replace(WINDOW, cron="0 3 * * 2")],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 9 * HOUR, MIDNIGHT + 2.2 * DAY)),
     ["15 02:00 nightly"], [f"14 09:00 {MADE_UP}"]),
    ("back within the window", [WINDOW],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 4 * HOUR, MIDNIGHT + DAY)),
     ["14 04:00 nightly"], [f"14 04:00 {MADE_UP}"]),
    ("many intervals missed are one run", [HOURLY],
     lambda d: (d.look(MIDNIGHT), d.run(MIDNIGHT + 9.5 * HOUR, MIDNIGHT + 11 * HOUR)),
     ["14 09:30 hourly", "14 10:00 hourly", "14 11:00 hourly"],
     ["14 09:30 schedule hourly: a run was due while no mgr was active: run late, once"]),
    ("two that come due together run one after the other, by name",
     [NIGHTLY, replace(NIGHTLY, name="a")],
     lambda d: d.run(MIDNIGHT, MIDNIGHT + 4 * HOUR),
     ["14 03:00 a", "14 03:01 nightly"], []),
    ("the one that waits longest is first",
     [replace(NIGHTLY, name="a", cron="0 4 * * *"), NIGHTLY],
     lambda d: (d.look(MIDNIGHT), d.be_busy(True),
                d.run(MIDNIGHT + 3 * HOUR, MIDNIGHT + 4.5 * HOUR),
                d.be_busy(False), d.run(MIDNIGHT + 5 * HOUR, MIDNIGHT + 6 * HOUR)),
     ["14 05:00 nightly", "14 05:01 a"], []),
    ("paused, then resumed: nothing is made up for", [replace(NIGHTLY, paused=True)],
     lambda d: (d.run(MIDNIGHT, MIDNIGHT + DAY + HOUR),
                d.resume(MIDNIGHT + DAY + HOUR),
                d.run(MIDNIGHT + DAY + HOUR, MIDNIGHT + 2 * DAY)),
     ["15 03:00 nightly"], []),
    ("a clock that goes back runs nothing twice", [HOURLY],
     lambda d: (d.run(MIDNIGHT, MIDNIGHT + 2.5 * HOUR),
                d.run(MIDNIGHT + 0.5 * HOUR, MIDNIGHT + 3.5 * HOUR)),
     ["14 01:00 hourly", "14 02:00 hourly", "14 03:00 hourly"], []),
]  # fmt: skip


def test_days() -> None:
    for schedules, act, starts, reports in [day[1:] for day in DAYS]:  # fmt: skip
        driver = Driver(*schedules)
        act(driver)
        assert (driver.starts, driver.reports) == (starts, reports)


# --- refused -----------------------------------------------------------------------------------


def test_then_it_is_reported_and_claimed_until_one_starts() -> None:
    driver = Driver(WINDOW)
    driver.refuse = DOWN
    driver.run(MIDNIGHT, MIDNIGHT + 12 * HOUR)
    sentence = "refused 11 times, the last time because osd.3 is down"
    assert driver.reports == [
        f"14 05:00 schedule nightly: a run could not start within its time: {sentence}"
    ]
    assert driver.starts == []
    (claim,) = claims({"nightly": driver.state()})
    assert (claim.code, claim.key[1:]) == ("PERF_BENCH_ROUND_FAILED", ("schedule", "nightly"))
    assert claim.message == f"schedule nightly: no run has started within its time: {sentence}"
    assert claim.since == MIDNIGHT + 5 * HOUR
    # another night: it is since the first
    driver.run(MIDNIGHT + 12 * HOUR, MIDNIGHT + 36 * HOUR)
    (claim,) = claims({"nightly": driver.state()})
    assert claim.since == MIDNIGHT + 5 * HOUR
    assert len(driver.reports) == 2
    driver.refuse = ()
    driver.run(MIDNIGHT + 36 * HOUR, MIDNIGHT + 60 * HOUR)
    assert driver.starts == ["16 03:00 nightly"]
    assert claims({"nightly": driver.state()}) == []
    assert driver.state().last_round == 1
    # refused again, it is since then
    driver.refuse = DOWN
    driver.run(MIDNIGHT + 60 * HOUR, MIDNIGHT + 84 * HOUR)
    (claim,) = claims({"nightly": driver.state()})
    assert claim.since == MIDNIGHT + 77 * HOUR


# --- what is shown as the next runs ------------------------------------------------------------

DUE = MIDNIGHT + 3 * HOUR


def test_the_next_runs() -> None:
    for now, state, runs in [
        # made a moment ago
        (MIDNIGHT, ScheduleState(), ["14 03:00", "15 03:00"]),
        # due, and no look since: it starts with the next one
        (DUE, ScheduleState(), ["14 03:00", "15 03:00"]),
        (DUE + GRACE - 1, ScheduleState(), ["14 03:00", "15 03:00"]),
        # nobody looked for so long that it is a missed run
        (DUE + GRACE, ScheduleState(), ["15 03:00", "16 03:00"]),
        # taken care of
        (DUE + 5, ScheduleState(seen=DUE + 1), ["15 03:00", "16 03:00"]),
        # the clock was put back by two hours since: its token keeps the first from a second start
        (DUE - 2 * HOUR, ScheduleState(seen=DUE + 1), ["14 03:00", "15 03:00"]),
    ]:
        assert [_time(at) for at in coming_runs(now, NIGHTLY, state, 2)] == runs


def test_a_clock_that_is_set_back_right_after_a_run_does_not_repeat_it() -> None:
    for back in [1.0, 120.0, HOUR, 3 * HOUR]:
        driver = Driver(NIGHTLY).run(MIDNIGHT, MIDNIGHT + 3 * HOUR + 60)
        assert driver.starts == ["14 03:00 nightly"]
        driver.run(MIDNIGHT + 3 * HOUR + 60 - back, MIDNIGHT + 28 * HOUR)
        assert driver.starts == ["14 03:00 nightly", "15 03:00 nightly"]


# --- the mgr goes away -------------------------------------------------------------------------


@pytest.mark.parametrize("lose", ["start", "answer"])
@pytest.mark.parametrize("back", [5.0, 120.0, 1200.0])
def test_a_mgr_that_dies_starts_nothing_twice(lose: str, back: float) -> None:
    driver = Driver(NIGHTLY)
    driver.look(MIDNIGHT)
    due = MIDNIGHT + 3 * HOUR
    driver.look(due, lose=lose)
    driver.run(due + back, due + 6 * HOUR)
    assert len(driver.starts) == 1
    assert driver.reports == []
    assert driver.state().last_round == 1


def test_a_zone_that_is_lost_is_told_once_and_stops_no_other() -> None:
    lost = replace(NIGHTLY, name="lost", timezone="Mars/Olympus")
    driver = Driver(lost, NIGHTLY)
    driver.run(MIDNIGHT, MIDNIGHT + 4 * HOUR)
    assert driver.starts == ["14 03:00 nightly"]
    assert driver.reports == [
        (
            "14 00:00 schedule lost: 'Mars/Olympus' is not a time zone of the mgr's host: "
            "give UTC or a name such as Europe/Berlin (those are of its package tzdata)"
        )
    ]
    # another host knows it, and what was missed meanwhile is made up for
    driver.schedules = [replace(lost, timezone="UTC")]
    driver.run(MIDNIGHT + 4 * HOUR, MIDNIGHT + 28 * HOUR)
    assert driver.state("lost").problem is None
    assert driver.starts[1:] == ["14 04:00 lost", "15 03:00 lost"]
