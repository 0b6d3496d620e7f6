"""The recorded series of many OSDs: whole where they are few, else in pieces."""

from __future__ import annotations

import csv
import io
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


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    made = Recorder()
    yield made
    made.store_thread.close(threads.PATIENCE)


def test_five_minutes_that_are_partly_in_memory_are_there_once(recorder: Recorder) -> None:
    """In the trace and in the history of a day."""
    fresh = recorder.lookout.watch.minutes(0, COMMIT, 0, recorder.lookout.clock.now())
    begin = int(fresh[0].start // HOUR - 1) * HOUR
    starts = range(begin, int(fresh[0].start), FIVE_MINUTES)
    rows = [a_row(start, {COMMIT: columns([0.01])}) for start in starts]
    recorder.store_thread.call(lambda store: store.watch.write(WatchBatch(begin, spans=rows)))
    expected = [one for one in starts if one + FIVE_MINUTES <= fresh[0].start]
    expected += [int(one.start) for one in fresh]
    lines = list(csv.DictReader(io.StringIO(recorder.trace("1d", "0"))))
    assert [int(one["ts"]) for one in lines if one["latency_commit"]] == expected
    assert lines[-1]["throughput"]
    shown = watched.series(recorder.api, 0, "1d", COMMIT).channels[COMMIT]
    assert [at for at, *_ in shown] == expected
    # Of several days hours are shown.
    hours = watched.series(recorder.api, 0, "3d", COMMIT).channels[COMMIT]
    assert {seconds for _, seconds, *_ in hours} == {HOUR}


def test_too_much_is_refused_and_says_what_can_be_had(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "12 OSDs over .* are too much for one answer: choose some with --osds, or a shorter"
    monkeypatch.setattr(watched, "_MOST_ROWS", 10)
    with pytest.raises(InvalidValue, match=sentence):
        recorder.trace("1h")


def test_a_slow_store_does_not_hold_the_command_thread(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = watched._points
    limits = []

    def slow(*words: Any) -> Any:
        limits.append(words[-1])
        recorder.lookout.clock.advance(2.0)
        return asked(*words)

    monkeypatch.setattr(watched, "_points", slow)
    with pytest.raises(InvalidValue, match="too much for one answer"):
        recorder.trace("1h")
    assert limits == [5.0, 3.0, 1.0]
