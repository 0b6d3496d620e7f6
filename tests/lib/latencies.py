"""Frames and packed rows for tests of what the watch keeps."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

from perf_bench.model.finding import COMMIT, FRAME_SECONDS, Frame, Roster, Watched
from perf_bench.model.history import BINS, ClusterSpan, SpanRow
from perf_bench.store.cluster_spans import CLUSTER
from perf_bench.store.encoding import UNKNOWN, Block, Columns, pack, shrink

# Midnight, so that it begins a day, an hour and five minutes.
BEGAN = 1_699_920_000
NAN = float("nan")


def a_roster(osds: Sequence[int], cohorts: Optional[Sequence[str]] = None) -> Roster:
    """OSDs of one cohort, or of these."""
    names = cohorts or ["hdd"] * len(osds)
    return Roster(
        tuple(Watched(osd, f"osd.{osd}", "host-0", name) for osd, name in zip(osds, names))
    )


def a_frame(
    roster: Roster,
    number: int,
    latency: Sequence[float],
    *,
    ops: Optional[Sequence[float]] = None,
    channel: str = COMMIT,
    marks: Optional[Sequence[int]] = None,
    began: float = BEGAN,
) -> Frame:
    """The frame of that number since ``began``; 10 operations each if nothing else is said."""
    size = len(roster.members)
    start = began + FRAME_SECONDS * number
    return Frame(
        start=start,
        end=start + FRAME_SECONDS,
        roster=roster,
        latency={channel: latency},
        ops={channel: ops if ops is not None else [10.0] * size},
        load=[NAN] * size,
        marks=marks or [0] * size,
    )


def columns(
    means: Sequence[float],
    *,
    peaks: Optional[Sequence[float]] = None,
    ops: Optional[Sequence[Optional[int]]] = None,
    frames: int = 20,
) -> Columns:
    """Columns whose frames were all typical."""
    there = [frames if mean == mean else 0 for mean in means]  # noqa: PLR0124 - not NaN
    nothing = [0] * len(means)
    return Columns(
        shrink(means),
        shrink(peaks or means),
        array("I", [UNKNOWN if n is None else n for n in ops or [100] * len(means)]),
        [array("H", there if place == 1 else nothing) for place in range(BINS)],
    )


def a_row(
    start: int,
    by_channel: Mapping[str, Columns],
    *,
    osds: Sequence[int] = (0,),
    level: int = 300,
    since: Optional[int] = None,
) -> SpanRow:
    """A packed row of OSDs of the first chunk."""
    data = pack(Block(osds, by_channel))
    return SpanRow("series", level, 0, start, start if since is None else since, data)


def cluster_rows(spans: Sequence[ClusterSpan]) -> list[SpanRow]:
    """The rows of the cluster's spans; each of the same time is a part of its own."""
    return [
        CLUSTER.row(span.seconds, 0, int(span.start), int(span.start) + number, span)
        for number, span in enumerate(spans)
    ]


def cluster_spans(rows: Iterable[SpanRow]) -> list[ClusterSpan]:
    """The cluster's spans among rows."""
    return [CLUSTER.unpack(row.data, 0) for row in rows if row.kind == CLUSTER.name]
