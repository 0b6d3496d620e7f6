"""Time that moves when a test says so."""

from __future__ import annotations

import threading


class FakeClock:
    """The Clock port. ``tick`` seconds pass at each look at ``monotonic``."""

    def __init__(self, now: float = 1_700_000_000.0, tick: float = 0.0) -> None:
        self.tick = tick
        self._began = now
        self._passed = 0.0
        self._lock = threading.Lock()

    def now(self) -> float:
        return self._began + self._passed

    def monotonic(self) -> float:
        self.advance(self.tick)
        return self._passed

    def set_by(self, seconds: float) -> None:
        """The time of day is set, back or forth; no time passes."""
        self._began += seconds

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError("time does not go back")
        with self._lock:
            self._passed += seconds
