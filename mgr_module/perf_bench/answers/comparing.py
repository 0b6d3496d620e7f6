"""Rounds against each other, over time, and against published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ..model.comparison import Change
from .shape import Count, Stamp

# Percent, lower end first; 95 % confidence.
Interval = tuple[float, float]


@dataclass(frozen=True)
class Figure:
    """A published figure, as published; comparable: results of ours may be set beside it."""

    id: str
    scope: str
    hardware: str
    ceph: Optional[str]
    osds: Optional[int]
    redundancy: Optional[str]
    workload: str
    metric: str
    value: float
    unit: str
    source: str
    note: str
    comparable: bool


@dataclass(frozen=True)
class Difference:
    """What was not the same for two rounds; setup: it stays until somebody changes it."""

    name: str
    was: str
    now: str
    setup: bool


@dataclass(frozen=True)
class OsdChange:
    """One OSD in both rounds; p_value is corrected for the number of OSDs."""

    osd: Count
    host: str
    verdict: Change
    change_percent: Optional[float]
    interval_percent: Optional[Interval]
    p_value: Optional[float]


@dataclass(frozen=True)
class LatencyChange:
    """How clients' mean latency changed: positive is slower."""

    verdict: Change
    change_percent: float
    interval_percent: Interval
    p_value: float


@dataclass(frozen=True)
class ChangeCounts:
    """How many OSDs changed how."""

    better: int
    worse: int
    same: int
    inconclusive: int


@dataclass(frozen=True)
class NotedLatency:
    """Clients' mean latency before a round, and its median and highest while it ran.

    times is the median over before.
    """

    before_ms: float
    median_ms: float
    highest_ms: float
    times: float


@dataclass(frozen=True)
class FeltChange:
    """What clients felt of both rounds of a comparison, null where it was not noted.

    change_percent is that of the median, positive for slower.
    """

    a: Optional[NotedLatency]
    b: Optional[NotedLatency]
    change_percent: Optional[float]


@dataclass(frozen=True)
class Comparison:
    """Round b against round a, positive is faster, with a page of the osds that both measured.

    Worst first. least_percent is the change that counts at all.

    setups -- A hash of what each round was set up on.
    latency -- Null but for rounds of clients, which have no OSDs.
    """

    a: int
    b: int
    verdict: Change
    change_percent: Optional[float]
    interval_percent: Optional[Interval]
    p_value: Optional[float]
    least_percent: Optional[float]
    why: Sequence[str]
    osds: int
    environment: Sequence[Difference]
    per_osd: Sequence[OsdChange]
    setups: Sequence[str]
    latency: Optional[LatencyChange]
    counts: ChangeCounts
    client_latency: FeltChange


@dataclass(frozen=True)
class HistoryPoint:
    """A round in its profile's history: the median over its OSDs.

    since_last is what was set up differently since the one before.

    mean_latency -- Seconds, of rounds of clients.
    """

    round: int
    at: Optional[Stamp]
    bytes_per_second: float
    iops: float
    since_last: Sequence[Difference]
    mean_latency: Optional[float]


@dataclass(frozen=True)
class ChangePoint:
    """From this round on the level is another one.

    explained_by is empty where nobody knows of a reason.
    """

    round: int
    at: Optional[Stamp]
    change_percent: float
    p_value: float
    rounds_before: int
    rounds_after: int
    bytes_per_second_before: float
    bytes_per_second_after: float
    explained_by: Sequence[Difference]


@dataclass(frozen=True)
class Regression:
    """The profile has become slower."""

    code: str
    message: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class History:
    """A profile's comparable rounds, oldest first, and where their level changed.

    least_percent is the change that counts at all, left_out says which rounds are not in it and
    why.
    """

    profile: str
    block_size: int
    baseline: Optional[int]
    cv_percent: Optional[float]
    least_percent: Optional[float]
    points: Sequence[HistoryPoint]
    changes: Sequence[ChangePoint]
    left_out: Sequence[str]
    regression: Optional[Regression]


@dataclass(frozen=True)
class Baseline:
    """The round that later ones of its profile are held against."""

    profile: str
    round: int
    set_at: Optional[Stamp]
    started_at: Optional[Stamp]
    label: str
    block_size: int
    bytes_per_second: Optional[float]
    iops: Optional[float]
