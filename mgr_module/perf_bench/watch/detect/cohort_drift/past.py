"""The hours of all cohorts, read from the store a step at a time, and those with recovery."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Optional

from ....model.cluster import Every
from ....model.finding import Frame, Mark
from ....model.history import DAY, HOUR, SAMPLED_OSDS, CohortSpan
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
        # All before it has been read, in unix seconds.
        self._read = 0
        # What is being read: of which cohorts, up to which time, and the answer.
        self._asked: Optional[tuple[Cohorts, int, Future[list[list[CohortSpan]]]]] = None
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
        return self._asked is None and bool(self._cohorts) and self._read >= self.end(now)

    def tick(self, cohorts: Cohorts, now: float) -> None:
        """Take over what was read, and begin to read more. ``cohorts``: the OSDs by cohort."""
        self._take_answer(now)
        if _moved(self._cohorts, cohorts):
            self._spans, self._read = {}, 0
        self._cohorts = cohorts
        begin, end = max(self._read, self.end(now) - int(KEPT_SECONDS)), self.end(now)
        if self._asked is not None or not cohorts or begin >= end:
            return
        if self.problem is not None and not self._retry.is_due(now):
            return
        sampled = sum(min(len(one), SAMPLED_OSDS) for one in cohorts.values())
        until = min(end, begin + max(1, _ROWS // max(1, -(-sampled // _CHUNK))) * HOUR)
        osds = [frozenset(one) for one in cohorts.values()]

        def read(store: Store) -> list[list[CohortSpan]]:
            return store.watch.cohort_spans(osds, HOUR, begin, until)

        self._asked = cohorts, until, self._store_thread.ask(read)

    def _take_answer(self, now: float) -> None:
        if self._asked is None or not self._asked[2].done():
            return
        (cohorts, until, answer), self._asked = self._asked, None
        error = answer.exception()
        self.problem = None if error is None else str(error) or repr(error)
        if error is not None:
            self._retry = Every(_RETRY_SECONDS, now + _RETRY_SECONDS)
        elif cohorts is self._cohorts:
            first = self.end(now) - int(KEPT_SECONDS)
            for cohort, spans in zip(cohorts, answer.result()):
                known = self._spans.setdefault(cohort, [])
                known += sorted(spans)
                del known[: bisect_left(known, (first,))]
            self._read = until


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
        names = [cohort_of.get(member.osd, "") for member in frame.roster.members]
        self._frames.update(names)
        if any(frame.marks):
            marked = zip(names, frame.marks)
            self._recovering.update(name for name, mark in marked if mark & _RECOVERING)

    def _close(self, now: float) -> None:
        for cohort, frames in self._frames.items():
            if self._recovering[cohort] >= _RECOVERY_SHARE * frames:
                self._left_out.setdefault(cohort, set()).add(self._hour)
        self._frames.clear()
        self._recovering.clear()
        kept = {
            cohort: {hour for hour in hours if now - _RECOVERY_KEPT <= hour <= now}
            for cohort, hours in self._left_out.items()
        }
        self._left_out = {cohort: hours for cohort, hours in kept.items() if hours}

    def hours(self, cohort: str) -> Collection[int]:
        """The starts of the hours that are left out."""
        return self._left_out.get(cohort, ())

    def save(self) -> dict[str, Any]:
        """The hours that are left out, without the present one."""
        return {name: sorted(hours) for name, hours in self._left_out.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Add what another mgr saw; nothing is taken if that cannot be read."""
        before = {str(name): {int(one) for one in hours} for name, hours in state.items()}
        for name, hours in before.items():
            self._left_out.setdefault(name, set()).update(hours)
