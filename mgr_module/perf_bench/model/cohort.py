"""A cohort's OSDs together over time, its setup, and OSDs against the band of their peers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

from .frame import COMMIT, JUDGED, QUEUE, READ, Watched
from .history import LOAD
from .statistics import median

# The channels whose latencies a span has, in the order of ``CohortSpan.latency``.
SPAN_CHANNELS = JUDGED
# What its load is told by, in the order of ``CohortSpan.load``: operations, and bytes (LOAD).
SPAN_LOADS = (COMMIT, READ, QUEUE, LOAD)
# A cohort of fewer OSDs has no typical one.
LEAST_OSDS = 3
# Of a larger cohort so many OSDs are read, evenly chosen: their median is that of all within 0.3 %
# where OSDs differ by 6 %.
SAMPLED_OSDS = 1000
# Ceph's release in a cohort's name (watch/collect/collector.py), before the CRUSH roots.
_RELEASE = re.compile(r" ceph-\d+(?= |$)")


class CohortSpan(NamedTuple):
    """The typical OSD of a cohort over one span; None for what is not known.

    ``latency`` has by channel the median of the OSDs' means, in seconds. ``load`` is that of the
    median OSD, per second. ``start`` is unix seconds.
    """

    start: int
    latency: tuple[Optional[float], ...]
    load: tuple[Optional[float], ...]


def cohort_over_time(member: Watched) -> str:
    """The OSD's cohort without Ceph's release: with it an upgrade would begin another past."""
    return without_release(member.cohort)


def without_release(cohort: str) -> str:
    """The name of a cohort without Ceph's release."""
    return _RELEASE.sub("", cohort, count=1)


# --- What may explain that a whole cohort became slower: its setup, and the changes of it ---


# Smaller changes of the number of OSDs and of the fill are none: those of the comparison of rounds
# (bench/compare/comparable.py).
_MIX_SHARE = 0.05
_FILL_POINTS = 10.0


@dataclass(frozen=True)
class SetupChange:
    """``name`` was ``was`` and is ``now``, seen at ``at`` (unix seconds)."""

    at: float
    name: str
    was: str
    now: str


@dataclass(frozen=True)
class CohortSetup:
    """The setup of a cohort's OSDs. ``words`` has by name what is compared as text.

    An unknown value is None or not in ``words``, and no change.
    """

    osds: int
    fill_percent: Optional[float] = None
    words: Mapping[str, str] = field(default_factory=dict)


def changes(was: CohortSetup, now: CohortSetup, at: float) -> Iterator[SetupChange]:
    """What differs beyond the tolerances."""
    for name in sorted(was.words.keys() & now.words.keys()):
        if was.words[name] != now.words[name]:
            yield SetupChange(at, name, was.words[name], now.words[name])
    if abs(now.osds - was.osds) >= _MIX_SHARE * max(1, now.osds, was.osds):
        yield SetupChange(at, "OSDs", str(was.osds), str(now.osds))
    fill = was.fill_percent, now.fill_percent
    if fill[0] is not None and fill[1] is not None and abs(fill[1] - fill[0]) >= _FILL_POINTS:
        yield SetupChange(at, "fill", f"{fill[0]:.0f} %", f"{fill[1]:.0f} %")


def remembered(was: CohortSetup, now: CohortSetup) -> CohortSetup:
    """The setup to compare with next: values within the tolerance stay as they were.

    So slow changes, as of the fill, are told when they have added up.
    """
    told = {change.name for change in changes(was, now, 0.0)}
    keeps = "fill" not in told and was.fill_percent is not None
    return CohortSetup(
        now.osds if "OSDs" in told else was.osds,
        was.fill_percent if keeps else now.fill_percent,
        {**was.words, **now.words},
    )


# --- OSDs over time against the band of their peers ---


# So many peers are read at most: their percentiles are those of all within a few percent.
SAMPLED_PEERS = 128


class Compared(NamedTuple):
    """OSDs, those that they are compared with, and in which channel."""

    own: Collection[int]
    peers: Collection[int]
    channel: str


class BandPoint(NamedTuple):
    """One span. ``own`` is the median of the OSDs in question, the others are of their peers.

    ``low`` and ``high`` are the 10th and 90th percentile. Latencies in seconds, None for no data;
    ``start`` in unix seconds.
    """

    start: float
    seconds: int
    own: Optional[float]
    low: Optional[float]
    median: Optional[float]
    high: Optional[float]


def band_point(
    start: float, seconds: int, values: Mapping[int, float], of: Compared
) -> Optional[BandPoint]:
    """The point of these means by OSD; None without any data."""
    mine = [values[osd] for osd in of.own if osd in values]
    others = sorted(values[osd] for osd in of.peers if osd in values)
    if not mine and not others:
        return None
    middle = median(mine) if mine else None
    if not others:
        return BandPoint(start, seconds, middle, None, None, None)
    low, high = (others[max(0, math.ceil(q * len(others)) - 1)] for q in (0.1, 0.9))
    return BandPoint(start, seconds, middle, low, median(others), high)
