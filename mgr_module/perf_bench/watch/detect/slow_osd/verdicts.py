"""Makes the verdict on an OSD."""

from __future__ import annotations

import math
from typing import Optional, Protocol

from ....model.verdict import CohortReport, OsdState, OsdVerdict
from .attribution import ACUTE, INTERMITTENT, SUSTAINED, Attribution, Cause
from .channel import ChannelState
from .thresholds import Thresholds
from .topology import Cohort, Topology
from .wording import figures

WATCH = "watch"
# Seconds without a minute of data after which an OSD has no verdict.
SILENT = 900.0
# Number of hits in the last windows that make an OSD suspect, although not slow.
_SUSPICIOUS = 2


class Detected(Protocol):
    """The part of SlowDetector that verdicts need."""

    settings: Thresholds
    layout: Optional[Topology]
    channel_states: dict[str, ChannelState]
    now: float
    marks: dict[int, int]
    quiet: bool

    @property
    def judgement(self) -> Attribution:
        """The causes behind all current flags."""


def verdict(detector: Detected, osd: int) -> OsdVerdict:
    """Return the verdict on an OSD of the roster."""
    cohort = cohort_of(detector, osd)
    judgement = detector.judgement
    risk, most = _history(detector, osd)
    cause = judgement.accused.get(osd)
    if cause is not None:
        ground = cause.worst
        return OsdVerdict(
            osd,
            OsdState.SLOW,
            round(ground.flag.facts.z, 2),
            round(math.exp(ground.flag.facts.excess), 3),
            risk,
            cause.since,
            ground.channel,
            ground.path,
            most,
            figures(ground),
        )
    seen = worst_now(detector, cohort, osd)
    if seen is None:
        return OsdVerdict(osd, OsdState.NO_DATA, risk=risk, max_ratio=most)
    channel_state, excess, z = seen
    path, since, evidence = "", None, {}
    wider = judgement.part_of.get(osd)
    if wider is not None:
        path, since, evidence = _kind(wider), wider.since, figures(wider.worst)
    else:
        path = _suspicion(detector, cohort, osd)
    state = OsdState.SUSPECT if path else OsdState.OK
    return OsdVerdict(
        osd,
        state,
        round(z, 2),
        round(math.exp(excess), 3),
        risk,
        since,
        channel_state.channel,
        path,
        most,
        evidence,
    )


def _kind(cause: Cause) -> str:
    return cause.unit.kind if cause.unit else "cohort"


def cohort_of(detector: Detected, osd: int) -> Cohort:
    """Return the cohort of an OSD of the roster."""
    layout = detector.layout
    assert layout is not None  # noqa: S101
    at = layout.place[osd]
    return next(cohort for cohort in layout.cohorts if cohort.start <= at < cohort.end)


def _history(detector: Detected, osd: int) -> tuple[float, Optional[float]]:
    """Return the risk and the largest ratio of the worst channel; the ratio can be None."""
    at = detector.layout.place[osd] if detector.layout else 0
    risk = max(
        (channel_state.risk[at] for channel_state in detector.channel_states.values()), default=0.0
    )
    most = [channel_state.max_excess[at] for channel_state in detector.channel_states.values()]
    known = [own for own in most if not math.isnan(own)]
    return round(risk, 2), round(math.exp(max(known)), 3) if known else None


def worst_now(
    detector: Detected, cohort: Cohort, osd: int
) -> Optional[tuple[ChannelState, float, float]]:
    """Return the channel with the largest z now, its excess and z; None for no data."""
    worst: Optional[tuple[ChannelState, float, float]] = None
    assert detector.layout is not None  # noqa: S101
    at = detector.layout.place[osd]
    if detector.quiet:
        return None
    for channel_state in detector.channel_states.values():
        cohort_channel = channel_state.cohort_channels[cohort.name]
        excess = channel_state.now(osd)
        if excess is None or not detector.now - channel_state.last_data[at] <= SILENT:
            continue
        scale = cohort_channel.minute_scale
        if cohort_channel.minutes < detector.settings.cold_minutes or math.isnan(scale):
            continue
        z = excess / scale
        if worst is None or z > worst[2]:
            worst = (channel_state, excess, z)
    return worst


def _suspicion(detector: Detected, cohort: Cohort, osd: int) -> str:
    """Return the rule with hits that are too few for a finding; empty if none has."""
    for channel_state in detector.channel_states.values():
        cohort_channel = channel_state.cohort_channels[cohort.name]
        if osd in cohort_channel.watched:
            return WATCH
        for path, rule in ((ACUTE, cohort_channel.acute), (SUSTAINED, cohort_channel.sustained)):
            if bin(rule.recent.get(osd, 0)).count("1") >= _SUSPICIOUS:
                return path
        if osd in channel_state.bursts[cohort.name].flags:
            return INTERMITTENT
    return ""


def report(detector: Detected, cohort: Cohort) -> CohortReport:
    """Return the report of a cohort, by the channel with the largest detectable ratio."""
    judged = sum(worst_now(detector, cohort, member.osd) is not None for member in cohort.members)
    known = [
        (ratio, channel_state.channel)
        for channel_state in detector.channel_states.values()
        if (ratio := channel_state.cohort_channels[cohort.name].detectable()) is not None
    ]
    ratio, channel = max(known) if known else (None, None)
    return CohortReport(
        cohort.name, cohort.size, judged, channel, round(ratio, 3) if ratio else None
    )
