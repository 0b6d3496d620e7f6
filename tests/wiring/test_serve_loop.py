"""How often a new active mgr tries to read its database."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Optional

import pytest

import threads
from fakes.clock import FakeClock
from perf_bench.errors import StoreUnavailable
from perf_bench.model.failing_parts import FailingParts
from perf_bench.model.request import Request
from perf_bench.wiring import serve_loop
from perf_bench.wiring.serve_loop import ServeLoop
from stage import Stage

LOG = logging.getLogger("rota")


class Stopped(threading.Event):
    """Not set until the database was read; waits move the clock only."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self.clock = clock
        self.waits: list[float] = []

    def wait(self, timeout: Optional[float] = None) -> bool:
        self.waits.append(timeout or 0.0)
        self.clock.advance(timeout or 0.0)
        return self.is_set()


class Parts:
    """The bench, the safety and the timetable of a mgr whose database comes after a while."""

    def __init__(self, clock: FakeClock, stopped: Stopped, there_after: float) -> None:
        self._clock, self._stopped, self._there_after = clock, stopped, there_after
        self.cares: list[float] = []

    def wake(self) -> None:
        if self._clock.now() < self._there_after:
            raise StoreUnavailable("not there yet")
        self._stopped.set()

    def tick(self) -> None:
        self.cares.append(self._clock.now())


class Kept:
    """The keeper of the database."""

    def __init__(self) -> None:
        self.ticks = 0

    def tick(self) -> None:
        self.ticks += 1


@pytest.mark.parametrize(
    ("there_after", "waits", "cares"),
    [
        (0.0, [], []),
        # soon: a start waits for 3 s
        (3.0, [2.0, 2.0], []),
        (60.0, [2.0] * 30, []),
        # an outage; settings of a round of before are put back meanwhile
        (75.0, [2.0] * 31 + [5.0] * 3, [62.0, 67.0, 72.0]),
    ],
)
def test_the_database_is_tried_again(
    there_after: float, waits: list[float], cares: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(now=0.0)
    stopped = Stopped(clock)
    parts: Any = Parts(clock, stopped, there_after)
    monkeypatch.setattr(serve_loop, "time", SimpleNamespace(monotonic=clock.monotonic))
    kept = Kept()
    ServeLoop(parts, parts, (), kept, FailingParts(clock.monotonic, LOG)).run(stopped)
    assert stopped.waits == waits
    assert parts.cares == cares
    assert kept.ticks == len(waits)  # one at each try that failed


def test_a_damaged_database_is_taken_over_while_the_module_waits_for_it(
    path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve_loop, "_WAKE_SOON", 0.01)
    before = Stage(path)
    before.bench.wake()
    before.bench.start(Request("osd-throughput", osds="0"))
    before.ended()
    before.close()
    with path.open("r+b") as file:
        file.write(b"\0" * 100)
    stage, stopped = Stage(path), threading.Event()
    loop = ServeLoop(stage.bench, stage.round_safety, (), stage.care, stage.failing)
    thread = threading.Thread(target=loop.run, args=(stopped,))
    thread.start()
    threads.until(lambda: stage.bench.ready)
    assert stage.bench.start(Request("osd-throughput", osds="0")).id > 1
    stage.ended()
    stopped.set()
    thread.join()
    stage.close()


class Failing:
    """A part whose every tick fails."""

    def wake(self) -> None: ...

    def tick(self) -> None:
        raise ValueError("a row")


def test_a_part_that_fails_is_noted_by_its_name_and_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock(now=0.0)
    stopped = threading.Event()
    failing, last = FailingParts(clock.monotonic, LOG), Kept()

    def wait(_seconds: float) -> bool:
        clock.advance(30.0)
        if last.ticks == 11:
            stopped.set()
        return stopped.is_set()

    monkeypatch.setattr(stopped, "wait", wait)
    parts: Any = Failing()
    names = ["schedules", "doctor", "relief"]
    loop = ServeLoop(parts, parts, [(name, parts) for name in names], last, failing)
    loop.run(stopped)
    found = failing.claims(clock.now(), lambda _part: None)
    # What nothing is found by is told in the status alone.
    assert [one.target.id for one in found] == ["bench", "doctor", "safety", "schedules"]
    assert set(failing.problems()) == {"bench", "safety", *names}
    assert len([one for one in caplog.records if "' failed" in one.message]) == 5


def test_a_database_that_cannot_be_read_for_another_reason_than_an_outage_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FakeClock(now=0.0)
    stopped = Stopped(clock)
    monkeypatch.setattr(serve_loop, "time", SimpleNamespace(monotonic=clock.monotonic))

    class Broken(Parts):
        def wake(self) -> None:
            if self._clock.now() < 320:
                raise ValueError("a round")
            self._stopped.set()

    parts: Any = Broken(clock, stopped, 0.0)
    failing = FailingParts(clock.monotonic, LOG)
    ServeLoop(parts, parts, (), Kept(), failing).run(stopped)
    assert [one.target.id for one in failing.claims(clock.now(), lambda _: None)] == ["bench"]


def test_a_watch_that_stands_still_is_shown_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, shown = FakeClock(now=0.0), []
    stopped = Stopped(clock)
    monkeypatch.setattr(serve_loop, "time", SimpleNamespace(monotonic=clock.monotonic))
    failing = FailingParts(clock.monotonic, LOG)
    failing.alive("watch")
    parts: Any = Parts(clock, stopped, 310.0)
    ServeLoop(parts, parts, (), Kept(), failing, lambda: shown.append(clock.now())).run(stopped)
    assert shown
    assert min(shown) >= 300
    assert not failing.stalled("serve")
