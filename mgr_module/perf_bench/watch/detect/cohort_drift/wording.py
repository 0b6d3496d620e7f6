"""The claims of drifts, and why cohorts are not judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

from ....model.cohort_setup import SetupChange
from ....model.finding import Claim, Severity, Target
from ....model.finding_kinds import COHORT_DRIFT
from ....model.said import Said, say
from .compare import HOURS, Comparison, Horizon, Shortage
from .drift import Drift

# A change is named with a drift that began up to so long after it: fragmentation and caches take
# their time, and the begin is known to the hour at best.
BEFORE_SECONDS = 2 * 86400.0


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
    message = say(
        "drift",
        "the OSDs of {cohort} take {ratio:.2f} times as long ({channel:channel}) as before at "
        "equal load ({now:ms} against {before:ms}) since {since:time}; {why}",
        cohort=told.cohort,
        ratio=_times(drift),
        channel=drift.channel,
        now=told.latency,
        before=told.before,
        since=drift.since,
        why=_why(told),
    )
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
    message = say(
        "drift-all",
        "the OSDs of all {count} cohorts are slower than before at equal load since {since:time}: "
        "{cohorts:list}; {why}",
        count=len(told),
        since=since,
        cohorts=[
            say("cohort-ratio", "{cohort} x{ratio:.2f}", cohort=one.cohort, ratio=_times(one.drift))
            for one in told
        ],
        why=_why(worst),
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
    need, have = short.need, short.have
    if short.code == "past" and horizon is HOURS:
        return say(
            "shortage-past-hours",
            "no judgement yet: needs {need} hours with data on {blocks} days before the newest two "
            "days, has {have}",
            need=need,
            blocks=horizon.blocks,
            have=have,
        )
    if short.code == "past":
        return say(
            "shortage-past-days",
            "no judgement yet: needs {need} days with data on {blocks} weeks before the newest "
            "four weeks, has {have}",
            need=need,
            blocks=horizon.blocks,
            have=have,
        )
    recent = round(horizon.recent / horizon.span)
    if short.code == "recent" and horizon is HOURS:
        return say(
            "shortage-recent-hours",
            "no judgement: of the newest {recent} hours {have} have data, and it needs {need}; "
            "hours with recovery do not count",
            recent=recent,
            have=have,
            need=need,
        )
    if short.code == "recent":
        return say(
            "shortage-recent-days",
            "no judgement: of the newest {recent} days {have} have data, and it needs {need}; "
            "days with recovery do not count",
            recent=recent,
            have=have,
            need=need,
        )
    if horizon is HOURS:
        return say(
            "shortage-load-hours",
            "no judgement: for {have} of the newest hours there is a past of like load, and it "
            "needs {need}",
            have=have,
            need=need,
        )
    return say(
        "shortage-load-days",
        "no judgement: for {have} of the newest days there is a past of like load, and it needs "
        "{need}",
        have=have,
        need=need,
    )


def sentence(told: Told) -> str:
    """For ``osd show`` of one of its OSDs."""
    drift = told.drift
    return say(
        "drift-of-osd",
        "All of its cohort takes {ratio:.2f} times as long ({channel:channel}) as before at equal "
        "load, since {since:time}.",
        ratio=_times(drift),
        channel=drift.channel,
        since=drift.since,
    )


def accepted(ratio: float, since: float) -> str:
    """For ``osd show`` after a drift became the level."""
    return say(
        "drift-accepted",
        "Its cohort is compared with its past since {since:time}: a drift to {ratio:.2f} times "
        "had lasted so long that it became the level.",
        since=since,
        ratio=ratio,
    )


def _why(told: Told) -> Said:
    """What has changed, in words."""
    if told.changes:
        changes = [
            say("from-to", "{name} from {was} to {now}", name=one.name, was=one.was, now=one.now)
            for one in told.changes
        ]
        return say("drift-changes", "changed meanwhile: {changes:list}", changes=changes)
    if told.unknown_before is not None:
        return say(
            "drift-setup-unknown",
            "what changed before {at:time} is not known",
            at=told.unknown_before,
        )
    return say(
        "drift-no-change",
        "no change of setup was seen on {osds|OSD|OSDs}; firmware is not looked at",
        osds=told.osds,
    )


def _times(drift: Drift) -> float:
    return max(drift.ratios.values())
