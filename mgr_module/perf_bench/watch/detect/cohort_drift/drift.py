"""What is known of one cohort: when a drift opens and ends, its setup, and what changed in it.

Pure: time comes from the hours only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Optional

from ....model.finding import QUEUE, Claim, Severity, Target
from ....model.finding_kinds import COHORT_DRIFT
from ....model.history import CohortSetup, SetupChange, changes, remembered
from ....model.phrases import listed, ms_text, plural, time_text
from .compare import (
    CALM_RATIO,
    RECENT_SECONDS,
    SETTLED_SECONDS,
    WARNING_CALM_RATIO,
    WARNING_RATIO,
    Comparison,
    Outcome,
    Past,
    Point,
    compare,
    onset,
    past_end,
)

# By channel its points in order of time, and what came of comparing them.
Points = Mapping[str, Sequence[Point]]
Outcomes = Mapping[str, Outcome]
# Added to waits in the queue, as in slow_osd/thresholds.py: 0.1 ms and 0.2 ms are alike.
FLOOR_SECONDS = {QUEUE: 0.001}
_TOLERANCE = 1e-9
# Changes of setup: the newest are kept, and that long.
_MOST_CHANGES = 64
_CHANGES_KEPT_SECONDS = 400 * 86400.0
# Characters of a value, such as the options of RocksDB.
_WIDTH = 200
# A change is named with a drift that began up to so long after it: fragmentation and caches take
# their time, and the begin is known to the hour at best.
_BEFORE_SECONDS = 2 * 86400.0
# Drifts that began within this time of each other have one cause.
_TOGETHER_SECONDS = 86400.0


@dataclass
class Drift:
    """An open drift. ``until`` is where its past ends: it stays there while the drift is open.

    ``ratios`` are the newest by channel, of those that are slower; ``latency`` is that of the worst
    one now in seconds, of ``osds`` OSDs, ``judged`` against ``past`` hours whose days differ by
    ``noise`` (ln units, None if that was not asked). Times are unix seconds.
    """

    since: float
    until: float
    opened_at: float
    warning: bool
    ratios: dict[str, float]
    latency: float = 0.0
    osds: int = 0
    judged: int = 0
    past: int = 0
    noise: Optional[float] = None

    def __post_init__(self) -> None:
        self.ratios = {str(name): float(ratio) for name, ratio in self.ratios.items()}
        if not self.ratios:
            raise ValueError("a drift without channels")

    @property
    def channel(self) -> str:
        """The channel with the largest ratio."""
        return max(self.ratios, key=lambda name: (self.ratios[name], name))

    @property
    def ratio(self) -> float:
        return self.ratios[self.channel]

    @property
    def before(self) -> float:
        """The latency of before at the same load, without the floor."""
        floor = FLOOR_SECONDS.get(self.channel, 0.0)
        return max(0.0, (self.latency + floor) / self.ratio - floor)


@dataclass
class CohortDrift:
    """Judges one cohort by its hours; its fields outlive a mgr, beside the store's hours.

    ``level_since`` is when the present level began, as a drift that lasted long. The ``setup`` is
    known since ``setup_since``. Times are unix seconds.
    """

    level_since: Optional[float] = None
    judged: bool = False
    drift: Optional[Drift] = None
    setup_since: Optional[float] = None
    setup: CohortSetup = field(default_factory=lambda: CohortSetup(0))
    changes: tuple[SetupChange, ...] = ()

    def set_up(self, setup: CohortSetup, now: float) -> None:
        """Take the present setup, and remember what differs."""
        if self.setup_since is None:
            self.setup_since, self.setup = now, setup
            return
        found = [
            SetupChange(now, change.name, change.was[:_WIDTH], change.now[:_WIDTH])
            for change in changes(self.setup, setup, now)
        ]
        self.setup = remembered(self.setup, setup)
        kept = [one for one in self.changes if now - _CHANGES_KEPT_SECONDS <= one.at <= now]
        self.changes = tuple([*kept, *found][-_MOST_CHANGES:])

    def step(self, points: Points, end: float, osds: int) -> Outcomes:
        """Judge the hours up to ``end``: a drift may begin, end or be accepted as the level."""
        before = self.drift
        since = -math.inf if self.level_since is None else self.level_since
        until = past_end(end) if before is None else before.until
        pasts = {name: _past(one, since, until) for name, one in points.items()}
        outcomes = {name: compare(pasts[name], one, end, since) for name, one in points.items()}
        compared = {name: one for name, one in outcomes.items() if isinstance(one, Comparison)}
        if before is not None:
            self._go_on(before, compared, end)
        else:
            self._open(points, pasts, compared, end, since)
        drift = self.drift
        if drift is not None:
            drift.latency, drift.osds = _latency(points, drift.channel), osds
            worst = compared.get(drift.channel)
            if worst is not None:
                drift.judged, drift.past, drift.noise = worst.judged, worst.past, worst.noise
        self.judged = drift is not None or bool(compared)
        return outcomes

    def _open(
        self,
        points: Points,
        pasts: Mapping[str, Past],
        compared: Mapping[str, Comparison],
        end: float,
        level: float,
    ) -> None:
        found = {name: one for name, one in compared.items() if one.drifted}
        if not found:
            return
        worst = max(found, key=lambda name: (found[name].excess, name))
        excess = found[worst].excess
        since = onset(pasts[worst], points[worst], excess)
        since = end - RECENT_SECONDS if since is None else since
        # The past ends where the drift began, if enough is left of it.
        until = min(since, past_end(end))
        if _past(points[worst], level, until).shortage is not None:
            until = past_end(end)
        ratios = {name: one.ratio for name, one in found.items()}
        warning = excess >= math.log(WARNING_RATIO) - _TOLERANCE
        self.drift = Drift(since, until, end, warning, ratios)

    def _go_on(self, drift: Drift, compared: Mapping[str, Comparison], end: float) -> None:
        """Follow an open drift; it ends where the cohort is back, or where it is the level now."""
        if end - drift.opened_at >= SETTLED_SECONDS:
            self.level_since, self.drift = drift.opened_at, None
            return
        ratios = dict(drift.ratios)
        for name, one in compared.items():  # what cannot be judged now stays as it was
            if one.drifted or (name in ratios and one.ratio >= CALM_RATIO - _TOLERANCE):
                ratios[name] = one.ratio
            else:
                ratios.pop(name, None)
        if not ratios:
            self.drift = None
            return
        drift.ratios = ratios
        least = WARNING_CALM_RATIO if drift.warning else WARNING_RATIO
        drift.warning = drift.ratio >= least - _TOLERANCE

    def explain(self) -> str:
        """For ``osd show`` of one of its OSDs; empty for nothing."""
        drift = self.drift
        if drift is not None:
            return (
                f"All of its cohort takes {drift.ratio:.2f} times as long ({drift.channel}) as "
                f"before at equal load, since {time_text(drift.since)}."
            )
        if self.level_since is None:
            return ""
        return (
            f"Its cohort is compared with its past since {time_text(self.level_since)}: a drift "
            "had lasted so long that it became the level."
        )


def _past(points: Sequence[Point], begin: float, end: float) -> Past:
    return Past([one for one in points if begin <= one.start < end])


def _latency(points: Points, channel: str) -> float:
    """The median of the newest two days in seconds, without the floor."""
    recent = sorted(one.level for one in points.get(channel, ())[-48:])
    floor = FLOOR_SECONDS.get(channel, 0.0)
    return max(0.0, math.exp(recent[len(recent) // 2]) - floor) if recent else 0.0


# --- claims ----------------------------------------------------------------------------------


def claims_of(cohorts: Mapping[str, CohortDrift]) -> list[Claim]:
    """A claim for each that drifts, or one for all that are judged if all did within a day."""
    drifts = {name: one.drift for name, one in cohorts.items() if one.drift is not None}
    judged = sum(one.judged for one in cohorts.values())
    sinces = [drift.since for drift in drifts.values()]
    if len(drifts) > 1 and len(drifts) == judged and max(sinces) - min(sinces) <= _TOGETHER_SECONDS:
        worst = max(drifts, key=lambda name: drifts[name].ratio)
        evidence, why = _told(worst, cohorts[worst], drifts[worst])
        since = min(sinces)
        ratios = listed([f"{name} x{drift.ratio:.2f}" for name, drift in drifts.items()])
        message = (
            f"the OSDs of all {len(drifts)} cohorts are slower than before at equal load since "
            f"{time_text(since)}: {ratios}; {why}"
        )
        evidence.update(since=since, cohorts=list(drifts))
        warns = any(drift.warning for drift in drifts.values())
        return [_claim(Target("cluster", "cluster"), warns, message, evidence)]
    found = []
    for name, drift in drifts.items():
        evidence, why = _told(name, cohorts[name], drift)
        message = (
            f"the OSDs of {name} take {drift.ratio:.2f} times as long ({drift.channel}) as before "
            f"at equal load ({ms_text(drift.latency)} against {ms_text(drift.before)}) since "
            f"{time_text(drift.since)}; {why}"
        )
        found.append(_claim(Target("cohort", name), drift.warning, message, evidence))
    return found


def _claim(target: Target, warns: bool, message: str, evidence: Mapping[str, Any]) -> Claim:
    severity = Severity.WARNING if warns else Severity.INFO
    return Claim(COHORT_DRIFT.code, severity, target, message, evidence, evidence["since"])


def _told(name: str, known: CohortDrift, drift: Drift) -> tuple[dict[str, Any], str]:
    """The figures of a drift (JSON-ready), and what has changed, in words."""
    begin = drift.since - _BEFORE_SECONDS
    changed = [change for change in known.changes if change.at >= begin]
    is_known = known.setup_since is not None and known.setup_since <= begin
    evidence: dict[str, Any] = {
        "cohort": name,
        "members": drift.osds,
        "channel": drift.channel,
        "ratio": round(drift.ratio, 3),
        "ratios": {channel: round(ratio, 3) for channel, ratio in sorted(drift.ratios.items())},
        "latency_ms": round(drift.latency * 1000, 3),
        "before_ms": round(drift.before * 1000, 3),
        "since": drift.since,
        "judged": drift.judged,
        "past": drift.past,
        "changes": [asdict(change) for change in changed],
        "setup_known_since": None if is_known else known.setup_since,
    }
    if drift.noise is not None:
        evidence["usual_ratio"] = round(math.exp(drift.noise), 3)
    why = f"no change of setup was seen on {plural(drift.osds, 'OSD')}; firmware is not looked at"
    if changed:
        words = [f"{change.name} from {change.was} to {change.now}" for change in changed]
        why = f"changed meanwhile: {listed(words)}"
    elif not is_known and known.setup_since is not None:
        why = f"what changed before {time_text(known.setup_since)} is not known"
    return evidence, why
