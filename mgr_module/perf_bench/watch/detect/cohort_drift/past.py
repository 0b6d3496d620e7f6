"""Reads the hours and days of all cohorts from the store, a step at a time."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Optional

from ....model.cohort_span import SAMPLED_OSDS, CohortSpan
from ....model.history import DAY, HOUR
from ....model.pacing import Every
from ....store.sqlite import Store, StoreThread
from .compare import HORIZONS

# A span is read so long after its end: its five minutes are written within two minutes, and an
# hour of 10,000 OSDs is rolled up within 40 minutes of then.
LATE_SECONDS = 3600.0
# Spans of 64 OSDs that one step reads, some 50 ms on the store's thread; a tick takes one step. A
# day that is not rolled up yet is read from its 24 hours: that are the newest two, and all of a
# store whose hours came from elsewhere.
_ROWS = 96
_CHUNK = 64
_MOST_SPANS = {HOUR: 96, DAY: 28}
# After an error of the database.
_RETRY_SECONDS = 60.0

Cohorts = Mapping[str, Sequence[int]]


class CohortPasts:
    """The spans of all cohorts, by cohort and length of the span. Not saved: the store has them.

    At most 720 hours and 400 days for each cohort, 0.5 MB.
    """

    def __init__(self, store_thread: StoreThread) -> None:
        self._store_thread = store_thread
        self._cohorts: Cohorts = {}
        self._spans: dict[str, dict[int, list[CohortSpan]]] = {}
        # By level which time has been read; None before the first step.
        self._read: dict[int, tuple[int, int]] = {}
        self._pending = False
        self._answer: Optional[tuple[Cohorts, int, int, int, list[list[CohortSpan]]]] = None
        self._error: Optional[BaseException] = None
        self._retry = Every(_RETRY_SECONDS)
        self.problem: Optional[str] = None

    def spans(self, cohort: str, level: int) -> Sequence[CohortSpan]:
        """The spans that have been read, in order."""
        return self._spans.get(cohort, {}).get(level, ())

    def end(self, level: int, now: float) -> int:
        """The end of the newest span that is read at ``now``."""
        return math.floor((now - LATE_SECONDS) / level) * level

    def complete(self, level: int, now: float) -> bool:
        """Whether all that the store keeps of a level has been read."""
        found = self._next(now)
        return self._answer is None and bool(self._cohorts) and (found is None or found[0] > level)

    def tick(self, cohorts: Cohorts, now: float) -> None:
        """Take over what was read, and begin to read more. ``cohorts``: the OSDs by cohort."""
        self._take_answer(now)
        if _moved(self._cohorts, cohorts):
            self._spans, self._read = {}, {}
        self._cohorts = cohorts
        if self._pending or not cohorts:
            return
        step = self._next(now)
        if step is not None and (self.problem is None or self._retry.is_due(now)):
            self._begin(*step)

    def _take_answer(self, now: float) -> None:
        answer, self._answer = self._answer, None
        error, self._error = self._error, None
        if error is not None:
            self.problem = str(error) or repr(error)
            self._retry = Every(_RETRY_SECONDS, now + _RETRY_SECONDS)
        if answer is None or answer[0] is not self._cohorts:
            return
        self.problem = None
        cohorts, level, begin, end, found = answer
        for cohort, spans in zip(cohorts, found):
            known = self._spans.setdefault(cohort, {}).setdefault(level, [])
            known[:] = [one for one in known if not begin <= one.start < end] + spans
            known.sort()
        first, last = self._read.get(level, (begin, end))
        self._read[level] = min(first, begin), max(last, end)
        self._forget(level, now)

    def _forget(self, level: int, now: float) -> None:
        kept = next(one.kept for one in HORIZONS if one.span == level)
        first = self.end(level, now) - int(kept)
        for spans in self._spans.values():
            mine = spans.get(level, [])
            del mine[: bisect_left(mine, (first,))]
        begin, end = self._read[level]
        self._read[level] = max(begin, first), min(end, self.end(level, now))

    def _next(self, now: float) -> Optional[tuple[int, int, int]]:
        """What to read next: level, begin and end; the newest first. None if all is read."""
        osds = sum(min(len(one), SAMPLED_OSDS) for one in self._cohorts.values())
        rows = max(1, -(-osds // _CHUNK))
        for horizon in HORIZONS:
            level = horizon.span
            most = max(1, min(_MOST_SPANS[level], _ROWS // rows))
            end, first = self.end(level, now), self.end(level, now) - int(horizon.kept)
            if level not in self._read:
                return level, max(first, end - most * level), end
            begin, last = self._read[level]
            if last < end:
                return level, last, min(end, last + most * level)
            if begin > first:
                return level, max(first, begin - most * level), begin
        return None

    def _begin(self, level: int, begin: int, end: int) -> None:
        cohorts = self._cohorts
        osds = [frozenset(one) for one in cohorts.values()]

        def read(store: Store) -> None:
            found = store.watch.cohort_spans(osds, level, begin, end)
            self._answer = cohorts, level, begin, end, found

        def done(answer: Future[None]) -> None:
            self._error = answer.exception()
            self._pending = False

        self._pending = True
        self._store_thread.ask(read).add_done_callback(done)


def _moved(was: Cohorts, now: Cohorts) -> bool:
    """Whether an OSD is of another cohort than before: then the past is read again."""
    if was is now or was == now:
        return False
    before = {osd: cohort for cohort, osds in was.items() for osd in osds}
    return any(before.get(osd, name) != name for name, osds in now.items() for osd in osds)
