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
    found = enclosures.enclosures(HostFiles(str(tmp_path)), RecordedCommands(outputs))
    assert found is not None
    (shelf,) = found
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


def test_one_number_of_osds_of_two_clusters(tmp_path: Path) -> None:
    """Each cluster's OSD 0 is on another disk: which is ours is known to the OSD's metadata."""
    made = trees.Builder(tmp_path)
    other = f"12345678{trees.FSID[8:]}"
    for cluster, osd, device in ((trees.FSID, 0, "sda"), (other, 0, "sdb"), (trees.FSID, 1, "sdc")):
        made.file(f"sys/class/block/{device}/device/wwid", device)
        made.file(f"dev/{device}", "")
        made.link(f"var/lib/ceph/{cluster}/osd.{osd}/block", f"dev/{device}")
    assert disks.osds(HostFiles(str(tmp_path))) == [{"id": 1, "device": "sdc"}]


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


def test_smart_of_all_disks_that_have_one_serial_number(tmp_path: Path) -> None:
    """NVMe targets, and virtual disks without WWIDs; namespaces of one drive are read once."""
    made = trees.Builder(tmp_path)
    log = {"nvme_smart_health_information_log": {"media_errors": 1}}
    for name in ("nvme0n1", "nvme0n2", "nvme1n1", "sda", "sdb"):
        made.file(f"sys/class/block/{name}/device/serial", "beef")
        made.output(f"smartctl --json=c -A -l error /dev/{name}", json.dumps(log))
    assert [one["device"] for one in _smart(tmp_path)] == ["sda", "sdb", "nvme0n1", "nvme1n1"]


def test_enclosures_without_an_id_are_left_apart(tmp_path: Path) -> None:
    made = trees.Builder(tmp_path)
    for address, number in (("0:0:8:0", "0x0"), ("0:0:9:0", "0x0"), ("0:0:7:0", "0xa")):
        made.file(f"sys/class/enclosure/{address}/id", number)
    found = enclosures.enclosures(HostFiles(str(tmp_path)), RecordedCommands(tmp_path / "outputs"))
    assert [one["id"] for one in found or ()] == ["0xa", "0x0", "0x0"]
