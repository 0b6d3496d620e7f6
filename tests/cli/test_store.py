"""``ceph perf-bench store …``, as an operator sees it."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from asked import asks, types
from past import api_of
from perf_bench.core.loop import complete
from perf_bench.model.plan import Request, ScheduleRequest
from perf_bench.model.store import RetentionRules
from perf_bench.store import retention, schema
from perf_bench.store.files import Files
from stage import Stage

ROUND = Request("osd-throughput", osds="0,1")
WHY = "keep_rounds: 1 newer round of its profile"
KEYS = {"backend", "bytes", "rounds", "schema_version", "integrity", "set_aside"}


class Terminal:
    """Commands at a stage with two rounds and a schedule."""

    def __init__(self, stage: Stage, path: Path) -> None:
        self.stage, self.path = stage, path
        self.api = api_of(stage)
        for _ in range(2):
            stage.bench.start(ROUND)
            stage.ended()
        stage.round_scheduler.add(ScheduleRequest("daily", "osd-iops", every="1d"))

    def types(self, prefix: str, **args: Any) -> tuple[int, str, str]:
        return types(self.api, prefix, **args)

    def asks(self, prefix: str, **args: Any) -> Any:
        return asks(self.api, prefix, **args)


@pytest.fixture
def terminal(stage: Stage, path: Path) -> Terminal:
    return Terminal(stage, path)


def test_status(terminal: Terminal) -> None:
    complete(terminal.stage.care.step())
    shown = terminal.asks("store status")
    assert set(shown) >= KEYS
    assert (shown["rounds"], shown["schema_version"]) == (2, schema.NEWEST)
    assert (shown["file"], shown["integrity"]) == ("main.db", "ok")
    assert shown["bytes"] == terminal.path.stat().st_size
    assert shown["set_aside"] == shown["backups"] == []
    code, out, _ = terminal.types("store status")
    assert code == 0
    assert "integrity  ok" in " ".join(out.split("\n"))


def test_check(terminal: Terminal) -> None:
    shown = terminal.asks("store check")
    assert (shown["integrity"], shown["checked_at"]) == ("ok", "2023-11-14T22:13:20.000Z")
    with sqlite3.connect(terminal.path) as db:
        db.execute("UPDATE rounds SET environment = '{' WHERE id = 2")
    db.close()
    terminal.asks("round ls")
    assert terminal.types("round show", id="2")[0] == -errno.EIO
    shown = terminal.asks("store check")
    assert shown["integrity"] == "unreadable rows"
    (row,) = shown["set_aside"]
    assert (row["kind"], row["what"]) == ("row", "round 2")
    assert "round 2: environment is no JSON" in terminal.types("store status")[1]


def test_a_backup_is_restored_with_its_schedules(terminal: Terminal) -> None:
    made = terminal.asks("store backup")
    assert made["state"] == "done"
    assert terminal.types("round rm", id="2")[0] == 0
    assert terminal.types("schedule rm", name="daily")[0] == 0
    code, _, said = terminal.types("store restore", backup=made["file"])
    assert code == -errno.EINVAL
    assert said.endswith("add --yes-i-really-mean-it")
    assert terminal.asks("store status")["file"] == "main.db"

    sure = {"yes_i_really_mean_it": True}
    assert terminal.asks("store restore", backup=made["file"], **sure)["state"] == "done"
    assert [one["id"] for one in terminal.asks("round ls")] == [2, 1]
    assert [one["name"] for one in terminal.asks("schedule ls")] == ["daily"]
    shown = terminal.asks("store status")
    assert [one["event"] for one in shown["set_aside"]] == ["restored"]
    assert made["file"] in terminal.types("store status")[1]


def test_reset(terminal: Terminal) -> None:
    assert terminal.types("store reset")[0] == -errno.EINVAL
    shown = terminal.asks("store reset", yes_i_really_mean_it=True)
    assert (shown["rounds"], shown["file"]) == (0, "main-2.db")
    assert terminal.types("schedule ls")[1].startswith("no schedules yet")
    terminal.stage.bench.start(ROUND)
    terminal.stage.ended()
    assert terminal.asks("round ls")[0]["id"] > 2


def test_a_damaged_database_in_the_terminal(terminal: Terminal) -> None:
    made = terminal.asks("store backup")
    terminal.stage.store_thread.call(lambda store: store.close())
    with terminal.path.open("r+b") as file:
        file.write(b"\0" * 100)
    code, _, said = terminal.types("round ls")
    assert code == -errno.EAGAIN
    assert said == (
        "the database main.db was damaged (file is not a database) and has been replaced by an "
        "empty one"
    )
    shown = terminal.asks("store status")
    (aside,) = shown["set_aside"]
    assert (shown["file"], aside["what"], aside["event"]) == ("main-2.db", "main.db", "damaged")
    assert terminal.types("round ls")[1].startswith("no rounds yet")
    assert terminal.types("status")[0] == 0
    sure = {"yes_i_really_mean_it": True}
    code, _, said = terminal.types("store restore", backup="main.db", **sure)
    assert code == -errno.EINVAL
    assert said == "'main.db' cannot be restored: it is damaged (file is not a database)"
    assert terminal.asks("store restore", backup=made["file"], **sure)["state"] == "done"
    assert [one["id"] for one in terminal.asks("round ls")] == [2, 1]


def test_what_it_takes_and_why_a_round_was_removed(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = terminal.stage
    monkeypatch.setattr(retention, "NEEDED_ROUNDS", 1)
    monkeypatch.setattr(stage.care, "rules", lambda: RetentionRules(1, 30, 64))
    assert terminal.types("status")[1].count("of at most") == 0
    complete(stage.care.step())

    assert [one["id"] for one in terminal.asks("round ls")] == [2]
    code, _, said = terminal.types("round show", id="1")
    assert (code, said) == (
        -errno.ENOENT,
        f"no round 1: it was removed on 2023-11-14 22:13 UTC ({WHY})",
    )
    shown = terminal.asks("store status")
    assert shown["limit_bytes"] == 64 << 20
    assert shown["free_bytes"] >= 0
    assert " of at most 64 MiB" in terminal.types("store status")[1]
    assert " of at most 64 MiB" in terminal.types("status")[1]
    metrics = terminal.types("metrics")[1]
    assert "ceph_perf_bench_rounds_removed_total 1" in metrics
    assert f"ceph_perf_bench_store_limit_bytes {64 << 20}" in metrics


def _fails(*_: Any) -> Any:
    """RADOS ends a copy after it has begun, as where an OSD of the pool goes away."""
    raise sqlite3.OperationalError("disk I/O error")


def test_a_backup_that_fails_is_no_success(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script removes older backups after it."""
    monkeypatch.setattr(Files, "_copy", _fails)
    code, out, said = terminal.types("store backup", format="json")
    assert (code, out) == (-errno.EAGAIN, "")
    assert said == "the backup of the database failed: the database cannot be used: disk I/O error"
    assert terminal.asks("store status")["job"]["state"] == "failed"
    assert terminal.asks("store status")["backups"] == []
