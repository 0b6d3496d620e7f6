"""Interim figures of a running round."""

from __future__ import annotations

from nouns import some_osds
from perf_bench.bench.compare.distribution import interim


def test_medians_by_class_and_the_slowest_against_their_class() -> None:
    osds = some_osds(6)
    class_ = osds[0].device_class
    figures = {0: [(100.0, 10.0), (300.0, 30.0)], 1: [(400.0, 40.0)], 2: [(100.0, 10.0)]}
    found = interim(figures, osds, 6)
    assert (found.measured, found.planned) == (3, 6)
    (only,) = found.classes
    assert (only.device_class, only.osds) == (class_, 3)
    rates = only.bytes_per_second
    assert (rates.low, rates.median, rates.high) == (100.0, 200.0, 400.0)
    slowest = [(row.osd, row.percent_of_class) for row in found.slowest]
    assert slowest == [(2, 50.0), (0, 100.0), (1, 200.0)]
