"""Checks that find nothing because they could not look: they say so, or look elsewhere."""

from __future__ import annotations

from typing import Any, Optional

from factory import document
from nouns import an_osd
from perf_bench.doctor.checks import examine
from perf_bench.model.doctor_snapshot import Build, DoctorSnapshot, OsdDetails, Setting
from perf_bench.model.hardware import facts_of


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


def test_an_iommu_is_told_where_facts_do_not_list_the_disks() -> None:
    """What a host tells has each section or not; the OSDs' devices are known from Ceph."""
    for devices in ["nvme0n1", "nvme0n1,sda"]:
        snapshot = _hosts(1, devices, cpu={"iommu": "translated"})
        assert snapshot.facts["host-0"].block is None
        assert _gaps(snapshot, "IOMMU_TRANSLATES") == []
        assert "IOMMU_TRANSLATES" in _codes(snapshot)


def test_cores_of_an_unknown_model_are_not_compared() -> None:
    """ARM's /proc/cpuinfo has no model name."""
    cases: list[tuple[Optional[str], list[str]]] = [("X", []), (None, ["no-section"])]
    for model, gaps in cases:
        cpu = {"cores": 64, **({"model": model} if model else {})}
        snapshot = _hosts(3, cpu=cpu, crc32c={"bytes_per_second": 9e9})
        assert _gaps(snapshot, "SLOW_CHECKSUM") == gaps


NEW = Build("ceph version 20.2.0 (abc) tentacle (stable - RelWithDebInfo)", "debian", "x86_64")
OLD = Build("ceph version 18.2.7 (abc) reef (stable)", "debian", "x86_64")


# A check, what an OSD has that it reads, what one has that lacks it, and the gap.
LACKS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("KNOWN_FAULT", {"release": "18.2.7"}, {"release": ""}, "no-metadata"),
    ("TOO_MANY_PGS", {"pgs": 0}, {"pgs": None}, "no-counters"),
    ("MEMORY_TARGET_TOO_LARGE", {"host_memory": 1}, {"host_memory": None}, "no-metadata"),
    ("DEBUG_BUILD", {"build": NEW}, {"build": OLD}, "no-build-type"),
    ("DEBUG_BUILD", {"build": NEW}, {"build": None}, "no-build-type"),
]


def test_what_some_osds_lack() -> None:
    cases: list[tuple[int, list[bool]]] = [(0, []), (1, [False]), (2, [False]), (3, [True])]
    for lacking, whole in cases:
        for check, has, lacks, code in LACKS:
            osds = {
                number: OsdDetails(
                    an_osd(number),
                    **{"release": "18.2.0", "pgs": 1, **(lacks if number < lacking else has)},
                )
                for number in range(3)
            }
            gaps = examine(DoctorSnapshot(osds=osds)).look.gaps
            found = [one for one in gaps if check in one.units]
            assert [not one.partly for one in found] == whole
            assert [one.code for one in found] == [code] * len(whole)
            assert all(
                ("osd.0" in one.why, "osd.2" in one.why) == (True, lacking > 2) for one in found
            )


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
            tick=(9.0, 5.0),
        )
        assert _codes(snapshot) == ["MGR_BUSY"]
