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
from perf_bench.model.finding import Severity
from perf_bench.model.finding_kinds import STORE
from perf_bench.store.keeper import CHECK_SECONDS, StoreKeeper
from perf_bench.store.store_thread import StoreThread


class Kept:
    """A keeper over a store of three rounds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults = Faults()
        self.store = file_store(path, self.faults)
        for key in "abc":
            self.store.add_round(a_round(key=key), ())
        self.desk = StoreThread(self.store)
        self.clock = FakeClock()
        self.busy = False
        self.keeper = StoreKeeper(
            self.desk, lambda: self.busy, self.clock, logging.getLogger("test")
        )

    def tick(self, times: int = 3) -> None:
        for _ in range(times):
            self.keeper.tick()
            self.desk.call(lambda _store: None)

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
    made.desk.close(5.0)


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
    kept.desk.call(lambda store: store.rounds())
    kept.tick()
    assert len(kept.messages()) == 1
    kept.desk.call(lambda store: store.remove_round(2))
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
