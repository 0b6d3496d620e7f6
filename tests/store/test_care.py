"""The care of the database: it looks, checks once, removes what is old, and tells what is wrong."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import threads
from fakes.clock import FakeClock
from fakes.database import Faults, file_store
from nouns import a_round
from perf_bench.core.failing_parts import FailingParts
from perf_bench.core.loop import complete
from perf_bench.errors import Busy, InvalidValue, NotFound
from perf_bench.model.finding import Severity
from perf_bench.model.finding_kinds import STORE
from perf_bench.model.round import RoundState
from perf_bench.model.store import Event, Incident, RetentionRules, StoreMark
from perf_bench.store import care as care_module
from perf_bench.store import retention
from perf_bench.store.care import AWAY_SECONDS, PROBE_SECONDS, TEND_SECONDS, TOLD_SECONDS, Care
from perf_bench.store.sqlite import StoreThread


class Cared:
    """The care of a database with three rounds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults = Faults()
        self.store = file_store(path, self.faults)
        for key in "abc":
            draft = a_round(state=RoundState.DONE, key=key)
            self.store.add_round(draft, ())
        self.thread = StoreThread(self.store)
        self.clock = FakeClock()
        self.store.now = self.clock.now
        self.busy = False
        self.replaced = 0
        self.rules = RetentionRules()
        self.failing = FailingParts(self.clock.monotonic, logging.getLogger("test"))
        self.care = Care(
            self.thread,
            lambda: self.busy,
            self._replaced,
            self.clock,
            self.failing,
            lambda: self.rules,
        )

    def _replaced(self) -> None:
        self.replaced += 1

    def step(self, seconds: float = 0.0) -> None:
        self.clock.advance(seconds)
        complete(self.care.step())

    def change(self, statement: str) -> None:
        with sqlite3.connect(self.path) as db:
            db.execute(statement)
        db.close()

    def messages(self) -> list[str]:
        return [claim.message for claim in self.care.claims()]

    def numbers(self) -> list[int]:
        return [line.id for line in self.thread.call(lambda store: store.rounds())[0]]


@pytest.fixture
def cared(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cared]:
    monkeypatch.setattr(care_module, "WAIT_SECONDS", threads.PATIENCE)
    made = Cared(path)
    yield made
    made.faults.unblock()
    made.thread.close(threads.PATIENCE)


def test_a_sound_database_is_checked_once_and_claims_nothing(cared: Cared) -> None:
    assert cared.care.integrity == "unchecked"
    assert [one.code for one in cared.care.looks()[0].gaps] == ["unchecked"]
    cared.step()
    assert cared.care.integrity == "ok"
    assert cared.care.claims() == []
    assert cared.care.looks()[0].gaps == ()
    first = cared.care.checked
    cared.step(30 * 86400)
    assert cared.care.checked is first
    assert cared.care.usage is not None
    assert cared.care.usage.rounds == 3


def test_while_a_round_runs_nothing_is_read(cared: Cared) -> None:
    cared.busy = True
    cared.faults.met.clear()
    cared.step(PROBE_SECONDS)
    assert cared.faults.met == []
    assert cared.care.checked is None


def test_damage_is_told_within_a_minute_and_others_read_anew(cared: Cared) -> None:
    cared.step()
    cared.thread.call(lambda store: store.close())
    with cared.path.open("r+b") as file:
        file.write(b"\0" * 100)
    cared.step(PROBE_SECONDS)
    (claim,) = cared.care.claims()
    assert (claim.code, claim.severity, claim.since) == (
        STORE.code,
        Severity.WARNING,
        cared.clock.now(),
    )
    assert claim.message.startswith(
        "the database main.db was damaged (file is not a database) and has been replaced by an "
        "empty one; its history is lost unless you restore a backup: "
    )
    assert cared.replaced == 1
    cared.step(5.0)
    assert cared.care.integrity == "ok"
    assert cared.numbers() == []
    assert cared.replaced == 1
    cared.step(TOLD_SECONDS)
    assert cared.care.claims() == []


def test_a_file_that_was_emptied_is_told_until_a_restore(cared: Cared) -> None:
    backup = cared.care.backup()
    cared.path.write_bytes(b"")
    cared.step(PROBE_SECONDS)
    assert cared.messages()[0].startswith("the database main.db was lost (its file is empty")
    assert cared.care.restore(backup.file).state == "done"
    assert cared.care.claims() == []
    assert cared.numbers() == [3, 2, 1]
    assert cared.replaced == 2


@pytest.mark.parametrize("after", [Event.RESTORED, Event.RESET])
def test_the_newest_loss_is_told_until_it_is_settled(cared: Cared, after: Event) -> None:
    cared.step()
    mark = cared.care.state.mark
    assert mark is not None
    told = [
        Incident(cared.clock.now(), event, f"main-{number}.db", "why")
        for number, event in enumerate((Event.DAMAGED, Event.LOST, after))
    ]
    for number, file in ((1, "main-0.db was damaged"), (2, "main-1.db was lost"), (3, None)):
        incidents = tuple(told[:number])
        cared.store.mark = StoreMark(mark.file, incidents=incidents)
        cared.step()
        assert [file in one for one in cared.messages() if file] == ([True] if file else [])


def test_rows_that_cannot_be_read_are_named(cared: Cared, monkeypatch: pytest.MonkeyPatch) -> None:
    cared.change("UPDATE rounds SET summary = '{' WHERE id = 2")
    cared.numbers()
    cared.step()
    (claim,) = cared.care.claims()
    assert claim.message.startswith(
        "1 row of the database cannot be read and is passed over: round 2 (summary is no JSON"
    )
    assert claim.evidence["count"] == 1
    assert cared.care.integrity == "unreadable rows"
    monkeypatch.setattr(care_module, "MOST_LISTED", 1)
    assert cared.messages()[0].startswith("at least 1 row")
    cared.thread.call(lambda store: store.remove_round(2))
    cared.step(PROBE_SECONDS)
    assert cared.care.claims() == []


def test_a_newer_file_is_told(cared: Cared) -> None:
    cared.thread.call(lambda store: store.close())
    cared.change("PRAGMA user_version = 99")
    cared.step()
    (claim,) = cared.care.claims()
    assert claim.severity is Severity.ERROR
    assert "install that one again, or begin anew with" in claim.message
    assert cared.care.integrity == "newer schema"


def test_a_wrong_clock_is_told(cared: Cared) -> None:
    cared.store._mons = lambda: cared.clock.now() + 3600
    cared.step()
    (claim,) = cared.care.claims()
    assert claim.severity is Severity.ERROR
    assert claim.message.startswith("the clock of this mgr's host is 3600 s behind that of the")


def test_an_outage_is_told_after_five_minutes(cared: Cared) -> None:
    cared.step()
    cared.faults.failing = -1
    cared.step(PROBE_SECONDS)
    assert cared.care.claims() == []
    cared.step(AWAY_SECONDS)
    (claim,) = cared.care.claims()
    assert claim.message.startswith("the database has not answered for 5 min (the database cannot")
    assert claim.since == cared.clock.now() - AWAY_SECONDS
    assert cared.care.integrity == "no answer"
    cared.faults.failing = 0
    cared.step(PROBE_SECONDS)
    assert cared.care.claims() == []


def test_silence_is_told_after_five_minutes(cared: Cared) -> None:
    cared.step()
    cared.faults.block()
    cared.clock.advance(PROBE_SECONDS)
    waiting = cared.care.step()
    waiting.send(None)
    cared.clock.advance(AWAY_SECONDS)
    assert "5 min (RADOS does not answer)" in cared.messages()[0]
    waiting.close()


# --- retention ---------------------------------------------------------------------------------


def test_retention_runs_each_minute_and_when_its_limits_change(
    cared: Cared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "NEEDED_ROUNDS", 1)
    cared.step()
    assert cared.numbers() == [3, 2, 1]
    cared.rules = RetentionRules(rounds=2)
    cared.busy = True
    cared.step()
    assert cared.numbers() == [3, 2, 1]
    cared.busy = False
    cared.step()
    assert cared.numbers() == [3, 2]
    assert (cared.care.removed, cared.replaced) == (1, 1)
    cared.store.add_round(a_round(state=RoundState.DONE, key="d"), ())
    cared.step(TEND_SECONDS - 1)
    assert cared.numbers() == [4, 3, 2]
    cared.step(1)
    assert cared.numbers() == [4, 3]


def test_a_full_database_of_which_nothing_may_be_removed_is_told(cared: Cared) -> None:
    cared.change("UPDATE rounds SET verdict = 'valid'")
    cared.step()
    assert cared.care.usage is not None
    used = cared.care.usage.used

    def share(of: float) -> list[str]:
        cared.rules = RetentionRules(mebibytes=1)
        cared.change("CREATE TABLE IF NOT EXISTS filler (data)")
        cared.change("DELETE FROM filler")
        cared.change(f"INSERT INTO filler VALUES (zeroblob({int(of * (1 << 20)) - used}))")  # noqa: S608
        cared.step(TEND_SECONDS)
        return cared.messages()

    assert share(0.8) == []
    assert "retention may remove none of its 3 rounds" in share(0.95)[0]
    assert share(0.87) != []
    assert share(0.8) == []


# --- for the operator --------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["check", "backup", "restore", "reset"])
def test_beside_a_round_nothing_is_done(cared: Cared, what: str) -> None:
    cared.busy = True
    words = ("x",) if what == "restore" else ()
    with pytest.raises(Busy, match=f"wait for its end before a {what} of the database"):
        getattr(cared.care, what)(*words)


def test_a_round_that_started_while_a_copy_waited_goes_first(cared: Cared) -> None:
    cared.faults.block()
    cared.thread.ask(lambda store: store.rounds())
    cared.thread.ask(lambda _store: setattr(cared, "busy", True))
    cared.faults.unblock()
    with pytest.raises(Busy):
        cared.care.backup()
    assert cared.care.job is None


def test_a_copy_that_takes_long_goes_on(cared: Cared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(care_module, "WAIT_SECONDS", 0.0)
    cared.faults.block()
    job = cared.care.backup()
    assert job.state == "running"
    with pytest.raises(Busy, match="a backup of the database is under way"):
        cared.care.backup()
    cared.faults.unblock()
    job.answer.result(threads.PATIENCE)
    assert (job.state, job.file[:7]) == ("done", "backup-")


def test_what_is_refused_is_no_job(cared: Cared) -> None:
    done = cared.care.backup()
    with pytest.raises(NotFound):
        cared.care.restore("x.db")
    assert cared.care.job is done
    cared.path.with_name(done.file).write_bytes(b"no database" * 100)
    with pytest.raises(InvalidValue, match="cannot be restored: it is damaged"):
        cared.care.restore(done.file)
    assert cared.care.job is done
