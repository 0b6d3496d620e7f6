"""The real loop on a fake clock: a test says how far it runs."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import Any, Callable, Optional, TypeVar

from perf_bench.core.loop import Loop

from .clock import FakeClock

T = TypeVar("T")


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
