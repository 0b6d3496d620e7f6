"""Lengths of time as people write them."""

from __future__ import annotations

import pytest

from perf_bench.errors import InvalidValue
from perf_bench.model.duration import parse_duration


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
    with pytest.raises(InvalidValue, match="not a length of time") as error:
        parse_duration(text, "for")
    assert error.value.field == "for"
