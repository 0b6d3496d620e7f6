"""The monitors' time, as their maps tell it."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakes.ceph import MgrWorld, mgr_in
from fakes.clock import FakeClock

if TYPE_CHECKING:
    from perf_bench.ceph.osd_map import MonClock, OsdMapReader

# 2026-11-26T17:54:43.949306+0000
ACTIVE = 1_795_715_683.949306
# The maps that were captured are older.
LATER = 1_795_715_700.0


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(now=5.0)


@pytest.fixture
def maps(world: MgrWorld) -> OsdMapReader:
    from perf_bench.ceph.osd_map import OsdMapReader

    return OsdMapReader(mgr_in(world))


@pytest.fixture
def mon_clock(world: MgrWorld, maps: OsdMapReader, clock: FakeClock) -> MonClock:
    from perf_bench.ceph.osd_map import MonClock

    world.data["mgr_map"]["active_change"] = "2026-11-26T17:54:43.949306+0000"
    return MonClock(mgr_in(world), maps, clock)


def test_it_goes_on_from_when_this_mgr_became_active(
    mon_clock: MonClock, clock: FakeClock, maps: OsdMapReader
) -> None:
    clock.advance(1000.0)
    assert mon_clock.now() == pytest.approx(ACTIVE)
    clock.set_by(-5e8)
    clock.advance(3600.0)
    maps.look()  # one that is older says nothing
    assert mon_clock.now() == pytest.approx(ACTIVE + 3600)


def test_a_newer_osd_map_tells_that_the_monitors_clock_was_set(
    world: MgrWorld, mon_clock: MonClock, clock: FakeClock, maps: OsdMapReader
) -> None:
    assert mon_clock.now() == pytest.approx(ACTIVE)
    clock.advance(10.0)
    world.osd_map["modified"] = "2026-12-26T17:55:00.000000+0000"
    world.moved()
    assert mon_clock.now() == pytest.approx(ACTIVE + 10)  # nobody has read it yet
    maps.look()
    assert mon_clock.now() == pytest.approx(LATER + 30 * 86400)
    clock.advance(5.0)
    assert mon_clock.now() == pytest.approx(LATER + 30 * 86400 + 5)


def test_without_a_time_in_any_map_it_is_not_known(
    world: MgrWorld, mon_clock: MonClock, maps: OsdMapReader
) -> None:
    for stamp in (None, 7, "", "0.000000", "2026-11-26 17:54:43"):
        world.data["mgr_map"]["active_change"] = stamp
        world.osd_map["modified"] = stamp
        world.moved()
        assert maps.look().modified is None
        assert mon_clock.now() is None
    del world.data["mgr_map"]["active_change"], world.osd_map["modified"]
    world.moved()
    assert maps.look().modified is None
    assert mon_clock.now() is None
    # A map alone may be weeks old.
    world.osd_map["modified"] = "2026-11-26T17:54:43.949306+0000"
    world.moved()
    assert maps.look().modified is not None
    assert mon_clock.now() is None
    # and is as soon as there is one
    world.data["mgr_map"]["active_change"] = "2026-11-26T17:54:43.949306+0000"
    assert mon_clock.now() == pytest.approx(ACTIVE)
