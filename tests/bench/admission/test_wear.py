"""The wear budget and its ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

import pytest

from nouns import some_osds
from perf_bench.bench.admission.wear import (
    LEAST_BUDGET,
    book,
    budget,
    overdrafts,
    settle,
    wear_by_class,
)
from perf_bench.model.admission import Ask, Rules, Situation, Space
from perf_bench.model.profile import PROFILES
from perf_bench.model.wear import DAY, Booking, Overdraft, WearLedger

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
            Booking("a", 0, NOW - DAY, 100),  # a day ago to the second: no more
            Booking("b", 0, NOW - DAY + 1, 10),
            Booking("c", 0, NOW, 1),
            Booking("c", 7, NOW, 5),
        )
    )
    assert ledger.written(NOW) == {0: 11, 7: 5}
    assert ledger.written(NOW + DAY) == {}


def test_a_booking_is_made_before_and_settled_after() -> None:
    ledger = book(WearLedger(), "r1", {0: 30, 1: 30}, NOW)
    assert ledger.written(NOW) == {0: 30, 1: 30}
    # booked twice, by the mgr that carries it on, it counts once, and from then
    again = book(ledger, "r1", {0: 30, 1: 30}, NOW + HOUR)
    assert again.written(NOW + HOUR) == {0: 30, 1: 30}
    assert again.written(NOW + DAY) == {0: 30, 1: 30}
    # what was really written; of osd.1 nobody knows
    settled = settle(again, "r1", {0: 12}, NOW + 2 * HOUR)
    assert settled.written(NOW + 2 * HOUR) == {0: 12, 1: 30}
    assert settled.written(NOW + DAY + HOUR) == {0: 12, 1: 30}
    assert settled.written(NOW + DAY + 2 * HOUR) == {}


def test_to_settle_what_was_never_booked_changes_nothing() -> None:
    ledger = book(WearLedger(), "r1", {0: 30}, NOW)
    assert settle(ledger, "r2", {0: 12}, NOW) == ledger


@pytest.mark.parametrize("round_", ["a", "b", "c"])
def test_a_round_settles_and_replaces_its_own_bookings_only(round_: str) -> None:
    ledger = WearLedger(tuple(Booking(name, 0, NOW, 30) for name in "abc"))
    others = {name: 30 for name in "abc" if name != round_}
    for changed in (settle(ledger, round_, {0: 12}, NOW), book(ledger, round_, {0: 12}, NOW)):
        assert {one.round: one.bytes for one in changed.bookings} == {**others, round_: 12}


def test_old_bookings_are_dropped() -> None:
    ledger = book(WearLedger((Booking("old", 0, NOW - DAY, 1),)), "new", {0: 2}, NOW)
    assert [booking.round for booking in ledger.bookings] == ["new"]


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
        tuple(Booking("r", osd, NOW - ago * HOUR, count) for osd, ago, count in bookings)
    )
    assert overdrafts(ledger, NOW, _ask((0, 1), need), {0: 100, 1: 100}) == tuple(expected)


def test_when_it_fits_it_fits() -> None:
    ledger = WearLedger(tuple(Booking("r", 0, NOW - ago * HOUR, 30) for ago in (2, 9, 20)))
    for need in (20, 50, 100):
        (over,) = overdrafts(ledger, NOW, _ask((0,), need), {0: 100})
        assert over.free_at is not None
        assert overdrafts(ledger, over.free_at - 1, _ask((0,), need), {0: 100})
        assert not overdrafts(ledger, over.free_at, _ask((0,), need), {0: 100})


def test_wear_is_told_by_class_for_the_osd_with_the_most() -> None:
    disk, *flash = some_osds(3)
    osds = [disk, *(replace(osd, device_class="ssd") for osd in flash)]
    now = Situation(
        NOW,
        space={0: Space(1000 * GIB, 0), 1: Space(100 * GIB, 0)},
        wear=WearLedger((Booking("r", 1, NOW, 14 * GIB),)),
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
