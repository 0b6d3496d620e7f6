"""What clients could have at most, from what OSDs did."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Optional

import pytest

from fakes.cluster import FakeCluster
from fakes.commands import answers
from nouns import some_osds
from perf_bench.bench.admission import possible
from perf_bench.model.admission import Load
from perf_bench.model.plan import MIB, Request
from perf_bench.model.round import OsdResult
from stage import Stage

LARGE, SMALL = 4 << 20, 4096


def _result(osd: int, rate: Optional[float], iops: Optional[float]) -> OsdResult:
    return OsdResult(osd, "h", median_bytes_per_second=rate, median_iops=iops)


def test_possible() -> None:
    for results, osds, copies, load in [
        ([], 3, 3.0, Load()),
        ([(LARGE, _result(0, None, None))], 3, 3.0, Load()),
        # three OSDs of 300 MB/s are 300 MB/s to clients of three copies
        ([(LARGE, _result(osd, 300e6, 75.0)) for osd in range(3)], 3, 3.0, Load(300e6, None)),
        ([(SMALL, _result(osd, 4e6, 1000.0)) for osd in range(4)], 4, 2.0, Load(None, 2000.0)),
        # half of them were measured: the others are taken to be like them
        ([(LARGE, _result(osd, 300e6, 75.0)) for osd in range(3)], 6, 3.0, Load(600e6, None)),
        (
            [(LARGE, _result(0, 300e6, 75.0)), (SMALL, _result(0, 4e6, 900.0))],
            1,
            1.5,
            Load(200e6, 600.0),
        ),
        # blocks of 1 MiB tell no operations, smaller ones no bandwidth
        ([(1 << 20, _result(0, None, 75.0)), (SMALL, _result(0, 4e6, None))], 1, 1.0, Load()),
        ([(1 << 20, _result(0, 300e6, None))], 1, 3.0, Load(100e6, None)),
        ([(LARGE, _result(0, 300e6, 75.0))], 1, 1.0, Load(300e6, None)),
        ([(LARGE, _result(0, 300e6, 75.0))], 0, 3.0, Load()),
        ([(LARGE, _result(0, 300e6, 75.0))], 3, 0.0, Load()),
    ]:
        assert possible(results, osds, copies) == load


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("rounds", "percent"),
    [
        ((("osd-throughput", 50), ("osd-sandwich", 500)), 10),
        ((("osd-sandwich", 500), ("osd-throughput", 50)), 100),
    ],
)
def test_the_newest_round_tells_what_is_possible_whatever_its_profile(
    path: Path, rounds: tuple[tuple[str, int], ...], percent: int
) -> None:
    """Clients use as much as six OSDs of 50 MiB/s give them with three copies."""
    stage = Stage(path, FakeCluster(some_osds(6, hosts=2)))
    stage.wake()
    try:
        for profile, rate in rounds:
            for osd in range(6):
                stage.commands.script[osd] = [answers(float(rate) * MIB)]
            rests = 0 if profile == "osd-sandwich" else None
            stage.bench.start(Request(profile, "all", repeats=1, rests=rests))
            stage.ended()
        stage.admission = replace(stage.admission, client_share=5 / 100)
        stage.outlook.change(client=Load(100.0 * MIB, 0.0))
        refused = stage.bench.planner.prepare(Request("osd-throughput")).admission.refusals
    finally:
        stage.close()
    told = f"clients use {percent} % of what the last rounds showed possible"
    assert [told in one.message for one in refused] == [True]
