"""Figures, stages and parts in the sentences about a breakdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from ...model.breakdown import STAGE_WORDS, Breakdown, Figure, Stage
from ...model.said import Said, say
from . import counters

MOST_STAGES = 4
LEAST_SHOWN = 0.01
# The parts of a transaction and of a read, after "50 %".
_PART_WORDS = {**counters.WORDS, "other": say("counter-other", "other work")}


def stages(shares: Mapping[str, float]) -> list[Said]:
    """The stages that take most of the time, each as "12 % queued"."""
    top = sorted(Stage, key=lambda stage: -shares[stage.value])[:MOST_STAGES]
    return [
        _share(shares[stage.value], STAGE_WORDS[stage])
        for stage in top
        if shares[stage.value] >= LEAST_SHOWN
    ]


def parts(shares: Mapping[str, float]) -> list[Said]:
    """The parts of a transaction or of a read, each as "50 % kv commit"."""
    top = sorted(shares.items(), key=lambda one: -one[1])
    return [_share(share, _PART_WORDS[name]) for name, share in top if share >= LEAST_SHOWN]


def _share(share: float, what: Said) -> Said:
    return say("why-share", "{percent:.0f} % {what}", percent=100 * share, what=what)


def against(figure: Figure) -> str:
    """The figures of the other OSDs, in brackets; empty without one."""
    theirs = [
        say("why-of-osd", "osd.{osd} {time}", osd=osd, time=from_ms(ms))
        for osd, ms in sorted(figure.peers.items())
    ]
    return say("why-against", " ({theirs:all})", theirs=theirs) if theirs else ""


def since(found: Breakdown) -> str:
    """What is added if the counters' figures are not of the time of asking."""
    return say("why-since-start", " (since its start)") if found.counter_seconds is None else ""


def ratio(value: float) -> Said:
    """A ratio as "x12"."""
    if value < 100:
        return say("why-times", "x{ratio:.2g}", ratio=value)
    return say("why-times-most", "more than x100")


def from_ms(value: float) -> Said:
    """A time in ms."""
    return say("why-ms", "{time:ms}", time=value / 1000)


def from_seconds(value: float) -> Said:
    """A time in seconds, in ms below one."""
    if value < 1:
        return from_ms(1000 * value)
    if value < 100:
        return say("why-seconds", "{seconds:.1f} s", seconds=value)
    return say("why-many-seconds", "{seconds:.0f} s", seconds=value)


def past(window: Optional[int]) -> str:
    """How far back the slowest operations go; empty if it is not known."""
    if not window:
        return ""
    minutes = round(window / 60)
    return say("why-window", " of the last {minutes|minute|minutes}", minutes=minutes)
