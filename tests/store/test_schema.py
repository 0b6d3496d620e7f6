"""From what the version before has written to the newest schema; others are refused."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Optional

import pytest

from fakes.database import file_store
from perf_bench.errors import StoreTooNew, StoreUnavailable
from perf_bench.model.finding import COMMIT, FindingState
from perf_bench.model.history import DAY, FIVE_MINUTES, HOUR, LOAD
from perf_bench.model.plan import MIB, Reason
from perf_bench.model.round import RoundState, Verdict
from perf_bench.store import schema
from perf_bench.store.sqlite import Store

DATA = Path(__file__).parent / "data"
# A database with rows in every table, as the version with this schema wrote it.
OLD = (DATA / "schema_14.sql").read_text(encoding="utf-8")


def _shape(db: sqlite3.Connection) -> set[str]:
    """What the database is made of, whatever the spaces and quotes in its statements."""
    found = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {re.sub(r'[\s"]+', "", sql) for (sql,) in found}


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:", isolation_level=None)
    yield made
    made.close()


@pytest.fixture
def fresh() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:", isolation_level=None)
    schema.migrate(made)
    yield made
    made.close()


@pytest.fixture
def old(path: Path) -> Iterator[Store]:
    made = sqlite3.connect(path)
    made.executescript("PRAGMA synchronous = OFF;" + OLD)
    made.close()
    store = file_store(path)
    yield store
    store.close()


def test_the_old_one_has_rows_in_every_table(db: sqlite3.Connection) -> None:
    db.executescript(OLD)
    names = [n for (n,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert len(names) > 15
    for name in names:
        assert db.execute(f"SELECT 1 FROM {name}").fetchone(), name  # noqa: S608


def test_an_empty_database_gets_the_newest(fresh: sqlite3.Connection) -> None:
    assert schema.version_of(fresh) == schema.NEWEST
    before = list(fresh.iterdump())
    schema.migrate(fresh)
    assert list(fresh.iterdump()) == before


def test_the_old_one_becomes_the_newest(db: sqlite3.Connection, fresh: sqlite3.Connection) -> None:
    db.executescript(OLD)
    schema.migrate(db)
    assert schema.version_of(db) == schema.NEWEST
    assert _shape(db) == _shape(fresh)
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("statement", ["DROP TABLE series", "UPDATE samples", "user_version = 15"])
def test_a_step_that_fails_leaves_the_database_as_it_was(path: Path, statement: str) -> None:
    class Failing(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if statement in sql:
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(sql, *values)

        def executemany(self, sql: str, *values: Any) -> sqlite3.Cursor:
            self.execute(sql.replace("?", "0")) if statement in sql else None
            return super().executemany(sql, *values)

    db = sqlite3.connect(path, isolation_level=None, factory=Failing)
    db.executescript(OLD)
    before = list(db.iterdump())
    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        schema.migrate(db)
    assert list(db.iterdump()) == before
    assert (schema.version_of(db), db.in_transaction) == (14, False)
    db.close()


@pytest.mark.parametrize(
    ("version", "error", "said"),
    [
        (16, StoreTooNew, "the database has schema 16, this version knows 15"),
        (99, StoreTooNew, "the database has schema 99, this version knows 15"),
        (13, StoreUnavailable, "the database has schema 13, this version migrates from 14"),
        (1, StoreUnavailable, "the database has schema 1, this version migrates from 14"),
    ],
)
def test_others_are_refused_and_left_alone(
    db: sqlite3.Connection, version: int, error: type[Exception], said: str
) -> None:
    db.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(error, match=said):
        schema.migrate(db)
    assert list(db.iterdump()) == ["BEGIN TRANSACTION;", "COMMIT;"]
    assert schema.version_of(db) == version


class _LateToBegin(sqlite3.Connection):
    """Another mgr does ``before`` after this one has read the version, and before its lock."""

    before: Optional[Callable[[], object]] = None

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        before = self.before
        if sql == "BEGIN IMMEDIATE" and before is not None:
            self.before = None
            before()
        return super().execute(sql, *values)


@pytest.mark.parametrize("empty", [True, False])
def test_what_another_mgr_did_meanwhile_is_not_done_again(
    path: Path, fresh: sqlite3.Connection, empty: bool
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    if not empty:
        other.executescript(OLD)
    db = sqlite3.connect(path, isolation_level=None, factory=_LateToBegin)
    db.before = lambda: schema.migrate(other)
    schema.migrate(db)
    assert schema.version_of(db) == schema.NEWEST
    assert not db.in_transaction
    assert _shape(db) == _shape(fresh)
    db.close()
    other.close()


def test_rows_that_cannot_be_read_keep_no_other_from_being_migrated(path: Path) -> None:
    db = sqlite3.connect(path)
    db.executescript(OLD)
    with db:
        db.execute("UPDATE rounds SET summary = '{\"cut' WHERE id = 4")
        db.execute("UPDATE findings SET evidence = '{' WHERE id = 1")
        db.execute("UPDATE schedules SET state = '['")
        db.execute("UPDATE samples SET why = x'ff41' WHERE round_id = 5 AND repeat = 2")
        db.execute("UPDATE cluster_spans SET data = x'00' WHERE level = 300")
    db.close()
    store = file_store(path)
    assert [one.id for one in store.rounds()[0] if one.unreadable] == [4]
    assert [one.id for one in store.watch.findings()[0]] == [2]
    assert len(store.watch.cluster_spans(HOUR, 0, 2e9)) == 1
    store.close()


# --- what it held is all there ---------------------------------------------------------------


def test_rounds(old: Store) -> None:
    rounds, total = old.rounds()
    assert total == 4
    assert [(r.id, r.profile, r.state, r.verdict) for r in rounds] == [
        (5, "osd-throughput", RoundState.RUNNING, None),
        (4, "osd-iops", RoundState.DONE, Verdict.VALID),
        (2, "osd-throughput", RoundState.ABORTED, Verdict.ABORTED),
        (1, "osd-throughput", RoundState.DONE, Verdict.VALID),
    ]
    first = old.round(1)
    assert (first.label, first.plan.waves) == ("before the fan", ((0, 1), (2,)))
    assert (first.plan.step.block_size, first.plan.repeats) == (4 * MIB, 2)
    assert first.environment["flags"] == ["sortbitwise"]
    assert first.summary["osds_measured"] == 3
    fourth = old.round(4)
    assert "said" not in fourth.summary
    assert [c.message for c in fourth.conclusions] == ["osd.3 on host-0 reaches 51 % of its peers"]
    assert old.unreadable.rows() == ()


def test_samples_with_their_reasons(old: Store) -> None:
    assert [(s.osd, s.repeat, s.valid, s.why, s.reason) for s in old.samples(5)] == [
        (0, 1, True, None, None),
        (1, 1, False, "osd.1 went down", Reason.WENT_DOWN),
        (0, 2, False, "as nobody ever said", None),
        (1, 2, False, "osd.1 gave no answer within 60 s", Reason.SILENT),
    ]
    assert old.sampled(5).silent == {1}
    assert [(r.osd, r.model, r.samples) for r in old.results(1)[0]] == [
        (0, "ACME_HD8", 2),
        (1, "ACME_HD8", 2),
        (2, None, 2),
    ]
    (load,) = old.loads(4)
    assert load.why == "clients still ran 30 s too long"


def test_newest_results_history_and_baselines(old: Store) -> None:
    assert old.latest()[0, "osd-throughput"][0].id == 2
    assert [round_.id for round_, _ in old.history(0)] == [4, 2, 1]
    assert [round_.id for round_ in old.past("osd-throughput", 9)] == [2, 1]
    assert [(b.round.id, b.set_at) for b in old.baselines()] == [(4, 1_700_000_700.0)]


def test_schedules_facts_and_wear(old: Store) -> None:
    schedule, state = old.schedules()["nightly"]
    assert (schedule.every, state and state.problem) == (86400, "none")
    received_at, document, _ = old.facts()["host-0"]
    assert (received_at, document["osds"]) == (1700000500.0, [{"id": 0, "device": "sda"}])
    assert [one.at for one in old.wear().rounds] == [1700000500.0, 1700001200.0]


def test_what_the_watch_knew(old: Store) -> None:
    findings, next_id = old.watch.findings()
    assert [(f.id, str(f.target), f.state) for f in findings] == [
        (1, "osd.2", FindingState.OPEN),
        (2, "host-1", FindingState.CLOSED),
    ]
    assert next_id == 3
    # Those of the evidence stay.
    assert findings[0].evidence["said"].keys() == {"why"}
    assert "said" not in findings[1].evidence
    state = old.watch.state("slow")
    assert state is not None
    assert state.state == {"format": 1, "osds": {"2": [0.5, None]}}
    (episode,), _ = old.watch.episodes()
    assert (episode.start, episode.suspects[0].osd) == (1700000410.0, 2)


@pytest.mark.parametrize("level", [FIVE_MINUTES, DAY])
def test_series(old: Store, level: int) -> None:
    begin = 1699920000
    (point,) = old.watch.series(2, [COMMIT], level, begin, begin + 300)[COMMIT]
    assert point.mean == pytest.approx(0.25, rel=0.004)


@pytest.mark.parametrize("level", [FIVE_MINUTES, HOUR])
def test_the_cluster_over_time(old: Store, level: int) -> None:
    (span,) = old.watch.cluster_spans(level, 1699920000, 1699920300)
    assert (span.seconds, span.osds, span.restarted) == (level, 3, ((2, 1699920015),))


def test_ids_go_on_after_the_old_ones(old: Store) -> None:
    (running,) = old.unfinished()
    old.remove_round(5)
    assert old.add_round(running, []).id == 6


def test_a_database_of_a_real_cluster(path: Path) -> None:
    db = sqlite3.connect(path)
    db.executescript((DATA / "schema_14_cluster.sql").read_text(encoding="utf-8"))
    (at,) = db.execute("SELECT max(start) FROM series").fetchone()
    db.close()
    store = file_store(path)
    assert [(one.id, one.profile) for one in store.rounds()[0]] == [
        (3, "osd-iops"),
        (2, "osd-iops"),
        (1, "osd-throughput"),
    ]
    assert [len(store.samples(number)) for number in (1, 2, 3)] == [9, 6, 3]
    assert [store.round(number).state for number in (1, 2, 3)] == [RoundState.DONE] * 3
    assert len(store.latest()) == 6
    assert store.schedules().keys() == {"nightly"}
    assert len(store.wear().rounds) == 3
    assert len(store.watch.cluster_spans(FIVE_MINUTES, 0, at + 1)) == 2
    assert store.watch.series(0, [LOAD], FIVE_MINUTES, 0, at + 1)[LOAD]
    for name in ("slow", "laggy"):
        assert store.watch.state(name) is not None
    assert store.files.check(0.0).pages
    assert store.unreadable.rows() == ()
    store.close()
