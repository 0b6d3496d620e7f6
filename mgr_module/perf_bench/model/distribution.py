"""How a round's figures are distributed over its OSDs, and over its waves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class Histogram:
    """Counts of OSDs in equal bins: bin i is from ``(first + i) * width`` on.

    ``slow`` counts those of each bin that are slow against their peers.
    """

    first: int
    width: float
    counts: Sequence[int]
    slow: Sequence[int]
    count: int
    low: float
    high: float
    median: float


@dataclass(frozen=True)
class Span:
    """The lowest, the median and the highest of several figures."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class WavePoint:
    """``waves`` consecutive waves of a repeat, ``wave`` the first; ``at`` is unix seconds.

    ``spans`` are by figure.
    """

    at: float
    phase: str
    repeat: int
    wave: int
    waves: int
    spans: Mapping[str, Span]


@dataclass(frozen=True)
class Distribution:
    """Of ``osds`` OSDs. A histogram is None if no OSD has the figure."""

    osds: int = 0
    histograms: Mapping[str, Optional[Histogram]] = field(default_factory=dict)
    waves: Sequence[WavePoint] = ()
