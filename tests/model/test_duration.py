"""Lengths of time as people write and read them."""

from __future__ import annotations

import pytest

from perf_bench.errors import InvalidValue
from perf_bench.model.phrases import duration_text, parse_duration, span


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90), ("15m", 900), ("6h", 21600), ("1d", 86400), ("2w", 1209600), (" 1 D ", 86400),
    ],
)  # fmt: skip
def test_what_people_write(text: str, seconds: int) -> None:
    assert parse_duration(text, "for") == seconds


@pytest.mark.parametrize("text", ["", "1", "d", "0d", "-1d", "1.5h", "1y", "1d2h", "²d", "9" * 10])
def test_what_is_not_a_length_of_time(text: str) -> None:
    with pytest.raises(InvalidValue, match="not a duration: give a whole number of") as error:
        parse_duration(text, "for")
    assert error.value.field == "for"


@pytest.mark.parametrize("text", ["5229w", "9999999999s", "9" * 5000 + "d"])
def test_what_is_too_long(text: str) -> None:
    with pytest.raises(InvalidValue, match="is longer than 100 years") as error:
        parse_duration(text, "for")
    assert error.value.field == "for"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s"),
        (99.4, "99 s"),
        (100.0, "1 min 40 s"),
        (5999.0, "99 min 59 s"),
        (6000.0, "1 h 40 min"),
        (90000.0, "25 h 00 min"),
    ],
)
def test_what_people_read(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (59, "59 s"),
        (60, "1 min"),
        (59 * 60, "59 min"),
        (60 * 60 - 1, "1 h"),
        (60 * 60, "1 h"),
        (125 * 60, "2 h 05 min"),
    ],
)
def test_spans(seconds: float, text: str) -> None:
    assert span(seconds) == text
