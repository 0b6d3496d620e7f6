"""When a schedule runs next: intervals, cron, windows, time zones, and clocks that change.

Beside tables there is a slow reference that walks minute by minute and looks at the wall.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Optional
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_bench.bench.schedule.times import next_run, next_runs, parse_every, parse_window
from perf_bench.errors import InvalidValue
from perf_bench.model.schedule import Schedule, Window

UTC = "UTC"
BERLIN = "Europe/Berlin"  # 2026-03-29 02:00 -> 03:00, 2026-10-25 03:00 -> 02:00
NEW_YORK = "America/New_York"  # 2026-03-08 02:00 -> 03:00, 2026-11-01 02:00 -> 01:00
LORD_HOWE = "Australia/Lord_Howe"  # 2026-04-05 02:00 -> 01:30, 2026-10-04 02:00 -> 02:30
SANTIAGO = "America/Santiago"  # 2026-09-06 00:00 -> 01:00, 2026-04-05 00:00 -> 2026-04-04 23:00
APIA = "Pacific/Apia"  # 2011-12-30 was left out whole


def _at(text: str, zone: str = UTC, fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()


def _shown(at: float, zone: str) -> str:
    return f"{datetime.fromtimestamp(at, tz=ZoneInfo(zone)):%Y-%m-%d %H:%M%z}"


def _cron(text: str, zone: str = UTC, window: Optional[str] = None) -> Schedule:
    return Schedule(
        "s", "p", cron=text, timezone=zone, window=parse_window(window) if window else None
    )


def _every(seconds: int, anchor: str, zone: str = UTC, window: Optional[str] = None) -> Schedule:
    at = _at(anchor, zone)
    return replace(_cron("", zone, window), cron=None, every=seconds, anchor=at, since=at)


# --- clocks that change ------------------------------------------------------------------------

# the zone, cron, since when, the runs with their offset
CHANGES = [
    # forward: 02:30 is not shown, it runs once, when the clock jumps
    (BERLIN, "30 2 * * *", "2026-03-28 12:00",
     ["2026-03-29 03:00+0200", "2026-03-30 02:30+0200"]),
    (NEW_YORK, "30 2 * * *", "2026-03-07 12:00",
     ["2026-03-08 03:00-0400", "2026-03-09 02:30-0400"]),
    (LORD_HOWE, "15 2 * * *", "2026-10-03 12:00",
     ["2026-10-04 02:30+1100", "2026-10-05 02:15+1100"]),
    # the edges of the gap are no part of it
    (BERLIN, "0 3 * * *", "2026-03-28 12:00",
     ["2026-03-29 03:00+0200", "2026-03-30 03:00+0200"]),
    (BERLIN, "0 2 * * *", "2026-03-28 12:00",
     ["2026-03-29 03:00+0200", "2026-03-30 02:00+0200"]),
    (LORD_HOWE, "45 2 * * *", "2026-10-03 12:00", ["2026-10-04 02:45+1100"]),
    # several that are skipped, and one at its end, are one run
    (BERLIN, "0,30 2,3 * * *", "2026-03-28 12:00",
     ["2026-03-29 03:00+0200", "2026-03-29 03:30+0200", "2026-03-30 02:00+0200"]),
    (BERLIN, "0 * * * *", "2026-03-29 00:30",
     ["2026-03-29 01:00+0100", "2026-03-29 03:00+0200", "2026-03-29 04:00+0200"]),
    # back: 02:30 is shown twice and runs the first time
    (BERLIN, "30 2 * * *", "2026-10-24 12:00",
     ["2026-10-25 02:30+0200", "2026-10-26 02:30+0100"]),
    (NEW_YORK, "30 1 * * *", "2026-10-31 12:00",
     ["2026-11-01 01:30-0400", "2026-11-02 01:30-0500"]),
    (LORD_HOWE, "45 1 * * *", "2026-04-04 12:00",
     ["2026-04-05 01:45+1100", "2026-04-06 01:45+1030"]),
    (LORD_HOWE, "15 1 * * *", "2026-04-04 12:00",
     ["2026-04-05 01:15+1100", "2026-04-06 01:15+1030"]),
    # the edges: 02:00 is shown twice, 03:00 once
    (BERLIN, "0 2 * * *", "2026-10-24 12:00",
     ["2026-10-25 02:00+0200", "2026-10-26 02:00+0100"]),
    (BERLIN, "0 3 * * *", "2026-10-24 12:00",
     ["2026-10-25 03:00+0100", "2026-10-26 03:00+0100"]),
    (BERLIN, "0 * * * *", "2026-10-25 01:30",
     ["2026-10-25 02:00+0200", "2026-10-25 03:00+0100", "2026-10-25 04:00+0100"]),
    # a day without a midnight, and one with two last hours
    (SANTIAGO, "0 0 * * *", "2026-09-05 12:00",
     ["2026-09-06 01:00-0300", "2026-09-07 00:00-0300"]),
    (SANTIAGO, "30 23 * * *", "2026-04-04 12:00",
     ["2026-04-04 23:30-0300", "2026-04-05 23:30-0400"]),
    # leap days, also across the year that has none by the rule of centuries
    (BERLIN, "0 3 29 2 *", "2026-01-01 00:00",
     ["2028-02-29 03:00+0100", "2032-02-29 03:00+0100"]),
    (UTC, "0 3 29 2 *", "2096-03-01 00:00", ["2104-02-29 03:00+0000"]),
    (NEW_YORK, "0 3 28,29 2 *", "2028-02-28 12:00",
     ["2028-02-29 03:00-0500", "2029-02-28 03:00-0500"]),
    # the end of a year, and of a month
    (BERLIN, "59 23 31 12 *", "2026-12-31 12:00",
     ["2026-12-31 23:59+0100", "2027-12-31 23:59+0100"]),
    (LORD_HOWE, "0 0 1 * *", "2026-12-31 23:59",
     ["2027-01-01 00:00+1100", "2027-02-01 00:00+1100"]),
    (APIA, "0 */12 * * *", "2026-12-31 11:00",
     ["2026-12-31 12:00+1300", "2027-01-01 00:00+1300"]),
    # a day that never was
    (APIA, "0 3 * * *", "2011-12-29 12:00",
     ["2011-12-31 00:00+1400", "2011-12-31 03:00+1400"]),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "cron", "since", "runs"), CHANGES)
def test_clocks_that_change(zone: str, cron: str, since: str, runs: list[str]) -> None:
    found = next_runs(_cron(cron, zone), _at(since, zone), len(runs))
    assert [_shown(at, zone) for at in found] == runs


def test_asked_within_the_hour_that_is_shown_again() -> None:
    second_pass = _at("2026-10-25 02:10", BERLIN, fold=1)
    assert second_pass - _at("2026-10-25 02:10", BERLIN) == 3600
    run = next_run(_cron("30 2 * * *", BERLIN), second_pass)
    assert _shown(run, BERLIN) == "2026-10-26 02:30+0100"


@pytest.mark.parametrize("before", [1.0, 0.001])
def test_asked_just_before_the_jump_and_at_it(before: float) -> None:
    jump = _at("2026-03-29 01:00")
    schedule = _cron("30 2 * * *", BERLIN)
    assert next_run(schedule, jump - before) == jump
    assert _shown(next_run(schedule, jump), BERLIN) == "2026-03-30 02:30+0200"


def test_intervals_do_not_heed_the_clock_on_the_wall() -> None:
    schedule = _every(86400, "2026-03-28 02:30", BERLIN)
    found = next_runs(schedule, schedule.anchor, 2)
    assert [_shown(at, BERLIN) for at in found] == [
        "2026-03-29 03:30+0200",
        "2026-03-30 03:30+0200",
    ]


# --- intervals and windows ---------------------------------------------------------------------

# every, anchor, window, asked when, the runs
WINDOWS = [
    # the first after one interval, then for ever at the same distance
    (21600, "2026-11-21 06:30", None, "2026-11-21 06:30",
     ["2026-11-21 12:30", "2026-11-21 18:30", "2026-11-22 00:30"]),
    (21600, "2026-11-21 06:30", None, "2026-11-25 07:00", ["2026-11-25 12:30"]),
    # a clock that was put back before the anchor
    (21600, "2026-11-21 06:30", None, "2026-11-01 00:00", ["2026-11-21 12:30"]),
    # made outside the window: tonight, then night after night
    (86400, "2026-11-21 14:00", "01:00-05:00", "2026-11-21 14:00",
     ["2026-11-22 01:00", "2026-11-23 01:00", "2026-11-24 01:00"]),
    (7 * 86400, "2026-11-21 14:00", "01:00-05:00", "2026-11-21 14:00",
     ["2026-11-22 01:00", "2026-11-29 01:00"]),
    # made inside: after one interval
    (86400, "2026-11-21 02:00", "01:00-05:00", "2026-11-21 02:00", ["2026-11-22 02:00"]),
    # what comes due while it is closed is one run
    (21600, "2026-11-21 02:00", "01:00-05:00", "2026-11-21 02:00",
     ["2026-11-22 01:00", "2026-11-22 02:00", "2026-11-23 01:00"]),
    # across midnight
    (36000, "2026-11-21 20:00", "22:00-04:00", "2026-11-21 20:00",
     ["2026-11-21 22:00", "2026-11-22 22:00", "2026-11-23 02:00"]),
    # it opens as a run comes due, and closes as another does
    (3600 * 4, "2026-11-21 01:00", "01:00-05:00", "2026-11-21 00:00",
     ["2026-11-21 01:00", "2026-11-22 01:00"]),
]  # fmt: skip


@pytest.mark.parametrize(("every", "anchor", "window", "after", "runs"), WINDOWS)
def test_intervals_and_windows(
    every: int, anchor: str, window: Optional[str], after: str, runs: list[str]
) -> None:
    found = next_runs(_every(every, anchor, window=window), _at(after), len(runs))
    assert [_shown(at, UTC)[:16] for at in found] == runs


# zone, cron, window, asked when, the runs
CRON_WINDOWS = [
    (UTC, "0 3 * * *", "01:00-05:00", "2026-11-21 06:00", ["2026-11-22 03:00"]),
    # due outside: it waits until the window opens
    (UTC, "0 12 * * *", "01:00-05:00", "2026-11-21 06:00",
     ["2026-11-22 01:00", "2026-11-23 01:00"]),
    (UTC, "0 12 * * *", "01:00-05:00", "2026-11-21 12:30", ["2026-11-22 01:00"]),
    (UTC, "0 12 * * sat", "01:00-05:00", "2026-11-21 06:00",
     ["2026-11-22 01:00", "2026-11-29 01:00"]),
    (UTC, "0 5 * * *", "01:00-05:00", "2026-11-21 02:00", ["2026-11-22 01:00"]),
    # due in the very moment in which it closes, and asked later
    (UTC, "0 5 * * *", "01:00-05:00", "2026-11-21 06:00", ["2026-11-22 01:00"]),
    # the window that the change of clocks swallows begins when they jump
    (BERLIN, "0 12 * * *", "02:00-03:00", "2026-03-28 12:30",
     ["2026-03-29 03:00", "2026-03-30 02:00"]),
    (BERLIN, "30 2 * * *", "02:00-03:00", "2026-03-28 12:30",
     ["2026-03-29 03:00", "2026-03-30 02:30"]),
    # half of it swallowed
    (BERLIN, "15 2 * * *", "01:30-04:00", "2026-03-28 12:30",
     ["2026-03-29 03:00", "2026-03-30 02:15"]),
    (LORD_HOWE, "0 12 * * *", "02:00-02:30", "2026-10-03 12:30",
     ["2026-10-04 02:30", "2026-10-05 02:00"]),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "cron", "window", "after", "runs"), CRON_WINDOWS)
def test_cron_and_windows(zone: str, cron: str, window: str, after: str, runs: list[str]) -> None:
    found = next_runs(_cron(cron, zone, window), _at(after, zone), len(runs))
    assert [_shown(at, zone)[:16] for at in found] == runs


def test_no_runs_are_shown_of_what_is_paused() -> None:
    assert next_runs(replace(_cron("0 3 * * *"), paused=True), 0.0, 3) == []


# --- against the wall, minute by minute --------------------------------------------------------


def _fits(text: str, value: int, low: int) -> bool:
    """Whether a value is meant by a field: another way than the module's, and digits only."""
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if span == "*":
            first, last = str(low), "99"
        start, end = int(first), int(last or ("99" if step else first))
        if start <= value <= end and (value - start) % int(step or 1) == 0:
            return True
    return False


@cache
def _meant(cron: str) -> list[set[int]]:
    """By field the values that are meant, tried one by one."""
    return [
        {value for value in range(low, low + 60) if _fits(text, value, low)}
        for text, low in zip(cron.split(), (0, 0, 1, 1, 0))
    ]


def _runs_at(cron: str, shown: datetime) -> bool:
    minutes, hours, days, months, weekdays = _meant(cron)
    by_month = shown.day in days
    by_week = not weekdays.isdisjoint((shown.isoweekday(), shown.isoweekday() % 7))
    stars = any(word[0] == "*" for word in cron.split()[2::2])
    return (
        shown.minute in minutes
        and shown.hour in hours
        and shown.month in months
        and (by_month and by_week if stars else by_month or by_week)
    )


@lru_cache(maxsize=16)
def _minutes(zone: str, first: float, last: float) -> list[tuple[float, list[datetime]]]:
    """Each minute, and what the wall shows for the first time in it.

    That is one time as a rule, none while clocks that went back show an hour again, and all that
    was skipped when they jump.
    """
    where, found = ZoneInfo(zone), []
    reached = datetime.fromtimestamp(first - 60, tz=where).replace(tzinfo=None, fold=0)
    for at in range(round(first), round(last) + 1, 60):
        shown = datetime.fromtimestamp(at, tz=where).replace(tzinfo=None, fold=0)
        new = []
        while reached < shown:
            reached += timedelta(minutes=1)
            new.append(reached)
        found.append((float(at), new))
    return found


@lru_cache(maxsize=64)
def _due(cron: str, zone: str, first: float, last: float) -> frozenset[float]:
    """The minutes in which the wall shows a time of the cron."""
    return frozenset(
        at for at, new in _minutes(zone, first, last) if any(_runs_at(cron, wall) for wall in new)
    )


class _Hatch:
    """A window that is watched every minute."""

    def __init__(self, window: Optional[Window]) -> None:
        self._window = window
        self._shut_at = math.inf
        self.open = window is None

    def look(self, at: float, new: list[datetime]) -> None:
        window = self._window
        if window is None:
            return
        if at >= self._shut_at:
            self.open, self._shut_at = False, math.inf
        opened = False
        for of_day in (60 * wall.hour + wall.minute for wall in new):
            if of_day == window.end % 1440 and opened:  # swallowed whole
                self._shut_at = at + 60 * window.minutes
            elif of_day == window.end % 1440:
                self.open = False
            if of_day == window.start:
                self.open = opened = True


@lru_cache(maxsize=16)
def _open(
    window: Optional[Window], zone: str, first: float, last: float
) -> list[tuple[float, bool]]:
    """Each minute, and whether the window is open then."""
    hatch, found = _Hatch(window), []
    for at, new in _minutes(zone, first, last):
        hatch.look(at, new)
        found.append((at, hatch.open))
    return found


def _walk(schedule: Schedule, first: float, last: float) -> list[float]:
    """The runs from ``first`` to ``last``, found by looking at the wall every minute."""
    waits, runs = False, []
    due = _due(schedule.cron, schedule.timezone, first, last) if schedule.cron else None
    for at, is_open in _open(schedule.window, schedule.timezone, first, last):
        if due is not None:
            waits |= at in due
        else:
            assert schedule.every
            beat, rest = divmod(at - schedule.anchor, schedule.every)
            waits |= rest == 0 and beat >= (1 if schedule.window is None else 0)
        if waits and is_open:
            runs.append(at)
            waits = False
    return runs


def _found(schedule: Schedule, after: float, last: float) -> list[float]:
    runs = []
    while (after := next_run(schedule, after)) <= last:
        runs.append(after)
    return runs


def _agree(schedule: Schedule, after: float, days: int) -> None:
    last = after + 86400 * days
    walked = [run for run in _walk(schedule, after - 3 * 86400, last) if run > after]
    assert _found(schedule, after, last) == walked


AROUND = [
    (UTC, "2026-02-27 12:00"),
    *((BERLIN, day) for day in ("2026-03-28 12:00", "2026-10-24 12:00", "2026-12-31 01:00")),
    *((NEW_YORK, day) for day in ("2026-03-07 12:00", "2026-10-31 12:00")),
    *((LORD_HOWE, day) for day in ("2026-04-04 12:00", "2026-10-03 12:00")),
]

REFERENCE_CRONS = (
    "30 2 * * *", "0,30 1-3 * * *", "*/10 * * * *", "0 2 1,29 * 0", "45 1 */2 * *",
    "59 23 * * 5-7",
)  # fmt: skip
REFERENCE_WINDOWS = [None, "01:00-05:00", "22:00-01:45", "02:10-02:20", "02:30-02:00"]


@pytest.mark.parametrize(("zone", "day"), AROUND)
@pytest.mark.parametrize("window", REFERENCE_WINDOWS)
def test_cron_against_the_wall(zone: str, day: str, window: Optional[str]) -> None:
    for cron in REFERENCE_CRONS:
        _agree(_cron(cron, zone, window), _at(day, zone), days=2)


@pytest.mark.parametrize(("zone", "day"), AROUND)
@pytest.mark.parametrize("window", REFERENCE_WINDOWS)
def test_intervals_against_the_wall(zone: str, day: str, window: Optional[str]) -> None:
    for minutes in (10, 90, 25 * 60):
        schedule = _every(60 * minutes, day, zone, window)
        _agree(schedule, schedule.anchor, days=2)


@given(
    minute=st.sampled_from(["0", "7", "30", "59", "0,20,40", "*/30"]),
    hour=st.sampled_from(["*", "0", "1", "2", "3", "1-3", "*/5", "23"]),
    day=st.sampled_from(["*", "*/3", "1", "25,29", "4-5"]),
    weekday=st.sampled_from(["*", "0", "7", "6", "1-5", "*/2"]),
    start=st.integers(0, 1439),
    length=st.none() | st.integers(10, 1430),
    around=st.sampled_from(AROUND),
    offset=st.integers(0, 2 * 1440),
)
@settings(max_examples=30, deadline=None)
def test_any_cron_against_the_wall(
    minute: str,
    hour: str,
    day: str,
    weekday: str,
    start: int,
    length: Optional[int],
    around: tuple[str, str],
    offset: int,
) -> None:
    zone, since = around
    window = None if length is None else Window(start, (start + length) % 1440)
    schedule = replace(_cron(f"{minute} {hour} {day} * {weekday}", zone), window=window)
    _agree(schedule, _at(since, zone) + 60 * offset, days=2)


# --- what is typed -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("10m", 600), ("600s", 600), ("6h", 21600), ("1d", 86400), ("7d", 604800), ("2w", 1209600),
     ("366d", 366 * 86400), (" 1d ", 86400)],
)  # fmt: skip
def test_every(text: str, seconds: int) -> None:
    assert parse_every(text) == seconds


NO_TIME = "is not a duration: give a whole number of 1 or more with s, m, h, d or w, as 90s or 1d"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("90s", "--every 90s is not within 10m to 366d"),
        ("9m", "--every 9m is not within 10m to 366d"),
        ("0d", f"'0d' {NO_TIME}"),
        ("367d", "--every 367d is not within 10m to 366d"),
        *(
            (text, f"'{text}' {NO_TIME}")
            for text in ("", "1", "d", "1.5d", "-1d", "1d6h", "daily", "٣d")
        ),
        ("9" * 40 + "d", f"'{'9' * 40}d' is longer than 100 years"),
    ],
)
def test_every_refused(text: str, sentence: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        parse_every(text)
    assert (str(caught.value), caught.value.field) == (sentence, "every")
