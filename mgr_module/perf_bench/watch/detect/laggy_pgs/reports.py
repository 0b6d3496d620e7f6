"""Which OSDs have stopped reporting while others go on."""

from __future__ import annotations

from collections.abc import Mapping

# An OSD reports every 5 s, later where the mgr has stretched that: two reports missed.
SILENT_SECONDS = 12.0
# When fewer of the others report, it is the mgr that does not hear.
OTHERS_REPORT = 0.5


class Reporters:
    """Follows the sequence numbers of reports."""

    def __init__(self) -> None:
        self._moved: dict[int, tuple[int, float]] = {}

    def step(self, at: float, reports: Mapping[int, int]) -> frozenset[int]:
        """Take the newest numbers by OSD; returns the stale ones. ``at`` is unix seconds."""
        before = self._moved
        self._moved = {
            osd: before[osd] if osd in before and before[osd][0] == number else (number, at)
            for osd, number in reports.items()
        }
        # By the newest that moved and not by the clock: where reports are read once a minute,
        # all of them stand still between two reads.
        newest = max((moved for _, moved in self._moved.values()), default=at)
        stale = frozenset(
            osd for osd, (_, moved) in self._moved.items() if newest - moved >= SILENT_SECONDS
        )
        return stale if len(stale) <= (1 - OTHERS_REPORT) * len(reports) else frozenset()
