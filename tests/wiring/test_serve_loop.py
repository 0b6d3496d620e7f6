"""How often a new active mgr tries to read its database."""

from __future__ import annotations

import logging
import threading
from types import SimpleNamespace
from typing import Any, Optional

import pytest

from fakes.clock import FakeClock
from perf_bench.errors import StoreUnavailable
from perf_bench.wiring import serve_loop
from perf_bench.wiring.serve_loop import ServeLoop


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
    ServeLoop(parts, parts, parts, (), logging.getLogger("rota")).run(stopped)
    assert stopped.waits == waits
    assert parts.cares == cares
