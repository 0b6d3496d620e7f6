"""RocksDB's options where the monitors' configuration and what the OSD has do not agree."""

from __future__ import annotations

import pytest

from nouns import an_osd
from perf_bench.doctor.checks import advise
from perf_bench.model.doctor_snapshot import DoctorSnapshot, OsdDetails, Setting

ROCKSDB = "bluestore_rocksdb_options"
LIMITED = "compression=kNoCompression,max_total_wal_size=1073741824"
FLAGS = frozenset(("noscrub",))


@pytest.mark.parametrize(
    ("settings", "effective"),
    [
        # The operator has just typed the doctor's own fix: the monitors' database has it, and the
        # mgr's copy of the configuration, which single options are read from, not yet.
        ([Setting("osd", "", ROCKSDB, LIMITED)], "compression=kNoCompression"),
        # An empty value of a narrower section overrides one with a limit.
        ([Setting("global", "", ROCKSDB, LIMITED), Setting("osd", "", ROCKSDB, "")], ""),
    ],
)
def test_the_doctor_goes_on_and_gives_all_other_advice(
    settings: list[Setting], effective: str
) -> None:
    snapshot = DoctorSnapshot(
        osds={3: OsdDetails(an_osd(3), release="18.2.7")},
        options={"hdd": {ROCKSDB: effective}},
        settings=settings,
        flags=FLAGS,
    )
    found = {one.code: one for one in advise(snapshot)}
    assert "SCRUB_OFF" in found
    assert "ROCKSDB_NO_WAL_LIMIT" not in found
