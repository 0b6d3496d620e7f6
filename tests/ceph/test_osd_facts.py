"""What is read of OSDs' metadata, and that it is parsed again only where it has changed."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from perf_bench.ceph.osd_facts import OsdFactsReader

METADATA = {
    "hostname": "host-0",
    "devices": "sda,nvme0n1",
    "device_ids": "sda=HGST_HUS726T6_V8G1,nvme0n1=SAMSUNG_MZ_S1",
    "device_paths": "sda=/dev/disk/by-path/pci-0000:3c:00.0-sas-exp0x500056b35e77bcff-phy0-lun-0",
    "rotational": "1",
    "bluestore_bdev_devices": "sda",
    "bluestore_bdev_rotational": "1",
    "bluefs_dedicated_wal": "0",
    "bluefs_dedicated_db": "1",
    "bluefs_wal_rotational": "1",
    "bluefs_db_rotational": "0",
    "ceph_version_short": "18.2.7",
}


@pytest.fixture
def reader(mgr: object) -> OsdFactsReader:
    from perf_bench.ceph.osd_facts import OsdFactsReader

    return OsdFactsReader()


def test_all_that_is_read(reader: OsdFactsReader) -> None:
    (facts,) = reader.read({"7": METADATA}).values()
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
    }


def test_what_has_not_changed_is_the_same_object(reader: OsdFactsReader) -> None:
    before = reader.read({"7": METADATA, "8": METADATA})
    after = reader.read({"7": {**METADATA, "unused": "other"}, "9": METADATA})
    assert list(after) == [7, 9]
    assert after[7] is before[7]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hostname", "host-1"),
        ("devices", "sdb,nvme0n1"),
        ("device_ids", "sda=SEAGATE_ST4_Z1"),
        ("device_paths", ""),
        ("rotational", "0"),
        ("bluestore_bdev_devices", "nvme0n1"),
        ("bluestore_bdev_rotational", "0"),
        ("bluefs_dedicated_db", "0"),
        ("bluefs_dedicated_wal", "1"),
        ("bluefs_db_rotational", "1"),
        ("bluefs_wal_rotational", "0"),
        ("ceph_version_short", "20.2.4"),
    ],
)
def test_a_change_of_each_field_is_seen(key: str, value: str, reader: OsdFactsReader) -> None:
    # Where the log is on a device of its own, only that one's kind counts.
    of_wal = {"bluefs_dedicated_wal": "1"} if key == "bluefs_wal_rotational" else {}
    metadata = {**METADATA, **of_wal}
    before = reader.read({"7": metadata})[7]
    assert reader.read({"7": {**metadata, key: value}})[7] != before
    assert reader.read({"7": metadata})[7] == before
