"""The keeper reads the database through at a start and weekly, and tells what is wrong."""

from __future__ import annotations

import logging
import math
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import threads
from fakes.clock import FakeClock
from fakes.database import Faults, file_store
from nouns import a_round
from perf_bench.errors import Busy, NotFound, StoreTooNew, StoreUnavailable
from perf_bench.model.damage import Event, Incident, StoreJob
from perf_bench.model.failing_parts import FailingParts
from perf_bench.model.finding import Severity
from perf_bench.model.finding_kinds import STORE
from perf_bench.model.retention import KindSize, RetentionRules, StoreUsage, Tended
from perf_bench.model.round import RoundState, Verdict
from perf_bench.store import copying, integrity, keeper
from perf_bench.store.keeper import (
    AWAY_SECONDS,
    CHECK_SECONDS,
    FULL_SHARE,
    FULL_UNTIL,
    TEND_SECONDS,
    StoreKeeper,
)
from perf_bench.store.sqlite import Store, StoreThread


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
        self.failing = FailingParts(self.clock.monotonic, logging.getLogger("test"))
        self.keeper = StoreKeeper(
            self.store_thread,
            lambda: self.busy,
            self._replaced,
            self.clock,
            self.failing,
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
def kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    """Its pieces and its waits end with their work, however slow the machine is."""
    for module, name in (
        (copying, "PIECE_SECONDS"),
        (integrity, "PIECE_SECONDS"),
        (keeper, "WAIT_SECONDS"),
    ):
        monkeypatch.setattr(module, name, threads.PATIENCE)
    made = Kept(path)
    yield made
    made.store_thread.close(5.0)


def test_a_sound_database_claims_nothing(kept: Kept) -> None:
    kept.tick()
    assert kept.keeper.claims() == []


def test_at_a_start_it_is_read_through(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.damage("UPDATE rounds SET environment = '{' WHERE id = 2")
    kept.tick()
    (claim,) = kept.keeper.claims()
    assert (claim.code, claim.severity) == (STORE.code, Severity.WARNING)
    assert claim.message.startswith(
        "1 row of the database cannot be read and is passed over: round 2 (environment is no JSON"
    )
    assert claim.evidence["count"] == 1
    monkeypatch.setattr(keeper, "MOST_LISTED", 1)
    assert kept.messages()[0].startswith("at least 1 row of the database cannot be read and is")
    met = kept.clock.now()
    kept.clock.advance(3600)
    kept.tick()
    assert [claim.since for claim in kept.keeper.claims()] == [met]


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
    assert " and 4 more. " in message


# --- the file ----------------------------------------------------------------------------------


def _blank(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\0" * 100)


def _settled(kept: Kept) -> None:
    for _ in range(20):
        kept.tick()


def test_after_a_loss_what_is_known_of_rounds_is_read_again(kept: Kept) -> None:
    kept.tick()
    kept.store_thread.call(lambda store: store.close())
    kept.path.unlink()
    assert kept.store_thread.call(lambda store: store.rounds()) == ([], 0)
    kept.tick()
    assert kept.replaced == 1
    # That it is known is no loss, nor is another event.
    kept.keeper.backup()
    _settled(kept)
    assert kept.replaced == 1
    kept.keeper.reset()
    assert kept.replaced == 2
    _settled(kept)
    assert kept.replaced == 2


def test_a_loss_that_an_earlier_mgr_has_met_is_none_now(kept: Kept) -> None:
    kept.store_thread.call(lambda store: store.close())
    kept.path.unlink()
    assert kept.store_thread.call(lambda store: store.rounds()) == ([], 0)
    _settled(kept)
    assert kept.replaced == 0


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
    assert kept.replaced == 1  # what is known of its rounds is read again
    assert kept.store_thread.call(lambda store: store.rounds()) == ([], 0)
    assert kept.store_thread.call(lambda store: store.add_round(a_round(key="new"), ())).id > 3
    assert kept.keeper.integrity == "ok"
    (claim,) = kept.keeper.claims()
    assert (claim.severity, claim.target.id) == (Severity.WARNING, "past")
    assert "main.db was damaged" in claim.message
    was = kept.clock.now()
    kept.clock.advance(14 * 86400 - 100)
    kept.tick()
    assert [claim.since for claim in kept.keeper.claims()] == [was]
    kept.clock.advance(100)
    assert kept.keeper.claims() == []


def test_one_that_is_damaged_again_and_again_waits_for_the_operator(kept: Kept) -> None:
    kept.tick()
    for number in range(4):
        if number < 3:
            assert kept.keeper._may_take_over()
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


@pytest.mark.parametrize(
    ("hours", "may"),
    [([], True), ([1, 2], True), ([1, 2, 3], False), ([1, 2, 3, 4], False), ([1, 2, 24], True)],
)
def test_a_third_time_within_a_day_is_the_operators(
    kept: Kept, hours: list[int], may: bool
) -> None:
    kept.tick()
    now = kept.clock.now()
    found = [Incident(now - 3600 * ago, Event.DAMAGED, "main.db", "why") for ago in hours]
    found.append(Incident(now, Event.COMPACTED, "main.db", "why"))
    mark = kept.keeper.state.mark
    assert mark is not None
    kept.keeper.state = replace(kept.keeper.state, mark=replace(mark, incidents=tuple(found)))
    assert kept.keeper._may_take_over() is may


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
    began = kept.clock.now()
    kept.tick()
    assert kept.keeper.claims() == []
    kept.clock.advance(AWAY_SECONDS)
    kept.tick()
    (claim,) = kept.keeper.claims()
    assert "has not answered for 5 min" in claim.message
    assert claim.since == began
    assert kept.keeper.integrity == "no answer"
    kept.faults.failing = 0
    kept.tick()
    assert kept.keeper.claims() == []


def test_an_outage_of_less_than_five_minutes_needs_nobody(kept: Kept) -> None:
    kept.tick()
    kept.faults.failing = -1
    kept.clock.advance(CHECK_SECONDS)
    kept.tick()
    kept.clock.advance(299.5)
    assert kept.keeper.claims() == []
    kept.clock.advance(0.5)
    assert len(kept.keeper.claims()) == 1


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


def _tick_before_it_is_asked(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """The serve loop ticks after a command made its job, before the database is asked for it."""
    whole = kept.store_thread.call

    def late(*arguments: Any, **named: Any) -> Any:
        kept.keeper.tick()
        return whole(*arguments, **named)

    monkeypatch.setattr(kept.store_thread, "call", late)


def test_a_backup_is_not_done_before_it_has_begun(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.tick()
    _tick_before_it_is_asked(kept, monkeypatch)
    job = kept.keeper.backup()
    assert (job.state, _backups(kept)) == ("done", [job.file])


def test_nor_is_a_restore(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.tick()
    job = kept.keeper.backup()
    kept.store_thread.call(lambda store: store.remove_round(2))
    _tick_before_it_is_asked(kept, monkeypatch)
    assert kept.keeper.restore(job.file).state == "done"
    assert kept.store_thread.call(lambda store: store.rounds())[1] == 3


def test_a_backup_that_began_after_its_command_gave_up_is_none(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.tick()
    whole = kept.store_thread.call
    kept.faults.block()
    with monkeypatch.context() as patch:
        patch.setattr(kept.store_thread, "call", lambda question: whole(question, 0.05))
        with pytest.raises(StoreUnavailable):
            kept.keeper.backup()
    kept.faults.unblock()
    kept.tick()
    assert kept.keeper.job is not None
    assert kept.keeper.job.state == "failed"
    assert kept.store.files._copy is None
    again = kept.keeper.backup()
    assert (again.state, _backups(kept)) == ("done", [again.file])


def test_what_is_known_of_rounds_is_read_again_after_a_reset_that_took_too_long(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.tick()
    monkeypatch.setattr(keeper, "RESET_SECONDS", 0.05)
    kept.faults.block()
    with pytest.raises(StoreUnavailable):
        kept.keeper.reset()
    assert kept.replaced == 0
    kept.faults.unblock()
    kept.tick()
    assert kept.store_thread.call(lambda store: store.rounds()) == ([], 0)
    assert kept.replaced == 1


def test_a_tick_beside_another_one_asks_for_no_second_piece(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The serve loop ticks while the store thread does, after a piece: both look for what is due.

    The copy ended with one of two pieces, and the other one found none and failed the job.
    """
    kept.tick()
    nested: list[bool] = []

    def busy() -> bool:
        job = kept.keeper.job
        if not nested and job is not None and job.what == "backup":
            nested.append(True)
            kept.keeper.tick()
        return False

    monkeypatch.setattr(kept.keeper, "_busy", busy)
    job = kept.keeper.backup()
    kept.tick()
    assert nested
    assert (job.state, _backups(kept)) == ("done", [job.file])


def test_a_check_that_is_due_takes_no_place_of_a_backup(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tick finds nothing under way, and before it begins the check a command begins its backup.

    The backup was forgotten in the middle.
    """
    kept.tick()
    kept.clock.advance(CHECK_SECONDS)
    monkeypatch.setattr(copying, "PIECE_SECONDS", 0.0)
    monkeypatch.setattr(keeper, "WAIT_SECONDS", 0.0)
    jobs: list[StoreJob] = []

    def busy() -> bool:
        monkeypatch.setattr(kept.keeper, "_busy", lambda: False)
        jobs.append(kept.keeper.backup())
        return False

    monkeypatch.setattr(kept.keeper, "_busy", busy)
    kept.tick(60)
    (job,) = jobs
    assert (job.state, _backups(kept)) == ("done", [job.file])


def test_a_round_that_starts_while_a_reset_waits_is_not_lost(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.tick()
    whole = kept.store_thread.call

    def late(*arguments: Any) -> Any:
        kept.busy = True
        return whole(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(kept.store_thread, "call", late)
        with pytest.raises(Busy, match="a round runs"):
            kept.keeper.reset()
    assert _rounds(kept) == 3
    assert kept.replaced == 0


def _backups(kept: Kept) -> list[str]:
    mark = kept.keeper.state.mark
    assert mark is not None
    return [one.file for one in mark.backups]


def test_a_backup_and_its_restore(kept: Kept) -> None:
    kept.tick()
    job = kept.keeper.backup()
    assert (job.state, job.what, kept.replaced) == ("done", "backup", 0)
    kept.store_thread.call(lambda store: store.remove_round(2))
    assert kept.keeper.restore(job.file).state == "done"
    assert kept.replaced == 1
    lines, _ = kept.store_thread.call(lambda store: store.rounds())
    assert [line.id for line in lines] == [3, 2, 1]


@pytest.mark.parametrize(("what", "level"), [("backup", logging.WARNING), ("check", logging.DEBUG)])
def test_a_job_that_cannot_go_on_is_in_the_log(
    kept: Kept,
    what: str,
    level: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A check is tried again by itself, and an outage has a message of its own."""
    monkeypatch.setattr(integrity, "PIECE_SECONDS", 0.0)  # a row a piece
    kept.tick(60)
    caplog.set_level(logging.DEBUG)
    kept.faults.refused = "FROM schedules"
    if what == "backup":
        kept.keeper.backup()
    else:
        kept.clock.advance(CHECK_SECONDS)
        kept.tick(60)
    assert kept.keeper.job is not None
    assert kept.keeper.job.what == what
    told = {record.levelno for record in caplog.records if "cannot go on" in record.message}
    assert told == {level}


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


def test_a_check_by_the_operator_is_done_at_once_whatever_its_pieces(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "PIECE_SECONDS", 0.0)  # a row a piece
    assert kept.keeper.check().state == "done"
    assert kept.keeper.integrity == "ok"


# --- retention ---------------------------------------------------------------------------------


@pytest.fixture
def rules(kept: Kept) -> list[RetentionRules]:
    """The operator's limits; the last one counts."""
    found = [RetentionRules()]
    kept.keeper._rules = lambda: found[-1]
    return found


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> list[StoreUsage]:
    """The size of the database as retention finds it; the last one counts."""
    found = [StoreUsage(0, 0, shrinkable=True)]
    monkeypatch.setattr(
        "perf_bench.store.retention.RetentionStore.tend",
        lambda _self, _rules, _now: Tended(found[-1]),
    )
    return found


def _end_all(kept: Kept) -> None:
    for number, key in enumerate("abc", 1):
        ended = a_round(state=RoundState.DONE, id=number, key=key, verdict=Verdict.NOISY)
        kept.store_thread.call(lambda store: store.end_round(ended, ()))  # noqa: B023


def _rounds(kept: Kept) -> int:
    return kept.store_thread.call(lambda store: store.rounds(limit=0)[1])


def test_retention_keeps_the_limits_when_they_change(
    kept: Kept, rules: list[RetentionRules], caplog: pytest.LogCaptureFixture
) -> None:
    _end_all(kept)
    kept.tick(6)
    assert (_rounds(kept), kept.keeper.removed) == (3, 0)
    rules.append(RetentionRules(rounds=2))  # fewer than the option allows
    with caplog.at_level(logging.INFO):
        kept.tick(6)
    assert (_rounds(kept), kept.keeper.removed, kept.replaced) == (2, 1, 1)
    assert caplog.messages == [
        "removed round 1 of osd-throughput: keep_rounds: 2 newer rounds of its profile"
    ]
    assert [one.round_id for one in kept.keeper.history] == [1]
    assert kept.keeper.usage is not None
    assert kept.keeper.usage.rounds == 2


@pytest.mark.parametrize(("waits", "left"), [(TEND_SECONDS - 1, 3), (TEND_SECONDS, 2)])
def test_retention_looks_again_every_minute(
    kept: Kept, rules: list[RetentionRules], waits: float, left: int
) -> None:
    rules.append(RetentionRules(rounds=2))
    kept.tick(6)
    _end_all(kept)
    kept.clock.advance(waits)
    kept.tick(6)
    assert _rounds(kept) == left


def test_while_a_round_runs_nothing_is_removed(kept: Kept, rules: list[RetentionRules]) -> None:
    _end_all(kept)
    rules.append(RetentionRules(rounds=2))
    kept.busy = True
    kept.tick(6)
    assert _rounds(kept) == 3
    kept.busy = False
    kept.tick(6)
    assert _rounds(kept) == 2


def test_retention_goes_on_after_an_outage(kept: Kept, rules: list[RetentionRules]) -> None:
    _end_all(kept)
    kept.tick()
    rules.append(RetentionRules(rounds=2))
    kept.faults.failing = -1
    kept.tick(6)
    kept.faults.failing = 0
    kept.clock.advance(TEND_SECONDS)
    kept.tick(6)
    assert _rounds(kept) == 2


GIB = 1 << 30


@pytest.mark.parametrize(
    ("used", "removable", "claimed"),
    [
        (FULL_SHARE - 0.001, 0, False),
        (FULL_SHARE, 0, True),
        (1.5, 0, True),
        (1.5, 1, False),  # retention will remove rounds
    ],
)
def test_a_database_that_is_almost_full(
    kept: Kept, full: list[StoreUsage], used: float, removable: int, claimed: bool
) -> None:
    full.append(StoreUsage(math.ceil(4 * GIB * used) + 7, 7, True, 3, removable))
    kept.tick(6)
    assert [claim.target.id for claim in kept.keeper.claims()] == ["size"] * claimed


def test_it_is_told_until_there_is_room(kept: Kept, full: list[StoreUsage]) -> None:
    def claims(share: float) -> int:
        full.append(StoreUsage(math.ceil(4 * GIB * share), 0, True, 3, 0))
        kept.clock.advance(TEND_SECONDS)
        kept.tick(6)
        return len(kept.keeper.claims())

    shares = (0.95, 0.899, FULL_UNTIL, FULL_UNTIL - 0.001, 0.899, 0.9)
    assert [claims(share) for share in shares] == [1, 1, 1, 0, 0, 1]
    (claim,) = kept.keeper.claims()
    assert (claim.code, claim.severity) == (STORE.code, Severity.WARNING)
    assert claim.message.startswith(
        "the database takes 3686 MiB of the 4096 MiB of keep_store_mib, and retention may remove "
        "none of its 3 rounds: raise keep_store_mib, "
    )
    assert claim.evidence == {"bytes": math.ceil(3.6 * GIB), "limit_bytes": 4 * GIB}


def test_what_takes_most_of_it_is_told(kept: Kept, full: list[StoreUsage]) -> None:
    kept.tick(6)
    sizes = kept.keeper.sizes
    assert sizes is not None
    kinds = [KindSize("latencies", 9, 900 << 20), KindSize("samples", 9, (5 << 20) + 9)]
    kinds.append(KindSize("hosts", 9, (1 << 20) - 1))
    kept.keeper.sizes = replace(sizes, kinds=tuple(kinds))
    full.append(StoreUsage(4 * GIB, 0, True, 3, 0))
    kept.clock.advance(TEND_SECONDS)
    kept.tick(6)
    (message,) = kept.messages()
    assert "its 3 rounds (latencies 900 MiB, samples 5 MiB)" in message


@pytest.mark.parametrize("state", ["unchecked", "ok", "away"])
def test_what_was_looked_at_is_told(kept: Kept, state: str) -> None:
    if state == "ok":
        kept.tick()
    elif state == "away":
        kept.store_thread.call(lambda store: store.close())
        _blank(kept.path)
        with pytest.raises(StoreUnavailable, match="is damaged"):
            kept.store_thread.call(lambda store: store.rounds())
        kept.store_thread.call(kept.keeper._look)
    (look,) = kept.keeper.looks()
    codes = {"unchecked": ["unchecked"], "ok": [], "away": ["unreadable"]}
    assert (look.total, [gap.code for gap in look.gaps]) == (1, codes[state])


def test_what_each_kind_takes_is_known_after_a_check(kept: Kept) -> None:
    kept.tick(6)
    sizes = kept.keeper.sizes
    assert sizes is not None
    assert kept.keeper.usage is not None
    found = {one.kind: one for one in sizes.kinds}
    assert (sizes.kinds[0].kind, sizes.kinds[0].rows) == ("rounds", 3)
    assert abs(sum(one.bytes for one in sizes.kinds) - kept.keeper.usage.used) < len(found)
    assert found["latencies"].bytes == 0
    # The next check counts anew.
    kept.clock.advance(CHECK_SECONDS)
    kept.tick(6)
    again = kept.keeper.sizes
    assert again is not None
    assert again is not sizes
    assert again.kinds[0]._replace(bytes=0) == sizes.kinds[0]._replace(bytes=0)


def test_retention_does_not_wait_for_the_end_of_a_check(
    kept: Kept, rules: list[RetentionRules], monkeypatch: pytest.MonkeyPatch
) -> None:
    _end_all(kept)
    monkeypatch.setattr(integrity, "PIECE_SECONDS", 0.0)  # a row a piece
    rules.append(RetentionRules(rounds=2))
    kept.tick(4)
    assert kept.keeper.integrity == "checking"
    assert _rounds(kept) == 2
    kept.tick(60)
    assert kept.keeper.integrity == "ok"


def test_a_check_that_is_asked_for_goes_on_without_the_asker(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integrity, "PIECE_SECONDS", 0.0)
    monkeypatch.setattr(keeper, "WAIT_SECONDS", 0.0)
    kept.keeper.check()
    assert kept.keeper.integrity == "checking"
    kept.tick(60)
    assert kept.keeper.integrity == "ok"


def test_a_round_that_begins_amid_retention_lets_the_store_rest(
    kept: Kept, rules: list[RetentionRules], monkeypatch: pytest.MonkeyPatch
) -> None:
    _end_all(kept)
    kept.tick(6)
    tend, look = kept.store.retention.tend, kept.keeper._look
    looks: list[object] = []

    def begins(*args: object) -> Tended:
        done = tend(*args)  # type: ignore[arg-type]
        kept.busy = kept.busy or (done.more and not looks)  # a round begins meanwhile
        return done

    def looked(store: Store) -> None:
        looks.append(store)
        look(store)

    monkeypatch.setattr(kept.store.retention, "tend", begins)
    monkeypatch.setattr(kept.keeper, "_look", looked)
    rules.append(RetentionRules(rounds=2))
    kept.keeper.tick()
    threads.until(lambda: kept.busy)
    for _ in range(20):  # where it goes on by itself, it looks between any two of them
        kept.store_thread.call(lambda _store: None)
    assert len(looks) < 10
    kept.busy = False
    kept.tick(6)
    assert (_rounds(kept), kept.keeper._tending) == (2, False)


def _after(kept: Kept, *incidents: Incident) -> None:
    kept.tick()
    mark = kept.keeper.state.mark
    assert mark is not None
    kept.keeper.state = replace(kept.keeper.state, mark=replace(mark, incidents=incidents))


@pytest.mark.parametrize("event", [Event.DAMAGED, Event.LOST])
def test_a_loss_after_a_reset_by_a_clock_that_was_ahead_is_told(kept: Kept, event: Event) -> None:
    now = kept.clock.now()
    _after(
        kept,
        Incident(now + 300 * 86400, Event.RESET, "main.db", "asked for by the operator"),
        Incident(now, event, "main-2.db", "its pool was deleted"),
    )
    assert [claim.target.id for claim in kept.keeper.claims()] == ["past"]


def test_a_restore_settles_what_a_clock_that_was_ahead_has_noted(kept: Kept) -> None:
    now = kept.clock.now()
    _after(
        kept,
        Incident(now + 2 * 86400, Event.DAMAGED, "main.db", "why"),
        Incident(now, Event.RESTORED, "main-2.db", "restored by the operator"),
    )
    assert kept.keeper.claims() == []


@pytest.mark.parametrize(
    ("count", "told"), [(3, "not row 0, row 1, row 2"), (4, "not row 0, row 1, row 2 and others")]
)
def test_that_more_is_missing_than_is_named_is_told(kept: Kept, count: int, told: str) -> None:
    missing = tuple(f"row {number}" for number in range(count))
    _after(kept, Incident(kept.clock.now(), Event.DAMAGED, "f", "why", 7, missing))
    (message,) = kept.messages()
    assert f"{told}. " in message


def _fails(kept: Kept, part: str) -> bool:
    """Whether a claim says that this part of the keeper fails."""
    found = kept.failing.claims(kept.clock.now(), lambda _part: None)
    assert {one.target.id for one in found} <= {part}
    return bool(found)


def _broken(*_: object) -> None:
    raise ValueError("a bug")


def test_retention_that_fails_is_told_until_it_goes_well(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.tick(60)
    with monkeypatch.context() as patched:
        patched.setattr(type(kept.store.retention), "tend", _broken)
        for _ in range(7):
            kept.clock.advance(TEND_SECONDS)
            kept.tick(3)
        assert _fails(kept, "retention")
    for _ in range(3):
        kept.clock.advance(TEND_SECONDS)
        kept.tick(3)
    assert not _fails(kept, "retention")


def test_a_check_that_fails_is_told_until_one_has_ended(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(type(kept.store), "check_rows", _broken)
        for _ in range(12):
            kept.clock.advance(30)
            kept.tick(3)
        assert kept.keeper.integrity == "unchecked"
        assert _fails(kept, "store-check")
    kept.tick(60)
    kept.clock.advance(90)
    kept.tick(3)
    assert not _fails(kept, "store-check")


def test_an_outage_is_not_told_a_second_time(kept: Kept) -> None:
    kept.tick(60)
    kept.faults.failing = -1
    for _ in range(20):
        kept.clock.advance(30)
        kept.tick(3)
    assert [claim.code for claim in kept.keeper.claims()] == [STORE.code]
    assert not _fails(kept, "")
