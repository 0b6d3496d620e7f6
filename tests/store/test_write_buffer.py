"""The journal: nothing waits for the database, and what could not be written comes later."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import wait
from dataclasses import replace

import pytest

import threads
from fakes.database import BROKEN, Faults
from latencies import BEGAN, a_row, columns
from perf_bench.model.finding import COMMIT, Finding, FindingState, Severity, Target
from perf_bench.model.finding_kinds import SLOW_OSD
from perf_bench.model.history import FIVE_MINUTES, SpanRow, WatchBatch
from perf_bench.model.verdict import Episode
from perf_bench.store import write_buffer as journal_module
from perf_bench.store.sqlite import Store, StoreThread
from perf_bench.store.write_buffer import WriteBuffer

LOG = logging.getLogger("test-journal")
FINDING = Finding(1, SLOW_OSD.code, Severity.WARNING, Target("osd", "7"), "osd.7 is slow")
EPISODE = Episode(BEGAN, None, 3, 50.0)
END = BEGAN * 2


def _rows(count: int, begin: int = 0) -> list[SpanRow]:
    """So many times five minutes of osd.0."""
    return [
        a_row(BEGAN + 300 * number, {COMMIT: columns([0.01])})
        for number in range(begin, begin + count)
    ]


@pytest.fixture
def store_thread(on_file: Store, faults: Faults) -> Iterator[StoreThread]:
    made = StoreThread(on_file, LOG)
    yield made
    faults.unblock()
    made.close(threads.PATIENCE)
    threads.join("perf-bench-store")


@pytest.fixture
def journal(store_thread: StoreThread) -> WriteBuffer:
    return WriteBuffer(store_thread, LOG)


def _write(journal: WriteBuffer, at: float = BEGAN, parts: int = 1) -> None:
    """Write and wait until it is done, or has failed."""
    assert journal.write(at, {}, None, parts)
    _settle(journal)


def _settle(journal: WriteBuffer) -> None:
    """Let it take note of what became of the batch."""
    assert _written(journal, threads.PATIENCE)
    journal.put()


def _written(journal: WriteBuffer, limit: float) -> bool:
    """Whether the pending batch is written within ``limit`` seconds."""
    return journal.pending is None or bool(wait([journal.pending], limit).done)


def _starts(store_thread: StoreThread) -> list[int]:
    """The numbers of the five minutes in the store."""
    found = store_thread.call(
        lambda store: store.watch.series(0, [COMMIT], FIVE_MINUTES, 0, END)[COMMIT]
    )
    return [int(point.start - BEGAN) // 300 for point in found]


def test_all_that_was_put_is_written(journal: WriteBuffer, store_thread: StoreThread) -> None:
    journal.put(rows=_rows(3), findings=[FINDING], episodes=[EPISODE])
    assert journal.write(BEGAN, {"slow": {"format": 1}}, BEGAN)
    _settle(journal)
    assert _starts(store_thread) == [0, 1, 2]
    assert store_thread.call(lambda store: store.watch.findings()) == ([FINDING], 2)
    assert store_thread.call(lambda store: store.watch.episodes()) == ([EPISODE], 1)
    saved = store_thread.call(lambda store: store.watch.state("slow"))
    assert saved is not None
    assert saved.state == {"format": 1}
    assert (journal.waiting, journal.lost, journal.problem, journal.errors) == (0, 0, None, 0)


def test_the_newest_of_each_is_written(journal: WriteBuffer, store_thread: StoreThread) -> None:
    newer, longer = replace(FINDING, message="worse"), replace(EPISODE, peak=9)
    journal.put(findings=[FINDING], episodes=[EPISODE])
    journal.put(findings=[newer, replace(FINDING, id=2)], episodes=[longer], forgotten=[2])
    _write(journal)
    assert store_thread.call(lambda store: store.watch.findings()) == ([newer], 2)
    assert store_thread.call(lambda store: store.watch.episodes()) == ([longer], 1)


def test_rows_go_in_parts_oldest_first(journal: WriteBuffer, store_thread: StoreThread) -> None:
    journal.put(rows=_rows(160))
    counts = []
    while journal.waiting:
        _write(journal, parts=4)
        counts.append(len(_starts(store_thread)))
    assert counts == [40, 72, 104, 136, 160]
    assert _starts(store_thread) == list(range(160))


def test_only_one_batch_is_under_way(
    journal: WriteBuffer, store_thread: StoreThread, faults: Faults
) -> None:
    faults.block()
    journal.put(rows=_rows(1))
    assert journal.write(BEGAN, {}, None)
    journal.put(rows=_rows(1, 1))
    assert not journal.write(BEGAN, {}, None)
    assert not _written(journal, 0.01)
    faults.unblock()
    assert _written(journal, threads.PATIENCE)
    _write(journal)
    assert _starts(store_thread) == [0, 1]


def test_what_could_not_be_written_is_written_later(
    journal: WriteBuffer, store_thread: StoreThread, faults: Faults
) -> None:
    older, newer = replace(FINDING, message="older"), replace(FINDING, message="newer")
    faults.failing = -1
    journal.put(rows=_rows(2), findings=[older, replace(FINDING, id=5)], episodes=[EPISODE])
    assert journal.write(BEGAN, {"slow": {"n": 1}, "laggy": {"n": 1}}, None)
    _settle(journal)
    assert journal.problem == f"the database cannot be used: {BROKEN}"
    assert journal.errors == 1
    # meanwhile things go on
    journal.put(rows=_rows(1, 2), findings=[newer], forgotten=[5])
    faults.failing = 0
    assert journal.write(BEGAN + 60, {"slow": {"n": 2}}, None)
    _settle(journal)
    assert _starts(store_thread) == [0, 1, 2]
    assert store_thread.call(lambda store: store.watch.findings())[0] == [newer]
    assert store_thread.call(lambda store: store.watch.episodes()) == ([EPISODE], 1)
    for name, number in (("slow", 2), ("laggy", 1)):
        saved = store_thread.call(lambda store, name=name: store.watch.state(name))  # type: ignore[misc]
        assert saved is not None
        assert saved.state == {"n": number}
    assert [journal.problem, journal.lost] == [None, 0]


def test_what_came_while_a_write_hung_is_newer_than_what_it_puts_back(
    journal: WriteBuffer, store_thread: StoreThread, faults: Faults
) -> None:
    """A finding that was closed or muted meanwhile does not open again."""
    faults.failing = -1
    faults.block()
    journal.put(findings=[FINDING, replace(FINDING, id=5)], episodes=[EPISODE])
    assert journal.write(BEGAN, {}, None)
    newer, longer = replace(FINDING, state=FindingState.CLOSED), replace(EPISODE, peak=9)
    journal.put(findings=[newer], episodes=[longer], forgotten=[5])
    faults.unblock()
    assert _written(journal, threads.PATIENCE)
    assert journal.problem is not None
    faults.failing = 0
    _write(journal)
    assert store_thread.call(lambda store: store.watch.findings())[0] == [newer]
    assert store_thread.call(lambda store: store.watch.episodes()) == ([longer], 1)


def test_what_does_not_fit_is_lost_and_counted(
    journal: WriteBuffer,
    store_thread: StoreThread,
    faults: Faults,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    size = len(_rows(1)[0].data) + journal_module._ROW_BYTES
    monkeypatch.setattr(journal_module, "_WAITING_BYTES", 10 * size + 5)
    faults.failing = -1
    journal.put(rows=_rows(8))
    with caplog.at_level(logging.INFO):
        _write(journal)
        journal.put(rows=_rows(5, 8))
        assert (journal.waiting, journal.lost) == (10, 3)
        _write(journal)
        faults.failing = 0
        _write(journal)
        _write(journal)
        # once when it begins, and not at each try
        told = ["the database is away for too long: rows of the watch are lost"]
        assert caplog.messages == told
        assert _starts(store_thread) == list(range(3, 13))
        journal.put(rows=_rows(11, 13))  # of the next outage
    assert caplog.messages == 2 * told


def test_an_episode_is_written_again_only_when_it_has_changed(
    journal: WriteBuffer, on_file: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[WatchBatch] = []
    monkeypatch.setattr(on_file.watch, "write", batches.append)
    for episode in (EPISODE, replace(EPISODE), replace(EPISODE, peak=9), replace(EPISODE, peak=9)):
        journal.put(episodes=[episode])
        _write(journal)
    assert [len(batch.episodes) for batch in batches] == [1, 0, 1, 0]
