"""What the host tool finds on hosts of several shapes, and how it hands that over."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import trees
from perf_bench.model.hardware import facts_of
from perf_bench.tool import main
from perf_bench.tool.facts import collect, machine
from perf_bench.tool.facts.host_files import HostCommands, HostFiles, RecordedCommands

if TYPE_CHECKING:
    from tests.tool.conftest import Play

NOW = 1_795_176_000.5


def _facts(root: Path, **named: Any) -> dict[str, Any]:
    found = collect(HostFiles(str(root)), RecordedCommands(root / "outputs"), None, NOW, **named)
    assert facts_of(found).host == found["host"]  # the cluster would take them
    assert json.loads(json.dumps(found)) == found
    return found


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host with a shelf of 16 slots; who changes a file puts it back (``without``)."""
    return trees.shelf(tmp_path_factory.mktemp("shelf"))


@pytest.fixture(scope="module")
def shelf_facts(shelf: Path) -> dict[str, Any]:
    return _facts(shelf)


@contextmanager
def without(place: Path) -> Iterator[None]:
    """While this lasts, the file or link is not there, or what the block makes of it."""
    aside = place.with_name(f"{place.name} aside")
    place.rename(aside)
    try:
        yield
    finally:
        aside.replace(place)


def test_a_shelf_on_two_paths(shelf_facts: dict[str, Any]) -> None:
    found = shelf_facts
    assert (found["format"], found["host"]) == (1, "storage-1")
    assert found["collected_at"] == "2026-11-20T12:00:00Z"
    (shelf,) = found["enclosures"]
    told = {key: shelf[key] for key in ("id", "serial", "vendor", "model", "paths")}
    assert told == {
        "id": trees.SHELF,
        "serial": "SHX0",
        "vendor": "ACME",
        "model": "SHELF-60",
        "paths": 2,
    }
    assert [slot["slot"] for slot in shelf["slots"]] == list(range(16))
    assert shelf["slots"][0] == {
        "slot": 0,
        "device": "sda",
        "status": "OK",
        "fault": False,
        "power": "on",
    }
    assert shelf["slots"][5]["fault"] is True
    assert "device" not in shelf["slots"][15]
    assert shelf["slots"][15]["status"] == "not installed"
    assert shelf["elements"] == [
        {"type": "power supply", "name": "power supply 0", "status": "OK"},
        {"type": "power supply", "name": "power supply 1", "status": "noncritical"},
        {"type": "cooling", "name": "cooling 0", "status": "OK"},
        {"type": "temperature sensor", "name": "temperature sensor 0", "status": "unknown"},
    ]


def test_the_disks_of_a_shelf(shelf_facts: dict[str, Any]) -> None:
    found = shelf_facts
    assert len(found["block"]) == 2 * 15
    assert found["block"][0] == {
        "device": "sda",
        "holder": "dm-0",
        "wwid": "naa.5000c50000000000",
        "serial": "ZX000000",
        "model": "ST22000NM",
        "rotational": True,
    }
    # through LVM and multipath to the first of the paths
    assert found["osds"] == [
        {"id": osd, "device": f"sd{letter}"} for osd, letter in enumerate("abcdefghijkl")
    ]
    assert len(found["multipath"]) == 15
    assert found["multipath"][7] == {
        "name": "mpath7",
        "wwid": "35000c50000000007",
        "paths": [
            {"device": "sdh", "hctl": "0:0:7:0", "state": "active", "checker": "ready"},
            {"device": _second(7), "hctl": "1:0:7:0", "state": "failed", "checker": "faulty"},
        ],
    }
    phys = {phy["phy"]: phy for phy in found["phys"]}
    assert len(phys) == 2 * 15
    assert phys["phy-0:0:3"] == {
        "phy": "phy-0:0:3",
        "device": "sdd",
        "invalid_dword": 4711,
        "running_disparity": 0,
        "loss_of_dword_sync": 0,
        "phy_reset_problem": 0,
        "negotiated_linkrate": "12.0 Gbit",
    }
    assert found["smart"] == [
        {"device": "sda", "media_errors": 0},
        {"device": "sdd", "media_errors": 9},
    ]


def _second(slot: int) -> str:
    return trees.disk_name(60 + slot)


def test_parts_of_a_shelf_that_number_their_slots_alike(tmp_path: Path) -> None:
    trees.shelf(tmp_path, slots=4)
    enclosure, other_path = sorted((tmp_path / "sys/class/enclosure").iterdir())
    other_path.unlink()
    made = trees.Builder(tmp_path)
    other = f"{enclosure.resolve().relative_to(tmp_path)}/other 3"
    made.file(f"{other}/slot", "3")
    made.file(f"{other}/status", "critical")
    slots = [slot["slot"] for slot in _facts(tmp_path)["enclosures"][0]["slots"]]
    assert slots == sorted(set(slots))


def test_the_machine_below_a_shelf(shelf_facts: dict[str, Any]) -> None:
    found = shelf_facts
    assert found["cpu"] == {
        "model": "EPYC 9454P",
        "cores": 4,
        "threads": 8,
        "governor": "performance",
        "deepest_cstate": "C1E",  # C6 is switched off
        "iommu": "translated",
    }
    assert found["numa"] == {"nodes": 2, "miss_percent": 5.263}
    assert found["memory"] == {
        "total_bytes": 65000000 * 1024,
        "swap_used_bytes": 10000 * 1024,
        "thp": "madvise",
    }
    assert found["kernel"] == {"release": "6.1.0-18-amd64"}
    assert "crc32c" not in found  # of another machine nothing is measured


def test_whose_memory_osds_use(shelf_facts: dict[str, Any]) -> None:
    assert shelf_facts["processes"] == [
        {"osd": 3, "allocator": "tcmalloc"},
        {"osd": 4, "allocator": "tcmalloc"},
        {"osd": 5, "allocator": "jemalloc"},
        {"osd": 6, "allocator": "libc"},
    ]


def test_a_host_of_nvme_drives(tmp_path: Path) -> None:
    found = _facts(trees.nvme(tmp_path))
    assert found["osds"] == [{"id": n, "device": f"nvme{n}n1"} for n in range(10)]
    assert found["block"][3] == {
        "device": "nvme3n1",
        "wwid": "eui.002533",
        "serial": "S5H3",
        "model": "PM983 15.36TB",
        "rotational": False,
    }
    assert found["smart"][4] == {"device": "nvme4n1", "media_errors": 4}
    assert found["kernel"]["nvme_io_timeout_seconds"] == 30
    assert found["cpu"]["iommu"] == "off"
    assert found["multipath"] == []
    # nobody knows: the kernel's modules are not loaded
    assert not {"enclosures", "phys", "pcie"} & set(found)


def test_both_ends_of_pcie_links(tmp_path: Path) -> None:
    found = _facts(trees.two_ways(tmp_path))
    assert found["pcie"] == [
        {
            "device": "nvme0n1",
            "address": f"0000:1{number}:00.0",
            # a bad DLLP at each end; the 4,000 advisory ones are no errors of the link
            "correctable": 100 * number + 3 + 2,
            "nonfatal": 0,
            "fatal": number,
        }
        for number in range(2)
    ]


def test_paths_of_an_nvme_drive_are_in_the_state_of_their_controllers(tmp_path: Path) -> None:
    made = trees.Builder(trees.two_ways(tmp_path))
    for number, state in enumerate(("live", "connecting")):
        drive = f"sys/devices/pci0000:0{number}/0000:0{number}:01.0/0000:1{number}:00.0"
        made.file(f"{drive}/nvme/nvme{number}/state", state)
    found = _facts(tmp_path)
    assert found["block"][0]["paths"] == [
        {"device": "nvme0c0n1", "state": "live"},
        {"device": "nvme0c1n1", "state": "connecting"},
    ]
    assert "paths" not in found["block"][1]
    (joined,) = facts_of(found).joined_by_kernel()
    assert [path.state for path in joined.paths] == ["active", "failed"]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("sys/class/block/sda/queue/rotational", b"\xff\xfe"),
        ("sys/class/block/sda/device/vpd_pg80", b"\x00\x80\xff\xff"),
        ("outputs/multipathd show maps json", b'{"maps": 3}'),
        ("outputs/multipathd show maps json", b"[[[["),
        ("outputs/sg_ses --page=es _dev_sg0", b"\x00\x01"),
        ("outputs/smartctl --json=c -A -l error _dev_sda", b'{"scsi_error_counter_log": 1}'),
        ("proc/cpuinfo", b"processor\nprocessor: x: y"),
        ("proc/meminfo", b"MemTotal: many kB"),
    ],
)
def test_a_file_that_makes_no_sense_costs_no_more_than_itself(
    file: str, content: bytes, shelf: Path
) -> None:
    with without(shelf / file):
        (shelf / file).write_bytes(content)
        found = _facts(shelf)
    assert len(found["block"]) == 30


def test_links_do_not_lead_out_of_a_tree_nor_round_for_ever(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "up").symlink_to("../outside")
    (root / "round").symlink_to("round")
    (root / "inside").symlink_to("/file")
    (root / "file").write_text("7\n")
    tree = HostFiles(str(root))
    assert (tree.text("up"), tree.text("round"), tree.count("inside")) == (None, None, 7)


def test_programs_that_are_slow_or_not_there() -> None:
    assert HostCommands().output("no-such-program-7b1") is None
    assert HostCommands(0.2).output(sys.executable, "-c", "import time; time.sleep(30)") is None
    slow = HostCommands(0.2)
    assert slow.json(sys.executable, "-c", "import time; time.sleep(30)") is None
    assert slow.json("no-such-program-7b1") == slow.json("true") == {}
    assert slow.json("echo", "[1]") is slow.json("echo", '{"maps": [') is None
    assert slow.json("echo", 'a note\n{"maps": []}\n') == {"maps": []}


@pytest.mark.skipif(shutil.which("ceph-osd") is None, reason="Ceph's packages are not installed")
def test_the_checksum_of_an_osd_is_timed() -> None:
    # the slowest published is 2.9 GB/s, table code does 0.4
    assert machine.crc32c()["bytes_per_second"] > 1e8


# --- the command -----------------------------------------------------------------------------


def test_push_imports_the_facts(
    tmp_path: Path, ceph_process: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    ceph = ceph_process  # its stdin is the file
    trees.virtual(tmp_path / "root")
    ceph.write({"on": "perf-bench host import vm-1 -i -", "out": '{"sections": ["block", "cpu"]}'})
    words = ["--ceph", ceph.command, "-n", "client.facts", "facts", "--push"]
    assert main.main([*words, "--root", str(tmp_path / "root")]) == 0
    assert capsys.readouterr().out == "imported: block, cpu\n"
    ((_, asked),) = ceph.calls
    assert asked[:2] == ["--name", "client.facts"]
    assert ceph.files[0]["block"][0]["device"] == "vda"


def test_a_refusal_is_one_sentence(
    tmp_path: Path, ceph: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    trees.virtual(tmp_path / "root")
    ceph.write({"on": "host import", "code": 2, "err": "Error ENOENT: no host 'x' has OSDs"})
    words = ["--ceph", ceph.command, "facts", "--push", "--root", str(tmp_path / "root")]
    assert main.main(words) == 2
    assert capsys.readouterr().err == "ceph-perf-bench: no host 'x' has OSDs\n"
