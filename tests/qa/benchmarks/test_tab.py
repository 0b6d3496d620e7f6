"""What the browser tells of the tab becomes figures; a stock page that never came is said so."""

from __future__ import annotations

import json
import random
from typing import Any

from benchmarks import stock, tab

REPORT: dict[str, Any] = {
    "first_paint": [300.0, 900.0, 400.0],
    "first_openings": {"OSD map": [190.0, 250.0, 210.0]},
    "changes": {"OSD map": [90.0]},
    "frames": {"zoom": [16.0, 0.0, 25.0, 16.0]},
    "bytes": {"perf_bench/status": 300, "perf_bench/osd/map": 201 * 1024},
    "heap": [11.0, 12.0, 15.0],
}


def test_medians_count_and_each_has_its_target() -> None:
    found = {figure.name: (figure.value, figure.met) for figure in tab.figures(REPORT, 2.0)}
    assert found == {
        "first useful paint, bundle cached": (400.0, True),
        "first opening of: OSD map": (210.0, False),
        "change to: OSD map": (90.0, True),
        "OSD map, frames while: zoom": (62.5, True),
        "largest answer, gzip": (201.0, False),
        "heap, most in 2 min of polling": (15.0, True),
        "heap, growth in the second half": (3.0, False),
    }


def test_stock_osds_differ_where_real_ones_do() -> None:
    answers = json.loads(stock._ANSWERS.read_text(encoding="utf-8"))
    (pattern,) = answers["GET /api/osd"]["body"]
    dice = random.Random(1)  # noqa: S311 - no secret
    one, other = (stock.osd_like(pattern, number, dice) for number in (3, 30))
    assert (one["id"], one["tree"]["name"], one["host"]["name"]) == (3, "osd.3", "host-0")
    assert (other["id"], other["host"]["name"]) == (30, "host-1")
    assert one["uuid"] != other["uuid"]
    assert one.keys() == other.keys() == pattern.keys()
