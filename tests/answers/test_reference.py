"""The published figures as people read them."""

from __future__ import annotations

import json

import pytest

from nouns import SMALL_STEP, STEP, a_plan, a_round, a_stored
from perf_bench.answers import comparing
from perf_bench.answers.rounds import round_text, whole
from perf_bench.answers.shape import to_json
from perf_bench.bench.compare.reference import alike, published
from perf_bench.model.plan import KIB, Step, writes
from perf_bench.model.round import RoundState


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
    }
    assert json.loads(json.dumps(shapes)) == shapes


@pytest.mark.parametrize(
    ("step", "device_class", "figure"),
    [
        (STEP, "nvme", ("s3-osd-tp", 1874411222.0)),
        (writes(32 * KIB, 98_304_000), "hdd", ("fleet-hdd", 61928899.0)),
        (STEP, "hdd", None),
        (SMALL_STEP, "nvme", None),  # theirs was onto fresh objects
        (STEP, "", None),
    ],
)
def test_only_the_same_bench_of_the_same_class_is_set_beside(
    step: Step, device_class: str, figure: object
) -> None:
    found = alike(step, device_class)
    assert (found and (found[0].id, found[1])) == figure


def test_a_round_of_nvme_drives_stands_beside_what_others_had() -> None:
    summary = {"median_bytes_per_second": 1874411222.0 * 0.9, "median_iops": 402.0}
    groups = {"peer_groups": [{"class": "nvme", "model": None, "osds": 1}]}
    round_ = a_round(a_plan([[0]]), RoundState.DONE, summary=summary, environment=groups)
    text = " ".join(round_text(whole(a_stored(round_))).split())
    assert "beside 0.90 times the 1788 MiB/s that others had by osd bench (3-node PVE" in text


def test_the_table() -> None:
    lines = comparing.figures_text(list(published())).split("\n")
    assert max(map(len, lines)) <= 80
    # ceph-mgr 16 drops empty lines
    assert "" not in lines
    for figure in published():
        assert sum(line.startswith(f"{figure.id} ") for line in lines) == 1, figure.id
