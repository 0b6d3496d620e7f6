"""The claims of drifts, and why cohorts are not judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from ....model.cohort import SetupChange
from ....model.finding import Claim, Severity, Target
from ....model.finding_kinds import COHORT_DRIFT
from ....model.phrases import listed, ms_text, plural, time_text
from .compare import LEAST_DAYS, RECENT_SECONDS, Comparison, Shortage
from .drift import Drift

# A change is named with a drift that began up to so long after it: fragmentation and caches take
# their time, and the begin is known to the hour at best.
BEFORE_SECONDS = 2 * 86400.0


class OpenDrift(NamedTuple):
    """An open drift of a cohort, with what its claim says."""

    cohort: str
    drift: Drift
    latency: float  # of the worst channel now, in seconds
    before: float  # at the same load
    outcome: Optional[Comparison]
    osds: int
    changes: Sequence[SetupChange]
    unknown_before: Optional[float]  # the setup before then (unix seconds) is not known


def claim(one: OpenDrift) -> Claim:
    """The claim of one cohort."""
    drift = one.drift
    message = (
        f"the OSDs of {one.cohort} take {drift.ratio:.2f} times as long ({drift.channel}) as "
        f"before at equal load ({ms_text(one.latency)} against {ms_text(one.before)}) since "
        f"{time_text(drift.since)}; {_why(one)}"
    )
    return Claim(
        COHORT_DRIFT.code,
        Severity.WARNING if drift.warning else Severity.INFO,
        Target("cohort", one.cohort),
        message,
        evidence(one),
        drift.since,
    )


def cluster_claim(drifts: Sequence[OpenDrift]) -> Claim:
    """One claim for all cohorts that are judged, which became slower within a day."""
    worst = max(drifts, key=lambda one: one.drift.ratio)
    since = min(one.drift.since for one in drifts)
    cohorts = listed([f"{one.cohort} x{one.drift.ratio:.2f}" for one in drifts])
    message = (
        f"the OSDs of all {len(drifts)} cohorts are slower than before at equal load since "
        f"{time_text(since)}: {cohorts}; {_why(worst)}"
    )
    warning = any(one.drift.warning for one in drifts)
    return Claim(
        COHORT_DRIFT.code,
        Severity.WARNING if warning else Severity.INFO,
        Target("cluster", "cluster"),
        message,
        {**evidence(worst), "since": since, "cohorts": [one.cohort for one in drifts]},
        since,
    )


def evidence(one: OpenDrift) -> Mapping[str, Any]:
    """The figures, JSON-ready."""
    drift, outcome = one.drift, one.outcome
    found: dict[str, Any] = {
        "cohort": one.cohort,
        "members": one.osds,
        "channel": drift.channel,
        "ratio": round(drift.ratio, 3),
        "ratios": {name: round(ratio, 3) for name, ratio in sorted(drift.ratios.items())},
        "latency_ms": round(one.latency * 1000, 3),
        "before_ms": round(one.before * 1000, 3),
        "since": drift.since,
        "changes": [change._asdict() for change in one.changes],
        "setup_known_since": one.unknown_before,
    }
    if outcome is not None:
        found.update(judged=outcome.judged, past=outcome.past)
        if outcome.noise is not None:
            found["usual_ratio"] = round(math.exp(outcome.noise), 3)
    return found


def shortage(short: Shortage) -> str:
    """Why a cohort has no judgement, for a gap."""
    if short.code == "past":
        return (
            f"no judgement yet: needs {short.need} hours with data on {LEAST_DAYS} days before the "
            f"newest two days, has {short.have}"
        )
    if short.code == "recent":
        return (
            f"no judgement: of the newest {RECENT_SECONDS / 3600:.0f} hours {short.have} have "
            f"data, and it needs {short.need}; hours with recovery do not count"
        )
    return (
        f"no judgement: for {short.have} of the newest hours there is a past of like load, and it "
        f"needs {short.need}"
    )


def sentence(one: OpenDrift) -> str:
    """For ``osd show`` of one of its OSDs."""
    drift = one.drift
    return (
        f"All of its cohort takes {drift.ratio:.2f} times as long ({drift.channel}) as before at "
        f"equal load, since {time_text(drift.since)}."
    )


def accepted(ratio: float, since: float) -> str:
    """For ``osd show`` after a drift became the level."""
    return (
        f"Its cohort is compared with its past since {time_text(since)}: a drift to {ratio:.2f} "
        "times had lasted so long that it became the level."
    )


def _why(one: OpenDrift) -> str:
    """What has changed, in words."""
    if one.changes:
        changes = [f"{change.name} from {change.was} to {change.now}" for change in one.changes]
        return f"changed meanwhile: {listed(changes)}"
    if one.unknown_before is not None:
        return f"what changed before {time_text(one.unknown_before)} is not known"
    osds = plural(one.osds, "OSD")
    return f"no change of setup was seen on {osds}; firmware is not looked at"
