"""Rounds as files: what the golden ones in test_cli do not hold."""

from __future__ import annotations

import csv
import io
import json
import re

from fakes.metered import full
from nouns import a_plan, a_result, a_round, a_sample, a_stored, no_sample
from perf_bench.answers.export import written
from perf_bench.answers.rounds import Round, whole
from perf_bench.model.round import OsdResult, RoundState

ODD = 'a,"b"\\c\nd'


def _round(*results: OsdResult) -> Round:
    round_ = a_round(a_plan([[0, 1]]), RoundState.DONE, id=7)
    samples = [a_sample(0), no_sample(1, why=f"said {ODD}")]
    return whole(a_stored(round_, results, samples))


def test_csv_is_read_back_as_it_was_written() -> None:
    shape = _round(a_result(0), a_result(1, None))
    rows = list(csv.DictReader(io.StringIO(written(shape, "csv"))))
    assert [row["target"] for row in rows] == ["osd.0", "osd.1"]
    assert rows[0] == {
        "round": "7",
        "profile": "osd-throughput",
        "target": "osd.0",
        "host": "host-0",
        "class": "hdd",
        "phase": "write",
        "repeat": "1",
        "wave": "1",
        "started_at": "2023-11-14T22:13:21.000Z",
        "bytes": "1073741824",
        "block_size": "4194304",
        "seconds": "10.0",
        "call_seconds": "10.25",
        "bytes_per_second": "104857600.0",
        "iops": "25.0",
        "valid": "true",
        "why": "",
    }
    assert (rows[1]["valid"], rows[1]["seconds"]) == ("false", "")
    assert rows[1]["why"] == f"osd.1 said {ODD}"


def test_csv_without_rows_has_a_head() -> None:
    assert written(whole(a_stored(a_round(a_plan([[0]])))), "csv") == "round,profile\n"


def test_csv_of_an_osd_without_a_row() -> None:
    rows = list(csv.DictReader(io.StringIO(written(_round(a_result(0)), "csv"))))
    assert (rows[1]["host"], rows[1]["class"]) == ("", "")


def test_openmetrics_escapes_and_leaves_out_what_is_not_known() -> None:
    shape = _round(OsdResult(0, ODD, None, median_iops=5.0), a_result(1, None))
    lines = written(shape, "openmetrics").splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    odd = 'a,\\"b\\"\\\\c\\nd'
    assert samples == [
        (
            'ceph_perf_bench_round_osd_iops{round="7",profile="osd-throughput",'
            f'ceph_daemon="osd.0",hostname="{odd}",device_class=""}} 5'
        ),
    ]
    assert lines[-1] == "# EOF"
    types = [line for line in lines if line.startswith("# TYPE")]
    assert len(types) == 1


def _helps(text: str) -> dict[str, str]:
    return dict(re.findall(r"^# HELP (\S+) (.*)$", text, re.MULTILINE))


def test_a_name_means_the_same_in_a_file_and_at_the_endpoint() -> None:
    files = _helps(written(_round(a_result(0)), "openmetrics"))
    assert len(files) == 4
    assert not files.keys() & _helps(full().text()).keys()


def test_json_ends_with_a_line() -> None:
    text = written(_round(a_result(0)), "json")
    assert json.loads(text)["id"] == 7
    assert text.endswith("}\n")
