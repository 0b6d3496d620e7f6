"""A count that something keeps of its own errors, as it is read now and then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

DAY = 86400.0
# Readings in which it grew that are kept apart; of more the oldest two become one.
_KEPT = 12


@dataclass(frozen=True)
class CounterTrend:
    """``count`` is the newest reading, at ``at`` (unix seconds; ``first_at`` the first one).

    ``grew`` has, oldest first, by how much it grew from one reading to the next, and when that
    was read; only of the day before the newest reading.
    """

    count: int
    at: float
    first_at: float
    grew: tuple[tuple[float, int], ...] = ()

    @classmethod
    def first(cls, count: int, at: float) -> CounterTrend:
        return cls(count, at, at)

    def read(self, count: int, at: float, begins_at: Optional[int] = None) -> CounterTrend:
        """After another reading. A count that fell began anew: at ``begins_at``, None: who knows.

        A reading that is not newer than the last one changes nothing.
        """
        if at <= self.at:
            return self
        before = self.count if count >= self.count else begins_at
        more = 0 if before is None else count - before
        grew = [(when, by) for when, by in self.grew if at - when < DAY]
        if more > 0:
            grew.append((at, more))
        if len(grew) > _KEPT:
            grew[:2] = [(grew[1][0], grew[0][1] + grew[1][1])]
        return CounterTrend(count, at, self.first_at, tuple(grew))

    def per_day(self, now: float) -> Optional[int]:
        """By how much it grew within the day before; None while there is one reading only."""
        if self.first_at == self.at:
            return None
        return sum(by for _, by in self._of_late(now))

    def times(self, now: float) -> int:
        """In how many readings of the day before it had grown."""
        return len(self._of_late(now))

    def since(self, now: float) -> Optional[float]:
        """When it was first seen to grow within the day before."""
        late = self._of_late(now)
        return late[0][0] if late else None

    def _of_late(self, now: float) -> list[tuple[float, int]]:
        return [(when, by) for when, by in self.grew if now - when < DAY]

    def to_json(self) -> list[Any]:
        """As JSON has it; short, for a host has hundreds of them."""
        grew = [[when, by] for when, by in self.grew]
        return [self.count, self.at, self.first_at, *([grew] if grew else [])]

    @classmethod
    def from_json(cls, found: Sequence[Any]) -> CounterTrend:
        """The other way."""
        count, at, first_at = found[:3]
        grew = found[3] if len(found) > 3 else ()
        return cls(count, at, first_at, tuple((when, by) for when, by in grew))
