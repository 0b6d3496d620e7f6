"""The setup of a cohort, on what captured clusters told."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fakes.ceph import MgrWorld, installed, inventory_in, mgr_in
from fakes.clock import FakeClock

RELEASES = ("pacific", "reef", "tentacle")


@pytest.fixture(params=RELEASES)
def world(request: pytest.FixtureRequest) -> Iterator[MgrWorld]:
    found = MgrWorld.captured(request.param)
    with installed(found):
        yield found


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def setups(world: MgrWorld, clock: FakeClock) -> Any:
    from perf_bench.ceph.cluster import MgrCohortSetups
    from perf_bench.ceph.osd_map import OsdMapReader
    from perf_bench.ceph.reports import MgrOsdHealth

    mgr = mgr_in(world)
    maps = OsdMapReader(mgr)
    health = MgrOsdHealth(mgr, clock)
    return MgrCohortSetups(mgr, inventory_in(mgr, clock, maps), health)


def test_release_options_and_fill_are_told(setups: Any, world: MgrWorld) -> None:
    world.options["", "osd_op_queue"] = "wpq"
    found = setups.setup([0, 1])
    number = {"pacific": "16.2.15", "reef": "18.2.7", "tentacle": "20.2.4"}[world.release]
    assert found.words["Ceph"] == number
    assert found.words["separate DB or WAL"] == "none"
    assert found.words["osd_op_queue"] == "wpq"
    assert found.osds == 2
    # The fakes' OSDs have 200 MiB of 8 GiB in use.
    assert found.fill_percent == pytest.approx(100 * 200 / 8192)


def test_during_an_upgrade_both_releases_are_told(setups: Any, world: MgrWorld) -> None:
    for osd, number in (("0", "18.2.7"), ("1", "20.2.0")):
        world.data["osd_metadata"][osd]["ceph_version_short"] = number
    assert setups.setup([0, 1]).words["Ceph"] == "18.2.7, 20.2.0"
    assert setups.setup([1]).words["Ceph"] == "20.2.0"
