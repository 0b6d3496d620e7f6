"""The real clock."""

from __future__ import annotations

import time


class SystemClock:
    """Implements Clock with the host's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
