"""The cluster over time: makes spans from frames, stores five minutes and hours of it.

A span is made once, when its minutes end: to read it from the series of 10,000 OSDs would take
seconds for a day.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, Optional

from ..model.finding import JUDGED, Frame, Mark, Roster
from ..model.history import (
    ALL_OSDS,
    FIVE_MINUTES,
    HOUR,
    LOAD,
    MINUTE,
    MOST_APART,
    MOST_EVENTS,
    ClusterSpan,
    SpanRow,
    Work,
    mean_work,
    merged,
    ranges,
    short,
)
from ..model.json_fields import decode, from_json
from . import spans
from .encoding import Block, PeerHistogram, SpanTotals, widen
from .rows import dump

# Minutes are kept in memory for three hours, which operators look at first.
MINUTES = 180
_SHARES = (0.5, 0.95, 0.99)
# Codes of ``shrink`` from here on are infinite, no data, or negative.
_NO_FIGURE = 0x7F80
# An OSD stands out from so many times its peers' latency in so many frames (of 20) on. Where frames
# scatter by a factor of 1.5, as those of few operations do, chance alone makes 0.3 % of OSDs do so.
_RULES = ((3.0, 2), (2.0, 5), (1.5, 10))
# Twice the peers' 0.1 ms is no event (seconds), and fewer operations are chance.
_LEAST_PEAK, _LEAST_OPS = 0.0005, 100
_RESTARTED, _DOWN = int(Mark.RESTARTED), int(Mark.DOWN)
_START = attrgetter("start")


class Five(NamedTuple):
    """Five minutes, or a part of them: other OSDs, or a clock that was set; sums by channel."""

    start: int
    since: int
    osds: array[int]
    sums: Mapping[str, SpanTotals]
    standing: Mapping[str, PeerHistogram]


class ClusterSpanBuilder:
    """Makes a span of each minute, kept for three hours, and a row of each five minutes.

    ``minutes`` is thread-safe.
    """

    def __init__(self) -> None:
        self._minutes: deque[ClusterSpan] = deque(maxlen=MINUTES)
        # Those of the five minutes that have not ended.
        self._parts: list[ClusterSpan] = []
        self._roster: Optional[Roster] = None
        self._groups: Mapping[str, Sequence[int]] = {}
        # Marks that OSDs had in the newest frame; None before the first one.
        self._marked: Optional[Mapping[int, frozenset[int]]] = None
        # Of the minute that has not ended: OSDs that got a mark and when, and samples of work.
        self._events: dict[int, list[tuple[int, int]]] = {_RESTARTED: [], _DOWN: []}
        self._work: list[Work] = []

    def note(self, work: Work) -> None:
        """Add a sample of what clients and recovery do, in the order of WORK."""
        self._work.append(work)

    def frame(self, frame: Frame) -> None:
        """Take note of OSDs that restarted or went down."""
        osds = [member.osd for member in frame.roster.members]
        marked = {
            bit: frozenset([osds[i] for i, mark in enumerate(frame.marks) if mark & bit])
            for bit in self._events
        }
        if self._marked is not None:
            at = math.floor(frame.start)
            for bit, found in self._events.items():
                found += [(osd, at) for osd in sorted(marked[bit] - self._marked[bit])]
        self._marked = marked

    def minute(self, start: int, block: Block, roster: Roster) -> None:
        """End a minute, or the part of one since the OSDs changed."""
        if roster is not self._roster:
            self._roster = roster
            self._groups = _groups(roster)
        means = {channel: one.mean for channel, one in block.channels.items()}
        restarted, went_down = self._events[_RESTARTED], self._events[_DOWN]
        span = ClusterSpan(
            start,
            MINUTE,
            len(block.osds) - len(_silent(block.osds, means)),
            _latency(self._groups, means),
            mean_work(self._work),
            restarted=tuple(restarted[:MOST_EVENTS]),
            went_down=tuple(went_down[:MOST_EVENTS]),
            more_restarted=max(0, len(restarted) - MOST_EVENTS),
            more_went_down=max(0, len(went_down) - MOST_EVENTS),
        )
        self._events, self._work = {bit: [] for bit in self._events}, []
        self._minutes.append(span)
        self._parts.append(span)

    def five(self, of: Five) -> SpanRow:
        """End five minutes; work and events are those of its minutes."""
        osds = of.osds
        means = {channel: one.means() for channel, one in of.sums.items()}
        apart = _apart(of)
        silent = _silent(osds, means)
        span = replace(
            merged(of.start, FIVE_MINUTES, self._parts),
            osds=len(osds) - len(silent),
            latency=_latency(self._groups, means),
            apart=tuple(apart[:MOST_APART]),
            more_apart=max(0, len(apart) - MOST_APART),
            silent=tuple(silent[:MOST_APART]),
            more_silent=max(0, len(silent) - MOST_APART),
            watched=ranges((osd, osd) for osd in osds),
            known=None,
        )
        self._parts = []
        return CLUSTER.row(FIVE_MINUTES, 0, of.start, of.since, span)

    def minutes(self, begin: float, end: float) -> list[ClusterSpan]:
        """Return the complete minutes in memory that start in ``begin`` … ``end``, in order.

        The parts of one, of other OSDs or of a clock that was set back, are merged.
        """
        found = [one for one in tuple(self._minutes) if begin <= one.start < end]
        by_start = groupby(sorted(found, key=_START), key=_START)
        return [merged(start, MINUTE, list(parts)) for start, parts in by_start]


def _groups(roster: Roster) -> dict[str, list[int]]:
    """Return the positions of all OSDs, and by device class if there are several."""
    by_class: dict[str, list[int]] = {}
    for place, member in enumerate(roster.members):
        by_class.setdefault(member.cohort.split(" ")[0], []).append(place)
    everything = {ALL_OSDS: list(range(len(roster.members)))}
    return {**everything, **by_class} if len(by_class) > 1 else everything


def _silent(osds: Sequence[int], means: Mapping[str, array[int]]) -> list[int]:
    """Return the OSDs without a latency in any channel."""
    # Pairs of place and OSD would make the garbage collector run: 80 ms at 25,000 OSDs.
    left: Sequence[int] = range(len(osds))
    for name, codes in means.items():
        if name != LOAD:
            left = [place for place in left if codes[place] >= _NO_FIGURE]
    return [osds[place] for place in left]


def _latency(
    groups: Mapping[str, Sequence[int]], means: Mapping[str, array[int]]
) -> tuple[tuple[str, str, int, float, float, float], ...]:
    found = []
    for channel, codes in means.items():
        if channel == LOAD:
            continue
        for group, places in groups.items():
            # Codes of positive numbers are in their order.
            known = sorted([code for code in map(codes.__getitem__, places) if code < _NO_FIGURE])
            if known:
                cuts = array("H", [known[math.ceil(q * len(known)) - 1] for q in _SHARES])
                median, high, highest = (short(value) for value in widen(cuts))
                found.append((group, channel, len(known), median, high, highest))
    return tuple(found)


def _apart(of: Five) -> list[tuple[int, int]]:
    """Return the OSDs that stand out in a channel by which OSDs are judged, worst first."""
    worst: dict[int, int] = {}
    for channel in JUDGED:
        if channel not in of.standing:
            continue
        one = of.sums[channel]
        for place, frames in of.standing[channel].slow(_RULES).items():
            enough = one.weight[place] >= _LEAST_OPS or place in one.ops_unknown
            if enough and one.peak[place] >= _LEAST_PEAK:
                osd = of.osds[place]
                worst[osd] = max(frames, worst.get(osd, 0))
    return sorted(worst.items(), key=lambda pair: (-pair[1], pair[0]))


# --- in the database --------------------------------------------------------------------------


def _load(data: Any, _key: int) -> ClusterSpan:
    return decode(ClusterSpan, from_json(data, "data"))


# Those of five minutes and of hours; of the whole cluster, so the key is 0.
CLUSTER: spans.Kind[ClusterSpan] = spans.Kind("cluster", (FIVE_MINUTES, HOUR), dump, _load, merged)
