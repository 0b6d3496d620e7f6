"""The keeper reads the database through at a start and weekly, and tells what is wrong."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.clock import FakeClock
from fakes.database import Faults, file_store
from nouns import a_round
from perf_bench.errors import Busy, NotFound, StoreTooNew, StoreUnavailable
from perf_bench.model.finding import Severity
from perf_bench.model.finding_kinds import STORE
from perf_bench.store import integrity
from perf_bench.store.keeper import (
    AWAY_SECONDS,
    CHECK_SECONDS,
    MOST_TAKEN_OVER,
    TOLD_SECONDS,
    StoreKeeper,
)
from perf_bench.store.store_thread import StoreThread


class Kept:
    """A keeper over a store of three rounds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults = Faults()
        self.store = file_store(path, self.faults)
        for key in "abc":
            self.store.add_round(a_round(key=key), ())
        self.store_thread = StoreThread(self.store)
        self.clock = FakeClock()
        self.store._database.now = self.clock.now
        self.busy = False
        self.replaced = 0
        self.keeper = StoreKeeper(
            self.store_thread,
            lambda: self.busy,
            self._replaced,
            self.clock,
            logging.getLogger("test"),
        )

    def _replaced(self) -> None:
        self.replaced += 1

    def tick(self, times: int = 3) -> None:
        for _ in range(times):
            self.keeper.tick()
            self.store_thread.call(lambda _store: None)

    def damage(self, statement: str) -> None:
        with sqlite3.connect(self.path) as db:
            db.execute(statement)
        db.close()

    def messages(self) -> list[str]:
        return [claim.message for claim in self.keeper.claims()]


@pytest.fixture
def kept(path: Path) -> Iterator[Kept]:
    made = Kept(path)
    yield made
    made.store_thread.close(5.0)


def test_a_sound_database_claims_nothing(kept: Kept) -> None:
    kept.tick()
    assert kept.keeper.claims() == []


def test_at_a_start_it_is_read_through(kept: Kept) -> None:
    kept.damage("UPDATE rounds SET environment = '{' WHERE id = 2")
    kept.tick()
    (claim,) = kept.keeper.claims()
    assert (claim.code, claim.severity) == (STORE.code, Severity.WARNING)
    assert claim.message.startswith(
        "1 row of the database cannot be read and are passed over: round 2 (environment is no JSON"
    )
    assert claim.evidence["count"] == 1


def test_and_weekly(kept: Kept) -> None:
    kept.tick()
    kept.damage("UPDATE rounds SET environment = '{' WHERE id = 2")
    kept.tick()
    assert kept.messages() == []
    kept.clock.advance(CHECK_SECONDS)
    kept.tick()
    assert len(kept.messages()) == 1


def test_what_somebody_else_met_is_told_too(kept: Kept) -> None:
    kept.tick()
    kept.damage("UPDATE rounds SET summary = '{' WHERE id = 2")
    kept.store_thread.call(lambda store: store.rounds())
    kept.tick()
    assert len(kept.messages()) == 1
    kept.store_thread.call(lambda store: store.remove_round(2))
    kept.tick()
    assert kept.messages() == []


def test_while_a_round_runs_nothing_is_read_through(kept: Kept) -> None:
    kept.damage("UPDATE rounds SET environment = '{' WHERE id = 2")
    kept.busy = True
    kept.tick()
    assert kept.messages() == []
    kept.busy = False
    kept.tick()
    assert len(kept.messages()) == 1


def test_a_database_that_is_away_is_read_when_it_is_back(kept: Kept) -> None:
    kept.damage("UPDATE rounds SET environment = '{' WHERE id = 2")
    kept.faults.failing = -1
    kept.tick()
    assert kept.messages() == []
    kept.faults.failing = 0
    kept.tick()
    assert len(kept.messages()) == 1


def test_many_rows_are_counted(kept: Kept) -> None:
    for key in "defgh":
        kept.store.add_round(a_round(key=key), ())
    kept.damage("UPDATE rounds SET environment = '{'")
    kept.tick()
    (message,) = kept.messages()
    assert message.startswith("8 rows of the database")
    assert " and 5 more. " in message


# --- the file ----------------------------------------------------------------------------------


def _blank(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\0" * 100)


def _settled(kept: Kept) -> None:
    for _ in range(20):
        kept.tick()


def test_a_damaged_file_is_told_and_taken_over_by_itself(kept: Kept) -> None:
    kept.tick()
    kept.store_thread.call(lambda store: store.close())
    _blank(kept.path)
    with pytest.raises(StoreUnavailable, match="is damaged"):
        kept.store_thread.call(lambda store: store.rounds())
    kept.store_thread.call(kept.keeper._look)
    (claim,) = kept.keeper.claims()
    assert (claim.severity, claim.target.id) == (Severity.ERROR, "file")
    assert kept.keeper.integrity == "damaged"

    _settled(kept)
    assert kept.store_thread.call(lambda store: store.rounds()) == ([], 0)
    assert kept.store_thread.call(lambda store: store.add_round(a_round(key="new"), ())).id > 3
    assert kept.keeper.integrity == "ok"
    (claim,) = kept.keeper.claims()
    assert (claim.severity, claim.target.id) == (Severity.WARNING, "past")
    assert "main.db was damaged" in claim.message
    kept.clock.advance(TOLD_SECONDS)
    assert kept.keeper.claims() == []


def test_one_that_is_damaged_again_and_again_waits_for_the_operator(kept: Kept) -> None:
    kept.tick()
    for number in range(MOST_TAKEN_OVER + 1):
        kept.store_thread.call(lambda store: store.close())
        _blank(kept.path if not number else kept.path.with_name(f"main-{number + 1}.db"))
        with pytest.raises(StoreUnavailable):
            kept.store_thread.call(lambda store: store.rounds())
        _settled(kept)
    (claim, _) = kept.keeper.claims()
    assert "three times within a day" in claim.message
    with pytest.raises(StoreUnavailable):
        kept.store_thread.call(lambda store: store.rounds())
    kept.keeper.reset()
    assert kept.store_thread.call(lambda store: store.rounds()) == ([], 0)
    assert kept.keeper.claims() == []


def test_a_newer_schema_is_told(kept: Kept) -> None:
    kept.tick()
    kept.store_thread.call(lambda store: store.close())
    kept.damage("PRAGMA user_version = 99")
    with pytest.raises(StoreTooNew):
        kept.store_thread.call(lambda store: store.rounds())
    kept.tick()
    (claim,) = kept.keeper.claims()
    assert claim.severity is Severity.ERROR
    assert "has schema 99" in claim.message
    assert "store reset" in claim.message
    assert kept.keeper.integrity == "newer schema"


def test_an_outage_is_told_when_it_lasts(kept: Kept) -> None:
    kept.tick()
    kept.faults.failing = -1
    kept.clock.advance(CHECK_SECONDS)
    kept.tick()
    assert kept.keeper.claims() == []
    kept.clock.advance(AWAY_SECONDS)
    kept.tick()
    (claim,) = kept.keeper.claims()
    assert "has not answered for 5 min" in claim.message
    assert kept.keeper.integrity == "no answer"
    kept.faults.failing = 0
    kept.tick()
    assert kept.keeper.claims() == []


def test_a_store_that_waits_for_ever_is_told_too(kept: Kept) -> None:
    kept.tick()
    kept.faults.block()
    kept.clock.advance(CHECK_SECONDS)
    kept.keeper.tick()
    kept.clock.advance(AWAY_SECONDS)
    kept.keeper.tick()
    assert "RADOS does not answer" in kept.messages()[0]
    kept.faults.unblock()
    kept.tick()
    assert kept.messages() == []


def test_a_backup_and_its_restore(kept: Kept) -> None:
    kept.tick()
    job = kept.keeper.backup()
    assert (job.state, job.what) == ("done", "backup")
    kept.store_thread.call(lambda store: store.remove_round(2))
    assert kept.keeper.restore(job.file).state == "done"
    assert kept.replaced == 1
    lines, _ = kept.store_thread.call(lambda store: store.rounds())
    assert [line.id for line in lines] == [3, 2, 1]


def test_a_backup_in_the_middle_of_a_check_is_whole(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "PIECE_SECONDS", 0.0)
    kept.tick(1)
    assert kept.keeper.integrity == "checking"
    job = kept.keeper.backup()
    assert job.state == "done"
    (backup,) = kept.keeper.state.mark.backups if kept.keeper.state.mark else ()
    assert backup.rows > 0


def test_nothing_is_copied_while_a_round_runs(kept: Kept) -> None:
    kept.tick()
    kept.busy = True
    for order in (kept.keeper.backup, kept.keeper.reset, kept.keeper.check):
        with pytest.raises(Busy, match="a round runs"):
            order()
    with pytest.raises(Busy):
        kept.keeper.restore("x")


def test_a_backup_that_does_not_exist(kept: Kept) -> None:
    kept.tick()
    with pytest.raises(NotFound):
        kept.keeper.restore("x")
    assert kept.keeper.backup().state == "done"


def test_a_check_by_the_operator_is_done_at_once(kept: Kept) -> None:
    kept.tick()
    kept.damage("UPDATE rounds SET environment = '{' WHERE id = 2")
    assert kept.keeper.check().state == "done"
    assert kept.keeper.integrity == "unreadable rows"
