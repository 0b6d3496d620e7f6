"""A file that the version before wrote, in the pool of a real cluster."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from cluster.api import DevCluster
from cluster.namespaces import REPO
from perf_bench.store.schema import NEWEST, OLDEST
from scenarios.operator import FAILOVER_SECONDS, Operator
from scenarios.stored_file import Objects, file_of

pytestmark = [pytest.mark.cluster, pytest.mark.long]
RECORD = "mgr/perf_bench/store"


def _written(path: Path, version: int) -> dict[int, str]:
    """Make the file; returns its rounds with their labels."""
    script = REPO / "tests" / "store" / "data" / f"schema_{version}.sql"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.executescript(script.read_text(encoding="utf-8"))
    rounds = dict(db.execute("SELECT id, label FROM rounds"))
    db.close()
    return rounds


def _switched(person: Operator, word: str) -> None:
    """Enable or disable the module, which replaces the mgrs."""
    before = person.cluster.ceph_json("mgr", "dump")["active_gid"]
    person.cluster.ceph("mgr", "module", word, "perf_bench")

    def replaced() -> bool:
        found = person.cluster.ceph_json("mgr", "dump")
        return bool(found["available"] and found["active_gid"] != before)

    person.sees(f"mgrs with the module {word}d", replaced)


def test_each_schema_is_brought_forward(cluster: DevCluster, tmp_path: Path) -> None:
    person, path = Operator(cluster), tmp_path / "main.db"
    objects, first = Objects(person), file_of(person)
    for version in range(OLDEST, NEWEST):
        rounds = _written(path, version)
        _switched(person, "disable")
        # as on a cluster that knows only this file
        cluster.ceph("config-key", "rm", RECORD)
        for name in cluster.rados(*objects.where, "ls").split():
            if name != f"{first}.{0:016x}":
                cluster.rados(*objects.where, "rm", name)
        objects.put(first, path)
        _switched(person, "enable")
        store = person.sees_the_database(FAILOVER_SECONDS)
        assert store["schema_version"] == NEWEST
        shown = {one["id"]: one["label"] for one in person.asks("round", "ls")}
        assert shown == rounds, version
        for number in rounds:
            assert not person.asks("round", "show", str(number))["unreadable"]
        print(f"schema {version}: {len(rounds)} rounds")

    def is_whole() -> bool:
        return bool(person.asks("store", "status")["integrity"] == "ok")

    person.sees("a file that was checked", is_whole, 120)
    person.sees_it_ready()
    number = person.starts("osd-iops", "--osds", "0", "--repeats", "1")
    assert person.sees_the_end_of(number)["state"] == "done"
