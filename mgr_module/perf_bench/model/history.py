"""The watch's stored data: series of latencies, and the batch of one write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Union

from .finding import Finding
from .laggy import Episode

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
