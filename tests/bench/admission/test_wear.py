"""The wear budget and its ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import pytest

from nouns import some_osds
from perf_bench.bench.admission.decide import (
    LEAST_BUDGET,
    book,
    budget,
    overdrafts,
    wear_by_class,
)
from perf_bench.model.admission import (
    DAY,
    Ask,
    Overdraft,
    RoundWear,
    Rules,
    Situation,
    Space,
    WearLedger,
)
from perf_bench.model.profile import PROFILES

GIB = 1 << 30
NOW = 1_700_000_000.0
HOUR = 3600.0


def _ask(osds: tuple[int, ...], count: int) -> Ask:
    return Ask(osds, count, count)


@pytest.mark.parametrize(
    ("device", "option", "bytes_"),
    [
        (None, None, 64 * GIB),
        (480 * 10**9, None, 64 * GIB),
        (4 * 10**12, None, 120 * 10**9),  # 3 %
        (30 * 10**12, None, 900 * 10**9),
        (4 * 10**12, 5 * GIB, 5 * GIB),
        (None, 0, 0),
    ],
)
def test_the_budget_of_a_day(device: Optional[int], option: Optional[int], bytes_: int) -> None:
    assert budget(device, option) == bytes_


def test_the_least_budget_lets_ordinary_work_through() -> None:
    (step,) = PROFILES["osd-throughput"].steps
    assert 10 * PROFILES["osd-throughput"].max_repeats * step.bytes_written <= LEAST_BUDGET
    # and leaves half of the day of a small drive of the least endurance
    assert LEAST_BUDGET < 0.5 * 0.3 * 480e9


def test_what_is_written_counts_for_a_day() -> None:
    ledger = WearLedger(
        (
            RoundWear("a", NOW - DAY, {0: 100}),  # a day ago to the second: no more
            RoundWear("b", NOW - DAY + 1, {0: 10}),
            RoundWear("c", NOW, {0: 1, 7: 5}),
        )
    )
    assert ledger.written(NOW) == {0: 11, 7: 5}
    assert ledger.written(NOW + DAY) == {}


def test_a_round_is_booked_once() -> None:
    ledger = book(WearLedger(), "r1", {0: 30, 1: 30}, NOW)
    assert ledger.written(NOW) == {0: 30, 1: 30}
    # booked twice, by the mgr that carries it on, it counts once, and from then
    again = book(ledger, "r1", {0: 30, 1: 30}, NOW + HOUR)
    assert again.written(NOW + HOUR) == {0: 30, 1: 30}
    assert again.written(NOW + DAY) == {0: 30, 1: 30}


@pytest.mark.parametrize("round_", ["a", "b", "c"])
def test_a_round_replaces_its_own_booking_only(round_: str) -> None:
    ledger = WearLedger(tuple(RoundWear(name, NOW, {0: 30}) for name in "abc"))
    others = {name: 30 for name in "abc" if name != round_}
    changed = book(ledger, round_, {0: 12}, NOW)
    assert {one.round: one.by_osd[0] for one in changed.rounds} == {**others, round_: 12}


def test_old_bookings_are_dropped() -> None:
    ledger = book(WearLedger((RoundWear("old", NOW - DAY, {0: 1}),)), "new", {0: 2}, NOW)
    assert [one.round for one in ledger.rounds] == ["new"]


# bookings as (osd, hours ago, bytes), need, what is overdrawn
@pytest.mark.parametrize(
    ("bookings", "need", "expected"),
    [
        ([], 100, []),
        ([], 101, [Overdraft(0, 0, 101, 100, None), Overdraft(1, 0, 101, 100, None)]),
        ([(0, 5, 60)], 40, []),
        ([(0, 5, 60)], 41, [Overdraft(0, 60, 41, 100, NOW + 19 * HOUR)]),
        ([(0, 24, 60)], 41, []),
        ([(9, 5, 100)], 100, []),
        # the oldest that have to go
        ([(1, 2, 30), (1, 9, 30), (1, 20, 30)], 30, [Overdraft(1, 90, 30, 100, NOW + 4 * HOUR)]),
        ([(1, 2, 30), (1, 9, 30), (1, 20, 30)], 60, [Overdraft(1, 90, 60, 100, NOW + 15 * HOUR)]),
        ([(1, 2, 30), (1, 9, 30)], 100, [Overdraft(1, 60, 100, 100, NOW + 22 * HOUR)]),
    ],
)
def test_what_is_overdrawn(
    bookings: list[tuple[int, int, int]], need: int, expected: list[Overdraft]
) -> None:
    ledger = WearLedger(
        tuple(RoundWear("r", NOW - ago * HOUR, {osd: count}) for osd, ago, count in bookings)
    )
    now = Situation(NOW, wear=ledger)
    assert overdrafts(_ask((0, 1), need), now, {0: 100, 1: 100}) == tuple(expected)


def test_when_it_fits_it_fits() -> None:
    ledger = WearLedger(tuple(RoundWear("r", NOW - ago * HOUR, {0: 30}) for ago in (2, 9, 20)))
    for need in (20, 50, 100):
        ask, now = _ask((0,), need), Situation(NOW, wear=ledger)
        (over,) = overdrafts(ask, now, {0: 100})
        assert over.free_at is not None
        assert overdrafts(ask, replace(now, at=over.free_at - 1), {0: 100})
        assert not overdrafts(ask, replace(now, at=over.free_at), {0: 100})


def test_wear_is_told_by_class_for_the_osd_with_the_most() -> None:
    disk, *flash = some_osds(3)
    osds = [disk, *(replace(osd, device_class="ssd") for osd in flash)]
    now = Situation(
        NOW,
        space={0: Space(1000 * GIB, 0), 1: Space(100 * GIB, 0)},
        wear=WearLedger((RoundWear("r", NOW, {1: 14 * GIB}),)),
        endurance_used={1: 0.37},
    )
    hdd, ssd = wear_by_class(osds, {0: 5 * GIB, 1: 2 * GIB, 2: 3 * GIB}, now, Rules())
    assert (hdd.device_class, hdd.osds, hdd.full_write_percent) == ("hdd", 1, 0.5)
    assert hdd.rated_day_percent is None  # disks do not wear by writing
    assert (hdd.used_percent, hdd.used_unknown) == (None, 1)
    assert (ssd.osds, ssd.bytes_per_osd, ssd.device_bytes) == (2, 3 * GIB, 100 * GIB)
    assert (ssd.full_write_percent, ssd.sizes_unknown) == (2.0, 1)
    assert ssd.rated_day_percent == pytest.approx(2.0 / 0.3)
    assert (ssd.budget_bytes, ssd.budget_percent) == (64 * GIB, 25.0)  # 14 + 2 of 64
    assert (ssd.used_percent, ssd.used_unknown) == (37.0, 1)


def test_wear_that_is_not_known_is_none() -> None:
    (found,) = wear_by_class(some_osds(1), {0: GIB}, Situation(NOW), Rules(wear_bytes_per_day=0))
    assert (found.device_bytes, found.full_write_percent, found.sizes_unknown) == (None, None, 1)
    assert found.budget_percent is None
    nothing_left = Situation(NOW, wear=WearLedger())
    (found,) = wear_by_class(some_osds(1), {0: GIB}, nothing_left, Rules(wear_bytes_per_day=0))
    assert found.budget_percent == 100.0


@pytest.mark.parametrize("device_class", [None, "archive", "nvme"])
def test_all_but_disks_are_told_by_their_endurance(device_class: Optional[str]) -> None:
    osds = [replace(osd, device_class=device_class) for osd in some_osds(1)]
    now = Situation(NOW, space={0: Space(100 * GIB, 0)})
    (found,) = wear_by_class(osds, {0: 3 * GIB}, now, Rules())
    assert found.rated_day_percent == pytest.approx(10.0)
