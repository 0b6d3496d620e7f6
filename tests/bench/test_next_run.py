"""When a schedule runs next: intervals, cron, windows, time zones, and clocks that change."""

from dataclasses import replace
from datetime import datetime
from typing import Optional
from zoneinfo import ZoneInfo

from perf_bench.bench.times import next_runs, parse_every, parse_window
from perf_bench.model.plan import Schedule

UTC = "UTC"
BERLIN = "Europe/Berlin"  # 2026-03-29 02:00 -> 03:00, 2026-10-25 03:00 -> 02:00
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
     ["2026-03-29 03:30+0200", "2026-03-30 02:30+0200"]),
    (LORD_HOWE, "15 2 * * *", "2026-10-03 12:00",
     ["2026-10-04 02:45+1100", "2026-10-05 02:15+1100"]),
    # the edges of the gap are no part of it
    (BERLIN, "0 3 * * *", "2026-03-28 12:00",
     ["2026-03-29 03:00+0200", "2026-03-30 03:00+0200"]),
    (BERLIN, "0 2 * * *", "2026-03-28 12:00",
     ["2026-03-29 03:00+0200", "2026-03-30 02:00+0200"]),
    # several that are skipped, and one at its end, are one run
    (BERLIN, "0,30 2,3 * * *", "2026-03-28 12:00",
     ["2026-03-29 03:00+0200", "2026-03-29 03:30+0200", "2026-03-30 02:00+0200"]),
    (BERLIN, "0 * * * *", "2026-03-29 00:30",
     ["2026-03-29 01:00+0100", "2026-03-29 03:00+0200", "2026-03-29 04:00+0200"]),
    # back: 02:30 is shown twice and runs the first time
    (BERLIN, "30 2 * * *", "2026-10-24 12:00",
     ["2026-10-25 02:30+0200", "2026-10-26 02:30+0100"]),
    (LORD_HOWE, "45 1 * * *", "2026-04-04 12:00",
     ["2026-04-05 01:45+1100", "2026-04-06 01:45+1030"]),
    (LORD_HOWE, "15 1 * * *", "2026-04-04 12:00",
     ["2026-04-05 01:15+1100", "2026-04-06 01:15+1030"]),
    # the edge: 02:00 is shown twice
    (BERLIN, "0 2 * * *", "2026-10-24 12:00",
     ["2026-10-25 02:00+0200", "2026-10-26 02:00+0100"]),
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
    # the end of a year
    (BERLIN, "59 23 31 12 *", "2026-12-31 12:00",
     ["2026-12-31 23:59+0100", "2027-12-31 23:59+0100"]),
    # a day that never was
    (APIA, "0 3 * * *", "2011-12-29 12:00",
     ["2011-12-31 03:00+1400", "2012-01-01 03:00+1400"]),
]  # fmt: skip


def test_clocks_that_change() -> None:
    for zone, cron, since, runs in CHANGES:
        found = next_runs(_cron(cron, zone), _at(since, zone), len(runs))
        assert [_shown(at, zone) for at in found] == runs


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


def test_intervals_and_windows() -> None:
    for every, anchor, window, after, runs in WINDOWS:
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
     ["2026-03-29 03:30", "2026-03-30 02:30"]),
    # half of it swallowed
    (BERLIN, "15 2 * * *", "01:30-04:00", "2026-03-28 12:30",
     ["2026-03-29 03:15", "2026-03-30 02:15"]),
    (LORD_HOWE, "0 12 * * *", "02:00-02:30", "2026-10-03 12:30",
     ["2026-10-04 02:30", "2026-10-05 02:00"]),
]  # fmt: skip


def test_cron_and_windows() -> None:
    for zone, cron, window, after, runs in CRON_WINDOWS:
        found = next_runs(_cron(cron, zone, window), _at(after, zone), len(runs))
        assert [_shown(at, zone)[:16] for at in found] == runs


def test_no_runs_are_shown_of_what_is_paused() -> None:
    assert next_runs(replace(_cron("0 3 * * *"), paused=True), 0.0, 3) == []


# --- what is typed -----------------------------------------------------------------------------


def test_every() -> None:
    days = {"1d": 86400, "7d": 604800, "2w": 1209600, "366d": 366 * 86400, " 1d ": 86400}
    for text, seconds in {"10m": 600, "600s": 600, "6h": 21600, **days}.items():
        assert parse_every(text) == seconds
