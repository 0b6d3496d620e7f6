"""The rules on laggy PGs just below, at and just above their limits."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from perf_bench.model.verdict import Episode, LaggyNow, Suspect
from perf_bench.watch.detect.laggy_pgs.claims import _culprits, claims_of
from perf_bench.watch.detect.laggy_pgs.episode import (
    LaggyTotals,
    suspects,
)


def totals(
    laggy: Mapping[int, float], *, total: float = 100.0, held: float = 1000.0
) -> LaggyTotals:
    return LaggyTotals(total, dict(laggy), dict.fromkeys(laggy, held))


def named(tally: LaggyTotals) -> list[int]:
    return [one.osd for one in suspects(tally)]


@pytest.mark.parametrize(("part", "found"), [(79.9, []), (80.0, [1])])
def test_one_osd_is_in_four_fifths_of_all(part: float, found: list[int]) -> None:
    others = dict.fromkeys(range(2, 9), 30.0)
    assert named(totals({1: part, **others})) == found


@pytest.mark.parametrize(("second", "found"), [(84.9, [1]), (85.0, [1]), (85.1, [])])
def test_the_next_one_is_in_clearly_fewer(second: float, found: list[int]) -> None:
    assert named(totals({1: 100.0, 2: second, 3: 60.0})) == found


def test_an_osd_of_which_a_larger_share_is_laggy_is_no_bystander() -> None:
    tally = totals({1: 100.0, 2: 50.0, 3: 50.0})
    tally.held[2] = 499.0
    assert named(tally) == []
    tally.held[2] = 500.0
    assert named(tally) == [1]


@pytest.mark.parametrize(("part", "found"), [(59.9, []), (60.0, [2])])
def test_an_osd_that_stopped_reporting_is_in_three_fifths(part: float, found: list[int]) -> None:
    tally = totals({1: 70.0, 2: part, 3: 55.0})
    tally.stale[2] = 5.0
    assert named(tally) == found


def test_several_stand_out_only_with_half_as_many_as_the_first() -> None:
    """A bystander with few PGs of its own has a large share of them, by chance."""
    tally = totals({1: 60.0, 2: 50.0, 9: 29.0, **dict.fromkeys(range(10, 18), 20.0)})
    tally.held.update({1: 150.0, 2: 120.0, 9: 60.0})
    assert named(tally) == [2, 1] or named(tally) == [1, 2]
    tally.laggy[9] = 30.0
    assert set(named(tally)) == {1, 2, 9}


@pytest.mark.parametrize(("share", "found"), [(59.0, False), (60.0, True)])
def test_several_have_three_times_the_usual_share(share: float, found: bool) -> None:
    tally = totals({1: share, 2: share, **dict.fromkeys(range(10, 18), 20.0)})
    assert bool(named(tally)) is found


def episode(start: float, *osds: int, end: float | None = 0.0) -> Episode:
    found = tuple(Suspect(osd, 10.0, 0.9, 0.5, 0.0, 0) for osd in osds)
    return Episode(start, start + 10 if end == 0.0 else end, 5, 50.0, suspects=found)


@pytest.mark.parametrize(("times", "found"), [(1, []), (2, []), (3, [7])])
def test_a_culprit_is_in_more_than_half_of_the_episodes(times: int, found: list[int]) -> None:
    episodes = [episode(10.0 * at, *([7] if at < times else [])) for at in range(4)]
    assert [one.osd for one in _culprits(episodes)] == found


@pytest.mark.parametrize(
    ("now", "count", "claimed"),
    [(1800.0, 3, True), (1800.1, 3, False), (1800.0, 2, False)],
)
def test_three_short_ones_within_half_an_hour(now: float, count: int, claimed: bool) -> None:
    episodes = [episode(float(at), 7) for at in reversed(range(count))]
    assert bool(claims_of(episodes, 0.0, LaggyNow(at=now), lambda _: None)) is claimed
