"""The bar fits 80 columns, and a terminal is left as it was."""

from __future__ import annotations

import io

import pytest

from perf_bench.tool.display import Bar, Lines, RoundProgress, display_on, draw

ROUND = "round 7 osd-throughput"


@pytest.mark.parametrize(
    ("progress", "width", "line"),
    [
        (
            RoundProgress(ROUND, "write", 0.5, 200.0),
            79,
            f"[{'#' * 12}{'.' * 12}] round 7 osd-throughput: write, 50 %, 3 min 20 s left",
        ),
        # it never grows over 30, and is full only when all is there
        (RoundProgress("round 7 x", "write", 0.999), 200, f"[{'#' * 29}.] round 7 x: write, 99 %"),
        (RoundProgress("round 7 x", "saving", 1.0), 200, f"[{'#' * 30}] round 7 x: saving, 100 %"),
        # no room, or nothing to draw
        (RoundProgress(ROUND, "write", 0.5), 40, "round 7 osd-throughput: write, 50 %"),
        (RoundProgress(ROUND, "write", 0.5), 20, "round 7 osd-throughp"),
        (RoundProgress(ROUND, "queued"), 79, "round 7 osd-throughput: queued"),
    ],
)
def test_a_line(progress: RoundProgress, width: int, line: str) -> None:
    drawn = draw(progress, width)
    assert drawn == line
    assert len(drawn) <= width


def test_a_shorter_line_covers_a_longer_one_and_clear_covers_all() -> None:
    stream = io.StringIO()
    bar = Bar(stream)
    bar.show(RoundProgress("round 7 x", "write", 0.5, 10.0))
    bar.show(RoundProgress("round 7 x", "queued"))
    bar.clear()
    bar.clear()
    first, second, blank, end = stream.getvalue().split("\r")[1:]
    assert len(second) == len(first)
    assert second.strip() == "round 7 x: queued"
    assert blank == " " * len("round 7 x: queued")
    assert end == ""


def test_a_sentence_gets_a_line_of_its_own() -> None:
    stream = io.StringIO()
    bar = Bar(stream)
    bar.show(RoundProgress("round 7 x", "queued"))
    bar.say("trying again")
    assert stream.getvalue().endswith("\rtrying again\n")


def test_what_is_no_terminal_gets_lines() -> None:
    assert isinstance(display_on(io.StringIO()), Lines)


def test_nothing_that_the_cluster_names_moves_the_cursor() -> None:
    stream = io.StringIO()
    Lines(stream).say("OSD \x1b[2J")
    assert stream.getvalue() == "OSD \\x1b[2J\n"
    assert str(RoundProgress("round 1", "\x1b[2J")) == "round 1: \\x1b[2J"
