"""The hours of all cohorts, read from the store a step at a time, and those with recovery."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Optional

from ....model.cohort import SAMPLED_OSDS, CohortSpan
from ....model.frame import Frame, Mark
from ....model.history import DAY, HOUR
from ....model.pacing import Every
from ....store.sqlite import Store, StoreThread
from .compare import KEPT_SECONDS

# An hour is read so long after its end: its five minutes are written within two minutes, and an
# hour of 10,000 OSDs is rolled up within 40 minutes of then.
LATE_SECONDS = 3600.0
# Hours of 64 OSDs that one step reads, some 50 ms on the store's thread; a tick takes one step.
_ROWS = 96
_CHUNK = 64
# After an error of the database.
_RETRY_SECONDS = 60.0

# An hour is left out if recovery was seen in this part of the frames of the cohort's OSDs. The
# median OSD has it from half on; the OSDs it copies from have the reads, and no mark.
_RECOVERY_SHARE = 0.25
_RECOVERY_KEPT = 31 * DAY
_RECOVERING = int(Mark.RECOVERING)  # an IntFlag makes "&" 20 times slower

Cohorts = Mapping[str, Sequence[int]]


class CohortPasts:
    """The hours of all cohorts. Not saved: the store has them. 720 of a cohort take 0.3 MB."""

    def __init__(self, store_thread: StoreThread) -> None:
        self._store_thread = store_thread
        self._cohorts: Cohorts = {}
        self._spans: dict[str, list[CohortSpan]] = {}
        # Which time has been read; None before the first step.
        self._read: Optional[tuple[int, int]] = None
        # What is being read: of which cohorts, begin, end, and the answer.
        self._asked: Optional[tuple[Cohorts, int, int, Future[list[list[CohortSpan]]]]] = None
        self._retry = Every(_RETRY_SECONDS)
        self.problem: Optional[str] = None

    def spans(self, cohort: str) -> Sequence[CohortSpan]:
        """The hours that have been read, in order."""
        return self._spans.get(cohort, ())

    def end(self, now: float) -> int:
        """The end of the newest hour that is read at ``now``."""
        return math.floor((now - LATE_SECONDS) / HOUR) * HOUR

    def complete(self, now: float) -> bool:
        """Whether all hours that the store keeps have been read."""
        return self._asked is None and bool(self._cohorts) and self._next(now) is None

    def tick(self, cohorts: Cohorts, now: float) -> None:
        """Take over what was read, and begin to read more. ``cohorts``: the OSDs by cohort."""
        self._take_answer(now)
        if _moved(self._cohorts, cohorts):
            self._spans, self._read = {}, None
        self._cohorts = cohorts
        if self._asked is not None or not cohorts:
            return
        step = self._next(now)
        if step is not None and (self.problem is None or self._retry.is_due(now)):
            self._begin(*step)

    def _take_answer(self, now: float) -> None:
        if self._asked is None or not self._asked[3].done():
            return
        (cohorts, begin, end, answer), self._asked = self._asked, None
        error = answer.exception()
        if error is not None:
            self.problem = str(error) or repr(error)
            self._retry = Every(_RETRY_SECONDS, now + _RETRY_SECONDS)
            return
        self.problem = None
        if cohorts is not self._cohorts:
            return
        for cohort, spans in zip(cohorts, answer.result()):
            known = self._spans.setdefault(cohort, [])
            known[:] = [one for one in known if not begin <= one.start < end] + spans
            known.sort()
        first, last = self._read or (begin, end)
        self._read = min(first, begin), max(last, end)
        self._forget(now)

    def _forget(self, now: float) -> None:
        first = self.end(now) - int(KEPT_SECONDS)
        for spans in self._spans.values():
            del spans[: bisect_left(spans, (first,))]
        if self._read is not None:
            begin, end = self._read
            self._read = max(begin, first), min(end, self.end(now))

    def _next(self, now: float) -> Optional[tuple[int, int]]:
        """What to read next: begin and end; the newest first. None if all is read."""
        osds = sum(min(len(one), SAMPLED_OSDS) for one in self._cohorts.values())
        size = max(1, _ROWS // max(1, -(-osds // _CHUNK))) * HOUR
        end, first = self.end(now), self.end(now) - int(KEPT_SECONDS)
        if self._read is None:
            return max(first, end - size), end
        begin, last = self._read
        if last < end:
            return last, min(end, last + size)
        if begin > first:
            return max(first, begin - size), begin
        return None

    def _begin(self, begin: int, end: int) -> None:
        osds = [frozenset(one) for one in self._cohorts.values()]

        def read(store: Store) -> list[list[CohortSpan]]:
            return store.watch.cohort_spans(osds, HOUR, begin, end)

        self._asked = self._cohorts, begin, end, self._store_thread.ask(read)


def _moved(was: Cohorts, now: Cohorts) -> bool:
    """Whether an OSD is of another cohort than before: then the past is read again."""
    if was is now or was == now:
        return False
    before = {osd: cohort for cohort, osds in was.items() for osd in osds}
    return any(before.get(osd, name) != name for name, osds in now.items() for osd in osds)


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
            if self._recovering[cohort] >= _RECOVERY_SHARE * frames:
                self._left_out.setdefault(cohort, set()).add(self._hour)
        self._frames.clear()
        self._recovering.clear()
        for cohort, hours in list(self._left_out.items()):
            self._left_out[cohort] = {hour for hour in hours if now - _RECOVERY_KEPT <= hour <= now}
            if not self._left_out[cohort]:
                del self._left_out[cohort]

    def hours(self, cohort: str) -> frozenset[int]:
        """The starts of the hours that are left out."""
        return frozenset(self._left_out.get(cohort, ()))

    def save(self) -> dict[str, Any]:
        """The hours that are left out, without the present one."""
        return {name: sorted(hours) for name, hours in self._left_out.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Add what another mgr saw; nothing is taken if that cannot be read."""
        before = {str(name): {int(one) for one in hours} for name, hours in state.items()}
        for name, hours in before.items():
            self._left_out.setdefault(name, set()).update(hours)
