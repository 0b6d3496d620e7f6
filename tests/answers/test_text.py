"""Numbers and times as people read them, in tables that fit a terminal."""

from __future__ import annotations

from typing import Optional

import pytest

from perf_bench.answers import text
from perf_bench.model.json_fields import iso


@pytest.mark.parametrize(
    ("seconds", "stamp"),
    [
        (None, None),
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1_700_000_000.0, "2023-11-14T22:13:20.000Z"),
        (1_700_000_000.1235, "2023-11-14T22:13:20.123Z"),
        # what a damaged row may have
        *((seconds, None) for seconds in (-1e12, 2.0**62, 1e308)),
        # cut, not rounded
        (1_699_999_999.9996, "2023-11-14T22:13:19.999Z"),
    ],
)
def test_iso(seconds: Optional[float], stamp: Optional[str]) -> None:
    assert iso(seconds) == stamp


@pytest.mark.parametrize(
    ("stamp", "shown", "minute"),
    [
        (None, "-", "-"),
        ("2026-11-21T02:00:07.123Z", "2026-11-21 02:00:07", "2026-11-21 02:00"),
    ],
)
def test_short_times(stamp: Optional[str], shown: str, minute: str) -> None:
    assert text.short_time(stamp) == shown
    assert text.minute(stamp) == minute


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (None, "-"),
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (4 << 20, "4 MiB"),
        ((3 << 30) + (1 << 20), "3.0 GiB"),
        (5 << 40, "5 TiB"),
        (2 << 50, "2 PiB"),
        (3 << 60, "3072 PiB"),
    ],
)
def test_sizes(count: Optional[float], shown: str) -> None:
    assert text.size(count) == shown


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (None, 1, "-"),
        (0.0, 1, "0.0"),
        (-0.04, 1, "0.0"),
        (12.34, 1, "12.3"),
        (12.34, 0, "12"),
        (999.94, 1, "999.9"),
        (1234.5, 1, "1234"),
        (-1234.5, 1, "-1234"),
    ],
)
def test_numbers(value: Optional[float], digits: int, shown: str) -> None:
    assert text.number(value, digits) == shown


@pytest.mark.parametrize(
    ("rate", "shown"), [(None, "-"), (100.0 * (1 << 20), "100.0"), (5716.0 * (1 << 20), "5716")]
)
def test_rates(rate: Optional[float], shown: str) -> None:
    assert text.rate(rate) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "-"),
        (0.0, "0.0 s"),
        (9.94, "9.9 s"),
        (14.4, "14 s"),
        (99.4, "99 s"),
        (99.6, "1 min 40 s"),
        (200.0, "3 min 20 s"),
        (5999.0, "99 min 59 s"),
        (6000.0, "1 h 40 min"),
        (7500.0, "2 h 05 min"),
    ],
)
def test_durations(seconds: Optional[float], shown: str) -> None:
    assert text.duration(seconds) == shown


# --- layout ----------------------------------------------------------------------------------


def test_a_table_has_words_left_and_figures_right() -> None:
    rows = [["osd.0", "host-0", "7"], ["osd.10", "b", "1234"]]
    assert text.table(text.columns_of(["OSD", "HOST", "IOPS"], words=2), rows) == (
        "OSD     HOST    IOPS\nosd.0   host-0     7\nosd.10  b       1234"
    )


def test_letters_that_take_two_columns_do() -> None:
    rows = [["一二", "7"], ["abc", "8"]]
    assert (
        text.table(text.columns_of(["LABEL", "IOPS"], words=1), rows)
        == "LABEL  IOPS\n一二      7\nabc       8"
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", ""),
        ("ten chars.", "ten chars."),
        ("eleven char", "eleven ch…"),
        ("一二三四五", "一二三四五"),
        ("一二三四五六", "一二三四…"),
        ("a一二三四五", "a一二三四…"),
    ],
)
def test_what_is_too_wide_is_cut(value: str, shown: str) -> None:
    assert text.clip(value, 10) == shown


def test_facts_without_a_value_are_left_out() -> None:
    assert text.facts([("host", "a"), ("device", ""), ("class", "hdd")]) == (
        "  host   a\n  class  hdd"
    )


def test_no_facts_are_no_text() -> None:
    assert text.facts([("device", "")]) == ""


def test_a_long_fact_goes_on_below_itself() -> None:
    value = "word " * 30
    lines = text.facts([("because", value)]).splitlines()
    assert len(lines) == 3
    assert all(len(line) <= text.WIDTH for line in lines)
    assert lines[0].startswith("  because  word")
    assert lines[1].startswith(" " * 11 + "word")


def test_a_command_in_a_sentence_stays_whole() -> None:
    command = "x" * 90
    assert command in text.facts([("because", f"see {command} first")])


def test_a_cell_of_a_table_cannot_write_over_others() -> None:
    shown = text.table(text.columns_of(["HOST", "NOTE"], words=2), [["a\x1b[2Jb", "one\ntwo"]])
    assert shown.splitlines()[1] == "a\\x1b[2Jb  one\\ntwo"
