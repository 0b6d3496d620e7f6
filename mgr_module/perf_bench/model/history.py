"""What the watch stores: series of OSDs, cohorts and the cluster, and the batch of one write."""

from __future__ import annotations

import math
import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Optional, Union

from .finding import COMMIT, JUDGED, QUEUE, READ, Finding
from .statistics import median
from .verdict import Episode

# A series besides the latencies: bytes/s.
LOAD = "load"

# OSD IDs per row: one OSD's day at 5 min is 288 rows of about 3 KiB, 10,000 OSDs are 157 rows
# every 5 min.
CHUNK = 64

MINUTE = 60
FIVE_MINUTES = 300
HOUR = 3600
DAY = 86400

# Seconds that rows are kept, by level. Five minutes: two days, to examine a weekend's events. An
# hour: a month, in which a device's wear becomes visible. A day: a year and a month, to compare
# with the same season. In all 70 kB for each OSD, 0.7 GB for 10,000 OSDs.
KEPT_SECONDS: Mapping[int, float] = {
    FIVE_MINUTES: 2.0 * DAY,
    HOUR: 30.0 * DAY,
    DAY: 400.0 * DAY,
}

# Frames are counted by the ratio of their latency to the median of the OSD's cohort in the same
# frame. The ratio to the peers is used, and not to the OSD's own past, because load, scrubs and the
# time of day affect all peers alike. The sustained rule begins at 1.2, the acute and the
# intermittent one at 2; a burst of 30 s is two frames in one of the last bins.
RATIO_EDGES = (1.2, 1.5, 2.0, 3.0, 5.0, 10.0)
# Frames from this ratio on are counted as slow in an OSD's series; one of the edges.
SLOW_FRAME_RATIO = 2.0
# The bins: frames that could not be compared (no peer had data), frames below the first edge, …,
# frames from the last edge on.
BINS = len(RATIO_EDGES) + 2


@dataclass(frozen=True)
class SeriesPoint:
    """One channel of one OSD over a span. Latencies in seconds (``load``: bytes/s).

    ``maximum`` is the highest frame (15 s) in it, None if it was not kept. ``frames`` counts frames
    with data, ``bins`` these frames by ratio to the peers (see RATIO_EDGES); for minutes from
    memory both are zero or empty. ``ops`` is None if unknown.
    """

    start: float
    seconds: int
    mean: float
    maximum: Optional[float] = None
    ops: Optional[int] = None
    frames: int = 0
    bins: tuple[int, ...] = ()

    def frames_over(self, ratio: float) -> int:
        """The number of frames of at least ``ratio`` (one of RATIO_EDGES) times the peers."""
        return sum(self.bins[RATIO_EDGES.index(ratio) + 2 :])


class SpanRow(NamedTuple):
    """A stored span of ``level`` seconds.

    Of the kind "series" it is a chunk of OSDs (``key``, see CHUNK), of the kind "cluster" all of
    them (key 0). ``since`` is when its first frame was, in unix seconds: after a failover within a
    span both mgrs write a row.
    """

    kind: str
    level: int
    key: int
    start: int
    since: int
    data: Union[bytes, str]


@dataclass(frozen=True)
class WatchBatch:
    """Everything that the watch writes in one transaction.

    ``settled`` is unix seconds: everything before it has been written or is lost, so it may be
    rolled up; None skips roll-up and retention. ``kept`` has by level the seconds that rows stay.
    ``states`` are JSON-ready, by name; ``forgotten`` are IDs of findings to remove.
    """

    at: float
    spans: Sequence[SpanRow] = ()
    findings: Sequence[Finding] = ()
    forgotten: Sequence[int] = ()
    states: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    episodes: Sequence[Episode] = ()
    settled: Optional[float] = None
    kept: Mapping[int, float] = field(default_factory=lambda: KEPT_SECONDS)


@dataclass(frozen=True)
class SavedState:
    """A detector's state as it was at ``at`` (unix seconds)."""

    at: float
    state: dict[str, Any]


# --- The whole cluster over one span: latencies, work of clients, OSDs that stood out ---


# The group of all OSDs; the others are device classes.
ALL_OSDS = ""
# What ``ClusterSpan.work`` has, in this order: operations, bytes and recovered bytes per second,
# and the number of placement groups that are scrubbed.
WORK = ("read_ops", "write_ops", "read_bytes", "write_bytes", "recovery_bytes", "scrubbing")
Work = tuple[Optional[float], ...]
# OSDs that stand out, and events, of one span; the worst are kept.
MOST_APART = 512
MOST_EVENTS = 100
# Ranges of the OSDs of one span: more take too much room, and are left out.
MOST_RANGES = 128


@dataclass(frozen=True)
class ClusterSpan:
    """One span. Latencies are in seconds, times unix seconds.

    ``latency`` has (group, channel, OSDs with data, median, 95th and 99th percentile of the OSDs'
    means). ``work`` has means in the order of WORK, None for not known. ``apart`` has (OSD, frames
    in which it was slow against its peers), worst first, ``more_apart`` how many are left out.
    ``osds`` is how many OSDs had data, ``silent`` are watched ones without any. ``restarted`` and
    ``went_down`` have (OSD, time) of the first, ``more_restarted`` and ``more_went_down`` how many
    are left out. ``watched`` are the watched OSDs as ranges (first, last) in
    order; empty if not known. ``known`` is how many of the seconds there is data of; None for all.
    """

    start: int
    seconds: int
    osds: int
    latency: tuple[tuple[str, str, int, float, float, float], ...] = ()
    work: tuple[Optional[float], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    more_apart: int = 0
    restarted: tuple[tuple[int, int], ...] = ()
    went_down: tuple[tuple[int, int], ...] = ()
    silent: tuple[int, ...] = ()
    more_silent: int = 0
    watched: tuple[tuple[int, int], ...] = ()
    known: Optional[int] = None
    more_restarted: int = 0
    more_went_down: int = 0

    @property
    def end(self) -> int:
        return self.start + self.seconds

    @property
    def known_seconds(self) -> int:
        """How many of its seconds there is data of."""
        return self.seconds if self.known is None else self.known

    def is_watched(self, osd: int) -> bool:
        """Whether the OSD was watched; True if that is not known."""
        place = bisect(self.watched, (osd, math.inf)) - 1
        return not self.watched or (place >= 0 and osd <= self.watched[place][1])


def work_of(span: ClusterSpan) -> Sequence[Optional[float]]:
    """Its work in the order of ``WORK``; that of a version with other kinds is not known."""
    return span.work if len(span.work) == len(WORK) else (None,) * len(WORK)


def figures(
    spans: Sequence[ClusterSpan],
) -> Mapping[tuple[Literal["latency", "work"], str], list[float]]:
    """The median OSD's latencies in ms by channel, and the work, one for each span."""
    found: dict[tuple[Literal["latency", "work"], str], list[float]] = {}
    for span in spans:
        for group, channel, _osds, middle, *_ in span.latency:
            if group == ALL_OSDS:
                found.setdefault(("latency", channel), []).append(1000 * middle)
        for name, value in zip(WORK, work_of(span)):
            if value is not None:
                found.setdefault(("work", name), []).append(value)
    return found


def mean_work(works: Sequence[Work]) -> Work:
    """Return the mean of each figure over the samples that have it."""
    found = []
    for values in zip(*works):
        known = [value for value in values if value is not None]
        found.append(_mean(known) if known else None)
    return tuple(found)


def short(value: float) -> float:
    """The value with four significant digits."""
    return float(f"{value:.4g}")


def ranges(parts: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Join ranges (first, last) that are in order; empty for more than MOST_RANGES."""
    found: list[tuple[int, int]] = []
    for first, last in parts:
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return tuple(found) if len(found) <= MOST_RANGES else ()


def merged(start: int, seconds: int, parts: Sequence[ClusterSpan]) -> ClusterSpan:
    """Return spans in order as one: percentiles and work are means over the parts."""
    if len(parts) == 1 and parts[0].seconds == seconds:
        return parts[0]
    latency: dict[tuple[str, str], list[Sequence[float]]] = defaultdict(list)
    frames: Counter[int] = Counter()
    # Silent in all parts in which they were watched.
    silents = [set(part.silent) for part in parts]
    silent = {
        osd
        for osd in set.union(*silents)
        if all(osd in of or not part.is_watched(osd) for part, of in zip(parts, silents))
    }
    known = all(part.watched for part in parts)
    restarted = [one for part in parts for one in part.restarted]
    went_down = [one for part in parts for one in part.went_down]
    for part in parts:
        for group, channel, *figures in part.latency:
            latency[group, channel].append(figures)
        frames.update(dict(part.apart))
    worst = sorted(frames.items(), key=lambda pair: (-pair[1], pair[0]))
    return ClusterSpan(
        start,
        seconds,
        max(part.osds for part in parts),
        tuple(
            (group, channel, int(max(osds)), _mean(middle), _mean(high), _mean(highest))
            for (group, channel), of in latency.items()
            for osds, middle, high, highest in [zip(*of)]
        ),
        mean_work([part.work for part in parts if len(part.work) == len(WORK)]),
        tuple(worst[:MOST_APART]),
        max(0, len(worst) - MOST_APART) + max(part.more_apart for part in parts),
        tuple(restarted[:MOST_EVENTS]),
        tuple(went_down[:MOST_EVENTS]),
        tuple(sorted(silent)),
        min(part.more_silent for part in parts),
        ranges(sorted(one for part in parts for one in part.watched)) if known else (),
        min(seconds, sum(part.known_seconds for part in parts)),
        max(0, len(restarted) - MOST_EVENTS) + sum(part.more_restarted for part in parts),
        max(0, len(went_down) - MOST_EVENTS) + sum(part.more_went_down for part in parts),
    )


def _mean(values: Sequence[float]) -> float:
    return short(sum(values) / len(values))


# --- A cohort's OSDs together over time ---


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


def without_release(cohort: str) -> str:
    """The name of a cohort without Ceph's release: with it an upgrade would begin another past."""
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
