"""Explains the verdict on an OSD in sentences."""

from __future__ import annotations

import math

from ....model.frame import NO_FIGURES, Mark
from ....model.said import Said, say
from ....model.verdict import OsdState, OsdVerdict
from .attribution import ACUTE, INTERMITTENT, SHARE, SMALL, SUSTAINED
from .channel import ChannelState
from .cohort_channel import CohortChannel
from .no_data import reason_now
from .topology import Cohort
from .verdicts import WATCH, Detected, cohort_of, verdict

_RULES = {
    ACUTE: say("rule-acute", "acute"),
    SUSTAINED: say("rule-sustained", "sustained"),
    SMALL: say("rule-small-cohort", "small-cohort"),
    SHARE: say("rule-share", "share"),
    INTERMITTENT: say("rule-intermittent", "intermittent"),
    WATCH: say("rule-watch", "watch"),
}
_UNITS = {
    "device": say("its-device", "device"),
    "host": say("its-host", "host"),
    "enclosure": say("its-enclosure", "enclosure"),
    "rack": say("its-rack", "rack"),
    "cohort": say("its-cohort", "cohort"),
}
_MARKS = {
    Mark.DOWN: say("mark-down", "down"),
    Mark.RESTARTED: say("mark-restarted", "restarted"),
    Mark.NEW: say("mark-new", "new"),
    Mark.RECOVERING: say("mark-recovering", "recovering"),
    Mark.SCRUBBING: say("mark-scrubbing", "scrubbing"),
    Mark.REWEIGHTED: say("mark-reweighted", "reweighted"),
    Mark.BENCHED: say("mark-benched", "benched"),
    Mark.DISTURBED: say("mark-disturbed", "disturbed"),
    Mark.STALE: say("mark-stale", "stale"),
}


def explain(detector: Detected, osd: int) -> list[Said]:
    """Return sentences on an OSD; the first one is the verdict."""
    if detector.layout is None or osd not in detector.layout.place:
        return [say("osd-not-watched", "osd.{osd} is not watched.", osd=osd)]
    cohort = cohort_of(detector, osd)
    found = verdict(detector, osd)
    sentences = [_verdict_sentence(detector, cohort, found)]
    for channel_state in detector.channel_states.values():
        sentences += _channel_sentences(channel_state, cohort, osd)
    return [*sentences, *_mark_sentences(detector, osd)]


def _verdict_sentence(detector: Detected, cohort: Cohort, found: OsdVerdict) -> Said:
    osd, since = found.osd, _since(found)
    if found.state is OsdState.NO_DATA:
        return _no_data_sentence(detector, cohort, osd)
    if found.state is OsdState.OK:
        return say(
            "osd-as-fast", "osd.{osd} is as fast as its peers, as far as can be seen.", osd=osd
        )
    if found.state is OsdState.SLOW:
        return say(
            "osd-slow-by",
            "osd.{osd} is slow{since}, by the {rule} rule.",
            osd=osd,
            since=since,
            rule=_RULES.get(found.path, found.path),
        )
    if found.path in _UNITS:
        return say(
            "osd-slow-with",
            "osd.{osd} is slow together with its {unit}{since}; the cause is there.",
            osd=osd,
            unit=_UNITS[found.path],
            since=since,
        )
    return say(
        "osd-suspect",
        "osd.{osd} is suspect: the {rule} rule has seen something, not enough to call it slow.",
        osd=osd,
        rule=_RULES.get(found.path, found.path),
    )


def _since(found: OsdVerdict) -> str:
    return "" if found.since is None else say("osd-since", " since {since:time}", since=found.since)


def _no_data_sentence(detector: Detected, cohort: Cohort, osd: int) -> Said:
    why = reason_now(detector, cohort, osd)
    if why.help:
        return say(
            "osd-cannot-judge-help",
            "osd.{osd} cannot be judged: {why} ({help}).",
            osd=osd,
            why=why.why,
            help=why.help,
        )
    return say("osd-cannot-judge", "osd.{osd} cannot be judged: {why}.", osd=osd, why=why.why)


def _channel_sentences(channel_state: ChannelState, cohort: Cohort, osd: int) -> list[Said]:
    name = channel_state.channel
    cohort_channel = channel_state.cohort_channels[cohort.name]
    at = cohort_channel.cohort.place[osd]
    excess = channel_state.now(osd)
    if excess is None or at >= len(cohort_channel.excess):
        return [
            say("channel-no-data", "{channel:channel}: no data in the last minutes.", channel=name),
        ]
    parts = [_now(cohort_channel, cohort.size - 1, excess)]
    if channel_state.floor:
        floor = 1000 * channel_state.floor
        parts.append(say("channel-floor", "with {floor} ms added to all of them", floor=floor))
    if abs(cohort_channel.load[at]) >= 0.01:
        parts.append(
            say(
                "channel-load",
                "after a factor of {ratio:times} explained by its load",
                ratio=math.exp(cohort_channel.load[at]),
            )
        )
    sentences = [say("channel-now", "{channel:channel}: {parts:all}.", channel=name, parts=parts)]
    sentences += _rule_sentences(channel_state, cohort_channel, osd)
    ratio = cohort_channel.detectable()
    if ratio is not None:
        sentences.append(
            say(
                "channel-unseen",
                "{channel:channel}: a lasting slowdown under {ratio:.2f} times is not seen here.",
                channel=name,
                ratio=ratio,
            )
        )
    return sentences


def _now(cohort_channel: CohortChannel, peers: int, excess: float) -> Said:
    ratio = math.exp(excess)
    if math.isnan(cohort_channel.minute_scale):
        return say("channel-ratio", "{ratio:times} times its peers in the last minute", ratio=ratio)
    return say(
        "channel-ratio-z",
        "{ratio:times} times its {peers|peer|peers} in the last minute (robust z {z:.1f})",
        ratio=ratio,
        peers=peers,
        z=excess / cohort_channel.minute_scale,
    )


def _rule_sentences(
    channel_state: ChannelState, cohort_channel: CohortChannel, osd: int
) -> list[Said]:
    sentences = []
    name = channel_state.channel
    for path, flags in (
        (ACUTE, cohort_channel.acute.flags),
        (SUSTAINED, cohort_channel.sustained.flags),
    ):
        flag = flags.get(osd)
        if flag:
            sentences.append(
                say(
                    "channel-rule",
                    "{channel:channel}: {rule} since {since:time}, {ratio:times} times its peers "
                    "(at worst {worst:times}), robust z {z:.1f}, in {percent:.0f} % of the time.",
                    channel=name,
                    rule=_RULES[path],
                    since=flag.since,
                    ratio=math.exp(flag.facts.excess),
                    worst=math.exp(flag.worst),
                    z=flag.facts.z,
                    percent=100 * flag.share,
                )
            )
    found = channel_state.bursts[cohort_channel.cohort.name].episodes.get(osd)
    if found:
        sentences.append(
            say(
                "channel-bursts",
                "{channel:channel}: {bursts|burst|bursts} in the last 24 h, at worst "
                "{worst:times} times its peers.",
                channel=name,
                bursts=found.count,
                worst=math.exp(found.worst),
            )
        )
    if osd in cohort_channel.watched:
        sentences.append(
            say(
                "channel-day",
                "{channel:channel}: {ratio:times} times its peers over 24 h.",
                channel=name,
                ratio=math.exp(cohort_channel.watched[osd]),
            )
        )
    return sentences


def _mark_sentences(detector: Detected, osd: int) -> list[Said]:
    marks = detector.marks.get(osd, 0)
    words = [word for mark, word in _MARKS.items() if mark & marks]
    if not words:
        return []
    if marks & NO_FIGURES:
        return [
            say(
                "marks-no-figures",
                "It is {marks:all}: what it shows meanwhile does not count.",
                marks=words,
            )
        ]
    return [
        say(
            "marks-stricter",
            "It is {marks:all}: no reference for its peers, and judged more strictly.",
            marks=words,
        )
    ]
