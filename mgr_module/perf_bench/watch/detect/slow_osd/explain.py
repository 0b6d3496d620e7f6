"""Makes the verdict on an OSD, and explains it in sentences."""

from __future__ import annotations

import math
from typing import Optional, Protocol

from ....model.frame import NO_FIGURES, Mark
from ....model.phrases import plural
from ....model.verdict import CohortReport, OsdState, OsdVerdict
from .attribution import ACUTE, INTERMITTENT, SUSTAINED, Attribution, Cause
from .channel import ChannelState
from .cohort_channel import CohortChannel
from .reasons import no_data_reason
from .thresholds import Thresholds
from .topology import Cohort, Topology
from .wording import clock, figures, times

WATCH = "watch"
# Seconds without a minute of data after which an OSD has no verdict.
_SILENT = 900.0
# Number of hits in the last windows that make an OSD suspect, although not slow.
_SUSPICIOUS = 2


class Detected(Protocol):
    """The part of SlowDetector that verdicts need."""

    settings: Thresholds
    layout: Optional[Topology]
    channel_states: dict[str, ChannelState]
    now: float
    marks: dict[int, int]

    @property
    def judgement(self) -> Attribution:
        """The causes behind all current flags."""


def verdict(detector: Detected, osd: int) -> OsdVerdict:
    """Return the verdict on an OSD of the roster."""
    cohort = _cohort_of(detector, osd)
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


def _cohort_of(detector: Detected, osd: int) -> Cohort:
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
    for channel_state in detector.channel_states.values():
        cohort_channel = channel_state.cohort_channels[cohort.name]
        excess = channel_state.now(osd)
        if excess is None or not detector.now - channel_state.last_data[at] <= _SILENT:
            continue
        if cohort_channel.minutes < detector.settings.cold_minutes:
            continue
        z = excess / cohort_channel.minute_scale
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


def explain(detector: Detected, osd: int) -> list[str]:
    """Return sentences on an OSD; the first one is the verdict."""
    if detector.layout is None or osd not in detector.layout.place:
        return [f"osd.{osd} is not watched."]
    cohort = _cohort_of(detector, osd)
    member = cohort.members[cohort.place[osd]]
    found = verdict(detector, osd)
    sentences = [_verdict_sentence(detector, cohort, found, member.name)]
    for channel_state in detector.channel_states.values():
        sentences += _channel_sentences(detector, channel_state, cohort, osd)
    marks = _mark_sentence(detector, osd)
    return sentences + ([marks] if marks else [])


def _verdict_sentence(detector: Detected, cohort: Cohort, found: OsdVerdict, name: str) -> str:
    if found.state is OsdState.NO_DATA:
        return _no_data_sentence(detector, cohort, found, name)
    if found.state is OsdState.OK:
        return f"{name} is as fast as its peers, as far as can be seen."
    since = "" if found.since is None else f" since {clock(found.since, detector.now)}"
    if found.state is OsdState.SLOW:
        return f"{name} is slow{since}, by the {found.path} rule."
    if found.path in {"device", "host", "enclosure", "rack", "cohort"}:
        return f"{name} is slow together with its {found.path}{since}; the cause is there."
    return (
        f"{name} is suspect: the {found.path} rule has seen something, not enough to call it slow."
    )


def _no_data_sentence(detector: Detected, cohort: Cohort, found: OsdVerdict, name: str) -> str:
    marks = detector.marks.get(found.osd, 0)
    why = no_data_reason(detector.settings, detector.channel_states, cohort, marks)
    helps = f" ({why.help})" if why.help else ""
    return f"{name} cannot be judged: {why.why}{helps}."


def _channel_sentences(
    detector: Detected, channel_state: ChannelState, cohort: Cohort, osd: int
) -> list[str]:
    cohort_channel = channel_state.cohort_channels[cohort.name]
    at = cohort_channel.cohort.place[osd]
    excess = channel_state.now(osd)
    if excess is None or at >= len(cohort_channel.excess):
        return [f"{channel_state.channel}: no data in the last minutes."]
    parts = [
        f"{channel_state.channel}: {times(excess)} times its {plural(cohort.size - 1, 'peer')} in "
        f"the last minute (robust z {excess / cohort_channel.minute_scale:.1f})"
        if cohort_channel.minute_scale == cohort_channel.minute_scale
        else f"{channel_state.channel}: {times(excess)} times its peers in the last minute"
    ]
    if channel_state.floor:
        parts.append(f"with {1000 * channel_state.floor:g} ms added to all of them")
    if abs(cohort_channel.load[at]) >= 0.01:
        parts.append(f"after a factor of {times(cohort_channel.load[at])} explained by its load")
    sentences = [", ".join(parts) + "."]
    sentences += _rule_sentences(detector, channel_state, cohort_channel, osd)
    ratio = cohort_channel.detectable()
    if ratio is not None:
        sentences.append(
            f"{channel_state.channel}: a lasting slowdown under {ratio:.2f} times is not seen here."
        )
    return sentences


def _rule_sentences(
    detector: Detected, channel_state: ChannelState, cohort_channel: CohortChannel, osd: int
) -> list[str]:
    sentences = []
    for path, flags in (
        (ACUTE, cohort_channel.acute.flags),
        (SUSTAINED, cohort_channel.sustained.flags),
    ):
        flag = flags.get(osd)
        if flag:
            sentences.append(
                f"{channel_state.channel}: {path} since {clock(flag.since, detector.now)}, "
                f"{times(flag.facts.excess)} times its peers (at worst {times(flag.worst)}), "
                f"robust z {flag.facts.z:.1f}, in {flag.share:.0%} of the time."
            )
    found = channel_state.bursts[cohort_channel.cohort.name].episodes.get(osd)
    if found:
        sentences.append(
            f"{channel_state.channel}: {found.count} bursts in the last 24 h, at worst "
            f"{times(found.worst)} times its peers."
        )
    if osd in cohort_channel.watched:
        sentences.append(
            f"{channel_state.channel}: {times(cohort_channel.watched[osd])} times its peers "
            "over 24 h."
        )
    return sentences


def _mark_sentence(detector: Detected, osd: int) -> str:
    marks = detector.marks.get(osd, 0)
    words = [mark.name.lower() for mark in Mark if mark & marks and mark.name]
    if not words:
        return ""
    if marks & NO_FIGURES:
        return f"It is {', '.join(words)}: what it shows meanwhile does not count."
    return f"It is {', '.join(words)}: no reference for its peers, and judged more strictly."
