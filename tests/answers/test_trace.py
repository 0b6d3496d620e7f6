"""``trace export`` writes what ``qa/replay`` reads."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from detector_trials.frames import frames
from detector_trials.trace import read
from perf_bench.answers.watched import trace_csv, trace_header
from perf_bench.model.finding import Watched
from perf_bench.model.history import LOAD, SeriesPoint

FIRST = Watched(3, "osd.3", "host,a", "hdd VENDOR", rack="r1", device="host,a/sdb")
SECOND = Watched(4, "osd.4", "b", "hdd VENDOR")


def recorded() -> str:
    first = {
        "commit": [
            SeriesPoint(300, 300, 0.25, 1.0, 70),
            SeriesPoint(840, 60, 0.0123456789, None),
        ],
        LOAD: [SeriesPoint(300, 300, 1e6), SeriesPoint(840, 60, 2.5e6)],
    }
    second = {"read": [SeriesPoint(840, 60, 0.125, 0.25, 7)]}
    return trace_header() + trace_csv(FIRST, first) + trace_csv(SECOND, second)


def test_the_text() -> None:
    head, *lines = recorded().splitlines()
    assert head.startswith(
        "ts,osd,host,cohort,rack,enclosure,device,seconds,throughput,"
        "latency_commit,ops_commit,peak_commit,latency_read,ops_read,peak_read,latency_queue,"
    )
    assert lines == [
        '300,3,"host,a",hdd VENDOR,r1,,"host,a/sdb",300,1e+06,0.25,70,1' + "," * 12,
        '840,3,"host,a",hdd VENDOR,r1,,"host,a/sdb",60,2.5e+06,0.012346,' + "," * 13,
        "840,4,b,hdd VENDOR,,,,60,,,,,0.125,7,0.25" + "," * 9,
    ]


def test_replay_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(recorded())
    trace = read(file, tmp_path)
    assert not trace.skipped
    assert [(m.name, m.host, m.cohort, m.rack) for m in trace.roster.members] == [
        ("osd.3", "host,a", "hdd VENDOR", "r1"),
        ("osd.4", "b", "hdd VENDOR", None),
    ]
    first, last = frames(trace.spool.rows(), trace.layout, trace.roster, 60.0)
    assert first.latency["commit"][0] == 0.25
    assert first.ops["commit"][0] == 70
    assert last.latency["commit"][0] == pytest.approx(0.0123, rel=0.01)
    assert last.latency["read"][1] == 0.125
    assert math.isnan(last.latency["read"][0])
