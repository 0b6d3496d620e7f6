"""A file of an older version, which cannot shrink, is copied into one that can, and is removed."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import threads
from fakes.clock import FakeClock
from fakes.database import Faults, FilePlace
from nouns import a_plan, a_result, a_round, a_sample, put_round
from perf_bench.errors import Busy, StoreUnavailable
from perf_bench.model.failing_parts import FailingParts
from perf_bench.model.history import WatchBatch
from perf_bench.model.retention import RetentionRules
from perf_bench.model.round import RoundState, Verdict
from perf_bench.store import copying, database, integrity
from perf_bench.store.keeper import StoreKeeper
from perf_bench.store.sqlite import Store, StoreThread

OSDS = 30
ROUNDS = 12

LOG = logging.getLogger("test")


class Old:
    """A database of an older version with rounds; a new store is the next mgr."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = FilePlace(path, Faults())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(database, "make_shrinkable", lambda _db: None)
            self.store = Store(self.place, "test")
            self.fill()
            self.store.close()
        self.store = Store(self.place, "test")

    def fill(self) -> None:
        plan = a_plan([list(range(OSDS))])
        osds = [a_result(osd) for osd in range(OSDS)]
        for number in range(1, ROUNDS + 1):
            put_round(self.store, a_round(plan, key=str(number)), osds)
            self.store.add_samples(number, [a_sample(osd) for osd in range(OSDS)])
            ended = a_round(
                plan, RoundState.DONE, id=number, key=str(number), verdict=Verdict.VALID
            )
            self.store.end_round(ended, osds)
        self.store.watch.write(WatchBatch(at=9.0, states={"one": {"a": 1}}))

    def next_mgr(self) -> None:
        self.store.close()
        self.store = Store(self.place, "test")

    def compact(self) -> None:
        self.store.files.compact()
        self.finish()
        self.store.files.tidy()

    def finish(self) -> None:
        while self.store.files.copy_piece():
            pass

    def content(self) -> list[str]:
        """All rows of the file in use, in order."""
        mark = self.place.read_mark()
        assert mark is not None
        with sqlite3.connect(self.place.file(mark.file)) as db:
            # IDs go on by another test.
            lines = sorted(line for line in db.iterdump() if "sqlite_sequence" not in line)
        db.close()
        return lines

    def files(self) -> list[str]:
        return sorted(one.name for one in self.path.parent.glob("*.db"))


@pytest.fixture
def old(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Old]:
    # Pieces end with their work, however slow the machine is.
    monkeypatch.setattr(copying, "PIECE_SECONDS", threads.PATIENCE)
    monkeypatch.setattr(integrity, "PIECE_SECONDS", threads.PATIENCE)
    made = Old(path)
    yield made
    made.store.close()


def test_a_copy_that_failed_is_tried_again_after_a_day(old: Old) -> None:
    store_thread, clock = StoreThread(old.store), FakeClock()
    keeper = StoreKeeper(
        store_thread, lambda: False, lambda: None, clock, FailingParts(clock.monotonic, LOG)
    )

    def file() -> str:
        for _ in range(12):
            keeper.tick()
            store_thread.call(lambda _store: None)
        mark = old.place.read_mark()
        assert mark is not None
        return mark.file

    old.place.faults.refused = "INSERT OR IGNORE INTO results"
    assert file() == "main.db"
    assert keeper.job is not None
    assert keeper.job.problem is not None
    old.place.faults.refused = None
    assert file() == "main.db"
    clock.advance(86400.0)
    for _ in range(3):
        file()
    assert file() == "main-2.db"
    store_thread.close(5.0)


def test_a_new_file_can_shrink(path: Path) -> None:
    store = Store(FilePlace(path, Faults()), "test")
    assert store.files.usage().shrinkable
    store.close()


def test_so_can_one_in_which_ceph_made_a_table_of_its_own(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE MgrModuleKV (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID")
        db.execute("INSERT INTO MgrModuleKV VALUES ('__version', 0)")
    db.close()
    store = Store(FilePlace(path, Faults()), "test")
    assert store.files.usage().shrinkable
    store.close()
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT * FROM MgrModuleKV").fetchall() == [("__version", 0)]
    db.close()


def test_so_can_a_backup_and_what_was_restored_of_it(path: Path) -> None:
    store = Store(FilePlace(path, Faults()), "test")
    store.schema_version()
    file = store.files.backup()
    while store.files.copy_piece():
        pass
    with sqlite3.connect(path.with_name(file)) as db:
        assert db.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    db.close()
    store.files.restore(file)
    while store.files.copy_piece():
        pass
    assert store.files.usage().shrinkable
    store.close()


def test_so_can_one_after_a_reset(path: Path) -> None:
    store = Store(FilePlace(path, Faults()), "test")
    store.files.reset()
    assert store.files.usage().shrinkable
    store.close()


def test_an_old_file_is_used_as_it_is(old: Old) -> None:
    assert not old.store.files.usage().shrinkable
    assert old.store.rounds(limit=0)[1] == ROUNDS
    while old.store.retention.tend(RetentionRules(), 0.0).more:
        pass


def test_it_is_copied_whole_and_removed(old: Old) -> None:
    old.store.schema_version()
    before = old.content()
    old.compact()
    assert old.store.files.usage().shrinkable
    assert old.content() == before
    assert old.files() == ["main-2.db"]
    mark = old.place.read_mark()
    assert mark is not None
    assert (mark.file, mark.number, mark.unused, mark.incidents) == ("main-2.db", 2, (), ())
    old.next_mgr()
    assert old.store.rounds(limit=0)[1] == ROUNDS
    assert old.store.add_round(a_round(key="next"), ()).id == ROUNDS + 1


def test_while_it_is_copied_it_is_read_and_not_written(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PIECE_SECONDS", 0.0)
    old.store.files.compact()
    assert old.store.files.copy_piece()
    assert old.store.rounds(limit=0)[1] == ROUNDS
    for write in (
        lambda: old.store.add_round(a_round(key="new"), ()),
        lambda: old.store.watch.write(WatchBatch(at=10.0, states={"one": {"a": 2}})),
        lambda: old.store.remove_round(1),
    ):
        with pytest.raises(StoreUnavailable, match="is being copied into a file that can shrink"):
            write()
    while old.store.files.copy_piece():
        pass
    assert old.store.rounds(limit=0)[1] == ROUNDS
    assert old.store.add_round(a_round(key="new"), ()).id == ROUNDS + 1


def test_a_round_that_runs_is_not_copied(old: Old) -> None:
    old.store.add_round(a_round(key="runs"), ())
    with pytest.raises(Busy, match="a round is unfinished"):
        old.store.files.compact()
    old.store.add_samples(ROUNDS + 1, [a_sample(0)])


@pytest.mark.parametrize("pieces", [0, 1, 5, 40])
def test_a_mgr_killed_in_the_copy_loses_nothing(
    old: Old, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PIECE_SECONDS", 0.0)
    old.store.files.compact()
    for _ in range(pieces):
        assert old.store.files.copy_piece()
    # Killed: nothing is closed. The next mgr uses the file of before, and changes it.
    killed, old.store = old.store, Store(old.place, "test")
    old.store.remove_round(1)
    old.store.add_round(a_round(key="later", label="later"), ())
    old.store.end_round(
        a_round(state=RoundState.FAILED, id=ROUNDS + 1, key="later", label="later"), ()
    )
    while old.store.retention.tend(RetentionRules(), 0.0).more:
        pass
    killed.close()
    before = old.content()
    old.compact()
    assert old.content() == before  # nothing of the copy before
    assert old.files() == ["main-2.db"]


def test_a_mgr_killed_before_the_old_file_was_removed(old: Old) -> None:
    old.store.files.compact()
    while old.store.files.copy_piece():
        pass
    assert old.files() == ["main-2.db", "main.db"]
    old.next_mgr()
    old.store.schema_version()
    old.store.files.tidy()
    assert old.files() == ["main-2.db"]


def test_a_copy_that_fails_lets_it_be_written_again(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PIECE_SECONDS", 0.0)
    old.store.files.compact()
    old.place.faults.refused = "INSERT OR IGNORE INTO"
    with pytest.raises(StoreUnavailable):
        old.finish()
    old.place.faults.refused = None
    old.store.remove_round(1)
    mark = old.place.read_mark()
    assert mark is not None
    assert mark.file == "main.db"


def test_the_keeper_does_it_once_while_no_round_runs(old: Old) -> None:
    store_thread, clock, busy = StoreThread(old.store), FakeClock(), [True]
    keeper = StoreKeeper(
        store_thread, lambda: bool(busy), lambda: None, clock, FailingParts(clock.monotonic, LOG)
    )

    def state() -> tuple[str, str]:
        for _ in range(8):
            keeper.tick()
            store_thread.call(lambda _store: None)
        job = keeper.job
        if job is None:
            return "", ""
        assert job.done.wait(threads.PATIENCE)
        return job.what, job.state

    assert state() == ("", "")
    busy.clear()
    state()
    assert state() == ("compaction", "done")
    state()
    assert keeper.usage is not None
    assert keeper.usage.shrinkable
    assert keeper.claims() == []
    store_thread.close(5.0)


@pytest.mark.parametrize("silent", [False, True])
def test_a_backup_that_is_asked_for_as_it_begins_does_not_end_it(
    old: Old, silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is due between the look at what is under way and the backup's turn.

    ``silent``: the database is, until the command has given up. The copy was forgotten then, and
    nothing could be written for a day.
    """
    store_thread, clock = StoreThread(old.store), FakeClock()
    keeper = StoreKeeper(
        store_thread, lambda: False, lambda: None, clock, FailingParts(clock.monotonic, LOG)
    )

    def turn() -> None:
        keeper.tick()
        store_thread.call(lambda _store: None)

    while keeper.usage is None:
        turn()
    whole = store_thread.call

    def late(question: Any) -> Any:
        if silent:
            old.place.faults.block()
            store_thread.submit(lambda store: store.close(), lambda _error: None)
        keeper.tick()
        return whole(question, 0.05 if silent else 5.0)

    with monkeypatch.context() as patch:
        patch.setattr(store_thread, "call", late)
        with pytest.raises(StoreUnavailable if silent else Busy):
            keeper.backup()
    old.place.faults.unblock()
    for _ in range(6):
        turn()
    assert keeper.job is not None
    assert (keeper.job.what, keeper.job.state) == ("compaction", "done")
    assert old.files() == ["main-2.db"]
    store_thread.call(lambda store: store.remove_round(1))
    store_thread.close(5.0)


def test_what_a_killed_copy_left_is_no_database_after_a_loss(
    old: Old, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PIECE_SECONDS", 0.0)
    old.store.files.compact()
    for _ in range(40):
        assert old.store.files.copy_piece()
    old.next_mgr()
    old.path.unlink()  # lost
    assert old.store.rounds(limit=0)[1] == 0
    assert old.files() == ["main-2.db", "main.db"]
    assert old.store.add_round(a_round(key="next"), ()).id > ROUNDS
