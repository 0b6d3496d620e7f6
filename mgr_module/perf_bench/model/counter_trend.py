"""The growth of an error counter that is read now and then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

DAY = 86400.0
# Increments that are kept; with more the two oldest are merged.
_KEPT = 12


@dataclass(frozen=True)
class CounterTrend:
    """A counter: ``count`` is the newest reading, at ``at``; ``first_at`` is the first reading's.

    ``grew`` has the increments of the day before the newest reading, oldest first: the time of the
    reading and the increment. Times are unix seconds.
    """

    count: int
    at: float
    first_at: float
    grew: tuple[tuple[float, int], ...] = ()

    @classmethod
    def first(cls, count: int, at: float) -> CounterTrend:
        return cls(count, at, at)

    def read(self, count: int, at: float, begins_at: Optional[int] = None) -> CounterTrend:
        """The trend after another reading. A reading that is not newer changes nothing.

        If it is older by a day, the newest one is from a clock that was ahead. A counter that fell
        has restarted from ``begins_at``; None means from an unknown value.
        """
        if at <= self.at - DAY:
            past = tuple(one for one in self.grew if one[0] < at)
            known = CounterTrend(self.count, at - 1.0, min(self.first_at, at - 1.0), past)
            return known.read(count, at, begins_at)
        if at <= self.at:
            return self
        before = self.count if count >= self.count else begins_at
        more = 0 if before is None else count - before
        grew = [(grew_at, by) for grew_at, by in self.grew if at - grew_at < DAY]
        if more > 0:
            grew.append((at, more))
        if len(grew) > _KEPT:
            grew[:2] = [(grew[1][0], grew[0][1] + grew[1][1])]
        return CounterTrend(count, at, self.first_at, tuple(grew))

    def per_day(self, now: float) -> Optional[int]:
        """The growth within the last day; None after a single reading, and without one in it."""
        if self.first_at == self.at or now - self.at >= DAY:
            return None
        return sum(by for _, by in self._last_day(now))

    def times(self, now: float) -> int:
        """The number of readings within the last day in which it had grown."""
        return len(self._last_day(now))

    def since(self, now: float) -> Optional[float]:
        """The time of the first growth within the last day, if there is any."""
        increments = self._last_day(now)
        return increments[0][0] if increments else None

    def _last_day(self, now: float) -> list[tuple[float, int]]:
        return [(grew_at, by) for grew_at, by in self.grew if now - grew_at < DAY]

    def to_json(self) -> list[Any]:
        """A short JSON list, because a host has hundreds of counters."""
        grew = [[grew_at, by] for grew_at, by in self.grew]
        return [self.count, self.at, self.first_at, *([grew] if grew else [])]

    @classmethod
    def from_json(cls, saved: Sequence[Any]) -> CounterTrend:
        """The trend that ``to_json`` returned. Raises TypeError or ValueError for other JSON."""
        count, at, first_at = saved[:3]
        grew = saved[3] if len(saved) > 3 else ()
        return cls(count, at, first_at, tuple((grew_at, by) for grew_at, by in grew))
