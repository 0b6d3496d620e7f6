"""CSV that is opened by a spreadsheet."""

from __future__ import annotations

import pytest

from perf_bench.answers.text import csv_text


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1+1", "'+1+1"),
        ("-1+1", "'-1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\\t=1"),
        ("\r=1", "'\\r=1"),
        ("host=1", "host=1"),
        ("say \x1b[2J", "say \\x1b[2J"),
        # numbers stay numbers
        (-2, "-2"),
        (-2.5, "-2.5"),
        ("-2.5", "-2.5"),
        ("+1e-05", "+1e-05"),
        (None, '""'),
    ],
)
def test_a_cell(value: object, cell: str) -> None:
    assert csv_text([[value]]) == f"{cell}\n"


def test_line_breaks_stay_in_quotes() -> None:
    assert csv_text([["a\nb", 'c"']]) == '"a\nb","c"""\n'
