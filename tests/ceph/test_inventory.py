"""The OSDs that there are, on maps captured from three releases: what is read, and when."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from fakes.ceph import MgrWorld, inventory_in
from fakes.clock import FakeClock

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.inventory import InventoryReader
    from perf_bench.ceph.osd_map import OsdMapReader

# The captured clusters were made before.
AFTER_THE_CAPTURE = 1.796e9


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(AFTER_THE_CAPTURE)


@pytest.fixture
def maps(mgr: MgrModule) -> OsdMapReader:
    from perf_bench.ceph.osd_map import OsdMapReader  # noqa: PLC0415 - needs Ceph's modules

    return OsdMapReader(mgr)


@pytest.fixture
def reader(mgr: MgrModule, clock: FakeClock, maps: OsdMapReader) -> InventoryReader:
    return inventory_in(mgr, clock, maps)


@pytest.fixture
def asked(mgr: MgrModule, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the mgr was asked for each of its maps, and for metadata."""
    found: Counter[str] = Counter()
    get, get_metadata = mgr.get, mgr.get_metadata

    def counted(name: str) -> Any:
        found[name] += 1
        return get(name)

    def metadata(kind: str, osd: str) -> Any:
        found["metadata"] += 1
        return get_metadata(kind, osd)

    monkeypatch.setattr(mgr, "get", counted)
    monkeypatch.setattr(mgr, "get_metadata", metadata)
    return found


def test_members_of_a_captured_cluster(reader: InventoryReader, world: MgrWorld) -> None:
    inventory = reader.look()
    first, second, third = inventory.members
    assert (first.osd.host, first.osd.device_class, first.osd.location["rack"]) == (
        "host-0",
        "hdd",
        "rack-a",
    )
    assert first.release == world.version.split()[2]
    assert 1.795e9 < (first.created_at or 0.0) < 1.796e9
    # in a file: the disk is not its own
    assert (first.osd.data_device, first.osd.own_device) == ("vda", None)
    assert (first.separate, first.osd.expander) == ("", None)
    assert [one.osd.in_cluster for one in (first, second, third)] == [True, True, False]
    assert inventory.epoch == world.osd_map["epoch"]
    assert inventory.up == {0, 1, 2}
    assert [one.osd for one in inventory.members] == list(inventory.osds)


def test_the_tree_is_read_when_the_epoch_moves(
    reader: InventoryReader, world: MgrWorld, asked: Counter[str], clock: FakeClock
) -> None:
    before = reader.look()
    clock.advance(60.0)
    assert reader.look() is before
    assert asked == {"osd_map_tree": 1, "metadata": 3}
    world.moved()  # by something else
    after = reader.look()
    assert (after.epoch, after.osds is before.osds) == (before.epoch + 1, True)
    assert after.members is before.members
    assert asked == {"osd_map_tree": 2, "metadata": 3}


@pytest.mark.parametrize(
    ("passed", "max_age", "seen"),
    [
        # 0 reads the maps now
        (0.0, 0.0, 2),
        (9.0, 10.0, 3),
        (10.0, 10.0, 2),
    ],
)
def test_maps_may_be_as_old_as_the_asker_says(
    passed: float,
    max_age: float,
    seen: int,
    reader: InventoryReader,
    world: MgrWorld,
    clock: FakeClock,
) -> None:
    assert len(reader.look().osds) == 3
    world.remove_osd(2)
    clock.advance(passed)
    assert len(reader.look(max_age).osds) == seen


def test_an_osd_that_was_started_may_be_of_another_host(
    reader: InventoryReader, world: MgrWorld
) -> None:
    world.set_down(0)
    reader.look()
    world.data["osd_metadata"]["0"]["hostname"] = "host-9"
    world.set_up(0)
    assert reader.look().members[0].osd.host == "host-9"


def test_an_osd_that_only_crush_still_has_is_no_member_and_asked_about_by_nobody(
    reader: InventoryReader, world: MgrWorld, asked: Counter[str]
) -> None:
    """The mgr logs an error for each question about it, and members would change all the time."""
    world.remove_osd(2)
    del world.data["osd_metadata"]["2"]
    before = reader.look()
    assert [osd.id for osd in before.osds] == [0, 1]
    assert reader.look() is before
    assert asked["metadata"] == 2


def test_shelf_and_separate_database_are_told_by_metadata(
    reader: InventoryReader, world: MgrWorld
) -> None:
    world.data["osd_metadata"]["0"].update(
        {
            "bluestore_bdev_access_mode": "blk",
            "bluestore_bdev_devices": "sdk",
            "devices": "nvme0n1,sdk",
            "bluefs_dedicated_db": "1",
            "device_paths": (
                "sdk=/dev/disk/by-path/pci-0000:3c:00.0-sas-exp0x500056b35e77bcff-phy0-lun-0"
            ),
        }
    )
    first = reader.look().members[0]
    assert (first.osd.own_device, first.separate) == ("sdk", "db")
    assert first.osd.expander == "0x500056b35e77bcff"


def test_a_look_that_failed_leaves_nothing_out_of_the_next_one(
    reader: InventoryReader, world: MgrWorld, mgr: MgrModule, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.look()
    world.set_down(1)
    world.data["osd_metadata"]["9"] = world.data["osd_metadata"]["0"]
    world.osd_map["osds"].append({**world.osd(0), "osd": 9})

    def fails(*_: str) -> Any:
        raise RuntimeError("the mgr ends")

    with monkeypatch.context() as patch:
        patch.setattr(mgr, "get_metadata", fails)
        with pytest.raises(RuntimeError):
            reader.look()
    after = reader.look()
    assert after.up == {0, 2, 9}
    assert [osd.id for osd in after.osds if osd.up] == [0, 2, 9]
