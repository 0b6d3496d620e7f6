"""Records when our own benches ran on which OSDs."""

from __future__ import annotations

from collections import deque

# Older spans are dropped: a frame is complete within two minutes.
_KEPT_SECONDS = 900.0


class OsdsUnderBench:
    """Spans of unix time by OSD. The loop writes; the watch, on its thread, reads copies."""

    def __init__(self) -> None:
        self._running: dict[int, float] = {}
        # By the time of their end, so that old ones are the first.
        self._ended: deque[tuple[int, float, float]] = deque()

    def began(self, osd: int, at: float) -> None:
        self._running.setdefault(osd, at)

    def ended(self, osd: int, at: float) -> None:
        """Record the end of the bench on this OSD; ignored if none began."""
        while self._ended and self._ended[0][2] < at - _KEPT_SECONDS:
            self._ended.popleft()
        began = self._running.pop(osd, None)
        if began is not None:
            self._ended.append((osd, began, at))

    def during(self, since: float, until: float) -> set[int]:
        """Return the OSDs on which a bench ran at any time between the two (unix seconds)."""
        # Running ones first: one that ends meanwhile is in the other copy too.
        found = {osd for osd, began in self._running.copy().items() if began < until}
        return found.union(
            osd for osd, began, ended in self._ended.copy() if began < until and ended > since
        )
