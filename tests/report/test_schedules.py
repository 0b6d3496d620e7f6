"""Schedules and admission as JSON and in 80 columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perf_bench.bench.schedule.timezones import zone
from perf_bench.errors import InvalidValue
from perf_bench.model.admission import Admission, Refusal, Unknown
from perf_bench.model.schedule import Missed, Pending, Schedule, ScheduleState, Window
from perf_bench.report.schedules import (
    admission,
    admission_facts,
    interval,
    next_runs,
    schedule,
    schedules,
)
from perf_bench.report.text import facts

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


def test_a_schedule_as_json() -> None:
    state = ScheduleState(last_round=12)
    assert schedule(NIGHTLY, state, [NOON, NOON + 86400], "valid") == {
        "name": "nightly",
        "profile": "osd-throughput",
        "every": "1d",
        "every_seconds": 86400,
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


def test_one_that_waits_and_one_that_was_given_up() -> None:
    waiting = schedule(NIGHTLY, ScheduleState(pending=PENDING), [NOON], None)
    assert waiting["waiting"] == {
        "due": "2023-11-15T12:00:00.000Z",
        "retry_at": "2023-11-15T12:01:00.000Z",
        "until": "2023-11-15T14:00:00.000Z",
        "tries": 3,
        "reasons": ["osd.3 is down and still in", "4 PGs are laggy"],
    }
    state = ScheduleState(last_round=12, given_up="refused once", given_up_since=NOON)
    given_up = schedule(NIGHTLY, state, [], "valid")
    assert given_up["last_result"] == "not started: refused once"
    assert (given_up["next"], given_up["next_runs"]) == (None, [])


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
        schedule(NIGHTLY, state, [NOON], "valid"),
        schedule(WEEKLY, ScheduleState(given_up="another round was running"), [NOON], None),
        schedule(replace(NIGHTLY, name="p", window=None, paused=True), ScheduleState(), [], None),
        schedule(replace(NIGHTLY, name="l", timezone="Mars/Olympus"), lost, [], None),
        schedule(
            replace(NIGHTLY, name="d"), ScheduleState(pending=Pending(0, 0, NOON, 0)), [NOON], None
        ),
    ]
    text = schedules(rows)
    assert text.splitlines() == [
        "ID                PROFILE         WHAT                  NEXT (UTC)  ROUND",
        "nightly           osd-throughput  every 1d        2023-11-15 12:00  12",
        "    within 01:00-05:00",
        "    refused 3 x, tried until 2023-11-15 14:00 UTC: osd.3 is down and still in; 4",
        "    PGs are laggy",
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
        "    due, starts by 2023-11-15 12:00 UTC",
    ]
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_widest_names_fit() -> None:
    wide = Schedule("n" * 63, "p" * 30, cron=",".join(map(str, range(0, 60, 10))) + " 3 * * *")
    text = schedules([schedule(wide, ScheduleState(last_round=123456), [NOON], None)])
    assert max(map(len, text.splitlines())) <= 80


def test_no_schedules() -> None:
    assert schedules([]).startswith("no schedules yet: 'ceph perf-bench schedule add nightly")


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
    assert next_runs(schedule(replace(NIGHTLY, paused=paused), state, runs, None)) == text


# --- admission ---------------------------------------------------------------------------------

FORCEABLE = Refusal("osd-down", "osd.3 is down and still in")
NEVER = Refusal("osd-full", "osd.4 is full, and a bench writes", forceable=False)
UNKNOWN = Unknown("wear", "it is not known how much rounds wrote in the last 24 h")


@pytest.mark.parametrize(
    ("decision", "lines"),
    [
        (Admission(), ["  may start  yes"]),
        (
            Admission((), (UNKNOWN,)),
            [
                "  may start  yes",
                "  unchecked  it is not known how much rounds wrote in the last 24 h",
            ],
        ),
        (
            Admission((FORCEABLE,)),
            ["  may start  only with --force", "  because    osd.3 is down and still in"],
        ),
        (
            Admission((FORCEABLE, NEVER)),
            [
                "  may start  no",
                "  because    osd.3 is down and still in",
                "  because    osd.4 is full, and a bench writes (--force does not override it)",
            ],
        ),
    ],
)
def test_admission(decision: Admission, lines: list[str]) -> None:
    assert facts(admission_facts(admission(decision))).splitlines() == lines


def test_admission_as_json() -> None:
    assert admission(Admission((FORCEABLE,), (UNKNOWN,))) == {
        "allowed": False,
        "reasons": ["osd.3 is down and still in"],
        "refusals": [
            {"code": "osd-down", "message": "osd.3 is down and still in", "forceable": True}
        ],
        "forceable": True,
        "unknown": [
            {
                "code": "wear",
                "message": "it is not known how much rounds wrote in the last 24 h",
                "essential": False,
            }
        ],
        "tolerated": [],
    }
    assert admission(Admission())["forceable"] is False  # there is nothing to force


def test_a_problem_has_its_code() -> None:
    with pytest.raises(InvalidValue) as caught:
        zone("Mars/Olympus")
    shape = schedule(NIGHTLY, ScheduleState(problem=caught.value.message), (), None)
    assert shape["problem"] == str(caught.value)
    assert shape["said"]["problem"]["code"] == "zone-unknown"
    assert shape["said"]["problem"]["values"] == {"name": "Mars/Olympus"}
