"""``ceph perf-bench store …``, as an operator sees it."""

from __future__ import annotations

import errno
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from past import api_of
from perf_bench import cli
from perf_bench.errors import StoreUnavailable
from perf_bench.model.request import Request
from perf_bench.model.retention import RetentionRules
from perf_bench.model.schedule import ScheduleRequest
from perf_bench.report.text import iso
from perf_bench.store import integrity, maintenance, retention, schema
from perf_bench.store.copying import Copying
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
        return cli.dispatch(self.api, {"prefix": f"perf-bench {prefix}", **args})

    def asks(self, prefix: str, **args: Any) -> Any:
        code, out, err = self.types(prefix, format="json", **args)
        assert code == 0, err
        return json.loads(out)


@pytest.fixture
def terminal(stage: Stage, path: Path) -> Terminal:
    return Terminal(stage, path)


def test_status(terminal: Terminal) -> None:
    shown = terminal.asks("store status")
    assert set(shown) >= KEYS
    assert (shown["rounds"], shown["schema_version"]) == (2, schema.NEWEST)
    assert (shown["file"], shown["integrity"]) == ("main.db", "unchecked")
    assert shown["bytes"] == terminal.path.stat().st_size
    assert shown["set_aside"] == shown["backups"] == []
    code, out, _ = terminal.types("store status")
    assert code == 0
    assert "integrity  unchecked" in " ".join(out.split("\n"))


def test_check(terminal: Terminal) -> None:
    shown = terminal.asks("store check")
    assert (shown["integrity"], shown["checked_at"]) == ("ok", "2023-11-14T22:13:20.000Z")
    with sqlite3.connect(terminal.path) as db:
        db.execute("UPDATE rounds SET environment = '{' WHERE id = 2")
    db.close()
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


def test_a_restore_of_nothing(terminal: Terminal) -> None:
    sure = {"yes_i_really_mean_it": True}
    made = terminal.asks("store backup")
    assert terminal.types("store restore", backup="", **sure)[0] == -errno.EINVAL
    code, _, said = terminal.types("store restore", backup="x.db", **sure)
    assert (code, said) == (
        -errno.ENOENT,
        "no backup 'x.db': 'ceph perf-bench store status' lists those there are",
    )
    assert f"backup {made['file']} done" in terminal.types("store status")[1]  # still the newest


def test_reset(terminal: Terminal) -> None:
    assert terminal.types("store reset")[0] == -errno.EINVAL
    shown = terminal.asks("store reset", yes_i_really_mean_it=True)
    assert (shown["rounds"], shown["file"]) == (0, "main-2.db")
    assert terminal.types("schedule ls")[1].startswith("no schedules yet")
    terminal.stage.bench.start(ROUND)
    terminal.stage.ended()
    assert terminal.asks("round ls")[0]["id"] > 2


def test_a_damaged_database_in_the_terminal(terminal: Terminal) -> None:
    terminal.asks("store check")
    terminal.stage.store_thread.call(lambda store: store.close())
    with terminal.path.open("r+b") as file:
        file.write(b"\0" * 100)
    code, _, said = terminal.types("round ls")
    assert code == -errno.EAGAIN
    assert "the database is damaged (file is not a database)" in said
    terminal.stage.store_thread.call(terminal.stage.keeper._look)
    shown = terminal.asks("store status")
    assert shown["integrity"] == "damaged"
    assert "is damaged" in shown["error"]
    assert terminal.types("store status")[0] == 0
    assert terminal.types("status")[0] == 0


def test_what_it_takes_and_what_retention_removed(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = terminal.stage
    monkeypatch.setattr(retention, "NEEDED_ROUNDS", 1)
    monkeypatch.setattr(stage.keeper, "_rules", lambda: RetentionRules(1, 30, 64))
    before = stage.store_thread.call(lambda store: store.round(1))
    with sqlite3.connect(terminal.path) as db:  # osd.0 and osd.1 were measured once more
        db.execute("UPDATE rounds SET label = 'before the fan' WHERE id = 1")
    db.close()
    assert terminal.types("status")[1].count("of at most") == 0
    assert "retention has removed" not in terminal.types("round ls")[1]
    terminal.asks("store check")
    for _ in range(20):
        stage.keeper.tick()
        stage.store_thread.call(lambda _store: None)

    assert [one["id"] for one in terminal.asks("round ls")] == [2]
    assert terminal.types("round ls")[1].endswith(
        "\nretention has removed 1 round, last round 1 on 2023-11-14 22:13 UTC: "
        "'ceph perf-bench store status'"
    )
    code, _, said = terminal.types("round show", id="1")
    assert (code, said) == (
        -errno.ENOENT,
        f"no round 1: it was removed on 2023-11-14 22:13 UTC ({WHY})",
    )
    shown = terminal.asks("store status")
    assert shown["limits"] == {"keep_rounds": 1, "keep_round_days": 30, "keep_store_mib": 64}
    assert shown["can_shrink"] is True
    assert shown["free_bytes"] >= 0
    assert shown["removed"] == [
        {
            "round": 1,
            "profile": "osd-throughput",
            "label": "before the fan",
            "created_at": iso(before.created_at),
            "removed_at": "2023-11-14T22:13:20.000Z",
            "why": WHY,
        }
    ]
    kinds = {one["kind"]: one for one in shown["kinds"]}
    assert kinds["rounds"]["rows"] == 2  # at the check
    assert kinds["schedules"]["rows"] == 1
    text = " ".join(terminal.types("store status")[1].split())
    assert " of at most 64 MiB" in text
    assert " for 2 rounds" in text
    assert "removed round 1 (osd-throughput, before the fan) of 2023-11-14 22:13" in text
    assert " of at most 64 MiB" in terminal.types("status")[1]
    metrics = terminal.types("metrics")[1]
    assert "ceph_perf_bench_rounds_removed_total 1" in metrics
    assert f"ceph_perf_bench_store_limit_bytes {64 << 20}" in metrics


def _fails_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """RADOS ends a copy after it has begun, as where an OSD of the pool goes away."""

    def piece(_copy: Any) -> bool:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(Copying, "piece", piece)


def test_a_backup_that_fails_is_no_success(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script removes older backups after it."""
    _fails_on_the_way(monkeypatch)
    code, out, said = terminal.types("store backup", format="json")
    assert (code, out) == (-errno.EAGAIN, "")
    assert said == "the backup of the database failed: the database cannot be used: disk I/O error"
    assert terminal.asks("store status")["job"]["state"] == "failed"
    assert terminal.asks("store status")["backups"] == []


def test_a_restore_that_fails_is_no_success(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = terminal.asks("store backup")
    _fails_on_the_way(monkeypatch)
    code, _, said = terminal.types("store restore", backup=made["file"], yes_i_really_mean_it=True)
    assert code == -errno.EAGAIN
    assert said.startswith("the restore of the database failed: ")
    assert terminal.asks("store status")["file"] == "main.db"


def test_a_check_that_fails_is_not_answered_by_the_one_before(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert terminal.asks("store check")["integrity"] == "ok"
    monkeypatch.setattr(integrity, "PIECE_SECONDS", 0.0)  # a row a piece
    check, pieces = integrity.check_rows, []

    def second(*given: Any, **named: Any) -> Any:
        pieces.append(1)
        if len(pieces) == 2:
            raise StoreUnavailable("the database cannot be used: disk I/O error")
        return check(*given, **named)

    monkeypatch.setattr(integrity, "check_rows", second)
    code, _, said = terminal.types("store check")
    assert code == -errno.EAGAIN
    assert said == "the check of the database failed: the database cannot be used: disk I/O error"


@pytest.mark.parametrize(
    ("most", "lacks"),
    [
        (20, ["rows of samples of round 1", "rows of samples of round 2"]),
        (1, ["rows of samples of round 1", "1 more"]),
    ],
)
def test_a_restore_of_a_damaged_backup_says_what_it_lacks(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, most: int, lacks: list[str]
) -> None:
    monkeypatch.setattr(maintenance, "_MISSING", most)
    made = terminal.asks("store backup")
    file = terminal.path.with_name(made["file"])
    with sqlite3.connect(file) as db:
        (size,) = db.execute("PRAGMA page_size").fetchone()
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'samples'").fetchone()
    db.close()
    with file.open("r+b") as backup:
        backup.seek((page - 1) * size)
        backup.write(b"\xa5" * size)
    sure = {"yes_i_really_mean_it": True}
    code, out, _ = terminal.types("store restore", backup=made["file"], **sure)
    (note,) = terminal.asks("store status")["set_aside"]
    assert note["missing"] == lacks
    said = "done, but what it was made of is damaged, missing: " + ", ".join(lacks)
    assert (code, out) == (0, f"restore {made['file']} {said}")
    assert terminal.asks("store status")["job"]["missing"] == lacks
    again = terminal.asks("store restore", backup=made["file"], **sure)
    assert again["missing"] == lacks
    assert terminal.asks("store backup")["missing"] == []
