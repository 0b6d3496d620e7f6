"""The published figures as people read them."""

from __future__ import annotations

import json

from perf_bench.answers import comparing
from perf_bench.answers.shape import to_json
from perf_bench.bench.compare.reference import published


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


def test_the_table() -> None:
    lines = comparing.figures_text(list(published())).split("\n")
    assert max(map(len, lines)) <= 80
    # ceph-mgr 16 drops empty lines
    assert "" not in lines
    for figure in published():
        assert sum(line.startswith(f"{figure.id} ") for line in lines) == 1, figure.id
