"""What is known of one cohort: how it compares with its past, its drift, and its setup.

Pure: time comes from the hours only. The newest two days are compared with the month before, hour
by hour at the same load.

Load is taken out by matching, not by a model: an hour is compared with the past hours nearest to it
in load, within a caliper (nearest-neighbour matching with a caliper: Cochran and Rubin, Sankhya A
35, 1973; Rosenbaum and Rubin, The American Statistician 39, 1985). A regression would have to say
what latency is at a load that was never seen, and near saturation that is wrong in any form. An
hour whose load the past does not know is not judged.

Within the caliper loads still differ a little. Where the past hour had less load, its latency is
raised by what the difference can explain at most (LOAD_SLOPE), never lowered.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from operator import sub
from typing import Any, NamedTuple, Optional, Union

from ....model.finding import QUEUE, Claim, Gap, Severity, Target
from ....model.finding_kinds import COHORT_DRIFT
from ....model.history import DAY, CohortSetup, SetupChange, changes, remembered
from ....model.phrases import listed, ms_text, plural, time_text
from ....model.statistics import median, spread

# From this ratio on a cohort has drifted: that of the sustained rule for one OSD
# (slow_osd/thresholds.py). The warning is the issue's.
INFO_RATIO, WARNING_RATIO = 1.2, 1.5
# Below it the cohort is back, or a warning becomes an info again: so nothing flaps.
CALM_RATIO, WARNING_CALM_RATIO = 1.1, 1.4
# Spans of like load differ by at most this factor in each kind of load.
CALIPER = math.log(1.25)
# Latency grows with load to this power at most (``slope_max`` of slow_osd/thresholds.py; measured:
# 0.09 to 0.58). A cohort in which it grows with less than the power 2.3 never drifts by load alone:
# 1.25 to the power of 2.3 - 1.5 is 1.2.
LOAD_SLOPE = 1.5
# A load that is not known is like another one that is not, and like no other.
UNKNOWN_LOAD = -1e9
# The past hours that an hour is compared with, at most ``_A_DAY`` of one day.
_NEAREST, _A_DAY, _LEAST_ALIKE, _LEAST_DAYS = 12, 3, 6, 3
# Days of the past differ at equal load too: the drift must be so many of their robust standard
# deviations, and more than all but one of them.
NOISE_Z = 4.0
# Lower bound of that deviation. Hosts differ by .03 to .04 from day to day (DETECTION).
NOISE_FLOOR = 0.02
# Part of the newest hours that must be above CALM_RATIO.
_LASTING_SHARE = 0.75
# Hours of a day whose own excess is computed, for the noise.
_SAMPLED = 6
_TOLERANCE = 1e-9

# The newest two days are compared, if 24 of their hours can be, with those of the month before that
# began before the last whole day: a single slow day is no drift. In 55 cohorts of the trial "hard"
# (docs/benchmarks.md) one day had five findings, two days had none.
KEPT_SECONDS, RECENT_SECONDS = 30.0 * DAY, 2.0 * DAY
LEAST_RECENT = 24
# The past needs so many hours on so many days: seven days have one of each day of the week.
LEAST_PAST, LEAST_DAYS = 100, 7
# A drift that has been open for so long is the new level.
SETTLED_SECONDS = 14.0 * DAY

# By code why there is no judgement: so many of the hours that it needs are there.
_SHORT = {
    "past": f"no judgement yet: needs {LEAST_PAST} hours with data on {LEAST_DAYS} days before the "
    "newest two days, has {}",
    "recent": f"no judgement: of the newest {RECENT_SECONDS / 3600:.0f} hours {{}} have data, and "
    f"it needs {LEAST_RECENT}; hours with recovery do not count",
    "load": "no judgement: for {} of the newest hours there is a past of like load, and it needs "
    f"{LEAST_RECENT}",
}


class Point(NamedTuple):
    """One hour of one channel: ln latency, and ln loads, UNKNOWN_LOAD where unknown."""

    start: float
    level: float
    load: tuple[float, ...]


@dataclass(frozen=True)
class Comparison:
    """The newest hours against their past. ``excess`` and the like are in ln units.

    ``excess`` is the median of the ``judged`` newest hours, ``noise`` what days of the past differ
    by (None unless the excess was large enough to ask), ``past`` the number of past hours.
    """

    excess: float
    judged: int
    past: int
    noise: Optional[float]
    drifted: bool

    @property
    def ratio(self) -> float:
        return math.exp(self.excess)


# A judgement, or why there is none.
Outcome = Union[Comparison, Gap]


def short(code: str, have: int) -> Gap:
    """Why there is no judgement."""
    return Gap(code, _SHORT[code].format(have))


def past_end(now: float) -> float:
    """The end of the past, as seen from ``now`` (unix seconds)."""
    return math.floor((now - RECENT_SECONDS) / DAY) * DAY


class Past:
    """The past of one cohort in one channel."""

    def __init__(self, points: Sequence[Point]) -> None:
        # In the order of the first kind of load, of which a search takes a narrow part.
        self._points = sorted(points, key=lambda point: (point.load[0], point.start))
        self._firsts = [point.load[0] for point in self._points]

    def __len__(self) -> int:
        return len(self._points)

    @property
    def shortage(self) -> Optional[Gap]:
        """Whether the past is too short."""
        by_day = Counter(point.start // DAY for point in self._points)
        full = sum(count >= _A_DAY for count in by_day.values())
        if len(self) < LEAST_PAST or full < LEAST_DAYS:
            return short("past", len(self))
        return None

    def excess(self, point: Point, without: Optional[float] = None) -> Optional[float]:
        """How much slower an hour is than the past at this load; None if that is not known.

        ``without`` is a day that is left out of the past.
        """
        load, caliper = point.load, CALIPER + _TOLERANCE
        low, high = load[0] - caliper, load[0] + caliper
        near = self._points[bisect_left(self._firsts, low) : bisect_right(self._firsts, high)]
        for kind, own in enumerate(load[1:], 1):
            low, high = own - caliper, own + caliper
            near = [one for one in near if low <= one.load[kind] <= high]
        days: Counter[float] = Counter()
        chosen: list[float] = []
        for one in sorted(near, key=lambda one: (max(map(abs, map(sub, load, one.load))), one)):
            day = one.start // DAY
            if day != without and days[day] < _A_DAY and len(chosen) < _NEAREST:
                days[day] += 1
                more = max(map(sub, load, one.load))
                chosen.append(one.level + LOAD_SLOPE * max(0.0, more))
        if len(chosen) < _LEAST_ALIKE or len(days) < _LEAST_DAYS:
            return None
        return point.level - median(chosen)

    @cached_property
    def noise(self) -> tuple[float, float]:
        """The robust standard deviation of the past's days, and the second largest of them."""
        by_day: dict[float, list[Point]] = {}
        for point in sorted(self._points):
            by_day.setdefault(point.start // DAY, []).append(point)
        values = []
        for day, points in by_day.items():
            some = points[:: -(-len(points) // _SAMPLED)]
            found = [self.excess(point, day) for point in some]
            known = [one for one in found if one is not None]
            if known:
                values.append(median(known))
        deviation = spread(values)
        second = sorted(values)[-2] if len(values) > 1 else 0.0
        return (NOISE_FLOOR if math.isnan(deviation) else max(deviation, NOISE_FLOOR)), second


def compare(past: Past, points: Sequence[Point], now: float, since: float) -> Outcome:
    """Judge the newest of the points (in order of time) that do not begin before ``since``.

    ``now`` is the end of the newest hour.
    """
    shortage = past.shortage
    if shortage is not None:
        return shortage
    begin = max(now - RECENT_SECONDS, since)
    newest = [point for point in points if begin <= point.start < now]
    if len(newest) < LEAST_RECENT:
        return short("recent", len(newest))
    found = [one for one in map(past.excess, newest) if one is not None]
    if len(found) < LEAST_RECENT:
        return short("load", len(found))
    excess = median(found)
    if excess < math.log(INFO_RATIO) - _TOLERANCE:
        return Comparison(excess, len(found), len(past), None, drifted=False)
    deviation, second = past.noise
    above = sum(one >= math.log(CALM_RATIO) - _TOLERANCE for one in found)
    drifted = (
        excess >= NOISE_Z * deviation
        and excess > second
        and above >= _LASTING_SHARE * len(found)
    )  # fmt: skip
    return Comparison(excess, len(found), len(past), deviation, drifted)


# --- one cohort --------------------------------------------------------------------------------

# By channel its points in order of time, and what came of comparing them.
Points = Mapping[str, Sequence[Point]]
Outcomes = Mapping[str, Outcome]
# Added to waits in the queue, as in slow_osd/thresholds.py: 0.1 ms and 0.2 ms are alike.
FLOOR_SECONDS = {QUEUE: 0.001}
# Changes of setup: the newest are kept, and that long.
_MOST_CHANGES = 64
_CHANGES_KEPT_SECONDS = 400 * 86400.0
# Characters of a value, such as the options of RocksDB.
_WIDTH = 200
# A change is named with a drift that began up to so long after it: fragmentation and caches take
# their time, and the begin is known to a day.
_BEFORE_SECONDS = 2 * 86400.0


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
            self._open(compared, end)
        drift = self.drift
        if drift is not None:
            drift.latency, drift.osds = _latency(points, drift.channel), osds
            worst = compared.get(drift.channel)
            if worst is not None:
                drift.judged, drift.past, drift.noise = worst.judged, worst.past, worst.noise
        return outcomes

    def _open(self, compared: Mapping[str, Comparison], end: float) -> None:
        """A drift opens within two days of its begin, which is as exact as it is told."""
        found = {name: one for name, one in compared.items() if one.drifted}
        if found:
            ratios = {name: one.ratio for name, one in found.items()}
            warning = max(ratios.values()) >= WARNING_RATIO - _TOLERANCE
            since = end - RECENT_SECONDS
            self.drift = Drift(since, past_end(end), end, warning, ratios)

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
        if drift is None:
            return ""
        return (
            f"All of its cohort takes {drift.ratio:.2f} times as long ({drift.channel}) as "
            f"before at equal load, since about {time_text(drift.since)}."
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
    """A claim for each cohort that drifts."""
    found = []
    for name, one in cohorts.items():
        drift = one.drift
        if drift is None:
            continue
        evidence, why = _told(name, one, drift)
        message = (
            f"the OSDs of {name} take {drift.ratio:.2f} times as long ({drift.channel}) as before "
            f"at equal load ({ms_text(drift.latency)} against {ms_text(drift.before)}) since "
            f"about {time_text(drift.since)}; {why}"
        )
        severity = Severity.WARNING if drift.warning else Severity.INFO
        target = Target("cohort", name)
        found.append(Claim(COHORT_DRIFT.code, severity, target, message, evidence, drift.since))
    return found


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
