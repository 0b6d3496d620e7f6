"""The real clock."""

from __future__ import annotations

import time


class SystemClock:
    """The Clock port on the host's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
