"""An OSD's verdict, and the same in words and figures."""

from __future__ import annotations

import math
from typing import Optional, Protocol

from ....model.frame import NO_FIGURES, Mark
from ....model.phrases import plural
from ....model.verdict import CohortReport, OsdState, OsdVerdict
from .attribution import ACUTE, INTERMITTENT, SUSTAINED, Attribution, Cause
from .channel import ChannelState
from .cohort_channel import CohortChannel
from .thresholds import Thresholds
from .topology import Cohort, Topology
from .wording import clock, figures, times

WATCH = "watch"
# An OSD without a minute of data for so long is idle or unknown, whatever it was before.
_SILENT = 900.0
# So many of the last windows hit: not enough for a finding, enough to be named.
_SUSPICIOUS = 2


class Detected(Protocol):
    """What the detector knows after a frame."""

    settings: Thresholds
    layout: Optional[Topology]
    tracks: dict[str, ChannelState]
    now: float
    marks: dict[int, int]

    @property
    def judgement(self) -> Attribution:
        """Who is accused of what."""


def verdict(detector: Detected, osd: int) -> OsdVerdict:
    """What is thought of an OSD of the roster."""
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
    seen = _worst_now(detector, cohort, osd)
    if seen is None:
        return OsdVerdict(osd, OsdState.NO_DATA, risk=risk, max_ratio=most)
    track, excess, z = seen
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
        track.channel,
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
    """Risk and largest ratio, the worst channel's."""
    at = detector.layout.place[osd] if detector.layout else 0
    risk = max((track.risk[at] for track in detector.tracks.values()), default=0.0)
    most = [track.max_excess[at] for track in detector.tracks.values()]
    known = [own for own in most if not math.isnan(own)]
    return round(risk, 2), round(math.exp(max(known)), 3) if known else None


def _worst_now(
    detector: Detected, cohort: Cohort, osd: int
) -> Optional[tuple[ChannelState, float, float]]:
    """The channel in which it stands worst now, with excess and z; None for no data."""
    worst: Optional[tuple[ChannelState, float, float]] = None
    assert detector.layout is not None  # noqa: S101
    at = detector.layout.place[osd]
    for track in detector.tracks.values():
        lane = track.lanes[cohort.name]
        excess = track.now(osd)
        if excess is None or not detector.now - track.last_data[at] <= _SILENT:
            continue
        if lane.minutes < detector.settings.cold_minutes:
            continue
        z = excess / lane.minute_scale
        if worst is None or z > worst[2]:
            worst = (track, excess, z)
    return worst


def _suspicion(detector: Detected, cohort: Cohort, osd: int) -> str:
    """The rule that has seen something, though not enough."""
    for track in detector.tracks.values():
        lane = track.lanes[cohort.name]
        if osd in lane.watched:
            return WATCH
        for path, rule in ((ACUTE, lane.acute), (SUSTAINED, lane.sustained)):
            if bin(rule.recent.get(osd, 0)).count("1") >= _SUSPICIOUS:
                return path
        if osd in track.bursts[cohort.name].flags:
            return INTERMITTENT
    return ""


def report(detector: Detected, cohort: Cohort) -> CohortReport:
    """The cohort by the channel in which least can be seen."""
    judged = sum(_worst_now(detector, cohort, member.osd) is not None for member in cohort.members)
    known = [
        (ratio, track.channel)
        for track in detector.tracks.values()
        if (ratio := track.lanes[cohort.name].detectable()) is not None
    ]
    ratio, channel = max(known) if known else (None, None)
    return CohortReport(
        cohort.name, cohort.size, judged, channel, round(ratio, 3) if ratio else None
    )


def explain(detector: Detected, osd: int) -> list[str]:
    """Sentences; the first one is the verdict."""
    if detector.layout is None or osd not in detector.layout.place:
        return [f"osd.{osd} is not watched."]
    cohort = _cohort_of(detector, osd)
    member = cohort.members[cohort.place[osd]]
    found = verdict(detector, osd)
    said = [_verdict_sentence(detector, cohort, found, member.name)]
    for track in detector.tracks.values():
        said += _channel_sentences(detector, track, cohort, osd)
    marks = _mark_sentence(detector, osd)
    return said + ([marks] if marks else [])


def _verdict_sentence(detector: Detected, cohort: Cohort, found: OsdVerdict, name: str) -> str:
    if found.state is OsdState.NO_DATA:
        return _no_data_sentence(detector, cohort, name)
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


def _no_data_sentence(detector: Detected, cohort: Cohort, name: str) -> str:
    lanes = [track.lanes[cohort.name] for track in detector.tracks.values()]
    if cohort.size < 2:
        return f"{name} has no peers in its cohort {cohort.name}: nothing to compare it with."
    if not any(lane.minutes >= detector.settings.cold_minutes for lane in lanes):
        least = detector.settings.cold_minutes
        return f"{name} cannot be judged yet: its cohort has under {least} minutes with data."
    return (
        f"{name} cannot be judged: it had fewer than {detector.settings.min_ops:g} operations in "
        "each of the last minutes."
    )


def _channel_sentences(
    detector: Detected, track: ChannelState, cohort: Cohort, osd: int
) -> list[str]:
    lane = track.lanes[cohort.name]
    at = lane.cohort.place[osd]
    excess = track.now(osd)
    if excess is None or at >= len(lane.excess):
        return [f"{track.channel}: no data in the last minutes."]
    parts = [
        f"{track.channel}: {times(excess)} times its {plural(cohort.size - 1, 'peer')} in the "
        f"last minute (robust z {excess / lane.minute_scale:.1f})"
        if lane.minute_scale == lane.minute_scale
        else f"{track.channel}: {times(excess)} times its peers in the last minute"
    ]
    if track.floor:
        parts.append(f"with {1000 * track.floor:g} ms added to all of them")
    if abs(lane.load[at]) >= 0.01:
        parts.append(f"after a factor of {times(lane.load[at])} explained by its load")
    said = [", ".join(parts) + "."]
    said += _rule_sentences(detector, track, lane, osd)
    ratio = lane.detectable()
    if ratio is not None:
        said.append(
            f"{track.channel}: a lasting slowdown under {ratio:.2f} times is not seen here."
        )
    return said


def _rule_sentences(
    detector: Detected, track: ChannelState, lane: CohortChannel, osd: int
) -> list[str]:
    said = []
    for path, flags in ((ACUTE, lane.acute.flags), (SUSTAINED, lane.sustained.flags)):
        flag = flags.get(osd)
        if flag:
            said.append(
                f"{track.channel}: {path} since {clock(flag.since, detector.now)}, "
                f"{times(flag.facts.excess)} times its peers (at worst {times(flag.worst)}), "
                f"robust z {flag.facts.z:.1f}, in {flag.share:.0%} of the time."
            )
    found = track.bursts[lane.cohort.name].episodes.get(osd)
    if found:
        said.append(
            f"{track.channel}: {found.count} bursts in the last 24 h, at worst "
            f"{times(found.worst)} times its peers."
        )
    if osd in lane.watched:
        said.append(f"{track.channel}: {times(lane.watched[osd])} times its peers over 24 h.")
    return said


def _mark_sentence(detector: Detected, osd: int) -> str:
    marks = detector.marks.get(osd, 0)
    words = [mark.name.lower() for mark in Mark if mark & marks and mark.name]
    if not words:
        return ""
    if marks & NO_FIGURES:
        return f"It is {', '.join(words)}: what it shows meanwhile does not count."
    return f"It is {', '.join(words)}: no reference for its peers, and judged more strictly."
