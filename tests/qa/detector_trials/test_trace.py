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
from perf_bench.model.frame import Frame, Mark

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
    ("header", "sentence"),
    [
        ("osd,host,latency,throughput", "the column 'ts' is missing, the header is: osd,host"),
        ("ts,osd,latency,throughput", "the column 'host' is missing, the header is: ts,osd"),
        ("ts,host,latency,throughput", "the column 'osd' is missing, the header is: ts,host"),
        ("ts,osd,host,latency", "the column 'throughput' is missing, which goes with latency"),
        ("ts,osd,host,ops", "there is no column 'latency' and there are no counters"),
        ("ts,osd,host,read_sum_s", "the column 'read_count' is missing, counters come in pairs"),
        ("ts,ts,osd,host,latency,throughput", "the column 'ts' is there twice"),
    ],
)
def test_a_header_that_says_too_little_is_refused(take: Read, header: str, sentence: str) -> None:
    with pytest.raises(TraceError, match=f"^{sentence}"):
        take(f"{header}\n1,1,1,1\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("ts,osd,host,latency,throughput\n", "has no rows"),
        (
            "ts,osd,host,latency,throughput\n1700000000000,1,a,1,1\n",
            "has no usable row: 1 without a time in unix seconds",
        ),
    ],
)
def test_a_file_without_a_usable_row_is_refused(take: Read, text: str, sentence: str) -> None:
    with pytest.raises(TraceError, match=f"{sentence}$"):
        take(text)


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


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"cannot be read: No such file or directory$"):
        read(tmp_path / "no.csv", tmp_path)


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


def test_columns_may_stand_in_any_order_and_say_where_an_osd_is(take: Read) -> None:
    trace = take(
        "rack,ops,latency,host,class,osd,enclosure,throughput,ts,note\n"
        "r1,5,0.5,a,hdd,7,e1,100,30,x\n"
        ",5,0.5,b,,osd.8,,100,30,y\n"
    )
    first, second = trace.roster.members
    assert (first.name, first.host, first.cohort, first.rack, first.enclosure) == (
        "osd.7", "a", "hdd", "r1", "e1",
    )  # fmt: skip
    assert (second.name, second.cohort, second.rack) == ("osd.8", "all", None)
    (frame,) = framed(trace)
    assert frame.ops["commit"] == [5.0, 5.0]


def test_the_data_sets_shape_is_taken_as_it_is(take: Read) -> None:
    trace = take("ts,host,disk,throughput,latency\n0,host_1,disk2,3e7,72\n0,host_2,disk2,1,1\n")
    assert [m.name for m in trace.roster.members] == ["host_1/disk2", "host_2/disk2"]
    assert framed(trace)[0].latency == {"commit": [72.0, 1.0]}


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


@pytest.mark.parametrize(("apart", "interval"), [(15, 15), (60, 60), (5, 5)])
def test_how_far_apart_rows_are_is_found_out(take: Read, apart: int, interval: int) -> None:
    rows = [f"{at},{osd},a,1,1" for osd in range(3) for at in range(0, 50 * apart, apart)]
    trace = take("\n".join(["ts,osd,host,latency,throughput", *rows, "90000,1,a,1,1"]))
    assert trace.interval == interval


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
