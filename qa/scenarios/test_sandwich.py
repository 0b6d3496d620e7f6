"""An OSD alone, with its host, alone again and after rests: writes, and reads past all caches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenarios.operator import MEASURED, Operator

pytestmark = pytest.mark.cluster
# Two OSDs of a host, rests of seconds: what it costs is the benches.
SHORT = ("osd-sandwich", "--osds", "host=host-1", "--repeats", "1")
PARTS = ["before", "together", "after", "rested-1"]


@pytest.fixture
def person(operator: Operator) -> Iterator[Operator]:
    """An operator who finds no object and no process of a sandwich after it."""
    yield operator
    operator.sees("that nothing is left", lambda: not _objects(operator) and not _readers(operator))


def _objects(operator: Operator) -> list[str]:
    """Objects that are made to be read."""
    if "perf_bench" not in operator.cluster.ceph("osd", "pool", "ls").split():
        return []
    listed = operator.cluster.rados("-p", "perf_bench", "-N", "reads", "ls")
    return listed.split()


def _readers(operator: Operator) -> list[int]:
    """Processes that read for a round of this cluster."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            ours = str(operator.cluster.spec.dir).encode() in (entry / "environ").read_bytes()
        except OSError:
            continue
        if ours and b"perf_bench.programs.read_osds" in words:
            found.append(int(entry.name))
    return found


def _missed(operator: Operator, osd: int) -> int:
    """Bytes that an OSD has read past its cache since it began."""
    counters = operator.cluster.ceph_json("tell", f"osd.{osd}", "perf", "dump", "bluestore")
    found = counters["bluestore"]
    # Its name on 16, and later.
    return int(found.get("bluestore_buffer_miss_bytes", found.get("buffer_miss_bytes", 0)))


def test_a_sandwich(person: Operator) -> None:
    def ended() -> tuple[dict[int, int], Any]:
        before = {osd: _missed(person, osd) for osd in (1, 4)}
        number = person.starts(*SHORT, "--rest", "2s", "--rests", "1")
        return before, person.sees_the_end_of(number)

    before, shown = ended()
    for _ in range(2):  # one that was disturbed may lack a sample
        if shown["verdict"] not in MEASURED:
            before, shown = ended()
    assert shown["state"] == "done", shown["reasons"]
    phases = {phase["name"]: phase for phase in shown["phases"]}
    assert list(phases) == PARTS
    assert [phase["osds"] for phase in shown["phases"]] == [[1], [1, 4], [1], [1]]
    for phase in shown["phases"]:
        assert phase["writes"]["median_bytes_per_second"] > 0
        assert phase["reads"]["median_bytes_per_second"] > 0
        assert phase["started_at"] < phase["ended_at"]
    assert phases["rested-1"]["seconds_since_load"] >= 2.0
    assert phases["before"]["reads"]["percent_of_before"] == 100.0
    # Every byte came from the device: 1 GiB a sample, four of osd.1 and one of osd.4.
    read = {osd: _missed(person, osd) - before[osd] for osd in before}
    assert {osd: count >> 30 for osd, count in read.items()} == {1: 4, 4: 1}


@pytest.mark.long
def test_an_abort_ends_a_rest_at_once(person: Operator) -> None:
    number = person.starts(*SHORT, "--rest", "1h", "--rests", "1")
    person.sees("the rest", lambda: _phase(person) == "rest" or None)
    assert _objects(person)
    (reader,) = _readers(person)
    assert person.types("round", "abort").code == 0
    shown = person.sees_the_end_of(number, 20)
    assert (shown["verdict"], len(shown["samples"])) == ("aborted", 8)
    assert not _runs(reader)


@pytest.mark.long
def test_logs_are_told_by_two_benches_or_it_does_not_apply(person: Operator) -> None:
    about = person.cluster.ceph_json("osd", "metadata", "1")
    order = ("osd-wal", "--osds", "1", "--repeats", "1")
    if about["bluestore_bdev_rotational"] == "0":
        assert "osd-wal does not apply" in person.refused("round", "start", *order).err
        return
    shown = person.sees_the_end_of(person.starts(*order))
    assert shown["state"] == "done", shown["reasons"]
    assert [phase["name"] for phase in shown["phases"]] == ["deferred", "direct"]
    size = person.cluster.ceph("config", "show", "osd.1", "bluestore_prefer_deferred_size_hdd")
    sizes = [sample["block_size"] for sample in shown["samples"]]
    assert sizes == [4096, 2 * int(size)]
    # On a machine for tests no device is as slow as a spinning one; all is told but that.
    if shown["verdict"] in {"valid", "noisy"}:
        (said,) = [c for c in shown["conclusions"] if c["code"].startswith("wal-")]
        assert said["evidence"]["osds"] == [1]
        assert said["evidence"]["metadata"] == "the device of the data, spinning"


def _phase(operator: Operator) -> str:
    active: Any = operator.asks("status")["active_round"]
    return str(active["phase"]) if active else ""


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return b"perf_bench.programs.read_osds" in Path(f"/proc/{pid}/cmdline").read_bytes()
