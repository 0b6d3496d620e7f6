"""Records when our own benches ran on which OSDs."""

from __future__ import annotations

import threading

# Older spans are dropped: a frame is complete within two minutes.
_KEPT_SECONDS = 900.0


class OsdsUnderBench:
    """Spans of unix time by OSD. Thread-safe: rounds write, the collector reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, float] = {}
        self._ended: list[tuple[int, float, float]] = []

    def began(self, osd: int, at: float) -> None:
        with self._lock:
            self._running.setdefault(osd, at)

    def ended(self, osd: int, at: float) -> None:
        """Record the end of the bench on this OSD; ignored if none began."""
        with self._lock:
            began = self._running.pop(osd, None)
            self._ended = [span for span in self._ended if span[2] >= at - _KEPT_SECONDS]
            if began is not None:
                self._ended.append((osd, began, at))

    def during(self, since: float, until: float) -> set[int]:
        """Return the OSDs on which a bench ran at any time between the two (unix seconds)."""
        with self._lock:
            found = {osd for osd, began in self._running.items() if began < until}
            return found.union(
                osd for osd, began, ended in self._ended if began < until and ended > since
            )
