"""Schedules as JSON and in 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Optional

import pytest

from perf_bench.answers.schedules import Schedule as Answer
from perf_bench.answers.schedules import interval, next_runs_text, schedule, schedules_text
from perf_bench.answers.shape import to_json
from perf_bench.bench.schedules import ScheduleView
from perf_bench.model.plan import Missed, Pending, Schedule, ScheduleState, Window

NOON = 1_700_049_600.0  # 2023-11-15 12:00 UTC
NIGHTLY = Schedule("nightly", "osd-throughput", every=86400, window=Window(60, 300))
WEEKLY = Schedule(
    "weekly-flash-of-the-north-wing",
    "osd-iops",
    cron="0 3 * * 6",
    timezone="Europe/Berlin",
    osds="class=ssd&rack=north",
    missed=Missed.SKIP,
)
PENDING = Pending(
    NOON, NOON, NOON + 7200, NOON + 60, 3, ("osd.3 is down and still in", "4 PGs are laggy")
)


def answer(
    of: Schedule, state: ScheduleState, runs: Sequence[float], word: Optional[str]
) -> Answer:
    return schedule(ScheduleView(of, state, runs), {state.last_round: word or ""})


def test_a_schedule_as_json() -> None:
    state = ScheduleState(last_round=12)
    assert to_json(answer(NIGHTLY, state, [NOON, NOON + 86400], "valid")) == {
        "name": "nightly",
        "profile": "osd-throughput",
        "every": "1d",
        "cron": None,
        "window": "01:00-05:00",
        "timezone": "UTC",
        "osds": None,
        "missed": "once",
        "paused": False,
        "next": "2023-11-15T12:00:00.000Z",
        "next_runs": ["2023-11-15T12:00:00.000Z", "2023-11-16T12:00:00.000Z"],
        "waiting": None,
        "last_round": 12,
        "last_result": "valid",
        "not_started_since": None,
        "problem": None,
    }


def test_keys_are_in_the_order_of_the_class() -> None:
    told = answer(NIGHTLY, ScheduleState(), [NOON], None)
    assert list(to_json(told)) == [field.name for field in fields(told)]


def test_one_that_waits_and_one_that_was_given_up() -> None:
    waiting = answer(NIGHTLY, ScheduleState(pending=PENDING), [NOON], None)
    assert to_json(waiting.waiting) == {
        "due": "2023-11-15T12:00:00.000Z",
        "retry_at": "2023-11-15T12:01:00.000Z",
        "until": "2023-11-15T14:00:00.000Z",
        "tries": 3,
        "reasons": ["osd.3 is down and still in", "4 PGs are laggy"],
    }
    state = ScheduleState(last_round=12, given_up="refused once", given_up_since=NOON)
    given_up = answer(NIGHTLY, state, [], "valid")
    assert given_up.last_result == "not started: refused once"
    assert (given_up.next, given_up.next_runs) == (None, [])


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (600, "10m"),
        (601, "601s"),
        (5400, "90m"),
        (21600, "6h"),
        (86400, "1d"),
        (604800, "7d"),
        (1209600, "14d"),
        (31622400, "366d"),
    ],
)
def test_intervals(seconds: int, text: str) -> None:
    assert interval(seconds) == text


def test_the_list() -> None:
    state = ScheduleState(pending=PENDING, last_round=12)
    lost = ScheduleState(problem="'Mars/Olympus' is not a time zone")
    rows = [
        answer(NIGHTLY, state, [NOON], "valid"),
        answer(WEEKLY, ScheduleState(given_up="another round was running"), [NOON], None),
        answer(replace(NIGHTLY, name="p", window=None, paused=True), ScheduleState(), [], None),
        answer(replace(NIGHTLY, name="l", timezone="Mars/Olympus"), lost, [], None),
        answer(
            replace(NIGHTLY, name="d"), ScheduleState(pending=Pending(0, 0, NOON, 0)), [NOON], None
        ),
    ]
    text = schedules_text(rows)
    assert text.splitlines() == [
        "ID                PROFILE         WHAT                  NEXT (UTC)  ROUND",
        "nightly           osd-throughput  every 1d        2023-11-15 12:00  12",
        "    within 01:00-05:00",
        "    due, tried until 2023-11-15 14:00 UTC: osd.3 is down and still in; 4 PGs are",
        "    laggy",
        "    last: valid",
        "weekly-flash-of…  osd-iops        cron 0 3 * * 6  2023-11-15 12:00  -",
        "    Europe/Berlin, OSDs class=ssd&rack=north, missed runs are left out",
        "    last: not started: another round was running",
        "p                 osd-throughput  every 1d                  paused  -",
        "l                 osd-throughput  every 1d                       -  -",
        "    within 01:00-05:00, Mars/Olympus",
        "    cannot run: 'Mars/Olympus' is not a time zone",
        "d                 osd-throughput  every 1d        2023-11-15 12:00  -",
        "    within 01:00-05:00",
        "    due, tried until 2023-11-15 12:00 UTC",
    ]
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_widest_names_fit() -> None:
    wide = Schedule("n" * 63, "p" * 30, cron=",".join(map(str, range(0, 60, 10))) + " 3 * * *")
    text = schedules_text([answer(wide, ScheduleState(last_round=123456), [NOON], None)])
    assert max(map(len, text.splitlines())) <= 80


def test_no_schedules_text() -> None:
    assert schedules_text([]).startswith("no schedules yet: 'ceph perf-bench schedule add nightly")


@pytest.mark.parametrize(
    ("paused", "runs", "problem", "text"),
    [
        (False, [NOON, NOON + 60], None,
         "nightly runs next (UTC): 2023-11-15 12:00, 2023-11-15 12:01"),
        (True, [], None, "nightly is paused"),
        (False, [], "no zones here", "nightly cannot run: no zones here"),
    ],
)  # fmt: skip
def test_next_runs(paused: bool, runs: list[float], problem: str, text: str) -> None:
    state = ScheduleState(problem=problem)
    assert next_runs_text(answer(replace(NIGHTLY, paused=paused), state, runs, None)) == text
