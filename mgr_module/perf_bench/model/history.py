"""What the watch keeps of latencies: points of a series, and what is written at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

from .finding import Finding
from .laggy import Episode

# Beside the latencies a series of its own: bytes/s.
LOAD = "load"

MINUTE = 60
FIVE_MINUTES = 300
HOUR = 3600
DAY = 86400

# How long rows are kept, by level. Five minutes: two days, so that what happened on a Friday
# night can be looked at closely on Sunday. An hour: a month, the time over which a device wears
# out visibly. A day: a year and a month, to compare with the same season. All in all 70 kB an
# OSD: 0.7 GB in a cluster of 10,000.
KEPT_SECONDS: Mapping[int, float] = {
    FIVE_MINUTES: 2.0 * DAY,
    HOUR: 30.0 * DAY,
    DAY: 400.0 * DAY,
}

# Frames are counted by their latency over the median of the OSD's cohort in the same frame. Over
# the peers and not over the OSD's own past: load, scrub and the time of day move all of them
# together and cancel out. 1.2 is where the sustained rule begins, 2 the acute and the
# intermittent one; a burst of 30 s is two frames in one of the last places.
RATIO_EDGES = (1.2, 1.5, 2.0, 3.0, 5.0, 10.0)
# First the frames that could not be compared (no peer had data), then those below the first
# edge, …, then those from the last edge on.
BINS = len(RATIO_EDGES) + 2


@dataclass(frozen=True)
class SeriesPoint:
    """One channel of one OSD over a span. Latencies in seconds (``load``: bytes/s).

    ``maximum`` is that of the frames (15 s) in it, None where it was not kept. ``frames`` counts
    those that had data, ``bins`` where they stood among their peers (see RATIO_EDGES); both are
    zero and empty for minutes from memory. ``ops`` is None where the number is not known.
    """

    start: float
    seconds: int
    mean: float
    maximum: Optional[float] = None
    ops: Optional[int] = None
    frames: int = 0
    bins: tuple[int, ...] = ()

    def frames_over(self, ratio: float) -> int:
        """How many frames were at least ``ratio`` times the peers; one of RATIO_EDGES."""
        return sum(self.bins[RATIO_EDGES.index(ratio) + 2 :])


@dataclass(frozen=True)
class SeriesRow:
    """A chunk of OSDs over one span, packed. ``level`` is the span in seconds.

    ``since`` is when its writer began to look: one that starts in the middle of a span has a row
    of its own beside that of the writer before it.
    """

    level: int
    chunk: int
    start: int
    since: int
    data: bytes


@dataclass(frozen=True)
class WatchBatch:
    """All that the watch writes in one transaction.

    ``settled`` is unix seconds: everything before it has been written or is lost, so it may be
    rolled up; None leaves the upkeep (roll-up, retention) out. ``kept`` is for how many seconds
    rows stay, by level. ``states`` are by name and JSON-ready; ``forgotten`` are IDs of findings.
    """

    at: float
    series: Sequence[SeriesRow] = ()
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
