"""Histograms of a round's figures."""

from __future__ import annotations

from nouns import a_result, some_osds
from perf_bench.bench.compare.distribution import distribution, histogram, interim

MIB = 1 << 20


def test_bins_are_round() -> None:
    for values, unit, expected in [
        # first, width, counts
        ([1.0, 2.0, 3.0, 4.0, 5.0], 1.0, (1, 1.0, [1, 1, 1, 1, 1])),
        ([21.0], 1.0, (4, 5.0, [1])),  # all equal: a tenth of the value
        ([0.0], 1.0, (0, 1.0, [1])),
        ([1.0, 1.05, 1.25, 1.5], 1.0, (10, 0.1, [2, 0, 1, 0, 0, 1])),
        ([-3.0, 3.0], 1.0, (-2, 2.0, [1, 0, 0, 1])),
        # round numbers of MiB
        ([100.0 * MIB, 140.0 * MIB], MIB, (10, 10.0 * MIB, [1, 0, 0, 0, 1])),
    ]:
        found = histogram(values, [], unit)
        assert found is not None
        assert (found.first, found.width, found.counts) == expected
        assert (found.count, found.low, found.high) == (len(values), min(values), max(values))


def test_slow_osds_are_counted_in_each_bin_of_each_figure() -> None:
    results = [
        a_result(osd, percent * MIB, percent_of_peers=percent, robust_z=z, median_iops=percent / 4)
        for osd, (percent, z) in enumerate([(70.0, -30.0), (71.0, -0.5), (100.0, 0.0), (99.0, 0.1)])
    ]
    found = distribution(results).histograms
    for one in found:
        assert one is not None
        # The second is as low as the first, and not beyond what its peers vary by.
        assert (sum(one.counts), sum(one.slow), one.slow[0]) == (4, 1, 1)
        assert len(one.slow) == len(one.counts)


def test_without_values() -> None:
    assert histogram([], [], 1.0) is None
    assert distribution([]).histograms.iops is None


# --- interim figures of a running round -----------------------------------------------------------


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
