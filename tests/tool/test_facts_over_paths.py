"""What the host tool finds where the first of several sources does not answer, or two disagree."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import trees
from perf_bench.tool.facts import disks, enclosures
from perf_bench.tool.facts.host_files import HostFiles, RecordedCommands


def _smart(root: Path) -> list[dict[str, Any]]:
    return disks.smart(HostFiles(str(root)), RecordedCommands(root / "outputs"))


def test_smart_of_a_disk_whose_first_path_is_lost(tmp_path: Path) -> None:
    """The node of an offline SCSI device cannot be opened: smartctl tells only that (exit 2)."""
    made = trees.Builder(tmp_path)
    for name in ("sda", "sdb"):
        made.file(f"sys/class/block/{name}/device/wwid", "naa.5000c50000000001")
    text = "Smartctl open device: /dev/sda failed: No such device or address"
    failed = {
        "json_format_version": [1, 0],
        "smartctl": {
            "version": [7, 2],
            "messages": [{"string": text, "severity": "error"}],
            "exit_status": 2,
        },
    }
    made.output("smartctl --json=c -A -l error /dev/sda", json.dumps(failed))
    log = {"scsi_error_counter_log": {"read": {"total_uncorrected_errors": 9}}}
    made.output("smartctl --json=c -A -l error /dev/sdb", json.dumps(log))
    assert _smart(tmp_path) == [{"device": "sdb", "media_errors": 9}]


@pytest.mark.parametrize("printed", [None, "  ACME      SHELF-60          0001"])
def test_elements_of_a_shelf_whose_first_path_is_lost(tmp_path: Path, printed: str | None) -> None:
    """For a device that does not answer sg_ses prints nothing, or its names without the page."""
    trees.shelf(tmp_path, slots=2)
    outputs = tmp_path / "outputs"
    (first,) = outputs.glob("sg_ses*")
    other = next(
        generic.name
        for generic in (tmp_path / "sys/class/enclosure").glob("1:*/device/scsi_generic/*")
    )
    first.rename(outputs / f"sg_ses --page=es _dev_{other}")
    if printed is not None:
        first.write_text(printed)
    (shelf,) = _enclosures(tmp_path)
    assert "noncritical" in [element["status"] for element in shelf["elements"]]


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ("3", 3),  # its own printer of JSON, and now
        ("3.0", 3),  # json_object_new_double
        ('"3.000000"', 3),  # util_json_object_new_double: a text, by "%Lf"
        ('"3"', 3),  # the same without the zeros, or the first util_json_object_new_uint128
        ('""', None),
        ("0.0", 0),
        ('"0"', 0),
        ("340282366920938463463374607431768211455", None),  # all bits set: no count
        ("1.8446744073709552e+19", None),
        ('"many"', None),
        ('"3.5"', None),
        ("-1", None),
        ("NaN", None),
        ("true", None),
    ],
)
def test_media_errors_in_the_words_of_several_versions_of_nvme_cli(
    tmp_path: Path, printed: str, found: int | None
) -> None:
    made = trees.Builder(tmp_path)
    made.file("sys/class/block/nvme0n1/device/serial", "S5H0")
    made.output(
        "nvme smart-log --output-format=json /dev/nvme0n1",
        f'{{"temperature":308,"media_errors":{printed}}}',
    )
    expected = [] if found is None else [{"device": "nvme0n1", "media_errors": found}]
    assert _smart(tmp_path) == expected


def _disk_of_osd(root: Path, names: Sequence[str], rotating: str = "", others: int = 0) -> Any:
    """The section ``osds`` of OSDs on LVs over these disks; the others have the last one, too."""
    made = trees.Builder(root)
    for name in (*names, *(f"sd{chr(ord('p') + n)}" for n in range(others))):
        made.file(f"sys/class/block/{name}/queue/rotational", str(int(name == rotating)))
    for osd in range(1 + others):
        own = names if not osd else (f"sd{chr(ord('p') + osd - 1)}", names[-1])
        for name in own:
            made.link(f"sys/class/block/dm-{osd}/slaves/{name}", f"sys/class/block/{name}")
        made.file(f"sys/class/block/dm-{osd}/dm/uuid", f"LVM-{osd}")
        made.file(f"dev/dm-{osd}", "")
        made.link(f"var/lib/ceph/osd/ceph-{osd}/block", f"dev/dm-{osd}")
    return disks.osds(HostFiles(str(root)))[0]


@pytest.mark.parametrize(
    ("names", "rotating", "others", "device"),
    [
        (("sdaa", "sdb"), "", 1, "sdaa"),  # a cache that another OSD has, too
        (("sdaa", "sdb"), "sdaa", 0, "sdaa"),
        (("sdb", "sdaa"), "sdaa", 0, "sdaa"),
        (("nvme0n1", "nvme1n1"), "", 0, None),  # which of them is the cache?
        (("sda",), "sda", 0, "sda"),
    ],
)
def test_the_disk_of_an_osd_with_a_cache(
    tmp_path: Path, names: Sequence[str], rotating: str, others: int, device: str | None
) -> None:
    """LVM's cache, which ceph-volume supports: the disk and its cache are below one mapping."""
    found = _disk_of_osd(tmp_path, names, rotating, others)
    assert found == {"id": 0, **({"device": device} if device else {})}


def _enclosures(root: Path) -> list[dict[str, Any]]:
    programs = RecordedCommands(root / "outputs")
    return enclosures.enclosures(HostFiles(str(root)), programs) or []


def _of_second_path(root: Path, slot: int, file: str) -> Path:
    (place,) = root.glob(f"sys/class/enclosure/1:*/SLOT {slot:03d}*")
    return place / file


def test_of_two_paths_the_worse_state_of_a_slot_counts(tmp_path: Path) -> None:
    """What one cannot read does not hide what the other tells."""
    trees.shelf(tmp_path, slots=4)
    for slot, status in enumerate(("critical", "noncritical")):
        _of_second_path(tmp_path, slot, "status").write_text(status)
    (first,) = tmp_path.glob("sys/class/enclosure/0:*/SLOT 001*")
    (first / "status").unlink()
    _of_second_path(tmp_path, 2, "fault").write_text("4")
    (shelf,) = _enclosures(tmp_path)
    assert [one["status"] for one in shelf["slots"][:3]] == ["critical", "noncritical", "OK"]
    assert [one["fault"] for one in shelf["slots"][:3]] == [False, False, True]


def test_two_backplanes_with_one_id_are_two(tmp_path: Path) -> None:
    """As of makers that give the same logical ID to all: the disks in their slots tell."""
    trees.shelf(tmp_path, slots=4)
    for slot in range(3):
        page = (_of_second_path(tmp_path, slot, "device") / "vpd_pg80").resolve()
        page.write_bytes(page.read_bytes().replace(b"ZX", b"ZY"))
    told = _enclosures(tmp_path)
    assert [(one["id"], one["paths"]) for one in told] == [(trees.SHELF, 1)] * 2
    assert [one["slots"][1]["device"] for one in told] == ["sdb", trees.disk_name(61)]


# As a page of an HGST H4060-J with a sub-enclosure has them.
PAGE = """
    Element type: Temperature sensor, subenclosure id: 0 [ti=2]
      Overall descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: OK
      Element 0 descriptor:
        Predicted failure=1, Disabled=0, Swap=0, status: OK
    Element type: Voltage sensor, subenclosure id: 1 [ti=3]
      Element 0 descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: Non-critical
    Element type: Audible alarm, subenclosure id: 0 [ti=5]
      Element 0 descriptor:
        Predicted failure=0, Disabled=0, Swap=0, status: No access allowed
"""


def test_elements_in_the_words_of_shelves() -> None:
    found = [(one["name"], one["status"]) for one in enclosures.elements_of(PAGE)]
    assert found == [
        ("temperature sensor 0", "noncritical"),
        ("voltage sensor 0", "noncritical"),
        ("audible alarm 0", "unknown"),
    ]
