"""How counters grow from edge to edge of the bins, for several OSDs at once."""

from __future__ import annotations

from math import isnan, nan
from random import Random

import pytest

from perf_bench.watch.collect.frames import Cuts, DeltaStrip, cuts_of


def strip_of(shares: tuple[float, ...], *values: list[float]) -> DeltaStrip:
    """A strip of OSDs, each with the values before and after every edge."""
    strip = DeltaStrip(7, 6 + len(shares), ["one"])
    for osd, around in enumerate(values):
        strip.add(osd, Cuts(7, 6 + len(shares), (), shares))
        strip.put("one", around, around)
    return strip


@pytest.mark.parametrize(
    ("around", "shares", "expected"),
    [
        # an even 10 a segment, edges on the points
        ([0, 10, 30, 40], (0.0, 0.0), [30.0]),
        ([0, 10, 30, 40], (1.0, 1.0), [30.0]),
        # edges between the points
        ([0, 10, 30, 40], (0.5, 0.5), [30.0]),
        ([0, 10, 30, 60], (0.5, 0.1), [28.0]),
        # both edges in one delta: the bin gets its share, 15 of 60 s
        ([0, 60, 0, 60], (0.25, 0.5), [15.0]),
        # two bins, one idle
        ([0, 10, 10, 10, 10, 10], (1.0, 0.5, 1.0), [0.0, 0.0]),
        # began anew right at an edge, and within the bin
        ([100, 5, 20, 30], (0.5, 0.5), [nan]),
        ([100, 110, 5, 15], (0.5, 0.5), [nan]),
        # only the bin in which it happened is lost
        ([0, 10, 100, 110, 7, 17], (0.0, 0.0, 0.0), [100.0, nan]),
        ([100, 110, 7, 17, 30, 40], (0.0, 0.0, 0.0), [nan, 23.0]),
        # not known
        ([nan] * 4, (0.5, 0.5), [nan]),
    ],
)
def test_growth(around: list[float], shares: tuple[float, ...], expected: list[float]) -> None:
    strip = strip_of(shares, around)
    assert [row[0] for row in strip.sums("one")] == pytest.approx(expected, nan_ok=True)
    assert [row[0] for row in strip.numbers("one")] == pytest.approx(expected, nan_ok=True)


def test_one_that_began_anew_or_is_unknown_spoils_no_other() -> None:
    strip = strip_of((0.0, 0.0), [0, 10, 20, 30], [100, 0, 5, 10], [nan] * 4, [5, 6, 9, 12])
    (row,) = strip.sums("one")
    assert row == pytest.approx([20.0, nan, nan, 4.0], nan_ok=True)


def test_nothing_is_lost_or_made_over_many_bins() -> None:
    """Against the sum of the parts, by random stamps and amounts."""
    dice = Random(7)  # noqa: S311 - nothing secret
    for _ in range(200):
        at, times, totals = dice.uniform(0, 20), [], [0.0]
        while at < 200:
            times.append(at)
            totals.append(totals[-1] + dice.uniform(0, 50))
            at += dice.uniform(0.5, 40)
        cuts = cuts_of(times, 0, 1e9)
        if cuts is None:
            continue
        strip = DeltaStrip(cuts.first, cuts.stop, ["one"])
        strip.add(0, cuts)
        around = [totals[1:][place] for place in cuts.around]
        strip.put("one", around, around)
        grown = [row[0] for row in strip.sums("one")]
        assert not any(map(isnan, grown))
        ends = [around[0], around[-2]]
        steps = [around[1] - around[0], around[-1] - around[-2]]
        whole = (ends[1] + cuts.shares[-1] * steps[1]) - (ends[0] + cuts.shares[0] * steps[0])
        assert sum(grown) == pytest.approx(whole)


@pytest.mark.parametrize("unknown", range(4))
def test_an_unknown_osd_hides_no_restart_wherever_it_stands(unknown: int) -> None:
    values: list[list[float]] = [[0, 10, 20, 30], [100, 0, 5, 10], [5, 6, 9, 12]]
    values.insert(unknown, [nan] * 4)
    (row,) = strip_of((0.0, 0.0), *values).sums("one")
    expected = [20.0, nan, 4.0]
    expected.insert(unknown, nan)
    assert row == pytest.approx(expected, nan_ok=True)
