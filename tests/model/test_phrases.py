"""Figures, names and lengths of time in words; what is typed, of the type that it must have."""

from __future__ import annotations

from typing import Any

import pytest

from perf_bench.errors import InvalidValue
from perf_bench.model.phrases import (
    flag,
    gib,
    ms_text,
    osd_names,
    parse_duration,
    span,
    time_text,
    times_text,
    whole,
)


def test_figures_and_names_in_words() -> None:
    cases: list[tuple[str, str]] = [
        (osd_names({7}), "osd.7"),
        (osd_names((8, 7)), "osd.7 and osd.8"),
        (osd_names(range(6)), "osd.0, osd.1, osd.2, osd.3 and 2 more"),
        (span(30), "30 s"),
        (span(60), "1 min"),
        (span(7200), "2 h"),
        (span(7500), "2 h 05 min"),
        (span(59 * 60), "59 min"),
        (span(60 * 60 - 1), "1 h"),
        (gib(1 << 30), "1.0 GiB"),
        (ms_text(0.0042), "4.2 ms"),
        (ms_text(0.042), "42 ms"),
        (times_text(1.416), "1.42"),
        (times_text(4.06), "4.1"),
        (times_text(25.2), "25"),
        (time_text(0), "1970-01-01 00:00 UTC"),
    ]
    for text, wanted in cases:
        assert text == wanted


def test_what_people_write() -> None:
    cases: list[tuple[str, int]] = [
        ("90s", 90),
        ("15m", 900),
        ("6h", 21600),
        ("1d", 86400),
        ("2w", 1209600),
        (" 1 D ", 86400),
    ]
    for text, seconds in cases:
        assert parse_duration(text, "for") == seconds


def test_what_is_not_a_length_of_time() -> None:
    cases: list[str] = ["", "1", "d", "0d", "-1d", "1.5h", "1y", "1d2h", "²d", "9" * 10]
    for text in cases:
        with pytest.raises(InvalidValue, match="not a duration: give a whole number of") as error:
            parse_duration(text, "for")
        assert error.value.field == "for"


def test_what_is_too_long() -> None:
    cases: list[str] = ["5229w", "9999999999s", "9" * 5000 + "d"]
    for text in cases:
        with pytest.raises(InvalidValue, match="is longer than 100 years") as error:
            parse_duration(text, "for")
        assert error.value.field == "for"


def test_whole_numbers() -> None:
    cases: list[tuple[Any, int]] = [
        (7, 7),
        ("7", 7),
        ("007", 7),
        ("-5", -5),
        ("+5", 5),
        ("1234567890123456", 1234567890123456),
    ]
    for given, number in cases:
        assert whole("limit", given) == number


def test_what_is_no_whole_number() -> None:
    cases: list[Any] = [
        "",
        "1.5",
        "٣",
        "5\n",
        "0x1",
        True,
        1.0,
        None,
        1 << 63,
        "9" * 5000,
        "-" + "9" * 30,
    ]
    for given in cases:
        with pytest.raises(
            InvalidValue, match=r"^limit must be a whole number of at most 64 bits, not "
        ):
            whole("limit", given)


def test_true_and_false() -> None:
    cases: list[tuple[Any, bool]] = [(True, True), ("true", True), ("TRUE", True), ("False", False)]
    for given, value in cases:
        assert flag("force", given) is value


def test_what_is_neither_true_nor_false() -> None:
    cases: list[Any] = ["yes", "", 1, None]
    for given in cases:
        with pytest.raises(InvalidValue, match=r"^force must be true or false, not "):
            flag("force", given)
