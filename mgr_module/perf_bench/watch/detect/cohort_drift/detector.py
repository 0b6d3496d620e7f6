"""The detector of cohorts that became slower than they were, at equal load.

Nobody stands out among its peers then (firmware, fragmentation, fill, an upgrade). It reads the
hours of all OSDs from the store, and judges once an hour.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Callable, Optional, Protocol

from ....model.cohort import (
    LEAST_OSDS,
    SPAN_CHANNELS,
    SPAN_LOADS,
    CohortSetup,
    CohortSpan,
    cohort_over_time,
    without_release,
)
from ....model.coverage import Gap, Look, gap
from ....model.detector import Detector, Gauge, WatchTick
from ....model.finding import Claim, Severity, Target
from ....model.finding_kinds import COHORT_DRIFT
from ....model.frame import QUEUE, Watched
from ....model.history import LOAD
from ....store.sqlite import StoreThread
from .claims import BEFORE_SECONDS, OpenDrift, accepted, claim, cluster_claim, sentence, shortage
from .compare import LEAST_PAST, Comparison, Point, Shortage
from .drift import CohortDrift, Points, SetupLog
from .past import CohortPasts, RecoveryHours

_FORMAT = 1
# Of more cohorts the largest are judged: the spans of one take 0.5 MB, and a judgement 0.1 s.
MOST_COHORTS = 32
# Drifts that began within this time of each other have one cause.
_TOGETHER_SECONDS = 86400.0
# Seconds without enough OSDs in any cohort after which nothing is told any more: metadata of OSDs
# may be away for a moment, and the next judgement is up to an hour later.
_AWAY = 900.0
# Added to waits in the queue, as in slow_osd/thresholds.py: 0.1 ms and 0.2 ms are alike.
_FLOOR_SECONDS = {QUEUE: 0.001}
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
        self._logs: dict[str, SetupLog] = {}
        self._claims: list[Claim] = []
        self._drifts: dict[str, OpenDrift] = {}
        self._waiting: deque[str] = deque()
        # The end of the newest hour that was judged, in unix seconds.
        self._newest = -math.inf
        # Since when no cohort has enough OSDs; None while one has.
        self._none_since: Optional[float] = None

    # --- at each tick ------------------------------------------------------------------------

    def tick(self, tick: WatchTick) -> None:
        if tick.members is not self._members and tick.members:
            self._adopt(tick.members)
        for frame in tick.frames:
            self._recovery.add(frame, self._cohort_of)
        self._pasts.tick(self._judged, tick.now)
        if self._waiting:
            self._judge(self._waiting.popleft(), tick.now)
            if not self._waiting:
                self._tell()
            return
        if self._judged or not self._members:
            self._none_since = None
        elif self._none_since is None or tick.now < self._none_since:
            self._none_since = tick.now
        elif tick.now - self._none_since >= _AWAY:
            self._none_since = tick.now
            self._tell()  # no cohort is left of which anything could be told
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
        # A cohort may be away for a moment, while the metadata of its OSDs is not known.
        for name in [*self._cohorts.keys() - self._all.keys()][MOST_COHORTS:]:
            del self._cohorts[name]
            self._logs.pop(name, None)
        # One with too few OSDs is not judged any more, so nobody would see that its drift ends.
        self._drifts = {name: one for name, one in self._drifts.items() if name in judged}
        self._waiting = deque(name for name in self._waiting if name in judged)

    def _judge(self, name: str, now: float) -> None:
        log = self._logs.setdefault(name, SetupLog())
        log.add(self._setups.setup(self._judged[name]), now)
        cohort = self._cohorts.setdefault(name, CohortDrift())
        end = self._pasts.end(now)
        points = self._points(name, end)
        hold = name in {without_release(one) for one in self._told()}
        if cohort.step(points, end, hold):
            self.urgent = True
        if cohort.drift is None:
            self._drifts.pop(name, None)
        else:
            self._drifts[name] = self._open(name, cohort, points)

    def _points(self, name: str, end: float) -> Points:
        """The hours of all channels that the store has, up to ``end``."""
        out = self._recovery.hours(name)
        spans = [
            span for span in self._pasts.spans(name) if span.start < end and span.start not in out
        ]
        loads = [_loads(span) for span in spans]
        found: dict[str, list[Point]] = {}
        for at, channel in enumerate(SPAN_CHANNELS):
            floor = _FLOOR_SECONDS.get(channel, 0.0)
            points = [
                Point(span.start, math.log(latency + floor), load)
                for span, load in zip(spans, loads)
                if (latency := span.latency[at]) is not None
            ]
            if points:
                found[channel] = points
        return found

    def _open(self, name: str, cohort: CohortDrift, points: Points) -> OpenDrift:
        drift = cohort.drift
        assert drift is not None  # noqa: S101
        outcome = cohort.outcomes.get(drift.channel)
        recent = sorted(one.level for one in points.get(drift.channel, ())[-48:])
        floor = _FLOOR_SECONDS.get(drift.channel, 0.0)
        latency = math.exp(recent[len(recent) // 2]) if recent else math.nan
        before = latency / drift.ratios[drift.channel]
        log = self._logs[name]
        begin = drift.since - BEFORE_SECONDS
        known = log.since is not None and log.since <= begin
        return OpenDrift(
            name,
            drift,
            max(0.0, latency - floor),
            max(0.0, before - floor),
            outcome if isinstance(outcome, Comparison) else None,
            len(self._judged[name]),
            log.after(begin),
            None if known else log.since,
        )

    def _tell(self) -> None:
        """Make the claims: one for all cohorts, if all that are judged drifted together."""
        drifts = list(self._drifts.values())
        judged = [name for name in self._judged if _is_judged(self._cohorts.get(name))]
        sinces = [one.drift.since for one in drifts]
        together = len(drifts) > 1 and max(sinces) - min(sinces) <= _TOGETHER_SECONDS
        if together and len(drifts) == len(judged):
            self._claims = [cluster_claim(drifts)]
        else:
            self._claims = [claim(one) for one in drifts]

    # --- questions ---------------------------------------------------------------------------

    def claims(self) -> Sequence[Claim]:
        return self._claims

    def looks(self) -> Sequence[Look]:
        why: dict[tuple[str, str, str], list[str]] = {}
        for cohort in self._all:
            found = self._why_not(cohort)
            if found is not None:
                why.setdefault(found, []).append(cohort)
        gaps = tuple(gap(code, text, names, help_) for (code, text, help_), names in why.items())
        if not self._all:
            gaps = (Gap("unread", "the watch has not read the OSDs yet"),)
        what = "cohorts against their own last month"
        return [Look("drift_hours", what, "cohort", len(self._all), (COHORT_DRIFT.code,), gaps)]

    def _why_not(self, name: str) -> Optional[tuple[str, str, str]]:
        """Why a cohort is not judged: a code, why, what would help; None if it is."""
        if name not in self._judged:
            if len(self._all[name]) < LEAST_OSDS:
                return "few", f"fewer than {LEAST_OSDS} OSDs are no cohort", ""
            return "many", f"only the {MOST_COHORTS} largest cohorts are judged", ""
        if self._pasts.problem is not None:
            text = f"their past cannot be read from the database: {self._pasts.problem}"
            return "database", text, "'ceph perf-bench store status' shows the database"
        cohort = self._cohorts.get(name)
        waits = name in self._waiting and (cohort is None or not cohort.outcomes)
        if cohort is None or waits or math.isinf(self._newest):
            return "reading", "their past is still being read from the database", ""
        best = cohort.best() or Shortage("past", 0, LEAST_PAST)
        return None if isinstance(best, Comparison) else (best.code, shortage(best), "")

    def explain(self, osd: int) -> Sequence[str]:
        name = self._cohort_of.get(osd, "")
        if name in self._drifts:
            return [sentence(self._drifts[name])]
        cohort = self._cohorts.get(name)
        if cohort is None or cohort.accepted is None:
            return []
        return [accepted(cohort.accepted, cohort.level_since)]

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
        if not (self._cohorts or self._logs):
            return {}
        return {
            "format": _FORMAT,
            "cohorts": {name: one.save() for name, one in self._cohorts.items()},
            "setups": {name: log.save() for name, log in self._logs.items()},
            "recovery": self._recovery.save(),
            "claims": [_saved(one) for one in self._claims],
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        """Take over what another mgr knew, of cohorts of which nothing is known here."""
        if state.get("format") != _FORMAT:
            return
        cohorts = {
            str(name): CohortDrift.restored(one, now) for name, one in state["cohorts"].items()
        }
        logs = {str(name): SetupLog.restored(one, now) for name, one in state["setups"].items()}
        claims = [_restored(one) for one in state["claims"]]
        self._recovery.restore(state["recovery"])
        self._cohorts = {**cohorts, **self._cohorts}
        self._logs = {**logs, **self._logs}
        # They stand until the past has been read again, and is judged.
        self._claims = self._claims or claims


def _is_judged(cohort: Optional[CohortDrift]) -> bool:
    if cohort is None:
        return False
    return cohort.drift is not None or isinstance(cohort.best(), Comparison)


def _loads(span: CohortSpan) -> tuple[Optional[float], ...]:
    """The loads of a span as logarithms."""
    return tuple(
        [
            None if rate is None else math.log(rate + floor)
            for floor, rate in zip(_FLOORS, span.load)
        ]
    )


def _saved(one: Claim) -> dict[str, Any]:
    return {
        "severity": one.severity.value,
        "target": [one.target.kind, one.target.id],
        "message": one.message,
        "evidence": dict(one.evidence),
        "since": one.since,
    }


def _restored(state: Mapping[str, Any]) -> Claim:
    kind, name = state["target"]
    return Claim(
        COHORT_DRIFT.code,
        Severity(state["severity"]),
        Target(str(kind), str(name)),
        str(state["message"]),
        dict(state["evidence"]),
        float(state["since"]),
    )
