"""The database damaged and lost: the module says so, goes on, and numbers no round twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenarios.operator import Operator

pytestmark = pytest.mark.cluster
CODE = "PERF_BENCH_STORE"
SURE = "--yes-i-really-mean-it"


def _pool(operator: Operator) -> str:
    return str(operator.asks("store", "status")["backend"]).rsplit(" ", 1)[-1]


def _file(operator: Operator) -> str:
    return str(operator.asks("store", "status")["file"])


def _measured(operator: Operator) -> int:
    number = operator.starts("osd-iops", "--osds", "0", "--repeats", "1")
    operator.sees_the_end_of(number)
    return number


def _when_idle(operator: Operator, *words: str) -> Any:
    """The round that has just ended may count as running for a moment."""
    return operator.sees(words[0], lambda: operator.asks("store", *words))


def _rounds(operator: Operator) -> dict[int, Any]:
    return {one["id"]: one for one in operator.asks("round", "ls")}


def _harmed(operator: Operator, tmp_path: Path, harm: Callable[[Path], object]) -> None:
    """While the module is off, do something to the database's first object."""
    pool, file = _pool(operator), _file(operator)
    cluster, copy = operator.cluster, tmp_path / "object"
    cluster.ceph("mgr", "module", "disable", "perf_bench")
    name = f"{file}.0000000000000000"
    where = ("--pool", pool, "--namespace", "perf_bench")
    operator.sees("the object", lambda: name in cluster.rados(*where, "ls"))
    cluster.rados(*where, "get", name, str(copy))
    harm(copy)
    cluster.rados(*where, "put", name, str(copy))
    cluster.ceph("mgr", "module", "enable", "perf_bench")


def _ready(operator: Operator) -> None:
    """The database has been read; health may have our own check."""

    def ready() -> bool:
        store = operator.asks("status")["store"]
        return bool(store["ready"] and store["error"] is None)

    operator.sees("a ready module", ready, 120.0)


def _change(*statements: str) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        db = sqlite3.connect(path)
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()

    return change


def _blank(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\0" * 100)


def test_a_row_that_cannot_be_read_stops_nothing(operator: Operator, tmp_path: Path) -> None:
    first, second = _measured(operator), _measured(operator)
    operator.asks("schedule", "add", "nightly", "osd-iops", "--every", "1d")
    _harmed(
        operator,
        tmp_path,
        _change(
            f"UPDATE rounds SET summary = '{{\"cut' WHERE id = {first}",  # noqa: S608
            "UPDATE schedules SET schedule = '{' WHERE name = 'nightly'",
        ),
    )
    _ready(operator)
    said = operator.sees_in_health(CODE)
    assert f"round {first} (summary is no JSON" in said
    listed = _rounds(operator)
    assert listed[first]["unreadable"]
    assert listed[second]["unreadable"] is None
    assert "cannot be read" in operator.refused("round", "show", str(first)).err
    raw = json.loads(operator.types("round", "export", str(first), "--raw").out)
    assert raw["rounds"][0]["summary"] == '{"cut'
    assert _measured(operator) > second

    operator.types("round", "rm", str(first))
    operator.types("schedule", "rm", "nightly")
    operator.sees_gone_from_health(CODE)
    assert operator.asks("store", "check")["integrity"] == "ok"


def test_a_damaged_file_is_set_aside_and_a_backup_restored(
    operator: Operator, tmp_path: Path
) -> None:
    last, before = _measured(operator), _file(operator)
    backup = _when_idle(operator, "backup")["file"]
    operator.sees("the backup", lambda: operator.asks("store", "status")["backups"])
    _harmed(operator, tmp_path, _blank)
    _ready(operator)
    said = operator.sees_in_health(CODE)
    assert f"the database {before} was damaged" in said
    status = operator.asks("store", "status")
    assert status["file"] != before
    assert status["set_aside"][-1]["what"] == before
    assert _measured(operator) > last

    assert SURE in operator.refused("store", "restore", backup).err
    _when_idle(operator, "restore", backup, SURE)
    operator.sees("the rounds of before", lambda: last in _rounds(operator))
    operator.sees_gone_from_health(CODE)
    assert _measured(operator) > last + 1


@pytest.mark.leaves("*")
def test_a_deleted_pool_is_no_new_cluster(operator: Operator) -> None:
    last, pool = _measured(operator), _pool(operator)
    ceph = operator.cluster.ceph
    ceph("config", "set", "mon", "mon_allow_pool_delete", "true")
    operator.sees(
        "the pool deleted",
        lambda: ceph("osd", "pool", "rm", pool, pool, "--yes-i-really-really-mean-it") is not None,
    )
    ceph("config", "rm", "mon", "mon_allow_pool_delete")
    ceph("mgr", "fail")
    _ready(operator)
    said = operator.sees_in_health(CODE)
    assert "was lost (its pool was deleted)" in said
    assert _rounds(operator) == {}
    assert _measured(operator) > last
    _when_idle(operator, "reset", SURE)
    operator.sees_gone_from_health(CODE)
    assert _measured(operator) > last + 1


def test_a_check_of_all_says_what_it_looked_at(operator: Operator) -> None:
    def checked() -> bool:
        return bool(operator.asks("store", "check")["integrity"] == "ok")

    operator.sees("a check", checked)
    shown = operator.asks("store", "status")
    assert shown["checked_at"]
    assert shown["bytes"] > 0
    assert shown["file"].startswith("main")
