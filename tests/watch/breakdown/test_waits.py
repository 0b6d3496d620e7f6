"""Whose fault the waiting is."""

from __future__ import annotations

import pytest

from perf_bench.watch.breakdown.waits import OperationWait, shared_out


def _waits(*each: tuple[set[int], float]) -> list[OperationWait]:
    return [OperationWait(frozenset(osds), seconds) for osds, seconds in each]


def test_one_replica_is_clear() -> None:
    (found,) = shared_out(_waits(({3}, 2.0), ({3}, 1.0)))
    assert (found.osd, found.seconds, found.share, found.operations) == (3, 3.0, 1.0, 2)


def test_the_osd_that_waits_have_in_common_is_behind_them() -> None:
    found = shared_out(_waits(*[({3, partner}, 1.0) for partner in (1, 2, 4, 5)]))
    assert [(one.osd, round(one.share, 2)) for one in found] == [(3, 1.0)]
    assert found[0].seconds == pytest.approx(4.0)


def test_two_that_are_always_together_share() -> None:
    found = shared_out(_waits(*[({1, 2}, 1.0)] * 9))
    assert [(one.osd, one.share, one.operations) for one in found] == [(1, 0.5, 9), (2, 0.5, 9)]


def test_two_slow_ones_are_both_told() -> None:
    found = shared_out(_waits(({3, 1}, 1.0), ({3, 2}, 1.0), ({6, 4}, 0.6), ({6, 5}, 0.6)))
    assert [(one.osd, round(one.share, 2)) for one in found] == [(3, 0.62), (6, 0.37)]


def test_the_time_of_all_operations_is_kept() -> None:
    each = _waits(({1, 2}, 1.0), ({2, 3}, 0.5), ({1, 3}, 0.25), ({4}, 0.25))
    assert sum(one.seconds for one in shared_out(each)) == pytest.approx(2.0, rel=0.02)


def test_more_waiting_for_an_osd_never_makes_it_less_suspect() -> None:
    shares = []
    for seconds in (0.1, 0.5, 1.0, 2.0, 10.0):
        found = shared_out(_waits(({1, 2}, 1.0), ({2, 3}, 1.0), ({1, 3}, seconds)))
        by_osd = {one.osd: one.share for one in found}
        shares.append(by_osd.get(1, 0.0) + by_osd.get(3, 0.0))
    assert shares == sorted(shares)


def test_the_order_does_not_matter() -> None:
    each = _waits(({1, 2}, 1.0), ({2, 3}, 0.5), ({1, 3}, 0.25), ({4}, 0.3))
    found = {one.osd: one.seconds for one in shared_out(each)}
    again = {one.osd: one.seconds for one in shared_out(reversed(each))}
    assert found == pytest.approx(again)


@pytest.mark.parametrize(("seconds", "count"), [(0.0, 0), (0.000_999, 0), (0.001, 1), (0.002, 1)])
def test_a_round_trip_is_no_wait(seconds: float, count: int) -> None:
    assert len(shared_out(_waits(({3}, seconds)))) == count


def test_nobody_waits_for_nobody() -> None:
    assert shared_out([]) == ()
    assert shared_out(_waits((set(), 5.0))) == ()


def test_at_most_five_are_told() -> None:
    found = shared_out(_waits(*[({osd}, float(osd)) for osd in range(1, 9)]))
    assert [one.osd for one in found] == [8, 7, 6, 5, 4]
