"""One row that cannot be read: it is set aside, told, given out, removed; no other suffers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes.database import file_store
from nouns import a_result, a_round, a_sample, put_round
from perf_bench.errors import NotFound, Unreadable
from perf_bench.model.finding import COMMIT, Finding, FindingState, Severity, Target
from perf_bench.model.history import DAY, WatchBatch
from perf_bench.model.plan import Schedule, ScheduleState
from perf_bench.model.rados import LoadSample
from perf_bench.model.round import RoundState
from perf_bench.model.store import RetentionRules
from perf_bench.model.verdict import Episode
from perf_bench.store.sqlite import Store

DONE = RoundState.DONE
# By what is wrong: the statement that does it to round 2, and what is said of it.
DAMAGES = {
    "a summary that is cut off": (
        'UPDATE rounds SET summary = \'{"osds": 3, "med\' WHERE id = 2',
        "summary is no JSON",
    ),
    "a summary that is a list": (
        "UPDATE rounds SET summary = '[]' WHERE id = 2",
        "summary must be an object",
    ),
    "an unknown verdict": (
        "UPDATE rounds SET verdict = 'splendid' WHERE id = 2",
        "verdict is 'splendid', which this version does not know",
    ),
    "an unknown state": (
        "UPDATE rounds SET state = 'paused' WHERE id = 2",
        "state is 'paused', which this version does not know",
    ),
    "a plan without phases": (
        "UPDATE rounds SET plan = '{}' WHERE id = 2",
        "plan.phases is missing",
    ),
    "no leading phase": (
        "UPDATE rounds SET plan = json_set(plan, '$.leading', 7) WHERE id = 2",
        "plan.leading is 7 of 1",
    ),
    "a step without a size": (
        "UPDATE rounds SET plan = json_remove(plan, '$.phases[0].step.block_size') WHERE id = 2",
        "step.block_size is missing",
    ),
    "a label that is no UTF-8": (
        "UPDATE rounds SET label = CAST(x'ff41' AS TEXT) WHERE id = 2",
        "label must be a text",
    ),
    "a time that is text": (
        "UPDATE rounds SET created_at = 'yesterday' WHERE id = 2",
        "created_at must be a number",
    ),
    "JSON that is nested too deep": (
        "UPDATE rounds SET summary = replace(hex(zeroblob(50000)), '0', '[') WHERE id = 2",
        "summary is no JSON",
    ),
}
# What only a whole round has.
DAMAGES_OF_WHOLE = {
    "no waves": ("DELETE FROM waves WHERE round_id = 2", "waves is missing"),
    "waves of another plan": (
        "UPDATE waves SET waves = '[]' WHERE round_id = 2",
        "waves are of 0 phases, not 1",
    ),
    "conclusions that are cut off": (
        "UPDATE rounds SET conclusions = '[{' WHERE id = 2",
        "conclusions is no JSON",
    ),
    "a conclusion without a code": (
        "UPDATE rounds SET conclusions = '[{}]' WHERE id = 2",
        "conclusions[0].code is missing",
    ),
}


def _fill(store: Store) -> None:
    for number in (1, 2, 3):
        put_round(store, a_round(key=f"k{number}"), [a_result(0), a_result(1)])
        store.add_samples(number, [a_sample(0), a_sample(1)])
        store.end_round(
            a_round(state=DONE, id=number, key=f"k{number}", summary={"osds": 2}),
            [a_result(0), a_result(1)],
        )


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    made = file_store(path)
    _fill(made)
    yield made
    made.close()


def _damage(path: Path, *statements: str) -> None:
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


@pytest.mark.parametrize(
    ("statement", "why"),
    [*DAMAGES.values(), *DAMAGES_OF_WHOLE.values()],
    ids=[*DAMAGES, *DAMAGES_OF_WHOLE],
)
def test_a_round_that_cannot_be_read(store: Store, path: Path, statement: str, why: str) -> None:
    store.set_baseline(2, 0.0)
    _damage(path, statement)
    # It is told why, and what to do.
    with pytest.raises(Unreadable) as caught:
        store.round(2)
    assert why in str(caught.value)
    assert "round export 2 --raw" in str(caught.value)
    assert "round rm 2" in str(caught.value)
    (row,) = store.unreadable.rows()
    assert (row.table, row.key) == ("rounds", (2,))
    assert why in row.why
    # A list marks it, and all others are read as before.
    lines, total = store.rounds()
    assert ([line.id for line in lines], total) == ([3, 2, 1], 3)
    assert [line.id for line in lines if line.unreadable] == [2]
    assert store.round(1).id == 1
    assert [one.id for one in store.past("osd-throughput", 10)] == [3, 1]
    assert [one.id for one in store.past("osd-throughput", 1, before=3)] == [1]
    assert [line.id for line, _ in store.history(0) if line.id != 2] == [3, 1]
    assert {line.id for line, _ in store.latest().values()} == {3}
    store.baselines()
    assert store.unfinished() == []
    assert len(store.samples(2)) == 2
    # It is given out as it stands, and removed.
    raw = store.raw(2)
    assert (len(raw["rounds"]), len(raw["samples"])) == (1, 2)
    assert raw["rounds"][0]["id"] == 2
    json.dumps(raw)
    assert store.remove_round(2) == "osd-throughput"
    store.files.probe()
    assert store.unreadable.rows() == ()
    assert [line.id for line in store.rounds()[0]] == [3, 1]
    with pytest.raises(NotFound):
        store.raw(2)


def test_one_that_was_running_keeps_no_other_from_being_carried_on(
    store: Store, path: Path
) -> None:
    for key in "ab":
        store.add_round(a_round(state=RoundState.RUNNING, key=key), ())
    _damage(path, "UPDATE rounds SET environment = '{' WHERE id = 4")
    assert [one.id for one in store.unfinished()] == [5]
    assert [row.key for row in store.unreadable.rows()] == [(4,)]


def test_fields_of_a_newer_version_are_passed_over(store: Store, path: Path) -> None:
    before = store.round(2)
    _damage(
        path,
        "UPDATE rounds SET plan = json_set(plan, '$.later', 1, '$.phases[0].later', 2, "
        "'$.phases[0].step.later', 3) WHERE id = 2",
        'UPDATE rounds SET conclusions = \'[{"code": "c", "message": "m", '
        '"evidence": {}, "later": 1}]\' WHERE id = 2',
    )
    found = store.round(2)
    assert found.plan == before.plan
    assert [one.code for one in found.conclusions] == ["c"]
    assert store.unreadable.rows() == ()


def test_samples_and_results_of_an_osd(store: Store, path: Path) -> None:
    _damage(
        path,
        "UPDATE samples SET seconds = 'long' WHERE round_id = 1 AND osd = 0",
        "UPDATE results SET median_iops = x'00' WHERE round_id = 1 AND osd = 1",
    )
    assert [one.osd for one in store.samples(1)] == [1]
    results, total = store.results(1)
    assert [one.osd for one in results] == [0]
    assert total == 2
    assert sorted(map(str, store.unreadable.rows())) == [
        "result of osd.1 in round 1",
        "sample write 1 of osd.0 in round 1",
    ]
    store.remove_round(1)
    store.files.probe()
    assert store.unreadable.rows() == ()


def test_the_repeats_of_clients(store: Store, path: Path) -> None:
    for repeat in (1, 2, 3):
        store.add_load(1, LoadSample(repeat, 0.0, why="was not measured"))
    _damage(
        path,
        "UPDATE loads SET data = substr(data, 1, 8) WHERE repeat = 1",
        "UPDATE loads SET data = 'text' WHERE repeat = 2",
    )
    assert [one.repeat for one in store.loads(1)] == [3]
    assert [row.key for row in store.unreadable.rows()] == [(1, 1), (1, 2)]


def _booked(store: Store) -> set[str]:
    return {one.round for one in store.wear().rounds}


def test_wear(store: Store, path: Path) -> None:
    before = _booked(store)
    assert "token-k1" in before
    for text in ("many", "{}", "[7]", "[[7]]", '[["7",[0]]]', '[[7,["0"]]]'):
        with sqlite3.connect(path) as db:
            db.execute("UPDATE wear SET bytes = ? WHERE round = 'token-k1'", (text,))
        db.close()
        assert _booked(store) == before - {"token-k1"}
        (row,) = store.unreadable.rows()
        assert str(row) == "wear by the round of token token-k1"


def test_a_round_ends_whose_wear_is_damaged(store: Store, path: Path) -> None:
    round_ = store.round(1)
    _damage(path, "UPDATE wear SET bytes = '{' WHERE round = 'token-k1'")
    store.end_round(replace(round_, ended_at=7.0), [], written={0: 12})
    assert [(one.at, one.by_osd) for one in store.wear().rounds if one.round == round_.token] == [
        (7.0, {0: 12, 1: 3 << 30, 2: 3 << 30})
    ]


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("UPDATE schedules SET schedule = '{' WHERE name = 'bad'", {"good"}),
        ("UPDATE schedules SET state = '{' WHERE name = 'bad'", {"good"}),
    ],
)
def test_schedules(store: Store, path: Path, statement: str, left: set[str]) -> None:
    for name in ("good", "bad"):
        store.put_schedule(Schedule(name, "p"))
        store.put_schedule_states({name: ScheduleState(1.0)})
    _damage(path, statement)
    found = store.schedules()
    assert found["good"] == (Schedule("good", "p"), ScheduleState(1.0))
    assert set(found) == left
    assert [row.key for row in store.unreadable.rows()] == [("bad",)]
    store.remove_schedule("bad")
    store.files.probe()
    assert store.unreadable.rows() == ()


def _finding(number: int) -> Finding:
    return Finding(
        number, "C", Severity.WARNING, Target("osd", "1"), "m", {}, 0.0, 0.0, FindingState.OPEN
    )


def test_what_the_watch_keeps(store: Store, path: Path) -> None:
    batch: dict[str, Any] = {
        "findings": [_finding(1), _finding(2)],
        "episodes": [Episode(1.0, 2.0, 3, 4.0), Episode(5.0, 6.0, 7, 8.0)],
        "states": {"one": {"a": 1}, "two": {"a": 1}},
    }
    store.watch.write(WatchBatch(at=9.0, spans=(), forgotten=(), settled=None, kept={}, **batch))
    _damage(
        path,
        "UPDATE findings SET severity = 'dire' WHERE id = 1",
        "UPDATE episodes SET data = '{}' WHERE start = 1.0",
        "UPDATE states SET data = x'00' WHERE name = 'one'",
    )
    assert [one.id for one in store.watch.findings()[0]] == [2]
    assert store.watch.findings()[1] == 3
    episodes, total = store.watch.episodes()
    assert [one.start for one in episodes] == [5.0]
    assert total == 2
    assert store.watch.state("one") is None
    assert store.watch.state("two") is not None
    assert sorted(row.table for row in store.unreadable.rows()) == [
        "episodes",
        "findings",
        "states",
    ]


def test_facts_of_hosts(store: Store, path: Path) -> None:
    store.put_facts("a", 1.0, {"x": 1}, {})
    store.put_facts("b", 1.0, {"x": 1}, {})
    _damage(path, "UPDATE host_facts SET data = x'00', received_at = 'now' WHERE host = 'a'")
    assert set(store.facts()) == {"b"}
    assert [row.key for row in store.unreadable.rows()] == [("a",)]


def test_what_went_when_it_was_old_is_not_told_any_more(store: Store, path: Path) -> None:
    episodes = [Episode(1.0, 2.0, 3, 4.0), Episode(90 * DAY, 91 * DAY, 7, 8.0)]
    store.watch.write(WatchBatch(at=9.0, findings=[_finding(1), _finding(2)], episodes=episodes))
    _damage(
        path,
        "UPDATE episodes SET data = '{}'",
        "UPDATE findings SET severity = 'dire' WHERE id = 1",
        "INSERT INTO spans VALUES ('cluster', 300, 0, 0, 0, '{}')",
        "INSERT INTO spans VALUES ('series', 300, 0, 0, 0, x'00')",
        "INSERT INTO host_facts VALUES (CAST(x'ff41' AS TEXT), 0, x'00', NULL)",
    )
    for level in (300, 3600):
        store.watch.cluster_spans(level, 0, 600)
    store.watch.series(0, [COMMIT], 300, 0, 600)
    store.watch.findings()
    store.watch.episodes()
    store.facts()
    assert len(store.unreadable.rows()) == 6
    now = 91 * DAY
    store.watch.write(WatchBatch(at=now, episodes=episodes[1:], settled=now))
    _damage(path, "UPDATE episodes SET data = '{}'")
    for _ in range(3):
        store.watch.write(WatchBatch(at=now, settled=now))
    while store.retention.tend(RetentionRules(), now).more:
        pass
    store.files.probe()
    # What is not old stays, and so does one that nothing can be compared with.
    left = [(row.table, row.key) for row in store.unreadable.rows()]
    assert left == [("host_facts", (b"\xffA",)), ("episodes", (90 * DAY,))]
    # One that can be read goes when the watch says so.
    assert [one.id for one in store.watch.findings()[0]] == [2]
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT id FROM findings").fetchall() == [(2,)]
    db.close()


def test_no_more_are_remembered_than_somebody_reads(store: Store, path: Path) -> None:
    _damage(
        path,
        "INSERT INTO samples SELECT 1, 'p', value, value, 1, 'x', 0, 0, 0, 0, 0, 0, 0, '', NULL "
        "FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n "
        "LIMIT 3000) SELECT value FROM n)",
    )
    assert len(store.samples(1)) == 2
    assert len(store.unreadable.rows()) == 1000
