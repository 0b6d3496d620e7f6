"""Checks that find nothing because they could not look: they say so, or look elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import pytest

from factory import document
from nouns import an_osd
from perf_bench.doctor.checks import examine
from perf_bench.model.doctor_snapshot import Build, DoctorSnapshot, OsdDetails, Setting
from perf_bench.model.facts import facts_of

BUILD = Build("ceph version 18.2.7 (abc) reef (stable)", "debian")


def _gaps(snapshot: DoctorSnapshot, check: str) -> list[str]:
    return [one.code for one in examine(snapshot).look.gaps if check in one.units]


def _codes(snapshot: DoctorSnapshot) -> list[str]:
    return [one.code for one in examine(snapshot).advice]


def _hosts(count: int, devices: str = "sda", **sections: Any) -> DoctorSnapshot:
    """Hosts of one OSD each, that told these sections of facts and no other."""
    osds, facts = {}, {}
    for number in range(count):
        host = f"host-{number}"
        osds[number] = OsdDetails(an_osd(number, host, devices=devices), release="18.2.7")
        facts[host] = facts_of(document(host, **sections))
    return DoctorSnapshot(osds=osds, facts=facts)


@pytest.mark.parametrize("devices", ["nvme0n1", "nvme0n1,sda"])
def test_an_iommu_is_told_where_facts_do_not_list_the_disks(devices: str) -> None:
    """What a host tells has each section or not; the OSDs' devices are known from Ceph."""
    snapshot = _hosts(1, devices, cpu={"iommu": "translated"})
    assert snapshot.facts["host-0"].block is None
    assert _gaps(snapshot, "IOMMU_TRANSLATES") == []
    assert "IOMMU_TRANSLATES" in _codes(snapshot)


@pytest.mark.parametrize(("model", "gaps"), [("X", []), (None, ["no-section"])])
def test_cores_of_an_unknown_model_are_not_compared(model: Optional[str], gaps: list[str]) -> None:
    """ARM's /proc/cpuinfo has no model name."""
    cpu = {"cores": 64, **({"model": model} if model else {})}
    snapshot = _hosts(3, cpu=cpu, crc32c={"bytes_per_second": 9e9})
    assert _gaps(snapshot, "SLOW_CHECKSUM") == gaps


@pytest.mark.parametrize(
    ("mapped", "known", "gaps"),
    [
        ("libc", None, ["not-asked"]),
        ("libc", False, []),
        ("jemalloc", None, []),
        ("tcmalloc", None, []),
    ],
)
def test_no_library_that_is_mapped_does_not_tell_the_allocator(
    mapped: str, known: Optional[bool], gaps: list[str]
) -> None:
    """An OSD with none mapped may be linked to one statically: only its answer tells."""
    snapshot = DoctorSnapshot(
        osds={0: OsdDetails(an_osd(0), release="18.2.7", build=BUILD)},
        facts={"host-0": facts_of(document("host-0", processes=[{"osd": 0, "allocator": mapped}]))},
        tcmalloc={} if known is None else {BUILD: known},
    )
    assert _gaps(snapshot, "NO_TCMALLOC") == gaps


@pytest.mark.parametrize(
    ("sizes", "gaps"),
    [
        ((8, 8, 8, 8), []),
        ((8, 8, 8, 16), ["not-alike"]),
        ((8, 8, 8, None), ["not-alike"]),
        ((8, 8), ["not-alike"]),
    ],
)
def test_placement_groups_of_osds_of_several_sizes_are_not_compared(
    sizes: tuple[Optional[int], ...], gaps: list[str]
) -> None:
    osds = {
        number: OsdDetails(
            an_osd(number, f"host-{number}"), release="18.2.7", pgs=100, db_total=size
        )
        for number, size in enumerate(sizes)
    }
    assert _gaps(DoctorSnapshot(osds=osds), "UNEVEN_PGS") == gaps


NEW = Build("ceph version 20.2.0 (abc) tentacle (stable - RelWithDebInfo)", "debian", "x86_64")
OLD = Build("ceph version 18.2.7 (abc) reef (stable)", "debian", "x86_64")


@pytest.mark.parametrize(("lacking", "whole"), [(0, []), (1, [False]), (2, [False]), (3, [True])])
@pytest.mark.parametrize(
    ("check", "has", "lacks", "code"),
    [
        ("MIXED_RELEASES", {"release": "18.2.7"}, {"release": ""}, "no-metadata"),
        ("TOO_MANY_PGS", {"pgs": 0}, {"pgs": None}, "no-counters"),
        ("MEMORY_TARGET_TOO_LARGE", {"host_memory": 1}, {"host_memory": None}, "no-metadata"),
        ("DEBUG_BUILD", {"build": NEW}, {"build": OLD}, "no-build-type"),
        ("DEBUG_BUILD", {"build": NEW}, {"build": None}, "no-build-type"),
        ("NO_TCMALLOC", {"build": NEW}, {"build": OLD}, "not-asked"),
        ("STALLED_READS", {"release": "18.2.0"}, {"release": "17.2.7"}, "no-alert"),
    ],
)
def test_what_some_osds_lack(
    check: str,
    has: Mapping[str, Any],
    lacks: Mapping[str, Any],
    code: str,
    lacking: int,
    whole: list[bool],
) -> None:
    osds = {
        number: OsdDetails(
            an_osd(number),
            **{"release": "18.2.0", "pgs": 1, **(lacks if number < lacking else has)},
        )
        for number in range(3)
    }
    gaps = examine(DoctorSnapshot(osds=osds, tcmalloc={NEW: True})).look.gaps
    found = [one for one in gaps if check in one.units]
    assert [not one.partly for one in found] == whole
    assert [one.code for one in found] == [code] * len(whole)
    assert all(("osd.0" in one.why, "osd.2" in one.why) == (True, lacking > 2) for one in found)


@pytest.mark.parametrize(
    ("models", "partly"),
    [("XXX", []), ("XXXX", []), ("XX", [False]), ("XXXY", [True]), ("XXXYYY", [])],
)
def test_three_hosts_of_a_processor_are_compared(models: str, partly: list[bool]) -> None:
    osds, facts = {}, {}
    for number, model in enumerate(models):
        host = f"host-{number}"
        osds[number] = OsdDetails(an_osd(number, host), release="18.2.7", pgs=1)
        sections: dict[str, Any] = {"cpu": {"model": model}, "crc32c": {"bytes_per_second": 9e9}}
        facts[host] = facts_of(document(host, **sections))
    gaps = examine(DoctorSnapshot(osds=osds, facts=facts)).look.gaps
    assert [one.partly for one in gaps if "SLOW_CHECKSUM" in one.units] == partly


def test_rocksdb_options_that_the_mgr_does_not_have_yet() -> None:
    """The operator has just typed the advice; or an empty value overrides one with a limit."""
    name, limited = "bluestore_rocksdb_options", "compression=kNoCompression,max_total_wal_size=1"
    typed = [Setting("osd", "", name, limited)]
    emptied = [Setting("global", "", name, limited), Setting("osd", "", name, "")]
    for settings, effective in ((typed, "compression=kNoCompression"), (emptied, "")):
        snapshot = DoctorSnapshot(
            osds={3: OsdDetails(an_osd(3), release="18.2.7")},
            options={"hdd": {name: effective}},
            settings=settings,
            flags=frozenset(("noscrub",)),
        )
        assert _codes(snapshot) == ["SCRUB_OFF"]
