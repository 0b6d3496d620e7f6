"""An older version is installed over ours and back: it leaves a newer database alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perf_bench.store.schema import NEWEST, OLDEST
from scenarios.install.conftest import Hosts
from scenarios.operator import FAILOVER_SECONDS, Operator, unhurried
from scenarios.stored_file import Objects, file_of

pytestmark = [pytest.mark.cluster, pytest.mark.long]
CODE = "PERF_BENCH_STORE"
# 1 GiB: long enough to be valid on a busy machine, so it can be a baseline.
ROUND = ("osd-throughput", "--osds", "0", "--size", "1M", "--repeats", "1")
# What writes to the database when a user asks for it.
REFUSED = (
    ("round", "start", *ROUND),
    ("schedule", "add", "weekly", "osd-iops", "--every", "7d"),
    ("schedule", "rm", "daily"),
    ("baseline", "set", "1"),
)


@pytest.fixture
def older(package: Path) -> Path:
    """The module as it was before the last step of the schema."""
    schema = package / "store" / "schema.py"
    text = schema.read_text(encoding="utf-8")
    line = f"NEWEST = {OLDEST}, {NEWEST}\n"
    assert text.count(line) == 1
    schema.write_text(text.replace(line, f"NEWEST = {OLDEST}, {OLDEST}\n"), encoding="utf-8")
    return package


@pytest.fixture
def installed(hosts: Hosts) -> Iterator[Operator]:
    """An operator of mgrs that both have the module; removed from both afterwards."""
    for name in hosts.folders:
        hosts.tool(name, "install", "--enable")
    unhurried(hosts.cluster)
    try:
        yield Operator(hosts.cluster)
    finally:
        for name in hosts.folders:
            assert hosts.tool(name, "uninstall").code == 0
        hosts.cluster.ceph("mgr", "module", "disable", "perf_bench")
        hosts.cluster.ceph("config-key", "rm", "mgr/perf_bench/installed")
        hosts.cluster.restart(*hosts.folders)


def _shown(person: Operator, number: int) -> dict[str, Any]:
    """What was measured and set before."""
    (schedule,) = person.asks("schedule", "ls")
    return {
        "round": person.asks("round", "show", str(number)),
        "baseline": person.asks("baseline", "ls"),
        "schedule": {key: schedule[key] for key in ("name", "profile", "every")},
    }


def _detail(person: Operator) -> str:
    return person.cluster.ceph("health", "detail")


def _told(person: Operator) -> bool:
    detail = _detail(person)
    return CODE in detail and "install that one again" in detail


def test_an_older_version_leaves_the_database_alone(
    hosts: Hosts, installed: Operator, older: Path, tmp_path: Path
) -> None:
    person, cluster = installed, hosts.cluster
    person.sees_it_ready(FAILOVER_SECONDS)
    number = person.starts(*ROUND)
    assert person.sees_the_end_of(number)["state"] == "done"
    person.asks("baseline", "set", str(number))
    person.asks("schedule", "add", "daily", "osd-iops", "--every", "1d")
    before = _shown(person, number)
    file, objects = file_of(person), Objects(person)
    cluster.ceph("mgr", "module", "disable", "perf_bench")  # so that nobody writes
    objects.get(file, tmp_path / "before")
    cluster.ceph("mgr", "module", "enable", "perf_bench")

    for name in hosts.folders:
        hosts.tool(name, "upgrade", "--enable", package=older)

    def refuses() -> Any:
        store = person.asks("status")["store"]
        return store if f"schema {NEWEST}, this version knows" in str(store["error"]) else None

    store = person.sees("a database that is too new", refuses, FAILOVER_SECONDS)
    assert not store["ready"]
    assert person.asks("store", "status")["integrity"] == "newer schema"
    # a mgr that cannot read what was muted waits a minute before it tells of anything
    person.sees("the reason in health", lambda: _told(person), FAILOVER_SECONDS)
    for words in REFUSED:
        assert "newer perf_bench" in person.refused(*words).err, words
    cluster.ceph("mgr", "module", "disable", "perf_bench")
    objects.get(file, tmp_path / "after")
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()
    cluster.ceph("mgr", "module", "enable", "perf_bench")

    for name in hosts.folders:
        hosts.tool(name, "upgrade", "--enable")
    person.sees("health without it", lambda: CODE not in _detail(person), FAILOVER_SECONDS)
    person.sees_it_ready(FAILOVER_SECONDS)
    assert _shown(person, number) == before
    again = person.starts(*ROUND)
    assert again > number
    assert person.sees_the_end_of(again)["state"] == "done"
    person.asks("schedule", "rm", "daily")
    print(json.dumps(store))
