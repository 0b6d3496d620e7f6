"""What becomes of a store when its connection breaks, or its file is not what it should be."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Callable, NamedTuple

import pytest

from fakes.database import BROKEN, Faults, file_store
from nouns import a_result, a_round, a_sample, put_round, some_osds
from perf_bench.errors import StoreUnavailable
from perf_bench.model.round import RoundState
from perf_bench.store.database import prepare
from perf_bench.store.sqlite import Store

ROWS = [a_result(0), a_result(1)]
# Every call, on a store that holds round 1, token-there, running, with two samples.
CALLS: dict[str, Callable[[Store], object]] = {
    "schema_version": lambda store: store.schema_version(),
    "add_round": lambda store: store.add_round(a_round(key="new"), some_osds(2)),
    "save_round": lambda store: store.save_round(a_round(id=1, key="there", label="x")),
    "end_round": lambda store: store.end_round(
        a_round(state=RoundState.DONE, id=1, key="there"), ROWS
    ),
    "add_samples": lambda store: store.add_samples(1, [a_sample(0, 2), a_sample(1, 2)]),
    "remove_round": lambda store: store.remove_round(1),
    "discard": lambda store: store.discard("token-there"),
    "round": lambda store: store.round(1),
    "rounds": lambda store: store.rounds(),
    "unfinished": lambda store: store.unfinished(),
    "samples": lambda store: store.samples(1),
    "sampled": lambda store: store.sampled(1),
    "results": lambda store: store.results(1),
    "history": lambda store: store.history(0),
    "latest": lambda store: store.latest(),
}


def _fill(store: Store) -> None:
    store.now = lambda: 5.0
    put_round(store, a_round(state=RoundState.RUNNING, key="there"), ROWS)
    store.add_samples(1, [a_sample(0), a_sample(1)])


def _content(path: Path) -> list[str]:
    """All that the file holds, as SQL."""
    db = sqlite3.connect(path)
    lines = list(db.iterdump())
    db.close()
    return lines


@pytest.fixture(scope="module")
def once_filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "main.db"
    store = file_store(path)
    _fill(store)
    store.close()
    return path


class Filled(NamedTuple):
    path: Path
    faults: Faults
    store: Store


@contextmanager
def _filled(from_: Path, path: Path) -> Iterator[Filled]:
    """A copy of the filled file, open and read."""
    for ending in (".db", ".mark"):
        shutil.copyfile(from_.with_suffix(ending), path.with_suffix(ending))
    faults = Faults()
    with closing(file_store(path, faults)) as store:
        store.now = lambda: 5.0
        assert store.rounds()[1] == 1
        yield Filled(path, faults, store)


Place = Callable[[str], AbstractContextManager[Filled]]
Done = dict[str, tuple[object, list[str]]]


@pytest.fixture
def place(once_filled: Path, tmp_path: Path) -> Place:
    return lambda name: _filled(once_filled, tmp_path / f"{name}.db")


@pytest.fixture
def done(place: Place) -> Done:
    """By call its answer, and what is in the file after it, where nothing happened."""
    found = {}
    for name, call in CALLS.items():
        with place(f"unbroken-{name}") as one:
            answer = call(one.store)
        found[name] = (answer, _content(one.path))
    return found


def test_a_broken_connection_is_opened_again_and_the_call_repeated(
    place: Place, done: Done
) -> None:
    for name, call in CALLS.items():
        with place(name) as one:
            one.faults.failing = 1
            answer = call(one.store)
            assert one.faults.opened == 2, name
        assert (answer, _content(one.path)) == done[name], name


def test_a_connection_that_breaks_between_reads_that_share_a_transaction(
    place: Place, done: Done
) -> None:
    for name, call in CALLS.items():
        with place(name) as one:
            with one.store.reading():
                one.store.rounds()
                one.faults.failing = 1
                answer = call(one.store)
                assert one.store.rounds()[1] == len(one.store.rounds()[0]), name
            assert one.faults.opened == 2, name
        assert (answer, _content(one.path)) == done[name], name


def test_a_database_that_stays_away_is_said_to_be_and_nothing_is_half_done(place: Place) -> None:
    for name, call in CALLS.items():
        with place(name) as one:
            before = _content(one.path)
            one.faults.failing = -1
            with pytest.raises(StoreUnavailable) as caught:
                call(one.store)
            assert str(caught.value) == f"the database cannot be used: {BROKEN}"
            assert _content(one.path) == before, name
            one.faults.failing = 0
            call(one.store)


@pytest.fixture
def filled(once_filled: Path, path: Path, on_file: Store) -> Store:
    for ending in (".db", ".mark"):
        shutil.copyfile(once_filled.with_suffix(ending), path.with_suffix(ending))
    on_file.now = lambda: 5.0
    assert on_file.rounds()[1] == 1  # it is open now
    return on_file


def test_reads_that_follow_each_other_share_a_transaction(
    filled: Store, faults: Faults, path: Path
) -> None:
    def is_free() -> bool:
        with closing(sqlite3.connect(path, timeout=0)) as other:
            try:
                other.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                return False
            return True

    faults.met.clear()
    with filled.reading():
        for _ in range(3):
            filled.samples(1)
            filled.rounds()
        assert not is_free()
    assert len([one for one in faults.met if one.startswith("BEGIN")]) == 1
    assert is_free()


def test_a_write_ends_the_reads_before_it_and_is_seen_by_those_after(
    filled: Store, faults: Faults
) -> None:
    with filled.reading():
        assert len(filled.samples(1)) == 2
        before = filled.writes
        filled.add_samples(1, [a_sample(0, 2)])
        assert len(filled.samples(1)) == 3
        assert filled.writes > before
    after = filled.writes
    assert len(filled.samples(1)) == 3
    assert filled.writes == after


def test_a_fault_of_our_own_is_not_called_an_outage(filled: Store, faults: Faults) -> None:
    faulty = a_round(key="x", label=None)
    with pytest.raises(sqlite3.IntegrityError):
        filled.save_round(replace(faulty, id=1))
    assert faults.opened == 1
    assert filled.round(1).label == ""


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        # what the opener says itself goes through
        (StoreUnavailable("no OSD is up"), "no OSD is up"),
        (
            sqlite3.OperationalError("unable to open database file"),
            "the database cannot be used: unable to open database file",
        ),
    ],
)
def test_a_database_that_cannot_be_opened(
    error: Exception, sentence: str, on_file: Store, faults: Faults
) -> None:
    faults.closed_shop = error
    with pytest.raises(StoreUnavailable) as caught:
        on_file.rounds()
    assert str(caught.value) == sentence
    faults.closed_shop = None
    assert on_file.rounds() == ([], 0)


def test_a_journal_takes_no_more_than_four_mebibytes_after_a_long_transaction(path: Path) -> None:
    """It stays in the pool until the next one, as libcephsqlite keeps it."""
    with closing(sqlite3.connect(path)) as db:
        prepare(db)
        db.execute("PRAGMA journal_mode = PERSIST")
        db.execute("CREATE TABLE long (data BLOB)")
        db.execute("INSERT INTO long VALUES (zeroblob(10000000))")
        db.execute("UPDATE long SET data = zeroblob(10000001)")
        assert path.with_name(f"{path.name}-journal").stat().st_size == 4 << 20
