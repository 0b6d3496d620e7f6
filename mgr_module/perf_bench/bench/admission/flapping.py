"""Count how often OSDs went up or down lately, from samples of the set that is up."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Optional

# Seconds that changes are kept.
SPAN = 3600.0


class FlapCounter:
    """Counts by OSD how often it went up or down. ``look`` is for one thread, ``counts`` for any.

    Sample every few seconds. Shorter changes are missed, but show in health checks and PG states.
    """

    def __init__(self) -> None:
        self._up: Optional[frozenset[int]] = None
        self._since = 0.0
        self._seen: deque[tuple[float, int]] = deque()

    def look(self, now: float, up: Iterable[int]) -> None:
        """Take the set of OSDs that are up at ``now`` (monotonic seconds)."""
        current = frozenset(up)
        if self._up is None:
            self._since = now
        else:
            self._seen.extend((now, osd) for osd in current ^ self._up)
        self._up = current
        while self._seen and now - self._seen[0][0] >= SPAN:
            self._seen.popleft()

    def counts(self, now: float, span: float) -> Optional[Mapping[int, int]]:
        """By OSD its changes within ``span`` seconds (up to ``SPAN``).

        None if sampling began later than that and no change was seen. An OSD that is new in the
        map, or was removed, counts as changed.
        """
        changes: dict[int, int] = {}
        for changed_at, osd in tuple(self._seen):
            if now - changed_at < span:
                changes[osd] = changes.get(osd, 0) + 1
        if not changes and (self._up is None or now - self._since < span):
            return None
        return changes
