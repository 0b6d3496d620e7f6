"""The detector of cohorts that became slower than they were, at equal load.

Nobody stands out among its peers then (firmware, fragmentation, fill, an upgrade). It reads the
hours of all OSDs from the store, and judges once an hour.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from typing import Any, Optional, Protocol

from ....model.cluster import Every
from ....model.finding import Claim, Detector, Frame, Gap, Gauge, Look, Mark, Watched, WatchTick
from ....model.finding_kinds import COHORT_DRIFT
from ....model.history import (
    DAY,
    HOUR,
    LEAST_OSDS,
    LOAD,
    SAMPLED_OSDS,
    SPAN_CHANNELS,
    SPAN_LOADS,
    CohortSetup,
    CohortSpan,
    without_release,
)
from ....model.json_fields import decode
from ....store.sqlite import Store, StoreThread
from .drift import (
    FLOOR_SECONDS,
    KEPT_SECONDS,
    UNKNOWN_LOAD,
    CohortDrift,
    Comparison,
    Outcomes,
    Point,
    Points,
    claims_of,
    short,
)

_FORMAT = 3
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
# Of more cohorts the largest are judged: the spans of one take 0.5 MB, and a judgement 0.1 s.
MOST_COHORTS = 32
# Rates below these are alike: an operation a second; bytes of a small one.
_FLOOR_OPS, _FLOOR_BYTES = 1.0, 16384.0
_FLOORS = tuple(_FLOOR_BYTES if kind == LOAD else _FLOOR_OPS for kind in SPAN_LOADS)


class CohortSetups(Protocol):
    """The setup of OSDs, from the mgr's own copies."""

    def setup(self, osds: Sequence[int]) -> CohortSetup:
        """The setup of these OSDs.

        At 10,000 OSDs 0.2 s for the reports of all OSDs, which are kept for 10 minutes, and some
        5 ms for each call.
        """


@dataclass
class Saved:
    """What outlives the mgr, by cohort: what is known of it, and its hours with recovery."""

    cohorts: Mapping[str, CohortDrift]
    recovery: Mapping[str, tuple[int, ...]]


class CohortDriftDetector(Detector):
    """Compares each cohort with its own past; asks the store a step a tick, no daemon."""

    name = "drift"

    def __init__(
        self,
        store_thread: StoreThread,
        setups: CohortSetups,
    ) -> None:
        self._setups = setups
        self._pasts = CohortPasts(store_thread)
        self._recovery = RecoveryHours()
        self._members: Sequence[Watched] = ()
        self._cohort_of: dict[int, str] = {}
        self._all: dict[str, list[int]] = {}
        self._judged: dict[str, list[int]] = {}
        self._cohorts: dict[str, CohortDrift] = {}
        # By cohort what came of its newest judgement by this mgr.
        self._outcomes: dict[str, Outcomes] = {}
        self._waiting: deque[str] = deque()
        # The end of the newest hour that was judged, in unix seconds.
        self._newest = -math.inf

    # --- at each tick ------------------------------------------------------------------------

    def tick(self, tick: WatchTick) -> None:
        if tick.members is not self._members and tick.members:
            self._adopt(tick.members)
        for frame in tick.frames:
            self._recovery.add(frame, self._cohort_of)
        self._pasts.tick(self._judged, tick.now)
        if self._waiting:
            self._judge(self._waiting.popleft(), tick.now)
            return
        newest = self._pasts.end(tick.now)
        if newest != self._newest and self._pasts.complete(tick.now):
            self._newest = newest
            self._waiting.extend(self._judged)

    def _adopt(self, members: Sequence[Watched]) -> None:
        self._members = members
        self._cohort_of = {member.osd: without_release(member.cohort) for member in members}
        self._all = {}
        for osd, name in self._cohort_of.items():
            self._all.setdefault(name, []).append(osd)
        enough = [name for name, osds in self._all.items() if len(osds) >= LEAST_OSDS]
        largest = sorted(enough, key=lambda name: (-len(self._all[name]), name))[:MOST_COHORTS]
        judged = {name: self._all[name] for name in sorted(largest)}
        if judged != self._judged:
            self._judged = judged
        for name in [*self._cohorts.keys() - self._all.keys()][MOST_COHORTS:]:
            del self._cohorts[name]
            self._outcomes.pop(name, None)
        self._waiting = deque(name for name in self._waiting if name in judged)

    def _judge(self, name: str, now: float) -> None:
        cohort = self._cohorts.setdefault(name, CohortDrift())
        cohort.set_up(self._setups.setup(self._judged[name]), now)
        end = self._pasts.end(now)
        osds = len(self._judged[name])
        self._outcomes[name] = cohort.step(self._points(name, end), end, osds)

    def _points(self, name: str, end: float) -> Points:
        """The hours of all channels that the store has, up to ``end``."""
        out = self._recovery.hours.get(name, ())
        found: dict[str, list[Point]] = {}
        for span in self._pasts.spans(name):
            if span.start >= end or span.start in out or not any(map(_is_known, span.load)):
                continue
            load = tuple(map(_log, span.load, _FLOORS))
            for channel, latency in zip(SPAN_CHANNELS, span.latency):
                if latency is not None:
                    level = math.log(latency + FLOOR_SECONDS.get(channel, 0.0))
                    found.setdefault(channel, []).append(Point(span.start, level, load))
        return found

    # --- questions ---------------------------------------------------------------------------

    def claims(self) -> Sequence[Claim]:
        # One with too few OSDs is not judged any more, so nobody would see that its drift ends.
        there = self._judged if self._members else self._cohorts
        return claims_of({name: one for name, one in self._cohorts.items() if name in there})

    def looks(self) -> Sequence[Look]:
        why: dict[Gap, list[str]] = {}
        for cohort in self._all:
            found = self._why_not(cohort)
            if found is not None:
                why.setdefault(found, []).append(cohort)
        gaps = tuple(found.of(names) for found, names in why.items())
        if not self._all:
            gaps = (Gap("unread", "the watch has not read the OSDs yet"),)
        what = "cohorts against their own last month"
        return [Look("drift_hours", what, "cohort", len(self._all), (COHORT_DRIFT.code,), gaps)]

    def _why_not(self, name: str) -> Optional[Gap]:
        """Why a cohort is not judged; None if it is."""
        if name not in self._judged:
            if len(self._all[name]) < LEAST_OSDS:
                return Gap("few", f"fewer than {LEAST_OSDS} OSDs are no cohort")
            return Gap("many", f"only the {MOST_COHORTS} largest cohorts are judged")
        if self._pasts.problem is not None:
            text = f"their past cannot be read from the database: {self._pasts.problem}"
            return Gap("database", text, "'ceph perf-bench store status' shows the database")
        outcomes = self._outcomes.get(name)
        if outcomes is None:
            return Gap("reading", "their past is still being read from the database")
        gaps = [one for one in outcomes.values() if isinstance(one, Gap)]
        if len(gaps) < len(outcomes):
            return None
        # What is nearest to a judgement.
        ranks = ("load", "recent", "past")
        return min(gaps, key=lambda gap: ranks.index(gap.code), default=short("past", 0))

    def explain(self, osd: int) -> Sequence[str]:
        cohort = self._cohorts.get(self._cohort_of.get(osd, ""))
        text = cohort.explain() if cohort is not None else ""
        return [text] if text else []

    def metrics(self) -> Sequence[Gauge]:
        samples = [
            ({"cohort": name, "channel": channel, "compared": "hours"}, round(one.ratio, 4))
            for name, outcomes in sorted(self._outcomes.items())
            for channel, one in outcomes.items()
            if isinstance(one, Comparison)
        ]
        text = "Latency of a cohort over that of its own past at equal load, by channel"
        return [Gauge("cohort_drift_ratio", text, samples)]

    # --- across mgrs -------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        if not self._cohorts:
            return {}
        recovery = {name: tuple(sorted(hours)) for name, hours in self._recovery.hours.items()}
        return {"format": _FORMAT, **asdict(Saved(self._cohorts, recovery))}

    def restore(self, state: Mapping[str, Any], now: float) -> None:  # noqa: ARG002
        """Take over what another mgr knew, of cohorts of which nothing is known here.

        Its drifts stand until the past has been read again, and is judged.
        """
        if state.get("format") != _FORMAT:
            return
        saved = decode(Saved, state)
        for name, hours in saved.recovery.items():
            self._recovery.hours.setdefault(name, set()).update(hours)
        self._cohorts = {**saved.cohorts, **self._cohorts}


def _is_known(rate: Optional[float]) -> bool:
    return rate is not None


def _log(rate: Optional[float], floor: float) -> float:
    return UNKNOWN_LOAD if rate is None else math.log(rate + floor)


# --- the past of cohorts, and hours of it that do not count ------------------------------------


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
    before = {osd: cohort for cohort, osds in was.items() for osd in osds}
    return was is not now and any(
        before.get(osd, name) != name for name, osds in now.items() for osd in osds
    )


class RecoveryHours:
    """By cohort the hours with recovery, for a month; 10,000 OSDs take 1 ms a frame."""

    def __init__(self) -> None:
        self._hour = -1
        self._frames: Counter[str] = Counter()
        self._recovering: Counter[str] = Counter()
        # By cohort the starts of the hours that are left out, without the present one.
        self.hours: dict[str, set[int]] = {}

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
                self.hours.setdefault(cohort, set()).add(self._hour)
        self._frames.clear()
        self._recovering.clear()
        kept = {
            cohort: {hour for hour in hours if now - _RECOVERY_KEPT <= hour <= now}
            for cohort, hours in self.hours.items()
        }
        self.hours = {cohort: hours for cohort, hours in kept.items() if hours}
