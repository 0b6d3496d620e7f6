"""The published figures as people read them."""

from __future__ import annotations

import json

import pytest

from nouns import SMALL_STEP, STEP, a_plan, a_round
from perf_bench.answers import comparing
from perf_bench.answers.shape import to_json
from perf_bench.bench.compare.reference import closest, published
from perf_bench.model.plan import KIB, MIB, Step, writes
from perf_bench.model.round import OsdRates, RoundState

BALANCED = writes(32 * KIB, 98_304_000)


@pytest.mark.parametrize(
    ("step", "device_class", "rate", "line"),
    [
        (STEP, "nvme", 1609.0 * MIB,
         ("per-OSD 4 MiB write onto fresh objects (nvme): 1609 MiB/s, 0.90x of 1788 MiB/s by "
         "osd bench (3-node PVE cluster, NVMe; Thomas-Krenn Ceph Performance Guide)")),
        (BALANCED, "hdd", 118.1 * MIB,
         ("per-OSD 32 KiB write onto prefilled objects (hdd): 118 MiB/s, 2.00x of 59 MiB/s by "
         "osd bench (835-OSD fleet, HDD; lancealot/ceph-bench README)")),
        (STEP, "hdd", 100.0 * MIB,
         "per-OSD 4 MiB write onto fresh objects (hdd): 100 MiB/s; nothing published is like it"),
        (SMALL_STEP, "hdd", 310.0 * 4 * KIB,
         ("per-OSD 4 KiB write onto prefilled objects (hdd): 310 IOPS, within the plausible "
         "50 IOPS to 500 IOPS (ceph/ceph#59743, Ceph mClock configuration reference)")),
        (SMALL_STEP, "hdd", 2000.0 * 4 * KIB,
         ("per-OSD 4 KiB write onto prefilled objects (hdd): 2000 IOPS, above the plausible "
         "50 IOPS to 500 IOPS (ceph/ceph#59743, Ceph mClock configuration reference)")),
        (SMALL_STEP, "ssd", 900.0 * 4 * KIB,
         ("per-OSD 4 KiB write onto prefilled objects (ssd): 900 IOPS, below the plausible "
         "1000 IOPS to 80000 IOPS (ceph/ceph#59743, Ceph mClock configuration reference)")),
    ],
)  # fmt: skip
def test_the_line_beside_a_round(step: Step, device_class: str, rate: float, line: str) -> None:
    round_ = a_round(a_plan([[0]], step=step), RoundState.DONE)
    row = OsdRates(0, device_class, rate, rate / step.block_size)
    (found,) = closest(round_, [row])
    assert comparing.line(found) == line
    assert comparing.context(found).line == line


def test_the_shape_of_a_figure() -> None:
    shapes = to_json(list(published()))
    (tp,) = (shape for shape in shapes if shape["id"] == "s3-osd-tp")
    assert tp == {
        "id": "s3-osd-tp",
        "scope": "osd",
        "hardware": "3-node PVE cluster, NVMe",
        "ceph": None,
        "osds": 12,
        "redundancy": None,
        "workload": "osd bench 1 GiB at 4 MiB",
        "metric": "bandwidth",
        "value": 1874411222.0,
        "unit": "B/s",
        "source": "Thomas-Krenn Ceph Performance Guide",
        "note": "",
        "comparable": True,
    }
    assert json.loads(json.dumps(shapes)) == shapes
    assert sum(shape["comparable"] for shape in shapes) == 8


def test_the_table() -> None:
    text = comparing.figures_text(list(published()))
    lines = text.split("\n")
    assert max(map(len, lines)) <= 80
    # ceph-mgr 16 drops empty lines
    assert "" not in lines
    assert lines[:5] == [
        "ID               WHAT                                        OSDS         FIGURE",
        " ",
        "Ceph: A Journey to 1 TiB/s (Nelson, 2024-01)",
        "  on  63-68x R6615 EPYC 9454P 48C, 2x100GbE, NVMe (Ceph 17.2.7)",
        "s1-30-rd         4MB random read librbd fio, 3x                30       63 GiB/s",
    ]
    for figure in published():
        assert sum(line.startswith(f"{figure.id} ") for line in lines) == 1, figure.id
        assert figure.source in lines
        assert figure.note.split(" ")[0] in text


def test_figures_of_one_source_stand_below_it_with_their_notes() -> None:
    chosen = [f for f in published() if f.id in ("s1-node-wall", "s2-core-rd", "s2-doc-low")]
    text = comparing.figures_text(chosen)
    assert text.split("\n") == (
        [
            "ID            WHAT                 OSDS         FIGURE",
            " ",
            "Ceph: A Journey to 1 TiB/s (Nelson, 2024-01)",
            "  on  any, several deployments (Ceph 17.2.7)",
            "s1-node-wall  4KB random read, 3x     -    500000 IOPS",
            "    note  given as 400-600K per node",
            " ",
            "Ceph OSD CPU Scaling - Part 1 (Nelson, 2022)",
            "  on  EPYC 7742, 60 OSDs (Ceph 16.2.9)",
            "s2-core-rd    4KB random read, 3x    60  7500 per core",
            "  on  documentation rule of thumb before replication",
            "s2-doc-low    small random            -  1000 per core",
            "    note  given as 1000-3000",
        ]
    )
