"""What is one disk and what one enclosure, where the world repeats its numbers.

Serial numbers and IDs are made anew; each case names who met it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from factory import document, shelf
from nouns import an_osd
from perf_bench.hardware.orchestrator_facts import facts_from
from perf_bench.hardware.rules.correlated_failures import together
from perf_bench.hardware.rules.identity import by_disk, drives_of, shared_drive_groups
from perf_bench.model.hardware import NO_OSDS, Enclosure, document_of, facts_of
from perf_bench.model.osd import Osd
from told_hosts import Hosts

NOW = 1_700_000_060.0
HOST = "host-0"


class Seen(Hosts):
    """What is made of the facts of hosts, told once or more often."""

    @property
    def enclosures(self) -> Sequence[Enclosure]:
        return self.seen.enclosures

    def on(self, device: str, host: str = HOST) -> tuple[int, ...]:
        return self.seen.drives[host].get(device, NO_OSDS).all

    def said(self, *down: int) -> list[str]:
        self.falls(*down)
        return [one.message for one in self.claims()]


def _osds(devices: Sequence[str], host: str = HOST, first: int = 0, **named: Any) -> list[Osd]:
    """An OSD on each device, as its own metadata have it."""
    return [
        an_osd(first + n, host, devices=name, data_device=name, **named)
        for n, name in enumerate(devices)
    ]


def _told(devices: Sequence[str], **alike: Any) -> dict[str, Any]:
    """A host with an OSD on each device; the disks have these values in common."""
    block = [{"device": name, **alike} for name in devices]
    osds = [{"id": n, "device": name} for n, name in enumerate(devices)]
    return document(osds=osds, block=block, multipath=[])


# --- disks -----------------------------------------------------------------------------------


LOGICAL = [f"sd{letter}" for letter in "bcdefghijklm"]


def _cephadm(devices: Sequence[str], mpath: str = "") -> dict[str, Any]:
    """gather-facts of a RAID controller: it drops what has the first one's serial number."""
    first, *others = devices
    disk = {
        "dev_name": first, "alt_dev_name": ",".join(others), "serial": "PXXLH0ARH00000",
        "wwid": f"naa.600508b1001c{first}", "model": "LOGICAL VOLUME", "disk_type": "hdd",
        "mpath": mpath,
    }  # fmt: skip
    raw = {"hostname": HOST, "timestamp": NOW - 60, "hdd_list": [disk], "enclosures": {}}
    facts = facts_from(raw, NOW)
    assert facts is not None
    return document_of(facts)


def test_logical_drives_of_a_raid_controller_are_many() -> None:
    """canonical/lxd#15169, minio/directpv#536: one serial number for all; mpath is the first's."""
    for mpath in ["", "/dev/mapper/mpatha"]:
        osds = _osds(LOGICAL, device_id="HP_LOGICAL_VOLUME_PXXLH0ARH00000")
        seen = Seen(osds, _cephadm(LOGICAL, mpath), _cephadm(LOGICAL[:-1], mpath))
        assert [seen.on(name) for name in LOGICAL] == [(n,) for n in range(12)]
        assert seen.said() == []
        fell = dict.fromkeys(range(12), NOW)
        groups = shared_drive_groups(seen.seen.drives[HOST].values())
        assert together(fell, range(12), groups) == list(range(12))


def test_of_other_names_without_a_map_the_paths_are_not_known() -> None:
    assert facts_of(_cephadm(LOGICAL)).multipath is None
    assert facts_of(_cephadm(LOGICAL[:1])).multipath == ()


def test_numbers_that_several_disks_have_join_none() -> None:
    cases: list[tuple[Sequence[str], Mapping[str, Any]]] = [
        # openzfs/zfs#13836: the hypervisor cuts the serial number at 20 letters
        (("vdb", "vdc", "vdd"), {"serial": "ST16000NM001G-2K_ZL2"}),
        (("xvdb", "xvdc", "xvdd"), {"serial": "1", "wwid": "naa.5000c5001"}),
        # storaged-project/udisks#290: a controller without WWIDs
        (("sda", "sdb", "sdc"), {"serial": "RR3500"}),
        # NVMe targets with one serial number; without an ID of theirs the kernel makes the WWID
        (("nvme0n1", "nvme1n1", "nvme2n1"), {"serial": "beef", "wwid": "nvme.1d79-62-4c-00000001"}),
        (("sda", "sdb", "sdc"), {"wwid": "t10.ATA     DISK     0001"}),
        # NVMe drives whose makers gave all one ID (the kernel's NVME_QUIRK_BOGUS_NID)
        (("nvme0n1", "nvme1n1", "nvme2n1"), {"wwid": "eui.0000000001000000"}),
        (("sda", "sdb", "sdc"), {"wwid": "naa.0000000000000000"}),
    ]
    for names, alike in cases:
        seen = Seen(_osds(names), _told(names, **alike))
        assert [seen.on(name) for name in names] == [(0,), (1,), (2,)]
        assert seen.said() == []
        # where the facts tie OSDs to them, also what counts errors knows three
        assert len(by_disk(seen.known[HOST].facts)) == 3


def test_disks_of_no_osd_with_one_number_are_several() -> None:
    block = [{"device": name, "serial": serial, "wwid": "eui.01"} for name, serial in
             (("nvme0n1", "S1"), ("nvme1n1", "S2"))]  # fmt: skip
    facts = facts_of(document(block=block))
    assert by_disk(facts) == {"S1": ["nvme0n1"], "S2": ["nvme1n1"]}


def test_disks_of_which_one_has_an_osd_are_not_its_paths() -> None:
    cases: list[Mapping[str, Any]] = [
        {"wwid": "nvme.1d79-62-4c-00000001"},
        {"wwid": "eui.0000"},
        {"serial": "beef"},
    ]
    for alike in cases:
        names = ("nvme0n1", "nvme1n1", "nvme2n1")
        told = {**_told(names, **alike), "osds": [{"id": 0, "device": "nvme0n1"}]}
        seen = Seen(_osds(names[:1]), told)
        assert [seen.on(name) for name in names] == [(0,), (), ()]
        assert seen.said() == []


def test_paths_to_one_disk_are_one_disk() -> None:
    """One WWID, in any case; its OSDs name both paths, or what the host tool found."""
    block = [{"device": "sda", "wwid": "naa.5000C5A"}, {"device": "sdx", "wwid": "naa.5000c5a"}]
    both = an_osd(0, HOST, devices="sda,sdx", data_device="sda,sdx")
    other = an_osd(1, HOST, devices="sdx,sda", data_device="sdx,sda")
    seen = Seen([both, other], document(block=block, osds=[{"id": 0, "device": "sda"}]))
    assert (seen.on("sda"), seen.on("sdx")) == ((0, 1), (0, 1))


def test_a_map_of_what_different_osds_are_on_is_none() -> None:
    paths = [{"device": name, "state": "active"} for name in ("sda", "sdb")]
    lost = [paths[0], {"device": "sdb", "state": "failed"}]
    osds = _osds(["sda", "sdb"])
    told = [document(multipath=[{"name": "mpatha", "paths": one}]) for one in (paths, lost)]
    seen = Seen(osds, *told)
    assert seen.said() == []
    (shown,) = seen.seen.multipaths  # not lost
    assert (shown.name, shown.state, shown.on) == ("mpatha", "unknown", NO_OSDS)
    joined = [an_osd(n, HOST, devices="sda,sdb", data_device="sda,sdb") for n in range(2)]
    assert len(Seen(joined, *told).said()) == 1


def test_two_signs_do_not_join_what_neither_may() -> None:
    """One WWID of sda and sdx, a map of sdx and sdb; two OSDs are on sda and sdb."""
    block = [{"device": name, "wwid": "naa.1"} for name in ("sda", "sdx")]
    maps = [{"name": "mpatha", "paths": [{"device": "sdx"}, {"device": "sdb"}]}]
    seen = Seen(_osds(["sda", "sdb"]), document(block=block, multipath=maps))
    assert (seen.on("sda"), seen.on("sdb")) == ((0,), (1,))


def test_a_down_osd_is_not_on_the_disk_that_has_its_name_now() -> None:
    """Of its last start are its metadata; the OSD that is up there now has another disk."""
    down = _osds(["sda"], device_id="ATA_X_1", up=False)
    up = _osds(["sda"], first=1, device_id="ATA_X_2")
    assert Seen([*down, *up]).on("sda") == (1,)
    assert Seen(down).on("sda") == (0,)


def test_drives_with_one_wwid_are_not_compared_with_each_other() -> None:
    """The kernel joins the paths of NVMe drives; one has two ports and the others one."""

    def drive(number: int, ports: int) -> dict[str, Any]:
        paths = [{"device": f"nvme{number}c{port}n1", "state": "live"} for port in range(ports)]
        return {"device": f"nvme{number}n1", "wwid": "eui.0000000001000000", "paths": paths}

    told = document(block=[drive(0, 2), drive(1, 1), drive(2, 1)], multipath=[])
    seen = Seen(_osds(["nvme0n1", "nvme1n1", "nvme2n1"]), told, told)
    assert seen.said() == []


# --- caches ----------------------------------------------------------------------------------


def _cached(*names: str) -> list[Osd]:
    """OSDs on an LV with a cache: Ceph lists the disks below it, sorted."""
    return [an_osd(n, HOST, devices=told, data_device=told) for n, told in enumerate(names)]


def test_a_cache_that_several_osds_have_is_the_disk_of_none() -> None:
    """ceph-volume supports dm-cache; blkdev.cc get_raw_devices lists both disks below it."""
    on = drives_of({}, _cached("nvme0n1,sda", "nvme0n1,sdb"))[HOST]
    assert (on["sda"].osds, on["nvme0n1"].osds, on["nvme0n1"].db_of) == ((0,), (), (0, 1))


def test_a_cache_of_one_osd_is_what_does_not_rotate_or_not_clear() -> None:
    osds = _cached("sda,sdb")
    block = [{"device": "sda", "rotational": False}, {"device": "sdb", "rotational": True}]
    on = drives_of({HOST: facts_of(document(block=block))}, osds)[HOST]
    assert (on["sdb"].osds, on["sda"].osds, on["sda"].db_of) == ((0,), (), (0,))
    on = drives_of({}, osds)[HOST]
    assert (on["sda"].osds, on["sdb"].osds) == ((0,), (0,))  # all are named


# --- enclosures ------------------------------------------------------------------------------

CONSTANT = "x00557230"


def _backplane(
    number: str, host: int, bad: Sequence[int] = (), first: str = "a", serial: str = CONSTANT
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """An expander with three disks, and these disks; each has a WWID of its own."""
    names = [f"sd{chr(ord(first) + n)}" for n in range(3)]
    seen = shelf(dict(enumerate(names)), number=number, bad=bad)
    block = [{"device": name, "wwid": f"naa.5000c{host}{name}"} for name in names]
    return {**seen, "serial": serial}, block


def _hosts(ids: Sequence[str], bad: int, **named: Any) -> Seen:
    """Hosts with a backplane each, slot 2 of one of them critical."""
    osds, documents = [], []
    for n, number in enumerate(ids):
        enclosure, block = _backplane(number, n, [2] if n == bad else [], **named)
        osds += _osds(["sda", "sdb", "sdc"], f"host-{n}", 10 * n)
        documents.append(document(f"host-{n}", enclosures=[enclosure], block=block))
    return Seen(osds, *documents)


def test_enclosures_of_several_hosts_with_one_number_are_several() -> None:
    cases: list[Sequence[str]] = [
        # sas2ircu of LSI SAS2X36: the firmware's serial number on all
        ("0x5003048000000a01", "0x5003048000000b01", "0x5003048000000c01"),
        ("0x0", "0x0", "0x0"),
        ("0x0000000000000000",) * 3,
        ("0x5003048000000000",) * 3,  # an ID that the maker gave to all
    ]
    for ids in cases:
        seen = _hosts(ids, bad=1)
        assert [sorted(one.osds) for one in seen.enclosures] == [
            [0, 1, 2],
            [10, 11, 12],
            [20, 21, 22],
        ]
        assert len({one.id for one in seen.enclosures}) == 3
        (claim,) = seen.said()
        assert claim.endswith("slot 2 (osd.12) is critical")


def test_two_backplanes_of_one_server_are_two() -> None:
    """Front and rear of one server, with the firmware's serial number."""
    own, others = "0x500304800a", "0x500304800b"
    cases: list[Sequence[str]] = [(own, others), (own, own), ("0x0", "0x0")]
    for ids in cases:
        front, disks = _backplane(ids[0], 0)
        rear, more = _backplane(ids[1], 0, bad=[1], first="d")
        names = [f"sd{letter}" for letter in "abcdef"]
        told = document(
            enclosures=[{**front, "paths": 1}, {**rear, "paths": 1}], block=disks + more
        )
        seen = Seen(_osds(names), told)
        assert [sorted(one.osds) for one in seen.enclosures] == [[0, 1, 2], [3, 4, 5]]
        assert [one.paths for one in seen.enclosures] == [{HOST: 1}, {HOST: 1}]
        (claim,) = seen.said()
        assert claim.endswith("slot 1 (osd.4) is critical")


def test_a_serial_number_that_all_disks_have_joins_no_enclosures() -> None:
    """Disks without WWIDs behind two expanders; those of the second host have no OSDs yet."""
    told = []
    for n in range(2):
        enclosure, block = _backplane(f"0x500304800{n + 1}", n)
        same = [{"device": one["device"], "serial": "RR3500"} for one in block]
        told.append(document(f"host-{n}", enclosures=[enclosure], block=same))
    seen = Seen(_osds(["sda", "sdb", "sdc"]), *told)
    assert [one.hosts for one in seen.enclosures] == [("host-0",), ("host-1",)]


def test_an_enclosure_without_an_id_has_the_name_of_its_host() -> None:
    """So it keeps its name when another host's comes or goes."""
    seen = _hosts(["0x0", "0x0"], bad=-1)
    assert [one.id for one in seen.enclosures] == ["host-0-0x0", "host-1-0x0"]


def test_of_two_enclosures_with_one_id_nobody_knows_which_held_an_osd() -> None:
    front, disks = _backplane("0x0", 0)
    rear, more = _backplane("0x0", 0, first="d")
    osds = _osds([f"sd{letter}" for letter in "abcdef"])
    before = document(enclosures=[front, rear], block=disks + more)
    front = {**front, "slots": [{"slot": 0, "device": "sda"}, {"slot": 1, "device": None}]}
    seen = Seen(osds, before, document(enclosures=[front, rear], block=disks + more))
    assert seen.said(1, 4) == []


def test_an_enclosure_with_the_same_disks_in_the_same_slots_is_one() -> None:
    cases: list[Sequence[str]] = [("0x500304800a", "0x500304800A"), ("0x0", "0x0"), ("0xa", "0xb")]
    for ids in cases:
        first, block = _backplane(ids[0], 0)
        second, _ = _backplane(ids[1], 0)
        osds = _osds(["sda"], "host-0") + _osds(["sdb"], "host-1", 1)
        told = [document(f"host-{n}", enclosures=[one], block=block)
                for n, one in enumerate((first, second))]  # fmt: skip
        (found,) = Seen(osds, *told).enclosures
        assert (found.hosts, sorted(found.osds)) == (("host-0", "host-1"), [0, 1])


def test_what_a_host_loses_without_an_id_is_not_that_of_another_host() -> None:
    osds = [osd for n in range(2) for osd in _osds(["sda", "sdb", "sdc"], f"host-{n}", 10 * n)]
    enclosures = [_backplane("0x0", n) for n in range(2)]
    told = [document(f"host-{n}", enclosures=[one], block=block)
            for n, (one, block) in enumerate(enclosures)]  # fmt: skip
    lost = Seen(osds, *told, document("host-1", enclosures=[]))
    assert [(sorted(one.osds), one.missing) for one in lost.enclosures] == [
        ([0, 1, 2], ()), ([10, 11, 12], ("host-1",)),
    ]  # fmt: skip


# --- slots -----------------------------------------------------------------------------------


def test_a_slot_of_cephadm_is_known_by_a_serial_number_of_one_disk() -> None:
    cases: list[tuple[Mapping[str, str], Optional[str]]] = [
        ({"0": "S1"}, "sda"),
        ({"0": "S1", "1": "S1"}, None),
        ({"0": "PXXLH0ARH00000"}, None),
    ]
    for slots, device in cases:
        disk = {"dev_name": "sda", "serial": "S1", "disk_type": "hdd"}
        raid = {"dev_name": "sdb", "alt_dev_name": "sdc", "serial": "PXXLH0ARH00000"}
        told = {slot: {"status": "OK", "serial": serial} for slot, serial in slots.items()}
        raw = {
            "hostname": HOST,
            "hdd_list": [disk, raid],
            "enclosures": {"0x5": {"slot_map": told}},
        }
        facts = facts_from(raw, NOW)
        assert facts is not None
        (found,) = facts.enclosures or ()
        assert {slot.device for slot in found.slots} == {device}
