"""A line of progress fits 80 columns, and a terminal is left as it was."""

from __future__ import annotations

import io
from typing import Optional

import pytest

from perf_bench.tool.wait import Display, progress_text

ROUND = "round 7 osd-throughput"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("fraction", "eta", "line"),
    [
        (0.5, 200.0, "round 7 osd-throughput: write, 50 %, 3 min 20 s left"),
        # it is 100 only when all is there
        (0.999, None, "round 7 osd-throughput: write, 99 %"),
        (1.0, None, "round 7 osd-throughput: write, 100 %"),
        (None, None, "round 7 osd-throughput: write"),
    ],
)
def test_a_line(fraction: Optional[float], eta: Optional[float], line: str) -> None:
    assert progress_text(ROUND, "write", fraction, eta) == line


def test_a_line_is_no_wider_than_the_terminal() -> None:
    stream = Terminal()
    Display(stream).show("x" * 200, 1)
    assert len(stream.getvalue()) <= 80


def test_what_is_no_terminal_gets_a_line_for_each_stage() -> None:
    stream = io.StringIO()
    display = Display(stream)
    for number, stage in enumerate("aab"):
        display.show(f"line {number}", stage)
    display.clear()
    assert stream.getvalue() == "line 0\nline 2\n"


def test_nothing_that_the_cluster_names_moves_the_cursor() -> None:
    stream = io.StringIO()
    Display(stream).say("OSD \x1b[2J")
    assert stream.getvalue() == "OSD \\x1b[2J\n"
    assert progress_text("round 1", "\x1b[2J") == "round 1: \\x1b[2J"
