"""qa/replay as a command: what it prints, and how it refuses."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from detector_trials import cli

SLOW = 7
HOURS = 2


def trace(file: Path, header: str = "ts,osd,host,class,latency,throughput") -> Path:
    """24 OSDs on two hosts for two hours; one is twice as slow."""
    noise = random.Random(1)  # noqa: S311
    lines = [header]
    for at in range(1_700_000_000, 1_700_000_000 + HOURS * 3600, 15):
        for osd in range(24):
            latency = 0.01 * math.exp(noise.gauss(0, 0.1)) * (2 if osd == SLOW else 1)
            lines.append(f"{at},{osd},h{osd // 12},hdd,{latency:.6f},20000000")
    file.write_text("\n".join(lines) + "\n")
    return file


def counters(file: Path) -> Path:
    """The same as cumulative counters, a point every 5 s."""
    noise = random.Random(1)  # noqa: S311
    lines = ["ts,osd,host,class,read_sum_s,read_count,write_sum_s,write_count,bytes"]
    sums = [[0.0, 0.0] for _ in range(24)]
    for number, at in enumerate(range(1_700_000_000, 1_700_000_000 + HOURS * 3600, 5)):
        for osd, (read, write) in enumerate(sums):
            lines.append(
                f"{at},{osd},h{osd // 12},hdd,{read:.6f},{100 * number},{write:.6f},"
                f"{200 * number},{1e8 * number:.0f}"
            )
            factor = (2 if osd == SLOW else 1) * math.exp(noise.gauss(0, 0.1))
            sums[osd] = [read + 1.0 * factor, write + 1.0 * factor]
    file.write_text("\n".join(lines) + "\n")
    return file


def replayed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert cli.main(list(words)) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("make", [trace, counters])
def test_a_slow_osd_is_found_and_nobody_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, make: Any
) -> None:
    found = replayed(capsys, str(make(tmp_path / "t.csv")))
    (finding,) = found["findings"]
    assert finding["code"] == "PERF_BENCH_SLOW_OSD"
    assert finding["target"] == {"kind": "osd", "id": "7"}
    assert finding["severity"] == "warning"
    assert 1_700_000_000 - 60 <= finding["first_seen"] <= finding["detected_at"]
    assert finding["last_seen"] > 1_700_000_000 + HOURS * 3600 - 120
    assert finding["evidence"]
    states = {one["osd"]: one["state"] for one in found["per_osd"]}
    assert set(states) == set(range(24))
    assert [osd for osd, state in states.items() if state == "slow"] == [SLOW]
    (slow,) = (one for one in found["per_osd"] if one["osd"] == SLOW)
    assert slow["risk"] > 0
    assert 1.7 < slow["max_ratio"] < 2.6
    (cohort,) = found["cohorts"]
    assert (cohort["name"], cohort["members"]) == ("hdd", 24)
    assert 1.19 < cohort["minimum_detectable_ratio"] < 2
    cost = found["cost"]
    assert cost["ticks"] >= HOURS * 240 - 10
    assert 0 < cost["cpu_ms_per_tick_median"] <= cost["cpu_ms_per_tick_max"]
    assert 100 < cost["bytes_per_osd"] < 100_000


def test_the_data_sets_shape_names_osds_by_host_and_disk(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = trace(tmp_path / "t.csv").read_text().splitlines()[1:]
    cells = [line.split(",") for line in lines]
    text = [f"{at},{host},disk{osd},{load},{lat}" for at, osd, host, _, lat, load in cells]
    file = tmp_path / "d.csv"
    file.write_text("\n".join(["ts,host,disk,throughput,latency", *text]))
    found = replayed(capsys, str(file))
    assert [one["target"] for one in found["findings"]] == [{"kind": "osd", "id": "h0/disk7"}]
    assert {one["osd"] for one in found["per_osd"]} == {f"h{n // 12}/disk{n}" for n in range(24)}


def test_rows_left_out_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = trace(tmp_path / "t.csv")
    with file.open("a") as more:
        more.write("1700000000,0,h0,hdd,oops,1\n1700000000,1,h0,hdd,1,1\n")
    assert cli.main([str(file)]) == 0
    said = capsys.readouterr()
    assert said.err == "replay: rows left out: 1 with a cell that is no number\n"
    assert json.loads(said.out)["trace"] == {
        "rows": HOURS * 240 * 24 + 2,
        "skipped": {"with a cell that is no number": 1},
        "duplicates": 1,
        "osds": 24,
        "interval_seconds": 15,
    }
