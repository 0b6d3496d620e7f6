"""Traces as people have them: what is read, what is left out, what is refused."""

from __future__ import annotations

import gzip
import lzma
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from detector_trials.counters import counted_frames
from detector_trials.errors import TraceError
from detector_trials.frames import frames
from detector_trials.trace import Trace, read
from perf_bench.model.finding import Frame, Mark

Read = Callable[[str], Trace]


@pytest.fixture
def take(tmp_path: Path) -> Read:
    """Reads a trace from its text."""

    def take(text: str) -> Trace:
        file, folder = tmp_path / "trace.csv", tmp_path / "spool"
        file.write_text(text)
        folder.mkdir()
        return read(file, folder)

    return take


def framed(trace: Trace, seconds: float = 15.0) -> list[Frame]:
    return list(frames(trace.spool.rows(), trace.layout, trace.roster, seconds))


@pytest.mark.parametrize(
    ("name", "packed", "sentence"),
    [
        ("t.csv.xz", lambda data: lzma.compress(data)[:-20], "is cut off: its xz data has no end"),
        ("t.csv.gz", lambda data: gzip.compress(data)[:-20], "is cut off: its gz data has no end"),
        ("t.csv.xz", lambda _data: b"", "is cut off: its xz data has no end"),
        ("t.csv.xz", lambda data: data, "is not sound xz data"),
        ("t.csv.gz", lambda data: data, "is not sound gz data"),
    ],
)
def test_a_damaged_file_is_refused(
    tmp_path: Path, name: str, packed: Callable[[bytes], bytes], sentence: str
) -> None:
    rows = "".join(f"{15 * n},1,a,{random.random()},1\n" for n in range(1000))  # noqa: S311
    file = tmp_path / name
    file.write_bytes(packed(f"ts,osd,host,latency,throughput\n{rows}".encode()))
    with pytest.raises(TraceError, match=f"{sentence}$"):
        read(file, tmp_path)


def test_rows_that_are_not_sound_are_left_out_and_counted(take: Read) -> None:
    trace = take(
        "ts,osd,host,latency,throughput\n"
        "0,1,a,1,10\n"
        "15,1,a,oops,10\n"
        "15,1,a,-1,10\n"
        "15,1,a,inf,10\n"
        "15,1,a,1\n"
        "when,1,a,1,10\n"
        ",1,a,1,10\n"
        "15,,a,1,10\n"
        '"15,1,a,1,10\n'
        "\n"
        '15,"1","a",2,20\n'
    )
    assert trace.rows == 10
    assert trace.skipped == {
        "with a cell that is no number": 2,
        "with a figure that cannot be": 2,
        "with too few or too many cells": 2,
        "without a time in unix seconds": 1,
        "without OSD or host": 1,
    }
    assert [frame.latency["commit"] for frame in framed(trace)] == [[1.0], [2.0]]


def test_an_empty_cell_is_no_data_and_no_zero(take: Read) -> None:
    trace = take("ts,osd,host,latency,throughput\n0,1,a,,10\n0,2,a,NaN,\n0,3,a,0,5\n0,4,a,1,5\n")
    (frame,) = framed(trace)
    assert not trace.skipped
    assert [math.isnan(value) for value in frame.latency["commit"]] == [True, True, True, False]
    assert [math.isnan(value) for value in frame.load] == [False, True, False, False]
    assert all(math.isnan(ops) for ops in frame.ops["commit"])


def test_rows_in_any_order_come_out_by_time_and_duplicates_once(take: Read) -> None:
    rows = [f"{at},{osd},h{osd},{at + osd},1" for at in range(0, 9000, 15) for osd in range(3)]
    mixed = [*rows, *rows[:50]]
    random.Random(1).shuffle(mixed)  # noqa: S311
    trace = take("\n".join(["ts,osd,host,latency,throughput", *mixed]))
    found = framed(trace)
    assert [frame.start for frame in found] == list(range(0, 9000, 15))
    assert trace.spool.duplicates == 50
    place = {member.name: at for at, member in enumerate(trace.roster.members)}
    assert all(
        frame.latency["commit"][place[f"osd.{osd}"]] == frame.start + osd or frame.start + osd == 0
        for frame in found
        for osd in range(3)
    )


def test_a_gap_leaves_no_frames(take: Read) -> None:
    trace = take("ts,osd,host,latency,throughput\n7,1,a,1,1\n86500,1,a,1,1\n")
    assert [(frame.start, frame.end) for frame in framed(trace)] == [(0, 15), (86490, 86505)]


def test_several_rows_of_an_osd_in_a_frame_become_one(take: Read) -> None:
    trace = take(
        "ts,osd,host,latency,throughput,ops\n"
        "0,1,a,1,10,30\n5,1,a,4,20,10\n10,1,a,,30,\n"
        "0,2,a,1,10,\n5,2,a,2,10,\n10,2,a,3,10,\n"
    )
    (frame,) = framed(trace)
    assert frame.latency["commit"] == [1.75, 2.0]
    assert frame.ops["commit"][0] == 40
    assert frame.load == [20, 10]


def test_channels_and_marks_are_read_as_they_are_exported(take: Read) -> None:
    trace = take(
        "ts,osd,host,throughput,latency_commit,ops_commit,latency_read,marks\n"
        "0,1,a,1,0.5,7,0.25,restarted+scrubbing\n0,2,a,1,,,0.5,\n0,3,a,1,1,1,1,odd\n"
    )
    (frame,) = framed(trace)
    assert frame.latency["read"][:2] == [0.25, 0.5]
    assert frame.ops["commit"][0] == 7
    assert frame.marks[:2] == [Mark.RESTARTED | Mark.SCRUBBING, 0]
    assert trace.skipped == {"with a mark that is not known": 1}


def test_cumulative_counters_go_through_the_collector(take: Read) -> None:
    lines = ["ts,osd,host,class,read_sum_s,read_count,write_sum_s,write_count,bytes"]
    for number in range(200):
        at = 1_700_000_000 + 5 * number
        reset = number >= 100  # osd 1 was restarted there
        n = number - 100 if reset else number
        lines.append(f"{at},1,a,hdd,{0.02 * n},{10 * n},{0.5 * n},{50 * n},{4096 * n}")
        lines.append(f"{at},2,b,hdd,{0.04 * number},{10 * number},{number},{100 * number},")
    trace = take("\n".join(lines))
    found = list(counted_frames(trace.spool.rows(), trace.layout, trace.roster))
    assert len(found) > 50
    assert [frame.end - frame.start for frame in found] == [15.0] * len(found)
    for frame in found[1:]:
        first, second = frame.latency["read"]
        assert math.isnan(first) or first == pytest.approx(0.002)
        assert second == pytest.approx(0.004)
        assert frame.latency["commit"][1] == pytest.approx(0.01)
    marked = [frame for frame in found if frame.marks[0] & Mark.RESTARTED]
    assert marked
    assert 1_700_000_500 - 30 <= marked[0].start <= 1_700_000_500
