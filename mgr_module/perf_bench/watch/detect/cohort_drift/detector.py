"""The detector of cohorts that became slower than they were, at equal load.

Nobody stands out among its peers then (firmware, fragmentation, fill, an upgrade). It reads the
hours of all OSDs from the store, and judges once an hour.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Callable, Optional, Protocol

from ....model.finding import Claim, Detector, Gap, Gauge, Look, Watched, WatchTick
from ....model.finding_kinds import COHORT_DRIFT
from ....model.history import (
    LEAST_OSDS,
    LOAD,
    SPAN_CHANNELS,
    SPAN_LOADS,
    CohortSetup,
    cohort_over_time,
    without_release,
)
from ....model.json_fields import decode
from ....store.sqlite import StoreThread
from .compare import UNKNOWN_LOAD, Comparison, Point, short
from .drift import FLOOR_SECONDS, CohortDrift, Known, Points, claims_of
from .past import CohortPasts, RecoveryHours

_FORMAT = 2
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


class CohortDriftDetector(Detector):
    """Compares each cohort with its own past; asks the store a step a tick, no daemon."""

    name = "drift"

    def __init__(
        self,
        store_thread: StoreThread,
        setups: CohortSetups,
        told: Callable[[], Collection[str]] = tuple,
    ) -> None:
        """``told`` returns the cohorts that another finding names now."""
        self._setups = setups
        self._told = told
        self._pasts = CohortPasts(store_thread)
        self._recovery = RecoveryHours()
        self._members: Sequence[Watched] = ()
        self._cohort_of: dict[int, str] = {}
        self._all: dict[str, list[int]] = {}
        self._judged: dict[str, list[int]] = {}
        self._cohorts: dict[str, CohortDrift] = {}
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
        self._cohort_of = {member.osd: cohort_over_time(member) for member in members}
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
        self._waiting = deque(name for name in self._waiting if name in judged)

    def _judge(self, name: str, now: float) -> None:
        cohort = self._cohorts.setdefault(name, CohortDrift())
        cohort.set_up(self._setups.setup(self._judged[name]), now)
        end = self._pasts.end(now)
        hold = name in {without_release(one) for one in self._told()}
        cohort.step(self._points(name, end), end, len(self._judged[name]), hold)

    def _points(self, name: str, end: float) -> Points:
        """The hours of all channels that the store has, up to ``end``."""
        out = self._recovery.hours(name)
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
        return claims_of({name: one.known for name, one in self._cohorts.items() if name in there})

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
        cohort = self._cohorts.get(name)
        is_due = math.isinf(self._newest) or name in self._waiting
        if cohort is None or (is_due and not cohort.outcomes):
            return Gap("reading", "their past is still being read from the database")
        best = cohort.best() or short("past", 0)
        return None if isinstance(best, Comparison) else best

    def explain(self, osd: int) -> Sequence[str]:
        cohort = self._cohorts.get(self._cohort_of.get(osd, ""))
        return () if cohort is None else cohort.explain()

    def metrics(self) -> Sequence[Gauge]:
        samples = [
            ({"cohort": name, "channel": channel, "compared": "hours"}, round(one.ratio, 4))
            for name, cohort in sorted(self._cohorts.items())
            for channel, one in cohort.outcomes.items()
            if isinstance(one, Comparison)
        ]
        text = "Latency of a cohort over that of its own past at equal load, by channel"
        return [Gauge("cohort_drift_ratio", text, samples)]

    # --- across mgrs -------------------------------------------------------------------------

    def save(self) -> Mapping[str, Any]:
        if not self._cohorts:
            return {}
        return {
            "format": _FORMAT,
            "cohorts": {name: asdict(one.known) for name, one in self._cohorts.items()},
            "recovery": self._recovery.save(),
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:  # noqa: ARG002
        """Take over what another mgr knew, of cohorts of which nothing is known here.

        Its drifts stand until the past has been read again, and is judged.
        """
        if state.get("format") != _FORMAT:
            return
        cohorts = {
            str(name): CohortDrift(decode(Known, one)) for name, one in state["cohorts"].items()
        }
        self._recovery.restore(state["recovery"])
        self._cohorts = {**cohorts, **self._cohorts}


def _is_known(rate: Optional[float]) -> bool:
    return rate is not None


def _log(rate: Optional[float], floor: float) -> float:
    return UNKNOWN_LOAD if rate is None else math.log(rate + floor)
