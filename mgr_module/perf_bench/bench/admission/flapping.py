"""Which OSDs went up or down lately, from looking who is up now and then."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Optional

# No longer than this is kept.
SPAN = 3600.0


class FlapCounter:
    """Counts by OSD how often it went up or down of late. One thread looks, any may ask.

    A look every few seconds is enough; who goes down and up between two looks is not seen here,
    but Ceph's own health checks and the PGs tell of it.
    """

    def __init__(self) -> None:
        self._up: Optional[frozenset[int]] = None
        self._since = 0.0
        self._seen: deque[tuple[float, int]] = deque()

    def look(self, now: float, up: Iterable[int]) -> None:
        """Take note of who is up at ``now`` (monotonic seconds)."""
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

        None where nobody has looked for that long, and none was seen.

        An OSD that is new, or gone from the map, has changed like one that came or went.
        """
        found: dict[int, int] = {}
        for at, osd in tuple(self._seen):
            if now - at < span:
                found[osd] = found.get(osd, 0) + 1
        if not found and (self._up is None or now - self._since < span):
            return None
        return found
