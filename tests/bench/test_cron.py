"""Cron's five fields, read as Vixie's cron does; whatever cannot be meant is refused by name."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

import pytest

from perf_bench.bench.times import parse_cron
from perf_bench.errors import InvalidValue

START = datetime.fromisoformat("2026-11-21T06:30")  # a Saturday

# the text, the first runs from then on
TIMES = [
    ("0 3 * * *", ["2026-11-22 03:00", "2026-11-23 03:00"]),
    ("30 6 * * *", ["2026-11-21 06:30", "2026-11-22 06:30"]),  # the start itself is one
    ("0 3 * * 6", ["2026-11-28 03:00", "2026-12-05 03:00"]),
    ("0 3 * * sat", ["2026-11-28 03:00"]),
    ("0 3 * * SAT", ["2026-11-28 03:00"]),
    ("0 3 * * 0", ["2026-11-22 03:00"]),
    ("0 3 * * 7", ["2026-11-22 03:00"]),
    ("0 3 * * 5-7", ["2026-11-22 03:00", "2026-11-27 03:00", "2026-11-28 03:00"]),
    ("0 3 * * sun,wed", ["2026-11-22 03:00", "2026-11-25 03:00"]),
    ("0 3 1 * *", ["2026-12-01 03:00", "2027-01-01 03:00"]),
    ("0 3 31 * *", ["2026-12-31 03:00", "2027-01-31 03:00", "2027-03-31 03:00"]),
    ("0 3 29 2 *", ["2028-02-29 03:00", "2032-02-29 03:00"]),
    ("0 3 * feb *", ["2027-02-01 03:00", "2027-02-02 03:00"]),
    ("0 3 1 jan-mar *", ["2027-01-01 03:00", "2027-02-01 03:00", "2027-03-01 03:00"]),
    ("*/15 * * * *", ["2026-11-21 06:30", "2026-11-21 06:45", "2026-11-21 07:00"]),
    ("5/20 7 * * *", ["2026-11-21 07:05", "2026-11-21 07:25", "2026-11-21 07:45"]),
    ("10-50/20 7 * * *", ["2026-11-21 07:10", "2026-11-21 07:30", "2026-11-21 07:50"]),
    ("0 */8 * * *", ["2026-11-21 08:00", "2026-11-21 16:00", "2026-11-22 00:00"]),
    ("0 22,1 * * *", ["2026-11-21 22:00", "2026-11-22 01:00"]),
    ("  0   3  * *  * ", ["2026-11-22 03:00"]),
    # the nicknames of crontab(5)
    ("@daily", ["2026-11-22 00:00", "2026-11-23 00:00"]),
    (" @Weekly", ["2026-11-22 00:00", "2026-11-29 00:00"]),
    ("@monthly", ["2026-12-01 00:00"]),
    ("@yearly", ["2027-01-01 00:00", "2028-01-01 00:00"]),
    ("@hourly", ["2026-11-21 07:00", "2026-11-21 08:00"]),
    # both days restricted: one that fits is enough
    ("0 3 13 * 5", ["2026-11-27 03:00", "2026-12-04 03:00", "2026-12-11 03:00",
                    "2026-12-13 03:00"]),
    # one of them begins with a star: both must fit
    ("0 3 13 * *", ["2026-12-13 03:00"]),
    ("0 3 * * 5", ["2026-11-27 03:00"]),
    ("0 3 13 * */5", ["2026-12-13 03:00", "2027-06-13 03:00"]),  # Sunday or Friday
    ("0 3 */10 * 1", ["2026-12-21 03:00", "2027-01-11 03:00"]),  # 1, 11, 21, 31
    # the 29th of February on a Friday (Sunday and Friday are every fifth day of the week)
    ("0 3 29 2 */5", ["2032-02-29 03:00", "2036-02-29 03:00", "2060-02-29 03:00"]),
]  # fmt: skip


def test_times() -> None:
    for text, times in TIMES:
        found = islice(parse_cron(text).times(START), len(times))
        assert [f"{shown:%Y-%m-%d %H:%M}" for shown in found] == times


def _range(field: str, part: str, range_: str) -> str:
    return (
        f"--cron: '{part}' is not a valid {field}: give {range_}, "
        "lists (1,2), ranges (1-5) or steps (*/2)"
    )


def _count(text: str, fields: int) -> str:
    return (
        f"--cron: '{text}' has {fields} of 5 fields: minute, hour, day of the month, month, "
        "day of the week, as '0 3 * * 6'"
    )


def _down(part: str, instead: str) -> str:
    return f"--cron: '{part}' counts down: give {instead}"


def test_what_is_given_instead_is_taken() -> None:
    assert parse_cron("0 22-23,0-5 * * *").clock == parse_cron("0 0-5,22,23 * * *").clock
    assert parse_cron("0 3 1 nov-12,1-feb fri-7,0-sun").weekdays == {5, 6, 0}


def _never(text: str) -> str:
    return f"--cron: '{text}' never comes: no such day of the month is in these months"


def _pace(minutes: int) -> str:
    return f"--cron: its times are {minutes} min apart, but a round may start only every 10 min"


MINUTE, HOUR, DAY = "0 to 59", "0 to 23", "1 to 31"
MONTH, WEEKDAY = "1 to 12 or jan to dec", "0 to 7 or sun to sat"


def test_what_is_refused() -> None:
    for text, sentence in [
        ("60 3 * * *", _range("minute", "60", MINUTE)),
        ("-1 3 * * *", _range("minute", "-1", MINUTE)),
        ("1,x 3 * * *", _range("minute", "x", MINUTE)),
        ("1, 3 * * *", _range("minute", "", MINUTE)),
        ("*/0 3 * * *", _range("minute", "*/0", MINUTE)),
        ("*/ 3 * * *", _range("minute", "*/", MINUTE)),
        ("1.5 3 * * *", _range("minute", "1.5", MINUTE)),
        ("000000000000 3 * * *", _range("minute", "000000000000", MINUTE)),
        ("٣ 3 * * *", _range("minute", "٣", MINUTE)),  # a digit, but not one of ours
        ("0 24 * * *", _range("hour", "24", HOUR)),
        ("0 3 0 * *", _range("day of the month", "0", DAY)),
        ("0 3 32 * *", _range("day of the month", "32", DAY)),
        ("0 3 ? * *", _range("day of the month", "?", DAY)),
        ("0 3 L * *", _range("day of the month", "L", DAY)),
        ("0 3 * 0 *", _range("month", "0", MONTH)),
        ("0 3 * 13 *", _range("month", "13", MONTH)),
        ("0 3 * mai *", _range("month", "mai", MONTH)),
        ("0 3 * sat *", _range("month", "sat", MONTH)),
        ("0 3 * * 8", _range("day of the week", "8", WEEKDAY)),
        ("0 3 * * 6#2", _range("day of the week", "6#2", WEEKDAY)),
        # as they are meant (kubernetes/test-infra#24295)
        ("0 22-5 * * *", _down("22-5", "22-23,0-5")),
        ("0 22-5/2 * * *", _down("22-5/2", "22-23,0-5")),
        ("0 3 * * FRI-SUN", _down("FRI-SUN", "FRI-7,0-SUN")),
        ("0 3 * * 6-0", _down("6-0", "6-7,0-0")),
        ("0 3 1 nov-feb *", _down("nov-feb", "nov-12,1-feb")),
        ("@reboot", _count("@reboot", 1)),
        ("0 3 * *", _count("0 3 * *", 4)),
        ("", _count("", 0)),
        ("0 0 3 * * 6", _count("0 0 3 * * 6", 6)),
        ("daily", _count("daily", 1)),
        ("0 3 31 2 *", _never("0 3 31 2 *")),
        ("0 3 31 feb,apr,jun *", _never("0 3 31 feb,apr,jun *")),
        ("* * * * *", _pace(1)),
        ("*/9 3 * * *", _pace(9)),
        ("0,55 * * * *", _pace(5)),
        ("0,55 0,23 * * *", _pace(5)),
    ]:
        with pytest.raises(InvalidValue) as caught:
            parse_cron(text)
        assert (str(caught.value), caught.value.field) == (sentence, "cron")
