"""Say what an OSD's counters tell: its transactions and reads, and what is far above its peers."""

from __future__ import annotations

from typing import Optional

from ...model.breakdown import Breakdown, Figure
from ...model.said import say
from ...model.statistics import median
from . import counters
from .wording import against, from_ms, parts, ratio, since

# An OSD's figure stands out from this ratio to the other OSDs' median, and this many ms on.
STANDS_OUT_RATIO = 2.0
STANDS_OUT_MS = 1.0
# Fewer operations have no meaningful mean.
_FEWEST = 10
# A write waits for its replicas, so its latency blames the wrong OSD; deferred writes are collected
# for as long as there is room for them, and nobody waits for that.
_NOT_COMPARED = (
    counters.CLIENT_WRITE,
    counters.DEFERRED_QUEUE,
    counters.DEFERRED_CLEANUP,
    *counters.THROTTLES,
)
_MOST_FIGURES = 3


def commit(found: Breakdown) -> str:
    """How long a transaction takes, and what of it."""
    figure = figure_of(found, counters.TRANSACTION)
    if figure is None or not found.commit:
        return ""
    return say(
        "why-commit",
        "A transaction of its object store takes {time} to commit{against}: {split:all}{since}.",
        time=from_ms(figure.ms),
        against=against(figure),
        split=parts(found.commit),
        since=since(found),
    )


def read(found: Breakdown) -> str:
    """How long a read takes, and what of it."""
    figure = figure_of(found, counters.READ)
    if figure is None or not found.read:
        return ""
    return say(
        "why-read",
        "A read of its object store takes {time}{against}: {split:all}{since}.",
        time=from_ms(figure.ms),
        against=against(figure),
        split=parts(found.read),
        since=since(found),
    )


def outstanding(found: Breakdown) -> str:
    """The figures that are far above those of the other OSDs, the worst first."""
    worst: list[tuple[float, Figure]] = []
    for figure in found.figures:
        times = ratio_of(found, figure)
        if figure.name in _NOT_COMPARED or times is None or figure.operations < _FEWEST:
            continue
        if times >= STANDS_OUT_RATIO and figure.ms >= STANDS_OUT_MS:
            worst.append((times, figure))
    worst.sort(key=lambda one: (-one[0], one[1].name))
    if not worst:
        return ""
    named = [
        say(
            "why-figure",
            "{what} {time}, {times}",
            what=figure.words,
            time=from_ms(figure.ms),
            times=ratio(times),
        )
        for times, figure in worst[:_MOST_FIGURES]
    ]
    return say("why-stand-out", "Against its peers stand out: {figures:clauses}.", figures=named)


def throttles(found: Breakdown) -> str:
    """How often it was throttled, and by what."""
    times = [
        say(
            "why-throttle",
            "{count|time|times} {time} each in a {what}",
            count=figure.operations,
            time=from_ms(figure.ms),
            what=figure.words,
        )
        for figure in found.figures
        if figure.name in counters.THROTTLES and figure.ms >= STANDS_OUT_MS
    ]
    if not times:
        return ""
    return say(
        "why-throttled",
        "It was throttled: {throttles:all}{since}.",
        throttles=times,
        since=since(found),
    )


def ratio_of(found: Breakdown, figure: Figure) -> Optional[float]:
    """A figure over the median of the peers'; None without one. Suspects do not count."""
    peers = {peer.osd for peer in found.peers if peer.role == "peer"}
    theirs = [ms for osd, ms in figure.peers.items() if osd in peers]
    usual = median(theirs) if theirs else 0.0
    return figure.ms / usual if usual > 0 else None


def figure_of(found: Breakdown, name: str) -> Optional[Figure]:
    """The figure of a counter."""
    return next((figure for figure in found.figures if figure.name == name), None)
