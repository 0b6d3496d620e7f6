"""Verdicts of series that docs/statistics.md lets one foretell: each row of its table of rules.

There is no noise, so the least scales count: 0.03 of minutes and 0.02 of segments, which makes the
ratio decide.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

import pytest

from farm import HOUR, MINUTE, SEGMENT, Farm, of_some, once, roster, slower

ONE = frozenset((7,))
HOST = frozenset(range(12, 24))


class Series(NamedTuple):
    """From now on these OSDs are so many times as slow, of each ``every`` frames for ``lasts``."""

    ratio: float
    osds: frozenset[int] = ONE
    every: int = 1
    lasts: int = 1


def quiet(hosts: int, each: int, before: int) -> Farm:
    return Farm(roster(hosts, each), noise=0, weather=0).run(before)


@pytest.mark.parametrize(
    ("series", "before", "after"),
    [
        # a minute is closed with its last frame, a segment with the first frame after it
        (Series(2.45), 2 * HOUR, 3 * MINUTE),  # acute
        (Series(2.45), SEGMENT, 3 * SEGMENT + 1),  # in the first hour it takes 3 times for that
        (Series(3.1), SEGMENT, 3 * MINUTE),
        (Series(2.05), 2 * HOUR, 8 * MINUTE),  # weak
        (Series(1.95), 2 * HOUR, 3 * SEGMENT + 1),  # sustained
        (Series(1.3), 2 * HOUR, 3 * SEGMENT + 1),
        (Series(1.24), 2 * HOUR, None),
        (Series(1.6, every=SEGMENT, lasts=12 * MINUTE), 2 * HOUR, 3 * SEGMENT + 1),
        # of 15 that is fewer than three of four: by hours, when 7 of 12 segments are slow
        (Series(1.6, every=SEGMENT, lasts=11 * MINUTE), 2 * HOUR, 7 * SEGMENT + 1),
        (Series(1.35, every=SEGMENT, lasts=11 * MINUTE), 2 * HOUR, None),
        # bursts: the 18th begins after 17 half hours; 400 operations take 6/20 off
        (Series(2.8, every=30 * MINUTE, lasts=2), 2 * HOUR, 17 * 30 * MINUTE + 1),
        (Series(2.6, every=30 * MINUTE, lasts=2), 2 * HOUR, None),
        (Series(2.1, HOST), 2 * HOUR, 3 * MINUTE),  # unit, acute
        (Series(1.55, HOST), 2 * HOUR, 3 * SEGMENT + 1),  # against all others
        (Series(1.45, HOST), 2 * HOUR, None),
        (Series(1.25, HOST), 6 * HOUR, 3 * SEGMENT + 1),  # against its own past
        (Series(1.15, HOST), 6 * HOUR, None),
    ],
)
def test_when_it_is_named(series: Series, before: int, after: Optional[int]) -> None:
    farm = once(quiet, 6, 12, before)
    factor = slower(series.osds, series.ratio)
    if series.every > 1:
        factor = of_some(
            series.osds,
            lambda at, osd: series.ratio if (at - before) % series.every < series.lasts else 1.0,
        )
    farm.fault = factor
    named = {"osd.7"} if series.osds is ONE else {"host host-1"}
    if after is None:
        assert farm.run(10 * max(SEGMENT, 2 * series.every)).named == set()
    else:
        assert farm.until(named, after + 1) == after


@pytest.mark.parametrize(("ratio", "after"), [(1.35, 3 * SEGMENT + 1), (1.2, None)])
def test_one_of_three_against_its_own_past(ratio: float, after: Optional[int]) -> None:
    """One was always different; the peers of the slow one are at 1.25, so it needs more."""
    farm = once(quiet, 3, 1, 7 * HOUR)
    assert farm.named == set()
    farm.fault = slower({1}, ratio)
    assert farm.until({"osd.1"}, 12 * SEGMENT) == after


@pytest.mark.parametrize(
    ("series", "lasts", "after"),
    [
        (Series(2.45), 10 * MINUTE, 5 * MINUTE),
        (Series(1.3), 4 * SEGMENT, 4 * SEGMENT + 1),
        (Series(1.55, HOST), 4 * SEGMENT, 4 * SEGMENT + 1),
    ],
)
def test_when_it_is_named_no_more(series: Series, lasts: int, after: int) -> None:
    farm = once(quiet, 6, 12, 2 * HOUR).run(lasts, slower(series.osds, series.ratio))
    assert farm.named
    farm.fault = slower((), 1.0)
    assert farm.until(set(), after + 1) == after
