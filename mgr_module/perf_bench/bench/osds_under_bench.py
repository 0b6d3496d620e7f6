"""When our own benches ran on which OSDs, told by those who run them."""

from __future__ import annotations

import threading

# Nobody asks about longer ago: a frame is complete within two minutes.
_KEPT_SECONDS = 900.0


class OsdsUnderBench:
    """Spans of unix time by OSD. Rounds write from their threads, the collector reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, float] = {}
        self._ended: list[tuple[int, float, float]] = []

    def began(self, osd: int, at: float) -> None:
        with self._lock:
            self._running.setdefault(osd, at)

    def ended(self, osd: int, at: float) -> None:
        """The bench on this OSD is over; one that never began is of no matter."""
        with self._lock:
            began = self._running.pop(osd, None)
            self._ended = [span for span in self._ended if span[2] >= at - _KEPT_SECONDS]
            if began is not None:
                self._ended.append((osd, began, at))

    def during(self, since: float, until: float) -> set[int]:
        """The OSDs on which a bench ran at some time between the two."""
        with self._lock:
            found = {osd for osd, began in self._running.items() if began < until}
            return found.union(
                osd for osd, began, ended in self._ended if began < until and ended > since
            )
