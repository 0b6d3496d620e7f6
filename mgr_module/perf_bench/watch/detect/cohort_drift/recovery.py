"""Hours in which recovery moved a cohort's data: they are not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ....model.frame import Frame, Mark
from ....model.history import DAY, HOUR

# An hour is left out if recovery was seen in this part of the frames of the cohort's OSDs, a day
# if a quarter of its hours is. The median OSD has it from half on; the OSDs it copies from have
# the reads, and no mark.
_SHARE = 0.25
_HOURS_A_DAY = 6
_KEPT = 31 * DAY
_RECOVERING = int(Mark.RECOVERING)  # an IntFlag makes "&" 20 times slower


class RecoveryHours:
    """By cohort the hours with recovery, for a month; 10,000 OSDs take 1 ms a frame."""

    def __init__(self) -> None:
        self._hour = -1
        self._frames: Counter[str] = Counter()
        self._recovering: Counter[str] = Counter()
        self._left_out: dict[str, set[int]] = {}

    def add(self, frame: Frame, cohort_of: Mapping[int, str]) -> None:
        """Take a frame."""
        hour = int(frame.start // HOUR) * HOUR
        if hour != self._hour:
            self._close(frame.start)
            self._hour = hour
        names = [cohort_of.get(member.osd) for member in frame.roster.members]
        self._frames.update(name for name in names if name is not None)
        if any(frame.marks):
            self._recovering.update(
                name
                for name, mark in zip(names, frame.marks)
                if mark & _RECOVERING and name is not None
            )

    def _close(self, now: float) -> None:
        for cohort, frames in self._frames.items():
            if self._recovering[cohort] >= _SHARE * frames:
                self._left_out.setdefault(cohort, set()).add(self._hour)
        self._frames.clear()
        self._recovering.clear()
        for cohort, hours in list(self._left_out.items()):
            self._left_out[cohort] = {hour for hour in hours if now - _KEPT <= hour <= now}
            if not self._left_out[cohort]:
                del self._left_out[cohort]

    def hours(self, cohort: str) -> frozenset[int]:
        """The starts of the hours that are left out."""
        return frozenset(self._left_out.get(cohort, ()))

    def days(self, cohort: str) -> frozenset[int]:
        """The starts of the days that are left out."""
        counts = Counter(hour // DAY * DAY for hour in self.hours(cohort))
        return frozenset(day for day, count in counts.items() if count >= _HOURS_A_DAY)

    def save(self) -> dict[str, Any]:
        return {
            "hour": self._hour,
            "frames": dict(self._frames),
            "recovering": dict(self._recovering),
            "left_out": {name: sorted(hours) for name, hours in self._left_out.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Add what another mgr saw; nothing is taken if that cannot be read."""
        hour = int(state["hour"])
        frames = Counter({str(name): int(count) for name, count in state["frames"].items()})
        moved = Counter({str(name): int(count) for name, count in state["recovering"].items()})
        left: Mapping[str, Sequence[int]] = state["left_out"]
        before = {str(name): {int(one) for one in hours} for name, hours in left.items()}
        if self._hour in (-1, hour):
            self._hour = hour
            self._frames += frames
            self._recovering += moved
        for name, hours in before.items():
            self._left_out.setdefault(name, set()).update(hours)
