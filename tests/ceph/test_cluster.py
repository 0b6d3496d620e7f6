"""What is read out of a mgr's maps, on maps captured from three releases."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Optional

import pytest

from fakes.ceph import MgrWorld, cluster_in
from fakes.clock import FakeClock
from perf_bench.model.osd import Osd, Wal
from perf_bench.model.plan import BenchLimits

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.cluster import MgrCluster

# The captured clusters were made before.
AFTER_THE_CAPTURE = 1.796e9


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(AFTER_THE_CAPTURE)


@pytest.fixture
def cluster(mgr: MgrModule, clock: FakeClock) -> MgrCluster:
    return cluster_in(mgr, clock)


def test_the_osds_of_a_real_cluster(cluster: MgrCluster) -> None:
    disk: dict[str, Any] = {
        "devices": "vda",
        "data_device": "vda",
        "model": None,
        "rotational": True,
        "primary_affinity": 1.0,
        "in_file": True,
    }
    osds = cluster.osds()
    assert all(1.795e9 < (osd.created_at or 0.0) < 1.796e9 for osd in osds)
    assert [replace(osd, created_at=None) for osd in osds] == [
        Osd(
            0,
            "host-0",
            "hdd",
            location={"host": "host-0", "rack": "rack-a", "root": "default"},
            reweight=1.0,
            **disk,
        ),
        Osd(
            1,
            "host-1",
            "nvme",
            location={"host": "host-1", "root": "default"},
            reweight=1.0,
            **disk,
        ),
        Osd(
            2,
            "host-2",
            "hdd",
            in_cluster=False,
            location={"host": "host-2", "root": "default"},
            reweight=0.0,
            **disk,
        ),
    ]


# --- states ----------------------------------------------------------------------------------


def test_who_is_down(cluster: MgrCluster, world: MgrWorld) -> None:
    assert cluster.down([0, 1, 2]) == set()
    world.set_down(1)
    assert cluster.down([0, 1, 2]) == {1}
    assert cluster.down([0, 2]) == set()
    world.remove_osd(2)
    assert cluster.down([0, 1, 2]) == {1, 2}


# --- limits ----------------------------------------------------------------------------------


def test_the_tightest_limits_of_the_osds(cluster: MgrCluster) -> None:
    rows: list[tuple[list[int], BenchLimits]] = [
        ([0], BenchLimits()),
        # somebody has set osd.1's duration to 20 s: the tightest counts
        ([1], BenchLimits(duration=20)),
        ([0, 1, 2], BenchLimits(duration=20)),
    ]
    for osds, limits in rows:
        assert cluster.bench_limits(osds) == limits


@pytest.mark.parametrize(("osds", "duration"), [([0, 1], 20), ([0], 30)])
def test_a_limit_that_is_set_to_nonsense_is_not_known(
    osds: list[int],
    duration: int,
    cluster: MgrCluster,
    mgr: MgrModule,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By `ceph config set osd.0 osd_bench_duration much --force`: osd.0 keeps its value."""
    read = mgr.get_foreign_ceph_option

    def value(entity: str, key: str) -> Any:
        nonsense = (entity, key) == ("osd.0", "osd_bench_duration")
        return int("much", 0) if nonsense else read(entity, key)

    monkeypatch.setattr(mgr, "get_foreign_ceph_option", value)
    assert cluster.bench_limits(osds) == BenchLimits(duration=duration)


def test_of_very_many_osds_one_of_each_class_is_asked(cluster: MgrCluster, world: MgrWorld) -> None:
    from perf_bench.ceph import cluster as module

    asked: set[str] = set()
    many = module._ASK_EVERY_OSD + 1
    entry, metadata = world.osd(0), world.data["osd_metadata"]["0"]
    for number in range(3, many):
        world.osd_map["osds"].append({**entry, "osd": number})
        world.data["osd_metadata"][str(number)] = {**metadata, "hostname": f"host-{number % 3}"}
        # as Ceph gives it to each OSD of a class
        world.options[f"osd.{number}", "osd_bench_small_size_max_iops"] = 50

    osds = [osd.id for osd in cluster.osds()]
    read = cluster._mgr.get_foreign_ceph_option

    def noted(entity: str, key: str) -> object:
        asked.add(entity)
        return read(entity, key)

    cluster._mgr.get_foreign_ceph_option = noted  # type: ignore[method-assign, assignment]
    assert cluster.bench_limits(osds).small_max_iops == 50
    assert len(asked) <= 3


# --- environment -----------------------------------------------------------------------------

NUMBERS = {"pacific": "16.2.15", "reef": "18.2.7", "tentacle": "20.2.4"}
# What the one PG was at when the cluster was captured.
PG_STATES = {
    "pacific": "active+clean+remapped",
    "reef": "active+clean+remapped",
    "tentacle": "activating",
}


def test_the_environment_of_a_real_cluster(cluster: MgrCluster, world: MgrWorld) -> None:
    number = NUMBERS[world.release]
    facts = dict(cluster.environment())
    assert json.loads(json.dumps(facts)) == facts
    # different on each cluster
    assert facts.pop("fsid") == world.osd_map["fsid"]
    assert 0 < facts.pop("fill_percent") < 100
    assert "sortbitwise" in facts.pop("flags")
    assert facts == {
        "release": f"{number} {world.release}",
        "mgr": "x",
        "osd_releases": {number: 3},
        "osds": 3,
        "osds_up": 3,
        "osds_in": 2,
        "hosts": 3,
        "device_classes": {"hdd": 2, "nvme": 1},
        "options": {},
        "health": "HEALTH_OK",
        "health_checks": [],
        "pools": 1,
        "pgs": 1,
        "pgs_by_state": {PG_STATES[world.release]: 1},
        # the rates are absent while no client does anything
        "client_read_bytes_per_second": 0,
        "client_write_bytes_per_second": 0,
    }
    world.data["health"] = {"json": ""}  # the monitors have sent none yet
    facts = dict(cluster.environment())
    assert (facts["health"], facts["health_checks"]) == (None, None)


def test_options_are_told_by_class_where_they_differ(cluster: MgrCluster, world: MgrWorld) -> None:
    options: dict[tuple[str, str], Any] = {
        ("", "osd_op_queue"): "mclock_scheduler",
        ("", "osd_memory_target"): 4 << 30,
        ("osd.1", "osd_memory_target"): 8 << 30,
        ("osd.2", "osd_op_queue"): "wpq",  # neither the first hdd nor the first nvme
        ("", "bluestore_throttle_bytes"): None,
    }
    world.options.update(options)
    assert cluster.environment([0, 1, 2])["options"] == {
        "osd_op_queue": "mclock_scheduler",
        "osd_memory_target": "hdd: 4294967296, nvme: 8589934592",
    }
    assert cluster.environment([2])["options"]["osd_op_queue"] == "wpq"
    assert cluster.environment([1])["options"]["osd_memory_target"] == "8589934592"


def test_the_way_to_the_mons(mgr: MgrModule, world: MgrWorld) -> None:
    from perf_bench.ceph.cluster import fsid_of, mon_hosts

    assert fsid_of(mgr) == world.osd_map["fsid"]
    address = world.data["mon_map"]["mons"][0]["public_addrs"]["addrvec"][0]["addr"]
    assert mon_hosts(mgr) == f"[v2:{address}]"
    world.data["mon_map"]["mons"].append(
        {
            "public_addrs": {
                "addrvec": [
                    {"type": "v2", "addr": "[fd00::1]:3300", "nonce": 0},
                    {"type": "v1", "addr": "[fd00::1]:6789", "nonce": 0},
                ]
            }
        }
    )
    assert mon_hosts(mgr) == f"[v2:{address}],[v2:[fd00::1]:3300,v1:[fd00::1]:6789]"


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("ceph version 16.2.15 (618f44) pacific (stable)", "16.2.15 pacific"),
        # built from source
        ("ceph version Development (no_version) squid (rc)", "Development pacific"),
        ("odd", "odd pacific"),
    ],
)
def test_the_release_in_two_words(
    version: str, said: str, pacific: MgrWorld, pacific_mgr: MgrModule
) -> None:
    from perf_bench.ceph.cluster import release_of

    pacific.version = version
    assert release_of(pacific_mgr) == said


EXP = "/dev/disk/by-path/pci-0000:3c:00.0-sas-exp"


@pytest.mark.parametrize(
    ("paths", "expander"),
    [
        (None, None),
        ("", None),
        ("sda=/dev/disk/by-path/pci-0000:00:1f.2-ata-1", None),
        ("sda=/dev/disk/by-path/pci-0000:3c:00.0-sas-phy4-lun-0", None),
        (f"sda={EXP}0x500056b35e77bcff-phy0-lun-0", "0x500056b35e77bcff"),
        # the other half of the shelf, whichever name its paths have
        (
            f"sda={EXP}0x500056b35e77bdff-phy3-lun-0,sdb={EXP}0x500056b35e77bcff-phy3-lun-0",
            "0x500056b35e77bcff",
        ),
    ],
)
@pytest.mark.usefixtures("pacific_mgr")
def test_the_expander_to_a_disk(paths: Optional[str], expander: Optional[str]) -> None:
    from perf_bench.ceph.inventory import expander_of

    assert expander_of({} if paths is None else {"device_paths": paths}) == expander


# --- models ----------------------------------------------------------------------------------


def test_the_model_of_the_data_device(pacific: MgrWorld) -> None:
    from perf_bench.ceph.inventory import model_of

    rows: list[tuple[dict[str, str], Optional[str]]] = [
        # file-backed, or udev knows nothing
        ({}, None),
        ({"device_ids": ""}, None),
        ({"device_ids": "", "bluestore_bdev_devices": "vda"}, None),
        ({"device_ids": "sda=ACME_HD8_SN123", "bluestore_bdev_devices": "sda"}, "ACME_HD8"),
        # metadata that does not say which device holds the data
        ({"device_ids": "sda=ACME_HD8_SN123"}, "ACME_HD8"),
        ({"device_ids": "sda=ACME_HD8_SN1,nvme0n1=FAST_1_SN2"}, None),
        # a DB on another device: the one with the data counts
        (
            {
                "device_ids": "nvme0n1=FAST_1_SN2,sda=ACME_HD8_SN1",
                "bluestore_bdev_devices": "sda",
            },
            "ACME_HD8",
        ),
        # multipath: any of its paths
        (
            {
                "device_ids": "sdb=ACME_HD8_SN1,sdc=ACME_HD8_SN1",
                "bluestore_bdev_devices": "sdb,sdc",
            },
            "ACME_HD8",
        ),
        # LVM's cache before a disk (blkdev.cc get_raw_devices): an NVMe drive does not rotate
        (
            {
                "device_ids": "nvme0n1=FAST_1_SN2,sda=ACME_HD8_SN1",
                "bluestore_bdev_devices": "nvme0n1,sda",
                "bluestore_bdev_rotational": "1",
            },
            "ACME_HD8",
        ),
        # a cache that is not told from the disk: both
        (
            {
                "device_ids": "sdb=FAST_1_SN2,sda=ACME_HD8_SN1",
                "bluestore_bdev_devices": "sda,sdb",
                "bluestore_bdev_rotational": "1",
            },
            "ACME_HD8+FAST_1",
        ),
        # a serial number alone
        ({"device_ids": "sda=SN123", "bluestore_bdev_devices": "sda"}, None),
        # not a pair
        ({"device_ids": "sda", "bluestore_bdev_devices": "sda"}, None),
    ]
    for metadata, model in rows:
        assert model_of(metadata) == model


# --- where write-ahead logs are ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("metadata", "sizes", "wal"),
    [
        # all on one spinning device
        ({}, ("0", "65536"), Wal(spinning=True, on_flash=False, deferred_bytes=65536)),
        (
            {"bluefs_dedicated_db": "1", "bluefs_db_rotational": "0"},
            ("0", "32768"),
            Wal(spinning=True, on_flash=True, deferred_bytes=32768, dedicated="db"),
        ),
        # the log's own device goes before that of the database
        (
            {
                "bluefs_dedicated_db": "1",
                "bluefs_db_rotational": "0",
                "bluefs_dedicated_wal": "1",
                "bluefs_wal_rotational": "1",
            },
            ("0", "65536"),
            Wal(spinning=True, on_flash=False, deferred_bytes=65536, dedicated="wal"),
        ),
        # a size for all devices goes before the one of spinning devices
        ({}, ("131072", "65536"), Wal(spinning=True, on_flash=False, deferred_bytes=131072)),
        ({"bluefs_dedicated_db": "1"}, ("0", "65536"), Wal(True, None, 65536, "db")),
    ],
)
def test_where_an_osd_says_its_log_is(
    metadata: dict[str, str],
    sizes: tuple[str, str],
    wal: Wal,
    world: MgrWorld,
    cluster: MgrCluster,
) -> None:
    world.data["osd_metadata"]["0"].update(metadata)
    size = "bluestore_prefer_deferred_size"
    world.options["", size], world.options["", f"{size}_hdd"] = sizes
    assert cluster.wals([0]) == {0: wal}
