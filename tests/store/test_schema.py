"""The way from every schema there ever was to the newest."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Optional

import pytest

from fakes.database import file_store
from perf_bench.errors import StoreUnavailable
from perf_bench.model.bench import MIB
from perf_bench.model.finding import FindingState
from perf_bench.model.frame import COMMIT
from perf_bench.model.round import RoundState, Verdict
from perf_bench.store import schema
from perf_bench.store.sqlite import Store
from perf_bench.store.wear import wear_of

DATA = Path(__file__).parent / "data"
# A database of each schema that was ever released, as its version wrote it.
RELEASED = sorted(DATA.glob("schema_*.sql"), key=lambda file: int(file.stem.split("_")[1]))


def _shape(db: sqlite3.Connection) -> set[str]:
    """What the database is made of, whatever the spaces in its statements."""
    found = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {re.sub(r"\s+", " ", sql) for (sql,) in found}


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


@pytest.fixture(params=RELEASED, ids=lambda file: str(file.stem))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store on the database of each released schema; all hold the same."""
    path = tmp_path / "main.db"
    made = sqlite3.connect(path)
    made.executescript("PRAGMA synchronous = OFF;" + request.param.read_text(encoding="utf-8"))
    made.close()
    store = file_store(path)
    yield store
    store.close()


def test_every_step_but_the_last_was_released_and_has_its_data() -> None:
    assert [file.name for file in RELEASED] == [
        f"schema_{number}.sql" for number in range(1, len(RELEASED) + 1)
    ]
    assert len(RELEASED) >= schema.NEWEST - 1


def test_an_empty_database_becomes_the_newest(db: sqlite3.Connection) -> None:
    assert schema.version_of(db) == 0
    schema.migrate(db)
    assert schema.version_of(db) == schema.NEWEST


def test_what_is_the_newest_stays_as_it_is(fresh: sqlite3.Connection) -> None:
    before = list(fresh.iterdump())
    schema.migrate(fresh)
    assert list(fresh.iterdump()) == before


@pytest.mark.parametrize("file", RELEASED, ids=lambda file: str(file.stem))
def test_every_released_one_becomes_the_newest(
    file: Path, db: sqlite3.Connection, fresh: sqlite3.Connection
) -> None:
    db.executescript(file.read_text(encoding="utf-8"))
    assert f"schema_{schema.version_of(db)}" == file.stem
    schema.migrate(db)
    assert schema.version_of(db) == schema.NEWEST
    assert _shape(db) == _shape(fresh)


@pytest.mark.parametrize("upto", range(1, schema.NEWEST + 1))
def test_step_by_step_is_the_same_as_all_at_once(
    upto: int, db: sqlite3.Connection, fresh: sqlite3.Connection
) -> None:
    schema.migrate(db, upto)
    assert schema.version_of(db) == upto
    schema.migrate(db)
    assert _shape(db) == _shape(fresh)


def test_a_step_that_fails_leaves_the_database_as_it_was(
    db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema.migrate(db)
    before = list(db.iterdump())
    broken = ("CREATE TABLE more (id INTEGER)", "CREATE TABLE rounds (id INTEGER)")
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, broken))
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        schema.migrate(db, schema.NEWEST + 1)
    assert list(db.iterdump()) == before
    assert schema.version_of(db) == schema.NEWEST
    assert not db.in_transaction


def test_a_newer_one_is_refused(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreUnavailable, match="the database has schema 99, this version knows"):
        schema.migrate(db)


class _LateToBegin(sqlite3.Connection):
    """Another mgr does ``before`` after this one has read the version, and before its lock."""

    before: Optional[Callable[[], object]] = None

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        before = self.before
        if sql == "BEGIN IMMEDIATE" and before is not None:
            self.before = None
            before()
        return super().execute(sql, *values)


@pytest.fixture
def late(tmp_path: Path) -> Iterator[tuple[_LateToBegin, sqlite3.Connection]]:
    """Two connections to a database of schema 7; the first is late."""
    path = tmp_path / "main.db"
    other = sqlite3.connect(path, isolation_level=None)
    other.executescript((DATA / "schema_7.sql").read_text(encoding="utf-8"))
    made = sqlite3.connect(path, isolation_level=None, factory=_LateToBegin)
    yield made, other
    made.close()
    other.close()


@pytest.mark.parametrize("upto", [8, schema.NEWEST])
def test_a_step_that_another_mgr_did_meanwhile_is_not_done_again(
    late: tuple[_LateToBegin, sqlite3.Connection], fresh: sqlite3.Connection, upto: int
) -> None:
    db, other = late
    db.before = lambda: schema.migrate(other, upto)
    schema.migrate(db)
    assert schema.version_of(db) == schema.NEWEST
    assert not db.in_transaction
    assert _shape(db) == _shape(fresh)
    steps = db.execute("SELECT json_extract(plan, '$.phases[0].step.operation') FROM rounds")
    assert [step for (step,) in steps] == ["write"] * 4
    waves = db.execute("SELECT waves FROM waves WHERE round_id = 1")
    assert waves.fetchone() == ("[[[0,1],[2]]]",)


def test_one_that_another_made_newer_meanwhile_is_left_alone(
    late: tuple[_LateToBegin, sqlite3.Connection],
) -> None:
    db, other = late
    db.before = lambda: other.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreUnavailable, match="the database has schema 99, this version knows"):
        schema.migrate(db)
    assert schema.version_of(db) == 99
    assert not db.in_transaction


@pytest.mark.parametrize(
    "plan", ['{"step": "write"}', '{"step": [1]}', '{"step": null}', "{}", "[]", "5", '"x"', "{"]
)
def test_a_plan_that_is_none_prevents_no_migration(plan: str, tmp_path: Path) -> None:
    """The round is told as unreadable; all others can be read."""
    path = tmp_path / "main.db"
    db = sqlite3.connect(path)
    db.executescript((DATA / "schema_1.sql").read_text(encoding="utf-8"))
    with db:
        db.execute("UPDATE rounds SET plan = ? WHERE id = 2", (plan,))
    db.close()
    store = file_store(path)
    assert [one.id for one in store.rounds()[0] if not one.unreadable] == [5, 4, 1]
    assert [one.key for one in store.unreadable()] == [(2,)]
    store.close()


# --- what they held is all there -------------------------------------------------------------


def test_the_old_rounds(old: Store) -> None:
    rounds, total = old.rounds()
    assert total == 4
    assert [(r.id, r.profile, r.state, r.verdict) for r in rounds] == [
        (5, "osd-throughput", RoundState.RUNNING, None),
        (4, "osd-iops", RoundState.DONE, Verdict.VALID),
        (2, "osd-throughput", RoundState.ABORTED, Verdict.ABORTED),
        (1, "osd-throughput", RoundState.DONE, Verdict.VALID),
    ]
    first = old.round(rounds[-1].id)
    assert first.label == "before the fan"
    assert first.plan.waves == ((0, 1), (2,))
    assert (first.plan.step.block_size, first.plan.repeats) == (4 * MIB, 2)
    (phase,) = first.plan.phases
    assert (phase.name, phase.part, phase.rest_seconds) == ("write", "", 0.0)
    assert [line.step.operation for line in rounds] == ["write"] * 4
    assert first.environment["flags"] == ["sortbitwise"]
    assert first.summary["osds_measured"] == 3
    assert [c.message for c in old.round(4).conclusions] == [
        "osd.3 on host-0 reaches 51 % of its peers"
    ]


def test_the_old_samples_and_results(old: Store) -> None:
    samples = old.samples(5)
    assert [(s.osd, s.valid, s.why) for s in samples] == [
        (0, True, None),
        (1, False, "osd.1 went down"),
    ]
    results, _ = old.results(1)
    assert [(r.osd, r.model, r.samples) for r in results] == [
        (0, "ACME_HD8", 2),
        (1, "ACME_HD8", 2),
        (2, None, 2),
    ]


def test_the_old_latest_and_history(old: Store) -> None:
    assert {key: round_.id for key, (round_, _) in old.latest().items()} == {
        (0, "osd-throughput"): 2,
        (1, "osd-throughput"): 2,
        (2, "osd-throughput"): 1,
        (0, "osd-iops"): 4,
        (1, "osd-iops"): 4,
        (2, "osd-iops"): 4,
        (3, "osd-iops"): 4,
    }
    assert [round_.id for round_, _ in old.history(0)] == [4, 2, 1]


def test_the_old_running_round_can_be_carried_on(old: Store) -> None:
    (running,) = old.unfinished()
    assert (running.id, running.resumed, running.plan.waves) == (5, 1, ((0, 1), (2,)))
    done = old.sampled(5)
    assert done.samples == {("write", 1, 0), ("write", 1, 1)}
    assert done.ended.keys() == {"write"}


def test_the_old_rounds_of_a_profile_and_a_baseline(old: Store) -> None:
    assert [round_.id for round_ in old.past("osd-throughput", 9)] == [2, 1]
    assert old.baselines() == []
    old.set_baseline(1, 1_700_000_900.0)
    assert [(b.round.id, b.set_at) for b in old.baselines()] == [(1, 1_700_000_900.0)]


@pytest.mark.parametrize("old", [f for f in RELEASED if f.stem > "schema_3"], indirect=True)
def test_what_the_watch_knew(old: Store) -> None:
    findings, next_id = old.watch.findings()
    assert [(f.id, str(f.target), f.state) for f in findings] == [
        (1, "osd.2", FindingState.OPEN),
        (2, "host-1", FindingState.CLOSED),
    ]
    assert next_id == 3
    state = old.watch.state("slow")
    assert state is not None
    assert state.state == {"format": 1, "osds": {"2": [0.5, None]}}
    (episode,), _ = old.watch.episodes()
    assert (episode.start, episode.suspects[0].osd) == (1700000410.0, 2)
    (point,) = old.watch.series(2, COMMIT, 300, 1699920000, 1699920300)
    assert point.mean == pytest.approx(0.25, rel=0.004)


def test_ids_go_on_after_the_old_ones(old: Store) -> None:
    (running,) = old.unfinished()
    old.remove_round(5)
    assert old.add_round(running, []).id == 6


@pytest.mark.parametrize("old", [f for f in RELEASED if f.stem > "schema_7"], indirect=True)
def test_the_old_facts_of_hosts(old: Store) -> None:
    received_at, document, memory = old.facts.all()["host-0"]
    assert (received_at, document["osds"], memory) == (
        1700000500.0,
        [{"id": 0, "device": "sda"}],
        {},
    )


def test_the_old_wear_of_each_round() -> None:
    """What is no number is left out: it counts for a day, and the database must open."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript((DATA / "schema_13.sql").read_text(encoding="utf-8"))
    db.execute("INSERT INTO wear VALUES ('x', 0, 5.0, x'00'), ('x', 1, 6.0, 7), ('y', 1, 'z', 7)")
    db.execute("INSERT INTO wear VALUES ('x', x'00', 5.0, 7)")
    schema.migrate(db)
    db.row_factory = sqlite3.Row
    rows = map(wear_of, db.execute("SELECT * FROM wear ORDER BY at"))
    assert [(one.round[0], one.at, one.by_osd) for one in rows] == [
        ("x", 6.0, {1: 7}),
        ("d", 1700000500.0, {0: 12 << 30, 1: 12 << 30, 2: 12 << 30, 3: 4 << 30}),
        ("e", 1700001200.0, dict.fromkeys(range(3), 12 << 30)),
    ]
    db.close()
