"""A file that is damaged or lost is replaced at once and kept; backups are restored."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Callable, Optional

import pytest

from fakes.database import Faults, FilePlace
from nouns import a_plan, a_result, a_round, a_sample, put_round
from perf_bench.errors import InvalidValue, StoreTooNew, StoreUnavailable
from perf_bench.model.finding import Finding, FindingState, Severity, Target
from perf_bench.model.history import WatchBatch
from perf_bench.model.round import RoundState
from perf_bench.model.store import Event, StoreChecked, StoreMark
from perf_bench.store import database, schema
from perf_bench.store.sqlite import Store

ROUNDS, OSDS = 5, 3
NOW = 1_700_000_000.0


class Files:
    """A store of rounds in a folder; a new one is the next mgr."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = FilePlace(path, Faults())
        self.store = Store(self.place, "test")
        for number in range(1, ROUNDS + 1):
            plan = a_plan([list(range(OSDS))])
            put_round(self.store, a_round(plan, RoundState.DONE, key=str(number)), [a_result(0)])
            self.store.add_samples(number, [a_sample(osd) for osd in range(OSDS)])
        finding = Finding(
            8, "C", Severity.WARNING, Target("osd", "1"), "m", {}, 0.0, 0.0, FindingState.OPEN
        )
        self.store.watch.write(WatchBatch(at=9.0, findings=[finding]))

    def next_mgr(self) -> Store:
        self.store.close()
        self.store = Store(self.place, "test")
        return self.store

    @property
    def mark(self) -> StoreMark:
        """As the monitors have it."""
        mark = self.place.read_mark()
        assert mark is not None
        return mark

    def numbers(self) -> list[int]:
        return [line.id for line in self.store.rounds(sort="+id")[0]]


@pytest.fixture
def files(path: Path) -> Iterator[Files]:
    made = Files(path)
    yield made
    made.store.close()


ALL = list(range(1, ROUNDS + 1))
HARMS: dict[str, Callable[[Path], object]] = {
    "a header of zeros": lambda path: _overwrite(path, 0, b"\0" * 100),
    "a header of text": lambda path: _overwrite(path, 0, b"#!/bin/sh\n" * 20),
    "pages of nonsense": lambda path: _overwrite(path, 4096, b"\xa5" * 4096 * 8),
    "half of it": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
}


def _overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.mark.parametrize("harm", HARMS.values(), ids=list(HARMS))
def test_a_damaged_file_is_replaced_at_once_and_kept(
    files: Files, harm: Callable[[Path], object]
) -> None:
    store = files.next_mgr()
    harm(files.path)
    before = files.path.read_bytes()
    with pytest.raises(StoreUnavailable, match=r"the database main.db was damaged \(.*replaced"):
        store.files.check(NOW)
    assert files.numbers() == []
    assert store.add_round(a_round(key="new"), ()).id > ROUNDS
    assert store.watch.findings()[1] > 8
    assert files.path.read_bytes() == before
    (incident,) = files.mark.incidents
    assert (incident.event, incident.file) == (Event.DAMAGED, "main.db")
    assert files.mark.file == "main-2.db"
    files.next_mgr()
    assert len(files.numbers()) == 1


def test_a_file_that_is_damaged_again_and_again_is_left_to_the_operator(files: Files) -> None:
    for _ in range(3):
        _overwrite(files.place.file(files.mark.file), 0, b"\0" * 100)
        with pytest.raises(StoreUnavailable, match="was damaged"):
            files.next_mgr().rounds()
    _overwrite(files.place.file(files.mark.file), 0, b"\0" * 100)
    store = files.next_mgr()
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="three times within a day"):
            store.files.probe()
    assert files.mark.file == "main-4.db"
    files.store.files.reset()
    assert files.numbers() == []


def test_a_damaged_file_that_cannot_be_replaced_yet_is_so_later(files: Files) -> None:
    store = files.next_mgr()
    _overwrite(files.path, 0, b"\0" * 100)
    files.place.faults.refused = "CREATE TABLE rounds"
    with pytest.raises(StoreUnavailable, match="cannot be used"):
        store.rounds()
    files.place.faults.refused = None
    with pytest.raises(StoreUnavailable, match="was damaged"):
        store.rounds()
    assert files.numbers() == []


def test_an_outage_is_no_damage(files: Files) -> None:
    store = files.next_mgr()
    files.place.faults.failing = -1
    with pytest.raises(StoreUnavailable, match="cannot be used: disk I/O error"):
        store.rounds()
    files.place.faults.failing = 0
    assert files.numbers() == ALL
    assert files.mark.incidents == ()


@pytest.mark.parametrize("gone", [True, False], ids=["gone", "empty"])
@pytest.mark.parametrize("pool", [1, 2])
def test_a_lost_file_is_no_new_cluster(files: Files, gone: bool, pool: int) -> None:
    if gone:
        files.path.unlink()
    else:
        files.path.write_bytes(b"")
    files.place.pool_id = pool
    store = files.next_mgr()
    assert store.rounds() == ([], 0)
    (incident,) = files.mark.incidents
    assert incident.event is Event.LOST
    assert incident.why == ("its pool was deleted" if pool == 2 else "its file is empty or gone")
    assert store.add_round(a_round(key="new"), ()).id > ROUNDS
    assert store.watch.findings()[1] > 8
    files.next_mgr().rounds()
    assert len(files.mark.incidents) == 1


def test_a_file_that_is_emptied_under_an_open_connection_is_met_by_a_probe(files: Files) -> None:
    files.path.write_bytes(b"")
    files.store.files.probe()
    assert files.numbers() == []
    assert [one.event for one in files.mark.incidents] == [Event.LOST]


def test_a_new_cluster_has_lost_nothing(path: Path) -> None:
    place = FilePlace(path, Faults())
    store = Store(place, "test")
    assert store.add_round(a_round(key="new"), ()).id == 1
    store.close()
    mark = place.read_mark()
    assert mark is not None
    assert mark.incidents == ()


def test_a_pool_that_is_in_no_map_yet_is_noted_later(path: Path) -> None:
    """Else nobody would know that it was deleted."""
    place = FilePlace(path, Faults())
    place.pool_id = None
    store = Store(place, "test")
    for number in (1, 2):
        store.add_round(a_round(key=str(number)), ())
        place.pool_id = 7
    mark = place.read_mark()
    assert mark is not None
    assert mark.pool == 7
    store.close()


def test_ids_do_not_jump_at_a_failover(files: Files) -> None:
    for number in (ROUNDS + 1, ROUNDS + 2):
        assert files.next_mgr().add_round(a_round(key=f"n{number}"), ()).id == number


def test_without_monitors_nothing_is_opened(files: Files) -> None:
    store = files.next_mgr()
    files.place.no_monitors = StoreUnavailable("the monitors do not answer")
    with pytest.raises(StoreUnavailable, match="the monitors do not answer"):
        store.rounds()
    files.place.no_monitors = None
    assert files.numbers() == ALL


# --- by the operator ---------------------------------------------------------------------------


def test_a_backup_is_restored(files: Files) -> None:
    store = files.store
    made = store.files.backup()
    assert made.file.startswith("backup-")
    assert made.rows > ROUNDS * OSDS
    assert files.mark.backups == (made,)
    store.remove_round(5)
    after = store.add_round(a_round(key="new"), ()).id
    store.files.restore(made.file)
    assert files.numbers() == ALL
    assert len(store.samples(5)) == OSDS
    assert store.add_round(a_round(key="newer"), ()).id > after
    (incident,) = files.mark.incidents
    assert (incident.event, incident.file, incident.rows) == (
        Event.RESTORED,
        "main.db",
        made.rows,
    )
    # and what was replaced can be had again
    store.files.restore("main.db")
    assert after in files.numbers()


def test_a_round_that_ran_meanwhile_has_failed_when_restored(files: Files) -> None:
    store = files.store
    number = store.add_round(a_round(state=RoundState.RUNNING, key="runs"), ()).id
    store.files.restore(store.files.backup().file)
    assert store.unfinished() == []
    assert store.round(number).state is RoundState.FAILED


@pytest.mark.parametrize("harm", HARMS.values(), ids=list(HARMS))
def test_a_damaged_backup_is_not_restored(files: Files, harm: Callable[[Path], object]) -> None:
    name = files.store.files.backup().file
    harm(files.place.file(name))
    with pytest.raises(InvalidValue, match=f"'{name}' cannot be restored: "):
        files.store.files.restore(name)
    assert files.numbers() == ALL
    assert files.mark.file == "main.db"


@pytest.mark.parametrize("version", [0, schema.OLDEST - 1, schema.NEWEST + 1])
def test_a_backup_of_another_schema_is_not_restored(files: Files, version: int) -> None:
    name = files.store.files.backup().file
    with sqlite3.connect(files.place.file(name)) as db:
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    with pytest.raises(InvalidValue, match=f"its schema is {version}, this version reads"):
        files.store.files.restore(name)
    assert files.numbers() == ALL


@pytest.mark.parametrize("refused", ["quick_check", "CREATE TABLE"])
def test_a_copy_that_fails_changes_nothing(files: Files, refused: str) -> None:
    files.place.faults.refused = refused
    for act in (files.store.files.backup, files.store.files.reset):
        if (refused == "CREATE TABLE") is (act == files.store.files.reset):
            with pytest.raises(StoreUnavailable, match="cannot be used"):
                act()
    files.place.faults.refused = None
    assert (files.mark.file, files.mark.backups) == ("main.db", ())
    assert files.numbers() == ALL


def test_a_newer_file_is_refused_and_left_alone(files: Files) -> None:
    files.store.close()
    with sqlite3.connect(files.path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = files.path.read_bytes()
    with pytest.raises(StoreTooNew, match="the database has schema 99, this version knows"):
        files.next_mgr().rounds()
    assert isinstance(files.store.state.trouble, StoreTooNew)
    assert files.path.read_bytes() == before
    files.store.files.reset()
    assert files.numbers() == []


def test_a_reset_begins_with_nothing(files: Files) -> None:
    """Not with what one that was interrupted has left, nor with rows of the file before."""
    files.place.file("main-2.db").write_bytes(files.path.read_bytes())
    files.store.execute("UPDATE rounds SET summary = '{' WHERE id = 2")
    assert files.numbers() == ALL
    assert len(files.store.unreadable.rows()) == 1
    files.store.files.reset()
    assert files.numbers() == []
    assert files.store.unreadable.rows() == ()


def test_a_check_says_what_it_looked_at(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    found = files.store.files.check(NOW)
    assert (found.at, found.pages) == (NOW, True)
    monkeypatch.setattr(database.Database, "read", _interrupted)
    assert files.store.files.check(NOW) == StoreChecked(NOW)


def _interrupted(self: database.Database, work: Callable[[sqlite3.Connection], object]) -> object:
    class Slow(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            raise sqlite3.OperationalError("interrupted")

    return work(sqlite3.connect(":memory:", factory=Slow))


@pytest.mark.parametrize(
    ("ahead", "word"),
    [(-61.0, "behind"), (-59.0, None), (599.0, None), (601.0, "ahead of"), (-8e8, "behind")],
)
def test_a_mgr_whose_clock_is_wrong_writes_nothing(
    files: Files, ahead: float, word: Optional[str]
) -> None:
    files.store.close()
    store = Store(files.place, "test", mons=lambda: NOW - ahead)
    store.now = lambda: NOW
    assert len(store.rounds()[0]) == ROUNDS
    if word is None:
        store.remove_round(1)
        assert store.state.wrong_clock is None
    else:
        said = f"the clock of this mgr's host is {abs(ahead):.0f} s {word}"
        with pytest.raises(StoreUnavailable, match=said):
            store.remove_round(1)
        assert said in str(store.state.wrong_clock)
    store.close()
