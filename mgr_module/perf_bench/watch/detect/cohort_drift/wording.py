"""The claims of drifts, and why cohorts are not judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple, Optional

from ....model.cohort_setup import SetupChange
from ....model.finding import Claim, Severity, Target
from ....model.finding_kinds import COHORT_DRIFT
from ....model.phrases import listed, plural
from .compare import DAYS, HOURS, Comparison, Horizon, Shortage
from .drift import Drift

# A change is named with a drift that began up to so long after it: fragmentation and caches take
# their time, and the begin is known to the hour at best.
BEFORE_SECONDS = 2 * 86400.0
_NAMED_CHANGES = 3


class Told(NamedTuple):
    """An open drift of a cohort, with what its claim says."""

    cohort: str
    drift: Drift
    latency: float  # of the worst channel now, in seconds
    before: float  # at the same load
    outcome: Optional[Comparison]
    osds: int
    changes: Sequence[SetupChange]
    unknown_before: Optional[float]  # the setup before then (unix seconds) is not known


def claim(told: Told) -> Claim:
    """The claim of one cohort."""
    drift = told.drift
    what = f"the OSDs of {told.cohort} take {_times(drift)} times as long ({drift.channel}) as"
    figures = f"({_ms(told.latency)} against {_ms(told.before)})"
    message = f"{what} before at equal load {figures} since {_at(drift.since)}; {_why(told)}"
    return Claim(
        COHORT_DRIFT.code,
        Severity.WARNING if drift.warning else Severity.INFO,
        Target("cohort", told.cohort),
        message,
        evidence(told),
        drift.since,
    )


def cluster_claim(told: Sequence[Told]) -> Claim:
    """One claim for all cohorts that are judged, which became slower within a day."""
    worst = max(told, key=lambda one: max(one.drift.ratios.values()))
    since = min(one.drift.since for one in told)
    names = listed([f"{one.cohort} x{_times(one.drift)}" for one in told])
    message = (
        f"the OSDs of all {len(told)} cohorts are slower than before at equal load since "
        f"{_at(since)}: {names}; {_why(worst)}"
    )
    warning = any(one.drift.warning for one in told)
    return Claim(
        COHORT_DRIFT.code,
        Severity.WARNING if warning else Severity.INFO,
        Target("cluster", "cluster"),
        message,
        {**evidence(worst), "since": since, "cohorts": [one.cohort for one in told]},
        since,
    )


def evidence(told: Told) -> Mapping[str, Any]:
    """The figures, JSON-ready."""
    drift, outcome = told.drift, told.outcome
    found: dict[str, Any] = {
        "cohort": told.cohort,
        "members": told.osds,
        "channel": drift.channel,
        "ratio": round(max(drift.ratios.values()), 3),
        "ratios": {name: round(ratio, 3) for name, ratio in sorted(drift.ratios.items())},
        "latency_ms": round(told.latency * 1000, 3),
        "before_ms": round(told.before * 1000, 3),
        "compared": drift.horizon,
        "since": drift.since,
        "changes": [change._asdict() for change in told.changes],
        "setup_known_since": told.unknown_before,
    }
    if outcome is not None:
        found.update(judged=outcome.judged, past=outcome.past)
        if outcome.noise is not None:
            found["usual_ratio"] = round(math.exp(outcome.noise), 3)
    return found


def shortage(short: Shortage, horizon: Horizon) -> str:
    """Why a cohort has no judgement, for a gap."""
    noun = horizon.noun
    if short.code == "past":
        blocks = {HOURS.name: "days", DAYS.name: "weeks"}[horizon.name]
        apart = {HOURS.name: "the newest two days", DAYS.name: "the newest four weeks"}[
            horizon.name
        ]
        return (
            f"no judgement yet: needs {short.need} {noun}s with data on {horizon.blocks} {blocks} "
            f"before {apart}, has {short.have}"
        )
    if short.code == "recent":
        return (
            f"no judgement: of the newest {round(horizon.recent / horizon.span)} {noun}s "
            f"{short.have} have data, and it needs {short.need}; {noun}s with recovery do not count"
        )
    return (
        f"no judgement: for {short.have} of the newest {noun}s there is a past of like load, and "
        f"it needs {short.need}"
    )


def sentence(told: Told) -> str:
    """For ``osd show`` of one of its OSDs."""
    drift = told.drift
    return (
        f"All of its cohort takes {_times(drift)} times as long ({drift.channel}) as before at "
        f"equal load, since {_at(drift.since)}."
    )


def accepted(ratio: float, since: float) -> str:
    """For ``osd show`` after a drift became the level."""
    return (
        f"Its cohort is compared with its past since {_at(since)}: a drift to {ratio:.2f} times "
        "had lasted so long that it became the level."
    )


def _why(told: Told) -> str:
    """What has changed, in words."""
    if told.changes:
        first = [f"{one.name} from {one.was} to {one.now}" for one in told.changes]
        more = len(first) - _NAMED_CHANGES
        words = ", ".join(first[:_NAMED_CHANGES]) + (f" and {more} more" if more > 0 else "")
        return f"changed meanwhile: {words}"
    if told.unknown_before is not None:
        return f"what changed before {_at(told.unknown_before)} is not known"
    return f"no change of setup was seen on {plural(told.osds, 'OSD')}; firmware is not looked at"


def _times(drift: Drift) -> str:
    return f"{max(drift.ratios.values()):.2f}"


def _ms(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:.2g} ms" if value < 10 else f"{value:.0f} ms"


def _at(at: float) -> str:
    return f"{datetime.fromtimestamp(at, timezone.utc):%Y-%m-%d %H:%M} UTC"
