"""The real loop on a fake clock: a test says how far it runs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Callable, Optional, TypeVar

from perf_bench.core.loop import Loop
from perf_bench.core.workers import Here, Workers

from .clock import FakeClock

T = TypeVar("T")


class Soon:
    """An executor that does everything at the loop's next turn."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def submit(self, work: Callable[[], T]) -> Future[T]:
        answer: Future[T] = Future()

        def run() -> None:
            done = Here().submit(work)
            error = done.exception()
            answer.set_result(done.result()) if error is None else answer.set_exception(error)

        self._loop.post(run)
        return answer


class FakeLoop(Loop):
    """Time passes only between the loop's turns, from one timer to the next."""

    def __init__(self, clock: Optional[FakeClock] = None) -> None:
        self.clock = clock or FakeClock()
        super().__init__(self.clock.monotonic, logging.getLogger("test"))

    def run_until(self, reached: Callable[[], bool], seconds: float = 86_400.0) -> None:
        """Run until ``reached`` says so; fails after ``seconds`` of the clock, or at rest."""
        end = self.clock.monotonic() + seconds
        while not reached():
            if self.turn():
                continue
            due = self.next_due
            assert due is not None, "the loop has nothing more to do"
            assert due <= end, "the loop did not get there in time"
            self.clock.advance(max(0.0, due - self.clock.monotonic()))

    def run_for(self, seconds: float) -> None:
        """Run all that happens in so many seconds."""
        end = self.clock.monotonic() + seconds
        while True:
            if self.turn():
                continue
            due = self.next_due
            if due is None or due > end:
                break
            self.clock.advance(max(0.0, due - self.clock.monotonic()))
        self.clock.advance(max(0.0, end - self.clock.monotonic()))

    def complete(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end and return its result."""
        done = self.spawn(coroutine).done
        self.run_until(done.done)
        return done.result()


class RunningLoop:
    """The real loop on a thread, with workers; its time is real, not that of a test's clock."""

    def __init__(self, log: logging.Logger) -> None:
        self.loop = Loop(time.monotonic, log)
        self.workers = Workers("perf-bench-work", 8)
        self._thread = threading.Thread(target=self.loop.run, name="perf-bench-loop", daemon=True)
        self._thread.start()

    def close(self, last: Callable[[], Coroutine[Any, Any, None]], patience: float) -> None:
        """Do the ``last`` thing and end; again it does nothing."""
        if self._thread.is_alive():
            self.loop.ask(last, patience)
            self.loop.stop()
            self.workers.close()
            self._thread.join(patience)
