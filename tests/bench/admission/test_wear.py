"""The wear budget and its ledger."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nouns import some_osds
from perf_bench.bench.admission import (
    book,
    budget,
    wear_by_class,
)
from perf_bench.model.admission import (
    DAY,
    RoundWear,
    Rules,
    Situation,
    Space,
    WearLedger,
)

GIB = 1 << 30
NOW = 1_700_000_000.0
HOUR = 3600.0


def test_the_budget_of_a_day() -> None:
    for device, option, bytes_ in [
        (None, None, 64 * GIB),
        (480 * 10**9, None, 64 * GIB),
        (4 * 10**12, None, 120 * 10**9),  # 3 %
        (30 * 10**12, None, 900 * 10**9),
        (4 * 10**12, 5 * GIB, 5 * GIB),
        (None, 0, 0),
    ]:
        assert budget(device, option) == bytes_


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


def test_old_bookings_are_dropped() -> None:
    ledger = book(WearLedger((RoundWear("old", NOW - DAY, {0: 1}),)), "new", {0: 2}, NOW)
    assert [one.round for one in ledger.rounds] == ["new"]


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


def test_all_but_disks_are_told_by_their_endurance() -> None:
    for device_class in [None, "archive", "nvme"]:
        osds = [replace(osd, device_class=device_class) for osd in some_osds(1)]
        now = Situation(NOW, space={0: Space(100 * GIB, 0)})
        (found,) = wear_by_class(osds, {0: 3 * GIB}, now, Rules())
        assert found.rated_day_percent == pytest.approx(10.0)
