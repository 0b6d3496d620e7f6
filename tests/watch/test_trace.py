"""The recorded series of many OSDs: whole where they are few, else in pieces."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Optional

import pytest

import threads
from asked import asking
from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.database import memory_store
from fakes.store_thread import ImpatientStoreThread
from latencies import a_row, columns
from lookout import Lookout, hosts
from nouns import some_osds
from perf_bench.answers import watched
from perf_bench.errors import InvalidValue
from perf_bench.model.finding import COMMIT
from perf_bench.model.history import FIVE_MINUTES, HOUR, WatchBatch

OSDS = 12


class Recorder:
    """A watch that has seen twenty minutes of some OSDs."""

    def __init__(self) -> None:
        self.store_thread = ImpatientStoreThread(memory_store())
        self.lookout = Lookout(self.store_thread, FakeClock(), hosts(3, OSDS // 3))
        self.lookout.passes(20 * 60.0)
        self.api = asking(
            watch=self.lookout.watch,
            cluster=FakeCluster(some_osds(OSDS)),
            store=self.store_thread,
            clock=self.lookout.clock,
        )

    def trace(self, since: str, osds: Optional[str] = None) -> str:
        return watched.trace(self.api, since, osds)

    def piece(self, begin: int, since: str) -> Any:
        return json.loads(watched.trace(self.api, since, from_=begin))


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    made = Recorder()
    yield made
    made.store_thread.close(threads.PATIENCE)


def test_pieces_are_the_whole(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = recorder.trace("1h")
    monkeypatch.setattr(watched, "_PIECE_BYTES", len(whole) // 4)
    rows: list[str] = []
    begin: Optional[int] = 0
    while begin is not None:
        piece = recorder.piece(begin, "1h")
        assert len(piece["csv"]) < len(whole) // 2
        header, *more = piece["csv"].splitlines()
        rows += more if rows else [header, *more]
        begin = piece["next"]
    assert rows == whole.splitlines()


def test_five_minutes_that_are_partly_in_memory_are_there_once(recorder: Recorder) -> None:
    """In the trace and in the history of a day."""
    fresh = recorder.lookout.watch.minutes(0, COMMIT, 0, recorder.lookout.clock.now())
    begin = int(fresh[0].start // HOUR - 1) * HOUR
    starts = range(begin, int(fresh[0].start), FIVE_MINUTES)
    rows = [a_row(start, {COMMIT: columns([0.01])}) for start in starts]
    recorder.store_thread.call(lambda store: store.watch.write(WatchBatch(begin, spans=rows)))
    expected = [one for one in starts if one + FIVE_MINUTES <= fresh[0].start]
    expected += [int(one.start) for one in fresh]
    lines = csv.DictReader(io.StringIO(recorder.trace("1d", "0")))
    assert [int(one["ts"]) for one in lines if one["latency_commit"]] == expected
    shown = watched.series(recorder.api, 0, "1d", COMMIT).channels[COMMIT]
    assert [at for at, *_ in shown] == expected
    # Of several days hours are shown.
    hours = watched.series(recorder.api, 0, "3d", COMMIT).channels[COMMIT]
    assert {seconds for _, seconds, *_ in hours} == {HOUR}


def test_too_much_is_refused_and_says_who_can(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "12 OSDs over .* are too much for one answer: 'ceph-perf-bench trace' asks piece by"
    with monkeypatch.context() as patch:
        patch.setattr(watched, "_TRACE_BYTES", 1000)
        with pytest.raises(InvalidValue, match=sentence):
            recorder.trace("1h")
    monkeypatch.setattr(watched, "_MOST_ROWS", 10)
    with pytest.raises(InvalidValue, match=sentence):
        recorder.trace("1h")
    assert recorder.piece(0, "1h")["next"] is None


def test_a_slow_store_ends_a_piece_and_not_the_command_thread(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = watched._points
    limits = []

    def slow(*words: Any) -> Any:
        limits.append(words[-1])
        recorder.lookout.clock.advance(2.0)
        return asked(*words)

    monkeypatch.setattr(watched, "_points", slow)
    piece = recorder.piece(0, "1h")
    assert piece["next"] == 3
    assert limits == [5.0, 3.0, 1.0]
