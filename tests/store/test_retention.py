"""Which rounds are removed, in which steps, and that the file becomes smaller."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.database import Faults, FilePlace
from nouns import BEGAN, a_plan, a_result, a_round, a_sample, put_round
from perf_bench.errors import NotFound, StoreUnavailable
from perf_bench.model.plan import Schedule, ScheduleState
from perf_bench.model.rados import LoadSample
from perf_bench.model.round import RoundState, Verdict
from perf_bench.model.store import (
    NEEDED_ROUNDS,
    REMEMBERED,
    RemovedRound,
    RetentionRules,
    StoreUsage,
)
from perf_bench.store import retention
from perf_bench.store.retention import StoredLine, removable
from perf_bench.store.sqlite import Store

DAY = 86400.0
NOW = 1000 * DAY


def _lines(
    count: int, profile: str = "p", first: int = 1, *, valid: bool = True, at: float = NOW
) -> list[StoredLine]:
    return [StoredLine(first + n, profile, True, valid, at) for n in range(count)]


def _gone(
    lines: list[StoredLine],
    rules: RetentionRules,
    pinned: Collection[int] = (),
    newest: Collection[int] = (),
) -> list[int]:
    """Those beyond the limits of number and age."""
    found = removable(lines, pinned, newest, rules, NOW)
    return [number for number, why in found if why is not None]


def _all(
    lines: list[StoredLine], pinned: Collection[int] = (), newest: Collection[int] = ()
) -> list[int]:
    """Those that the limit of the size may take."""
    return [number for number, _ in removable(lines, pinned, newest, RetentionRules(), NOW)]


# --- by number ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "gone"), [(29, []), (30, []), (31, [1]), (33, [1, 2, 3])])
def test_by_number(count: int, gone: list[int]) -> None:
    assert _gone(_lines(count), RetentionRules(rounds=30)) == gone


# --- by age ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age", "days", "gone"),
    [
        (10 * DAY - 1, 10, []),
        (10 * DAY, 10, []),
        (10 * DAY + 1, 10, [1]),
        (10 * DAY + 1, 0, []),
        (-DAY, 10, []),  # of a clock that was ahead
    ],
)
def test_by_age(age: float, days: int, gone: list[int]) -> None:
    lines = [*_lines(1, at=NOW - age), *_lines(NEEDED_ROUNDS, first=2)]
    assert _gone(lines, RetentionRules(days=days)) == gone


def test_a_round_of_unknown_age_is_not_too_old() -> None:
    lines = [StoredLine(1, "p", True, True, None), *_lines(NEEDED_ROUNDS, first=2)]
    assert _gone(lines, RetentionRules(days=1)) == []


# --- what always stays -------------------------------------------------------------------------


def test_pinned_rounds_stay() -> None:
    assert _gone(_lines(40), RetentionRules(rounds=37), {1}, {2}) == [3]


def test_the_size_takes_the_oldest_first_and_newest_results_last() -> None:
    assert _all(_lines(40), {3}, {1}) == [2, *range(4, 21), 1]


_STORED = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from(("done", "failed", "running")),
        st.one_of(st.none(), st.floats(0, 2 * NOW)),
    ),
    max_size=80,
)


@given(
    stored=_STORED,
    rounds=st.integers(NEEDED_ROUNDS, 40),
    days=st.integers(0, 2000),
    pinned=st.sets(st.integers(1, 80)),
    held=st.frozensets(st.integers(1, 80)),
)
def test_what_is_removed_never_is_needed(
    stored: list[tuple[str, str, Optional[float]]],
    rounds: int,
    days: int,
    pinned: set[int],
    held: frozenset[int],
) -> None:
    lines = [
        StoredLine(number, profile, state != "running", state == "done", at)
        for number, (profile, state, at) in enumerate(stored, 1)
    ]
    rules = RetentionRules(rounds, days)
    gone = _gone(lines, rules, pinned, held)
    by_size = _all(lines, pinned, held)
    assert gone == sorted(gone)
    assert set(gone) <= set(by_size) <= {line.id for line in lines if line.ended}
    assert not (pinned | held) & set(gone)
    assert not pinned & set(by_size)
    for profile in "ab":
        mine = [line for line in lines if line.profile == profile]
        valid = [line.id for line in mine if line.valid][-NEEDED_ROUNDS:]
        ended = [line.id for line in mine if line.ended]
        assert not {*valid, *ended[-1:]} & set(by_size)
        # What stays beyond the number is needed, pinned or held.
        beyond = set(ended[:-rounds]) - set(gone)
        assert not (beyond & set(by_size)) - held
    # Nothing is left to do after it.
    stay = [line for line in lines if line.id not in gone]
    assert _gone(stay, rules, pinned, held) == []


# --- in the database ---------------------------------------------------------------------------

OSDS = 150


class Filled:
    """A store of rounds of 150 OSDs in a file; a new one is the next mgr."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults = Faults()
        self.place = FilePlace(path, self.faults)
        self.store = Store(self.place, "test")

    def add(self, count: int = 1, profile: str = "osd-throughput", **named: Any) -> None:
        plan = a_plan([list(range(OSDS))], profile=profile)
        results = [a_result(osd) for osd in range(OSDS)]
        for _ in range(count):
            key = str(self.store.rounds(limit=0)[1]) + str(len(self.faults.met))
            made = put_round(self.store, a_round(plan, key=key, profile=profile), results)
            for repeat in (1, 2, 3):
                samples = [a_sample(osd, repeat) for osd in range(OSDS)]
                self.store.add_samples(made.id, samples)
            self.store.add_load(made.id, LoadSample(1, 0.0, why="why"))
            values: dict[str, Any] = {"verdict": Verdict.VALID, **named}
            ended = a_round(plan, RoundState.DONE, id=made.id, key=key, profile=profile, **values)
            self.store.end_round(ended, results)

    def tend(self, rules: RetentionRules, most: int = 10_000) -> StoreUsage:
        found = self.store.retention.tend(rules, BEGAN)
        while found.more and most > 1:
            found = self.store.retention.tend(rules, BEGAN)
            most -= 1
        return found.usage

    def ids(self) -> list[int]:
        return [line.id for line in self.store.rounds(limit=1000, sort="+id")[0]]

    def rows(self, round_id: int) -> int:
        """The rows of a round in all tables, also where the round is gone."""
        with sqlite3.connect(self.path) as db:
            count = sum(
                db.execute(
                    f"SELECT count(*) FROM {table} WHERE round_id = ?",  # noqa: S608
                    (round_id,),
                ).fetchone()[0]
                for table in ("samples", "results", "loads", "waves", "newest", "baselines")
            )
        db.close()
        return int(count)

    def is_sound(self) -> bool:
        with sqlite3.connect(self.path) as db:
            (found,) = db.execute("PRAGMA integrity_check").fetchone()
            broken = db.execute("PRAGMA foreign_key_check").fetchall()
        db.close()
        return found == "ok" and not broken


@pytest.fixture
def filled(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Filled]:
    monkeypatch.setattr(retention, "NEEDED_ROUNDS", 2)
    monkeypatch.setattr(retention, "SLACK_BYTES", 16 << 10)
    monkeypatch.setattr(retention, "STEP_BYTES", 16 << 10)
    made = Filled(path)
    yield made
    made.store.close()


def test_rounds_are_removed_and_the_file_becomes_smaller(filled: Filled) -> None:
    filled.add(2)
    small = filled.tend(RetentionRules()).bytes
    filled.add(18)
    large = filled.tend(RetentionRules()).bytes
    usage = filled.tend(RetentionRules(rounds=2))
    assert filled.ids() == [19, 20]
    assert large > 3 * small
    # Pages of the indexes stay partly filled.
    assert usage.bytes < large // 2
    assert filled.path.stat().st_size == usage.bytes
    assert [filled.rows(number) for number in range(1, 19)] == [0] * 18
    assert filled.rows(20) == 5 * OSDS + 2
    assert filled.is_sound()
    assert filled.place.trimmed == ["main.db"] * 2  # once at its start, once after shortening


@pytest.mark.parametrize("statement", ["DELETE FROM rounds", "vacuum"])
def test_a_connection_that_breaks_in_a_step_loses_nothing(filled: Filled, statement: str) -> None:
    filled.add(6)
    filled.tend(RetentionRules())
    filled.faults.refused = statement
    with pytest.raises(StoreUnavailable):
        filled.tend(RetentionRules(rounds=2))
    filled.faults.refused = None
    assert filled.ids()[-2:] == [5, 6]
    filled.tend(RetentionRules(rounds=2))
    assert filled.ids() == [5, 6]
    assert [filled.rows(number) for number in (1, 2, 3, 4)] == [0] * 4
    assert filled.is_sound()


def test_the_limit_of_the_size(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.add(10)
    usage = filled.tend(RetentionRules())
    assert (usage.rounds, usage.removable) == (10, 8)

    monkeypatch.setattr(RetentionRules, "bytes", usage.used)  # at the limit
    assert filled.tend(RetentionRules()).rounds == 10
    monkeypatch.setattr(RetentionRules, "bytes", usage.used - 1)  # a byte above it
    assert filled.tend(RetentionRules()).rounds == 9
    monkeypatch.setattr(RetentionRules, "bytes", usage.used * 2 // 3)
    less = filled.tend(RetentionRules())
    assert less.used <= usage.used * 2 // 3
    assert filled.ids() == list(range(10 - less.rounds + 1, 11))
    monkeypatch.setattr(RetentionRules, "bytes", 1)
    last = filled.tend(RetentionRules())
    assert (filled.ids(), last.removable) == ([9, 10], 0)
    (newest, *_) = filled.store.retention.removed(5)
    assert newest.why == "keep_store_mib: the database took more than 4096 MiB"


def test_baselines_rounds_of_schedules_and_newest_results_stay(filled: Filled) -> None:
    filled.add(8)
    filled.add(1, "osd-iops")
    filled.store.set_baseline(1, 0.0)
    filled.store.put_schedule(Schedule("daily", "osd-throughput"))
    filled.store.put_schedule(Schedule("new", "osd-throughput"))
    filled.store.put_schedule_states({"daily": ScheduleState(last_round=2)})
    # osd.999 was measured in round 3 only.
    with sqlite3.connect(filled.path) as db:
        db.execute("INSERT INTO newest VALUES (999, 'osd-throughput', 3)")
    db.close()
    filled.tend(RetentionRules(rounds=2))
    assert filled.ids() == [1, 2, 3, 7, 8, 9]


def test_a_damaged_row_is_removed_like_others(filled: Filled) -> None:
    filled.add(4)
    with sqlite3.connect(filled.path) as db:
        db.execute(
            "UPDATE rounds SET profile = CAST(x'6fff' AS TEXT), created_at = 'x', label = x'00ff', "
            "verdict = 7 WHERE id = 1"
        )
        db.execute("UPDATE rounds SET summary = '{' WHERE id = 2")
    db.close()
    assert filled.ids() == [1, 2, 3, 4]
    assert len(filled.store.unreadable.rows()) == 2
    filled.tend(RetentionRules(rounds=2))
    assert filled.ids() == [1, 3, 4]  # the only one of "its" profile
    filled.store.remove_round(1)
    filled.tend(RetentionRules(rounds=2))
    filled.store.files.probe()
    assert filled.store.unreadable.rows() == ()
    assert [one.round_id for one in filled.store.retention.removed(9)] == [1, 2]


def test_what_was_removed_is_remembered(filled: Filled) -> None:
    filled.add(3, label="before the fan")
    filled.tend(RetentionRules(rounds=2))
    why = "keep_rounds: 2 newer rounds of its profile"
    assert filled.store.retention.removed(9) == [
        RemovedRound(1, "osd-throughput", "before the fan", BEGAN, BEGAN, why)
    ]
    for call in (filled.store.round, filled.store.samples, filled.store.raw):
        with pytest.raises(
            NotFound, match=r"no round 1: it was removed on 2023-11-14 22:13 UTC \("
        ):
            call(1)
    with pytest.raises(NotFound, match="no round 77: 'ceph perf-bench round ls'"):
        filled.store.round(77)


def test_only_so_many_are_remembered(filled: Filled) -> None:
    filled.add(1)
    with sqlite3.connect(filled.path) as db:
        db.executemany(
            "INSERT INTO removed_rounds VALUES (?, 'p', '', 0, ?, 'w')",
            [(1000 + number, float(number)) for number in range(REMEMBERED + 50)],
        )
    db.close()
    filled.store.remove_round(1)
    found = filled.store.retention.removed(10_000)
    assert len(found) == REMEMBERED
    assert found[0].round_id == 1
    filled.tend(RetentionRules())
    assert filled.rows(1) == 0


# --- other tables ------------------------------------------------------------------------------


def _count(filled: Filled, table: str) -> int:
    with sqlite3.connect(filled.path) as db:
        (found,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608
    db.close()
    return int(found)


def _insert(filled: Filled, table: str, rows: list[tuple[Any, ...]]) -> None:
    marks = ", ".join("?" * len(rows[0]))
    with sqlite3.connect(filled.path) as db:
        db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608
    db.close()


@pytest.mark.parametrize(("more", "left"), [(-1, 4), (0, 5), (1, 5), (3, 5)])
def test_tables_of_the_watch_and_of_hosts_are_bounded(
    filled: Filled, more: int, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MOST_HOSTS", 5)
    monkeypatch.setattr(retention, "MOST_EPISODES", 5)
    filled.store.schema_version()
    numbers = range(5 + more)
    _insert(filled, "episodes", [(BEGAN - n, None, "{}") for n in numbers])
    _insert(filled, "host_facts", [(f"h{n}", BEGAN - n, b"", None) for n in numbers])
    filled.tend(RetentionRules())
    assert (_count(filled, "episodes"), _count(filled, "host_facts")) == (left, left)
    with sqlite3.connect(filled.path) as db:  # the newest ones
        assert db.execute("SELECT min(start) FROM episodes").fetchone() == (BEGAN - left + 1,)
        assert db.execute("SELECT max(host) FROM host_facts").fetchone() == (f"h{left - 1}",)
    db.close()


def test_a_mebibyte_of_unused_space_stays_for_the_next_rows(path: Path) -> None:
    filled = Filled(path)
    filled.tend(RetentionRules())
    _insert(filled, "host_facts", [("h", BEGAN, bytes(3 << 20), None)])
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM host_facts")
        (page,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    sizes = [path.stat().st_size]
    while filled.store.retention.tend(RetentionRules(), BEGAN).more:
        sizes.append(path.stat().st_size)
    assert (1 << 20) - page <= filled.tend(RetentionRules()).free <= 1 << 20
    # Given back in steps of as much, each perhaps with a page of SQLite's map of pages.
    largest = max(before - after for before, after in zip(sizes, sizes[1:]))
    assert 1 << 20 <= largest <= (1 << 20) + page
    filled.store.close()
