"""Every row is read once, in short pieces, and what cannot be read is found."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Callable

import pytest

from fakes.database import file_store
from nouns import a_result, a_round, a_sample, put_round
from perf_bench.model.history import WatchBatch
from perf_bench.model.rados import LoadSample
from perf_bench.model.round import RoundState
from perf_bench.model.schedule import Schedule
from perf_bench.store import integrity, maintenance
from perf_bench.store.integrity import RowPlace
from perf_bench.store.sqlite import Store


def _fill(store: Store) -> None:
    for number in (1, 2):
        put_round(store, a_round(key=f"k{number}"), [a_result(0), a_result(1)])
        store.add_samples(number, [a_sample(0), a_sample(1)])
        store.loads.add(number, LoadSample(1, 0.0, why="why"))
    store.end_round(a_round(state=RoundState.DONE, id=1, key="k1"), [])
    store.put_schedule(Schedule("s", "p"))
    store.facts.put("a", 1.0, {"x": 1}, {})
    store.watch.write(WatchBatch(at=9.0, states={"one": {"a": 1}}))


def _walk(store: Store) -> int:
    place: RowPlace | None = store.check_rows(None)
    pieces = 1
    while place is not None:
        place = store.check_rows(place)
        pieces += 1
    return pieces


@pytest.mark.parametrize("seconds", [0.0, 10.0])
def test_a_sound_database_has_none(
    on_file: Store, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(integrity, "PIECE_SECONDS", seconds)
    _fill(on_file)
    assert _walk(on_file) == (1 if seconds else 18)  # rows, and the end
    assert on_file.unreadable() == ()


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("UPDATE rounds SET environment = '{' WHERE id = 2", "round 2"),
        ("DELETE FROM waves WHERE round_id = 2", "round 2"),
        ("UPDATE schedules SET schedule = '[]'", "schedule s"),
        ("UPDATE results SET host = 7.5 WHERE osd = 1 AND round_id = 2", ""),
        ("UPDATE results SET seconds = 'x' WHERE osd = 1 AND round_id = 2", "osd.1 in round 2"),
        ("UPDATE samples SET seconds = 'x' WHERE osd = 1 AND round_id = 2", "osd.1 in round 2"),
        ("UPDATE loads SET data = x'00' WHERE round_id = 1", "repeat 1 of round 1"),
        ("UPDATE states SET data = x'00'", "state one"),
        ("UPDATE host_facts SET data = x'00'", "facts of host a"),
        (
            "UPDATE wear SET at = 'x' WHERE round = 'token-k1'",
            "wear by the round of token token-k1",
        ),
        ("INSERT INTO cluster_spans VALUES (300, 0, 0, '{}')", "latencies of the cluster"),
        ("INSERT INTO series VALUES (300, 0, 0, 0, x'00')", "latencies of a chunk"),
        (
            "INSERT INTO findings VALUES (7, '', 'x', '', '', '', '{}', 0, 0, 'open', 0, 0, NULL)",
            "finding 7",
        ),
        ("INSERT INTO episodes VALUES (7.0, 8.0, '')", "laggy episode"),
    ],
)
def test_what_nobody_asked_for_yet_is_found(
    on_file: Store, path: Path, statement: str, name: str
) -> None:
    _fill(on_file)
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()
    _walk(on_file)
    said = [str(row) for row in on_file.unreadable()]
    assert len(said) == (1 if name else 0)
    assert all(name in one for one in said)


def test_a_piece_holds_nobody_up(path: Path) -> None:
    """10 rounds with 1,000 OSDs each: 20,000 rows of samples and results."""
    store = file_store(path)
    osds = [a_result(osd) for osd in range(1000)]
    samples = [a_sample(osd) for osd in range(1000)]
    for number in range(1, 11):
        put_round(store, a_round(key=str(number)), osds)
        store.add_samples(number, samples)

    def longest() -> float:
        place = None
        pieces: list[float] = []
        while not pieces or place is not None:
            began = time.thread_time()
            place = store.check_rows(place)
            pieces.append(time.thread_time() - began)
        assert len(pieces) > 1
        return max(pieces)

    # A virtual machine counts as the thread's what its host took away in the middle of it.
    brief = any(longest() < 4 * integrity.PIECE_SECONDS for _ in range(5))
    store.close()
    assert brief


def test_kinds_are_told_by_what_they_take() -> None:
    tally = {"rounds": (3, 300), "schedules": (1, 10), "findings": (2, 9000)}
    found = integrity.kinds(tally, 20_000)
    assert [one.bytes for one in found] == sorted((one.bytes for one in found), reverse=True)
    assert (found[0].kind, found[0].rows, found[1].kind) == ("findings", 2, "rounds")
    assert sum(one.bytes for one in found) == pytest.approx(20_000, abs=len(found))


def test_a_check_of_all_pages_is_left_after_a_time(
    on_file: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a large file: it is unfinished then, and says nothing about the pages."""
    timers: list[Timer] = []

    class Timer:
        def __init__(self, seconds: float, ends: Callable[[], None]) -> None:
            self.seconds = seconds
            self.ends = ends
            self.steps: list[str] = []
            timers.append(self)

        def start(self) -> None:
            self.steps.append("started")

        def cancel(self) -> None:
            self.steps.append("cancelled")

    def time_is_over() -> int:
        timers[-1].ends()
        return 0

    monkeypatch.setattr(maintenance, "threading", SimpleNamespace(Timer=Timer))
    assert on_file.files.check_pages() is True
    on_file._database.do(lambda db: db.set_progress_handler(time_is_over, 1))
    assert on_file.files.check_pages() is None
    assert {one.seconds for one in timers} == {maintenance.CHECK_SECONDS}
    assert [one.steps for one in timers] == [["started", "cancelled"]] * 2
