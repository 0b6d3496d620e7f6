"""The doctor on real OSDs: silent, and right about what there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import pytest

from cluster.api import DevCluster
from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
LOUD, CAPACITY = "10/10", "osd_mclock_max_capacity_iops_"
# who, which option, what it is set to
BROKEN = [
    ("osd/host:host-1", "osd_memory_target", str(64 << 30)),
    ("osd.0", "osd_memory_target", str(64 << 30)),
    ("osd", "bluestore_rocksdb_options", "compression=kNoCompression,max_background_jobs=4"),
    ("osd.1", "bluestore_rocksdb_options", "compression=kNoCompression"),
    ("osd/host:host-2", "debug_osd", LOUD),
    ("osd.3", "debug_bluestore", LOUD),
    ("global", "ms_cluster_mode", "secure crc"),
    ("osd", "ms_service_mode", "secure crc"),
    *[("osd.4", f"{CAPACITY}{kind}", "9000000") for kind in ("hdd", "ssd")],
    *[("osd", f"{CAPACITY}{kind}", "3") for kind in ("hdd", "ssd")],
]
SAID = {
    "MEMORY_TARGET_TOO_LARGE",
    "ROCKSDB_NO_WAL_LIMIT",
    "DEBUG_LOGGING",
    "MESSAGES_ENCRYPTED",
}


@pytest.fixture
def broken(operator: Operator) -> Iterator[set[str]]:
    """A cluster with settings that nobody should have; the advice that there must be."""
    cluster = operator.cluster
    before = settings(cluster)
    for who, option, value in BROKEN:
        cluster.ceph("config", "set", who, option, value)
    uses_mclock = {one["verdict"] for one in operator.asks("mclock", "ls")} != {"unused"}
    yield SAID | ({"MCLOCK_CAPACITY"} if uses_mclock else set())
    after = settings(cluster)
    for who, option in after.keys() - before.keys():
        cluster.ceph("config", "rm", who, option)
    for (who, option), value in before.items():
        if after.get((who, option)) != value:
            cluster.ceph("config", "set", who, option, value)


def settings(cluster: DevCluster) -> dict[tuple[str, str], str]:
    """What is set, by section and mask, and by option."""
    return {
        (f"{one['section']}/{one['mask']}".rstrip("/"), one["name"]): one["value"]
        for one in cluster.ceph_json("config", "dump")
    }


@pytest.mark.long
def test_every_command_works_as_it_is_printed(operator: Operator, broken: set[str]) -> None:
    def advised() -> list[Any]:
        return [one for one in operator.asks("doctor") if one["code"] in broken]

    def all_of_it() -> Optional[list[Any]]:
        found = advised()
        return found if {one["code"] for one in found} == broken else None

    found = operator.sees("all advice", all_of_it)
    targets = {one["target"]["id"] for one in found if one["code"] == "MEMORY_TARGET_TOO_LARGE"}
    assert targets == {"host-0", "host-1"}  # not host-2, which has what is usual
    printed = operator.types("doctor").out.splitlines()
    lines = [line.split(None, 1)[1] for line in printed if line.startswith("  type  ")]
    for one in found:
        assert one["fix"] in lines, one  # whole, on a line of its own
        done = operator.pastes(one["fix"])
        assert done.code == 0, (one, done)
    operator.sees("nothing of it any more", lambda: advised() == [] or None)
