"""Facts out of what cephadm reports: keys as Ceph's own sources have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perf_bench.hardware.orchestrator_facts import facts_from
from perf_bench.model.hardware import document_of, facts_of

NOW = 1_700_000_000.0
SHELF = "0x5000c500a1b2c3d4"


def disk(name: str, serial: str, other: str = "", mpath: str = "", **more: Any) -> dict[str, Any]:
    return {
        "description": "SEAGATE ST8000 (8.0TB)",
        "vendor": "SEAGATE",
        "model": "ST8000",
        "rev": "E003",
        "wwid": f"naa.{serial}",
        "dev_name": name,
        "disk_size_bytes": 8 << 40,
        "disk_type": "hdd",
        "serial": serial,
        "alt_dev_name": other,
        "scsi_addr": "",
        "enclosure_id": SHELF,
        "enclosure_slot": "0",
        "path_id": "",
        "mpath": mpath,
        **more,
    }


NEW: dict[str, Any] = {
    "hostname": "host-0",
    "timestamp": NOW - 60,
    "cpu_model": "X",
    "cpu_count": 2,
    "cpu_cores": 12,
    "cpu_threads": 24,
    "memory_total_kb": 1024,
    "kernel": "6.1",
    "enclosure_count": 1,
    "enclosures": {
        SHELF: {
            "ses_paths": ["sg2", "sg9"],
            "path_count": 2,
            "vendor": "V",
            "model": "M-60",
            "enc_id": SHELF,
            "components": "70",
            "device_lookup": {"A1": "0"},
            "device_count": 1,
            "slot_map": {
                "1": {"status": "not installed", "fault": "0", "locate": "0", "serial": ""},
                "0": {"status": "OK", "fault": "1", "locate": "0", "serial": "A1"},
                "odd": {"status": "OK"},
            },
        }
    },
    "hdd_list": [disk("sda", "A1", "sdx", "/dev/mapper/mpatha"), disk("sdb", "B1", "sdy")],
    "flash_list": [disk("nvme0n1", "N1", disk_type="flash")],
}
# What 16 has.
OLD = {
    "hostname": "host-0",
    "cpu_model": "Unknown",
    "hdd_list": [{"dev_name": "sda", "model": "ST8000", "wwid": "naa.A1"}],
    "flash_list": [],
}


def _facts(raw: Mapping[str, Any]) -> Any:
    facts = facts_from(raw, NOW)
    assert facts is not None
    assert facts_of(document_of(facts)) == facts, "as they are read again from the database"
    return facts


def test_what_is_there_twice_is_not_refused() -> None:
    """Facts may have each slot and each disk once; cephadm promises neither."""
    told = {"status": "OK", "fault": "0", "serial": "A1"}
    shelf_ = {**NEW["enclosures"][SHELF], "slot_map": {"1": told, "01": told}}
    disks = [disk("sda", "A1", "sdx", "/dev/mapper/mpatha")]
    disks.append(disk("sdx", "A1", "sda", "/dev/mapper/mpatha"))
    facts = _facts({**NEW, "enclosures": {SHELF: shelf_}, "hdd_list": disks})
    assert [slot.slot for slot in facts.enclosures[0].slots] == [1]
    assert [one.wwid for one in facts.multipath] == ["naa.A1", None]


def test_a_fault_that_is_not_known_is_neither_a_fault_nor_none() -> None:
    # As the kernel's ses driver has them (drivers/scsi/ses.c, ses_get_fault): 2 is a lit LED.
    faults = {"0": False, "1": True, "2": False, "4": True, 6: True, "8": None, "": None, "x": None}
    for told, fault in [({}, None), *(({"fault": told}, fault) for told, fault in faults.items())]:
        shelf = {**NEW["enclosures"][SHELF], "slot_map": {"0": {"status": "OK", **told}}}
        (found,) = _facts({**NEW, "enclosures": {SHELF: shelf}}).enclosures
        assert [slot.fault for slot in found.slots] == [fault]


def test_what_18_and_20_tell() -> None:
    facts = _facts(NEW)
    assert (facts.host, facts.source, facts.collected_at) == ("host-0", "orchestrator", NOW - 60)
    (shelf,) = facts.enclosures
    assert (shelf.id, shelf.model, shelf.paths) == (SHELF, "M-60", 2)
    assert [(slot.slot, slot.device, slot.status, slot.fault) for slot in shelf.slots] == [
        (0, "sda", "OK", True),
        (1, None, "not installed", False),
    ]
    maps = [(one.name, [path.device for path in one.paths]) for one in facts.multipath]
    assert maps == [("mpatha", ["sda", "sdx"])]
    assert [one.wwid for one in facts.block][2:4] == ["naa.B1", None]  # which sdy has, too?
    assert [one.device for one in facts.block] == ["sda", "sdx", "sdb", "sdy", "nvme0n1"]
    assert [one.rotational for one in facts.block][-1] is False
    assert (facts.cpu.model, facts.cpu.cores, facts.cpu.threads) == ("X", 24, 48)
    assert (facts.memory.total_bytes, facts.kernel.release) == (1 << 20, "6.1")


def test_what_it_could_not_read_is_not_absent() -> None:
    """A value of another form, keys in other letters, no module "ses" in the kernel."""
    empty: list[Any] = [{}, None, []]
    for told in empty:
        assert _facts({**NEW, "enclosures": told}).enclosures is None
    none: dict[str, Any] = {"hdd_list": None, "flash_list": []}
    for raw in [{**NEW, **none}, {key.upper(): value for key, value in NEW.items()}]:
        facts = _facts({**raw, "hostname": "host-0"})
        assert (facts.block, facts.multipath) == (None, None)


def test_what_16_tells() -> None:
    facts = _facts(OLD)
    assert (facts.enclosures, facts.multipath) == (None, None)  # not known, and not "none"
    assert (facts.cpu.model, facts.cpu.cores) == (None, None)
    assert facts.collected_at == NOW


def test_facts_of_nobody() -> None:
    cases: list[dict[str, Any]] = [{}, {"hostname": ""}, {"hostname": 3}]
    for raw in cases:
        assert facts_from(raw, NOW) is None


def test_what_is_not_as_expected_is_left_out() -> None:
    changes: list[dict[str, Any]] = [
        {"hdd_list": None, "flash_list": "x"},
        {"hdd_list": [None, {}, {"dev_name": 3}]},
        {"enclosures": []},
        {"enclosures": {SHELF: None}},
        {"enclosures": {SHELF: {"slot_map": {"0": None}, "path_count": "two"}}},
        {"timestamp": NOW + 1e6},
        {"timestamp": "now", "cpu_cores": "12", "memory_total_kb": -1},
        # Texts and numbers that facts may not have.
        {"hdd_list": [disk("sda", "A\x001", other="sdx\x00,sdy", mpath="m\x00")]},
        {"hdd_list": [disk("sda", "A" * 600), disk("sd\x00", "B1")]},
        {"enclosures": {"\x00": {}, SHELF: {"slot_map": {"70000": {"status": "OK"}}}}},
        {"cpu_model": "\ud800", "cpu_cores": 1 << 62, "memory_total_kb": 1 << 62},
        {"enclosures": {SHELF: {"path_count": 5000}}},
        {"cpu_count": 1, "cpu_cores": 10_000_000, "memory_total_kb": 1 << 52},
    ]
    for change in changes:
        facts = _facts({**NEW, **change})
        assert facts.host == "host-0"
        assert facts.collected_at <= NOW
