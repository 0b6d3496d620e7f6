"""A file that is damaged or lost: set aside, never overwritten; what can be read is taken over."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

import pytest

from fakes.database import Faults, FilePlace
from nouns import a_plan, a_result, a_round, a_sample, put_round
from perf_bench.errors import InvalidValue, NotFound, StoreTooNew, StoreUnavailable
from perf_bench.model.damage import Event, StoreMark
from perf_bench.model.finding import Finding, FindingState, Severity, Target
from perf_bench.model.history import WatchBatch
from perf_bench.model.rados import LoadSample
from perf_bench.model.round import RoundState
from perf_bench.model.schedule import Schedule
from perf_bench.store import copying, schema
from perf_bench.store.sqlite import Store

ROUNDS = 40
OSDS = 30
PAGE = 4096


def _finding(number: int) -> Finding:
    return Finding(
        number, "C", Severity.WARNING, Target("osd", "1"), "m", {}, 0.0, 0.0, FindingState.OPEN
    )


class Files:
    """A store of rounds in a folder; a new one is the next mgr."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = FilePlace(path, Faults())
        self.store = Store(self.place, "test")

    def fill(self) -> None:
        store = self.store
        osds = [a_result(osd) for osd in range(OSDS)]
        plan = a_plan([list(range(OSDS))])
        for number in range(1, ROUNDS + 1):
            put_round(store, a_round(plan, key=str(number)), osds)
            store.add_samples(number, [a_sample(osd) for osd in range(OSDS)])
            store.loads.add(number, LoadSample(1, 0.0, why="why"))
            store.end_round(a_round(plan, RoundState.DONE, id=number, key=str(number)), osds)
        store.remove_round(ROUNDS)
        store.set_baseline(3, 0.0)
        for name in "abc":
            store.put_schedule(Schedule(name, "p"))
            store.facts.put(name, 1.0, {"x": 1}, {})
        store.watch.write(
            WatchBatch(at=9.0, states={"one": {"a": 1}}, findings=[_finding(7), _finding(8)])
        )
        store.close()

    def next_mgr(self) -> Store:
        self.store.close()
        self.store = Store(self.place, "test")
        return self.store

    def take_over(self) -> None:
        self.store.files.take_over()
        while self.store.files.copy_piece():
            pass

    @property
    def mark(self) -> StoreMark:
        """As the monitors have it."""
        mark = self.place.read_mark()
        assert mark is not None
        return mark

    def numbers(self) -> list[int]:
        return [line.id for line in self.store.rounds(limit=1000, sort="+id")[0]]

    def overwrite(self, page: int, count: int = 1) -> None:
        """Pages, counted from 1, are nonsense now."""
        with self.path.open("r+b") as file:
            file.seek((page - 1) * PAGE)
            file.write(b"\xa5" * PAGE * count)

    def page_of(self, table: str, share: float) -> int:
        """A leaf of the table, so far along its rows."""
        with sqlite3.connect(self.path) as db:
            pages = db.execute(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path",
                (table,),
            ).fetchall()
        db.close()
        return int(pages[int(share * (len(pages) - 1))][0])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a store of rounds and its mark, for tests to copy."""
    folder = tmp_path_factory.mktemp("filled")
    Files(folder / "main.db").fill()
    return folder


@pytest.fixture
def writer(path: Path) -> Iterator[Files]:
    """The files, and the mgr that wrote them."""
    made = Files(path)
    made.fill()
    yield made
    made.store.close()


@pytest.fixture
def files(path: Path, filled: Path) -> Iterator[Files]:
    shutil.copytree(filled, path.parent, dirs_exist_ok=True)
    made = Files(path)
    yield made
    made.store.close()


def _has_dbstat() -> bool:
    try:
        sqlite3.connect(":memory:").execute("SELECT * FROM dbstat")
    except sqlite3.Error:
        return False
    return True


needs_pages = pytest.mark.skipif(not _has_dbstat(), reason="this SQLite has no dbstat")

UNREADABLE: dict[str, Callable[[Files], None]] = {
    "a header of zeros": lambda files: _write(files.path, b"\0" * 100),
    "a header of text": lambda files: _write(files.path, b"#!/bin/sh\n" * 20),
    "a first page of nonsense": lambda files: files.overwrite(1),
}


def _write(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.write(data)


@pytest.mark.parametrize("harm", UNREADABLE.values(), ids=list(UNREADABLE))
def test_a_file_of_which_nothing_can_be_read(files: Files, harm: Callable[[Files], None]) -> None:
    harm(files)
    before = files.path.read_bytes()
    store = files.next_mgr()
    with pytest.raises(StoreUnavailable, match="the database is damaged"):
        store.rounds()
    state = store.files.state()
    assert state.damage is not None
    files.take_over()

    assert files.numbers() == []
    new = store.add_round(a_round(key="new"), ())
    assert new.id > ROUNDS
    assert store.watch.findings()[1] > 8
    assert files.path.read_bytes() == before
    (incident,) = files.mark.incidents
    assert (incident.event, incident.file, incident.rows) == (Event.DAMAGED, "main.db", 0)


def test_the_next_mgr_goes_on_with_the_new_file(files: Files) -> None:
    files.overwrite(1)
    store = files.next_mgr()
    with pytest.raises(StoreUnavailable):
        store.rounds()
    files.take_over()
    number = store.add_round(a_round(key="new"), ()).id
    again = files.next_mgr()
    assert again.add_round(a_round(key="newer"), ()).id == number + 1
    assert files.numbers() == [number, number + 1]


def test_half_of_a_file(files: Files) -> None:
    data = files.path.read_bytes()
    files.path.write_bytes(data[: len(data) // 2])
    store = files.next_mgr()
    with pytest.raises(StoreUnavailable, match="the database is damaged"):
        store.rounds()
    files.take_over()
    numbers = files.numbers()
    assert numbers
    assert set(numbers) <= set(range(1, ROUNDS))
    for number in numbers[:5]:
        try:
            assert len(store.samples(number)) <= OSDS
        except StoreUnavailable:
            pytest.fail("the new file is sound")
    assert store.files.check_pages()
    assert store.add_round(a_round(key="new"), ()).id > ROUNDS


@needs_pages
@pytest.mark.parametrize("table", ["rounds", "samples", "results", "waves", "schedules"])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_page_that_was_overwritten_costs_what_was_on_it(
    files: Files, table: str, share: float
) -> None:
    files.overwrite(files.page_of(table, share))
    store = files.next_mgr()
    assert store.files.check_pages() is False
    with pytest.raises(StoreUnavailable, match="the database is damaged"):
        store.rounds()
    files.take_over()

    assert store.files.check_pages()
    (incident,) = files.mark.incidents
    assert any(f"rows of {table}" in one for one in incident.missing)
    numbers = files.numbers()
    if table == "rounds":
        assert len(numbers) >= ROUNDS // 2
    else:
        assert numbers == list(range(1, ROUNDS))
        whole = [number for number in numbers if len(store.samples(number)) == OSDS]
        assert len(whole) >= (ROUNDS * 3 // 4 if table == "samples" else ROUNDS - 1)
    if table != "schedules":
        assert set(store.schedules()) == {"a", "b", "c"}
    assert [one.id for one in store.watch.findings()[0]] == [7, 8]
    assert store.add_round(a_round(key="new"), ()).id == ROUNDS + 1  # 40 was removed


def test_a_sound_file_is_taken_over_as_it_is(files: Files) -> None:
    store = files.next_mgr()
    store.rounds()
    lines = [line for line in _dump(files.path) if "sqlite_sequence" not in line]
    files.take_over()
    store.close()
    copied = _dump(files.path.with_name("main-2.db"))
    assert [line for line in copied if "sqlite_sequence" not in line] == lines


def _dump(path: Path) -> list[str]:
    db = sqlite3.connect(path)
    lines = sorted(db.iterdump())
    db.close()
    return lines


def test_an_outage_is_no_damage(files: Files) -> None:
    store = files.next_mgr()
    files.place.faults.failing = -1
    with pytest.raises(StoreUnavailable, match="cannot be used: disk I/O error"):
        store.rounds()
    files.place.faults.failing = 0
    assert len(files.numbers()) == ROUNDS - 1
    assert store.files.state().damage is None


def test_an_outage_in_the_middle_of_a_copy_begins_it_again(files: Files) -> None:
    files.overwrite(1)
    store = files.next_mgr()
    with pytest.raises(StoreUnavailable):
        store.rounds()
    store.files.take_over()
    files.place.faults.failing = -1
    with pytest.raises(StoreUnavailable):
        store.files.copy_piece()
    files.place.faults.failing = 0
    with pytest.raises(StoreUnavailable, match="has ended it"):
        store.files.copy_piece()
    files.take_over()
    assert files.numbers() == []


# --- lost --------------------------------------------------------------------------------------


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


def test_a_new_cluster_has_lost_nothing(path: Path) -> None:
    files = Files(path)
    assert files.store.add_round(a_round(key="new"), ()).id == 1
    files.next_mgr().rounds()
    assert files.mark.incidents == ()
    files.store.close()


def test_a_history_of_before_there_was_a_mark_is_none_that_was_lost(files: Files) -> None:
    files.path.with_suffix(".mark").unlink()
    files.next_mgr()
    assert len(files.numbers()) == ROUNDS - 1
    assert files.mark.next_round > ROUNDS


def test_ids_do_not_jump_at_a_failover(files: Files) -> None:
    for number in (ROUNDS + 1, ROUNDS + 2):
        assert files.next_mgr().add_round(a_round(key=f"n{number}"), ()).id == number


def test_without_monitors_nothing_is_opened(files: Files) -> None:
    store = files.next_mgr()
    files.place.no_monitors = StoreUnavailable("the monitors do not answer")
    with pytest.raises(StoreUnavailable, match="the monitors do not answer"):
        store.rounds()
    files.place.no_monitors = None
    assert len(files.numbers()) == ROUNDS - 1


# --- by the operator ---------------------------------------------------------------------------


def _backup(files: Files) -> str:
    name = files.store.files.backup()
    while files.store.files.copy_piece():
        pass
    return name


def test_a_backup_is_restored(files: Files) -> None:
    store = files.next_mgr()
    store.rounds()
    name = _backup(files)
    store.remove_round(5)
    after = store.add_round(a_round(key="new"), ()).id
    store.files.restore(name)
    while store.files.copy_piece():
        pass
    assert files.numbers() == list(range(1, ROUNDS))
    assert len(store.samples(5)) == OSDS
    assert store.add_round(a_round(key="newer"), ()).id > after
    (incident,) = files.mark.incidents
    assert (incident.event, incident.file) == (Event.RESTORED, "main.db")
    # and what was replaced can be had again
    store.files.restore("main.db")
    while store.files.copy_piece():
        pass
    assert after in files.numbers()


def test_while_a_backup_is_made_others_go_on(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "PIECE_SECONDS", 0.0)
    store = files.next_mgr()
    name, pieces = store.files.backup(), 1
    while store.files.copy_piece():
        pieces += 1
        if pieces == 2:
            store.add_samples(1, [a_sample(0, repeat=2)])
    store.files.restore(name)
    while store.files.copy_piece():
        pass
    assert files.numbers() == list(range(1, ROUNDS))


@pytest.mark.parametrize("when", [1, 3, 50, 90, 130, 150])
@pytest.mark.parametrize("number", [1, ROUNDS - 1])
def test_a_round_that_is_removed_meanwhile_is_whole_in_the_backup_or_not_in_it(
    files: Files, monkeypatch: pytest.MonkeyPatch, when: int, number: int
) -> None:
    """After one of the pieces: the rounds themselves are copied first, their rows by table."""
    monkeypatch.setattr(copying, "PIECE_SECONDS", 0.0)
    store = files.next_mgr()
    name, pieces = store.files.backup(), 0
    while store.files.copy_piece():
        pieces += 1
        if pieces == when:
            store.remove_round(number)
    store.files.restore(name)
    while store.files.copy_piece():
        pass
    assert pieces >= when
    assert files.numbers() == [n for n in range(1, ROUNDS) if n != number]
    for there in files.numbers():
        assert (len(store.samples(there)), store.results(there)[1]) == (OSDS, OSDS)
        assert store.round(there).plan.waves
    newest = max(files.numbers())
    assert {round_.id for round_, _ in store.latest().values()} == {newest}
    with sqlite3.connect(files.path.parent / files.mark.file) as db:
        tables = ("waves", "samples", "results", "loads")
        of_none = "SELECT count(*) FROM {} WHERE round_id NOT IN (SELECT id FROM rounds)"
        assert [db.execute(of_none.format(one)).fetchone()[0] for one in tables] == [0] * 4
    db.close()
    assert {one.round_id for one in store.retention.removed(9)} == {ROUNDS, number}


def test_a_round_that_ran_meanwhile_has_failed_when_restored(files: Files) -> None:
    store = files.next_mgr()
    number = store.add_round(a_round(state=RoundState.RUNNING, key="runs"), ()).id
    store.files.restore(_restored := _backup(files))
    while store.files.copy_piece():
        pass
    assert _restored.startswith("backup-")
    assert store.unfinished() == []
    assert store.round(number).state is RoundState.FAILED


@needs_pages
def test_rounds_between_two_damaged_pages_are_kept(files: Files) -> None:
    for share in (0.2, 0.8):
        files.overwrite(files.page_of("rounds", share))
    store = files.next_mgr()
    with pytest.raises(StoreUnavailable):
        store.rounds()
    files.take_over()
    assert ROUNDS // 2 in files.numbers()


@needs_pages
def test_a_backup_that_is_not_whole_names_some_of_what_it_lacks_and_counts_the_rest(
    files: Files,
) -> None:
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        files.overwrite(files.page_of("samples", share))
    files.next_mgr().schema_version()
    with pytest.raises(StoreUnavailable) as caught:
        _backup(files)
    assert str(caught.value).count("rows of samples of round") == 4
    assert re.search(r"round \d+ and \d+ more cannot be read", str(caught.value))


@needs_pages
def test_a_backup_of_a_damaged_file_is_none(files: Files) -> None:
    files.overwrite(files.page_of("samples", 0.5))
    files.next_mgr().schema_version()
    with pytest.raises(StoreUnavailable, match="the copy is not whole, rows of samples of round"):
        _backup(files)
    assert files.mark.backups == ()


def test_a_backup_that_is_none(files: Files) -> None:
    store = files.next_mgr()
    store.rounds()
    with pytest.raises(NotFound, match="no backup 'x'"):
        store.files.restore("x")
    name = _backup(files)
    files.place.file(name).write_bytes(b"")
    with pytest.raises(InvalidValue, match="its schema is 0"):
        store.files.restore(name)
    assert len(files.numbers()) == ROUNDS - 1


def test_a_reset_begins_anew_and_keeps_the_file(files: Files) -> None:
    store = files.next_mgr()
    store.rounds()
    store.files.reset()
    assert files.numbers() == []
    assert store.add_round(a_round(key="new"), ()).id > ROUNDS
    store.files.restore("main.db")
    while store.files.copy_piece():
        pass
    assert files.numbers() == list(range(1, ROUNDS))


def test_a_newer_schema_is_left_alone_until_it_is_reset(files: Files) -> None:
    with sqlite3.connect(files.path) as db:
        db.execute(f"PRAGMA user_version = {schema.NEWEST + 1}")
    db.close()
    before = files.path.read_bytes()
    store = files.next_mgr()
    with pytest.raises(StoreTooNew):
        store.rounds()
    store.files.reset()
    assert files.numbers() == []
    assert files.path.read_bytes() == before


@pytest.mark.parametrize("version", range(1, 10))
def test_a_damaged_file_of_an_older_schema_is_brought_forward(path: Path, version: int) -> None:
    db = sqlite3.connect(path)
    db.executescript(
        (Path(__file__).parent / "data" / f"schema_{version}.sql").read_text(encoding="utf-8")
    )
    (count,) = db.execute("SELECT count(*) FROM rounds").fetchone()
    db.close()
    files = Files(path)
    files.take_over()
    assert len(files.numbers()) == count
    assert files.store.schema_version() == schema.NEWEST
    files.store.close()


@pytest.mark.parametrize("name", ["rounds", "findings", ""])
def test_what_is_reserved_already_is_not_written_again(
    writer: Files, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = writer.mark
    last = {"rounds": mark.next_round - 1, "findings": mark.next_finding - 1}
    monkeypatch.setattr(writer.place, "write_mark", lambda _mark: pytest.fail("written"))
    writer.store._database.reserve(**({name: last[name]} if name else {}))


@pytest.mark.parametrize("name", ["rounds", "findings"])
def test_the_first_that_is_not_reserved_is_reserved_with_many_more(
    writer: Files, name: str
) -> None:
    before = writer.mark
    following = {"rounds": before.next_round, "findings": before.next_finding}[name]
    writer.store._database.reserve(**{name: following})
    after = writer.mark
    grown = after.next_round - before.next_round, after.next_finding - before.next_finding
    assert grown == ((100, 0) if name == "rounds" else (0, 1000))


def test_numbers_go_on_after_the_last_one_whatever_was_reserved(files: Files) -> None:
    """A file that used more than the mark knows, as the monitors were away when it did."""
    last = files.mark.next_round + 50
    with sqlite3.connect(files.path) as db:
        db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'rounds'", (last,))
    db.close()
    store = files.next_mgr()
    assert store.add_round(a_round(key="new"), ()).id == last + 1
    # and are reserved again for the next time
    assert files.mark.next_round > last + 1


def test_a_restore_takes_back_no_number_that_was_used(files: Files) -> None:
    """Also of a file that used more than the mark knows, as the monitors were away when it did."""
    store = files.next_mgr()
    store.rounds()
    last = files.mark.next_round + 50
    with sqlite3.connect(files.path) as db:
        db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'rounds'", (last,))
    db.close()
    store.files.restore(_backup(files))
    while store.files.copy_piece():
        pass
    assert store.add_round(a_round(key="new"), ()).id == last + 1
