"""What is read of OSDs' metadata, when it is read again, and that unchanged ones stay the same."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Optional, cast

import pytest

from fakes.ceph import MgrWorld
from fakes.clock import FakeClock
from perf_bench.model.doctor_snapshot import Build

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.inventory import OsdFacts, OsdFactsReader

METADATA = {
    "hostname": "host-0",
    "devices": "sda,nvme0n1",
    "device_ids": "sda=HGST_HUS726T6_V8G1,nvme0n1=SAMSUNG_MZ_S1",
    "device_paths": "sda=/dev/disk/by-path/pci-0000:3c:00.0-sas-exp0x500056b35e77bcff-phy0-lun-0",
    "rotational": "1",
    "bluestore_bdev_devices": "sda",
    "bluestore_bdev_rotational": "1",
    "bluestore_bdev_access_mode": "blk",
    "bluefs_dedicated_wal": "0",
    "bluefs_dedicated_db": "1",
    "bluefs_wal_rotational": "1",
    "bluefs_db_rotational": "0",
    "ceph_version_short": "18.2.7",
    "created_at": "2026-11-21T02:44:30.935418Z",
    "cpu": "AMD EPYC",
    "ceph_version": "ceph version 18.2.7 (d16e) reef (stable)",
    "distro_description": "Debian",
    "container_image": "quay.io/ceph",
    "mem_total_kb": "67108864",
}
HOUR = 3600.0
# Later than when the OSDs were made.
NOW = 1.796e9


class Place:
    """A mgr with the metadata of two OSDs, which are up, and who it was asked about."""

    def __init__(self) -> None:
        from perf_bench.ceph.inventory import OsdFactsReader

        self.metadata: dict[int, dict[str, str]] = {7: dict(METADATA), 8: dict(METADATA)}
        self.up = {7: True, 8: True}
        self.clock = FakeClock(NOW)
        self.asked: list[int] = []
        self.reader: OsdFactsReader = OsdFactsReader(cast("MgrModule", self), self.clock)

    def get_metadata(self, kind: str, osd: str) -> Optional[Any]:
        assert kind == "osd"
        self.asked.append(int(osd))
        return self.metadata.get(int(osd))

    def reads(self, after: float = 0.0, *started: int) -> list[int]:
        """Whose metadata are read after so many seconds."""
        self.clock.advance(after)
        self.asked.clear()
        self.read(*started)
        return self.asked

    def facts(self, osd: int = 7) -> OsdFacts:
        return self.read()[osd]

    def read(self, *started: int) -> Mapping[int, OsdFacts]:
        return self.reader.read(sorted(self.up), {osd for osd in self.up if self.up[osd]}, started)


@pytest.fixture
def place(pacific: MgrWorld) -> Place:
    return Place()


def test_all_that_is_read(place: Place) -> None:
    facts = place.facts()
    assert facts.log.dedicated == "db"
    assert facts._asdict() == {
        "host": "host-0",
        "devices": "sda,nvme0n1",
        "data_device": "sda",
        "model": "HGST_HUS726T6",
        "rotational": True,
        "expander": "0x500056b35e77bcff",
        "device_id": "HGST_HUS726T6_V8G1",
        "log": facts.log,
        "release": "18.2.7",
        "in_file": False,
        "separate": "db",
        "created_at": pytest.approx(1795229070.935418),
        "cpu": "AMD EPYC",
        "build": Build("ceph version 18.2.7 (d16e) reef (stable)", "Debian", "quay.io/ceph"),
        "host_memory": 64 << 30,
        "db_rotational": False,
        "min_alloc": None,
        "optimal_io": None,
    }


@pytest.mark.parametrize(("ahead", "known"), [(0.9 * HOUR, True), (1.1 * HOUR, False)])
def test_when_an_osd_was_made_is_not_known_of_a_host_whose_clock_was_ahead(
    ahead: float, known: bool, place: Place
) -> None:
    made = datetime.fromtimestamp(NOW + ahead, timezone.utc)
    place.metadata[7]["created_at"] = f"{made:%Y-%m-%dT%H:%M:%S.%fZ}"
    assert (place.facts().created_at is not None) is known


def test_of_an_osd_that_has_started_they_are_read_at_once_and_when_the_mgr_has_the_new_ones(
    place: Place,
) -> None:
    place.reads()
    assert place.reads(5.0, 8) == [8]
    place.metadata[8]["ceph_version_short"] = "20.2.4"
    assert place.reads(59.9) == []
    assert place.facts(8).release == "18.2.7"
    assert place.reads(0.1) == [8]
    assert place.facts(8).release == "20.2.4"
    assert place.reads(60.0) == []


def test_an_osd_that_is_up_without_metadata_is_asked_again_soon_and_then_less_often(
    place: Place,
) -> None:
    del place.metadata[8]
    assert place.reads() == [7, 8]
    assert place.reads(14.9) == []
    assert place.reads(0.1) == [8]
    assert place.reads(29.9) == []
    assert place.reads(0.1) == [8]
    place.metadata[8] = dict(METADATA)
    assert place.reads(60.0) == [8]
    assert place.facts(8).host == "host-0"
    assert place.reads(60.0) == []


def test_one_that_is_down_without_metadata_is_not_asked_before_it_starts(place: Place) -> None:
    """The mgr logs an error for each such question."""
    del place.metadata[8]
    place.up[8] = False
    assert place.reads() == [7, 8]
    assert place.facts(8).host is None
    assert place.reads(1800.0) == []
    place.up[8] = True
    assert place.reads(5.0, 8) == [8]


def test_a_change_of_each_field_is_seen(place: Place) -> None:
    rows: list[tuple[str, str]] = [
        ("hostname", "host-1"),
        ("devices", "sdb,nvme0n1"),
        ("device_ids", "sda=SEAGATE_ST4_Z1"),
        ("device_paths", ""),
        ("rotational", "0"),
        ("bluestore_bdev_devices", "nvme0n1"),
        ("bluestore_bdev_rotational", "0"),
        ("bluestore_bdev_access_mode", "file"),
        ("bluefs_dedicated_db", "0"),
        ("bluefs_dedicated_wal", "1"),
        ("bluefs_db_rotational", "1"),
        ("ceph_version_short", "20.2.4"),
        ("created_at", "2026-11-22T02:44:30.935418Z"),
        ("cpu", "Xeon"),
        ("ceph_version", "ceph version 18.2.8"),
        ("mem_total_kb", "much"),
    ]
    for key, value in rows:
        before = place.facts()
        place.metadata[7][key] = value
        place.clock.advance(2 * HOUR)
        assert place.facts() != before
