"""What is told as metrics, as neutral figures; None, or what is left out, is "no data"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

from ..model.checksum import Errors
from ..model.finding import Finding
from ..model.laggy import LaggyNow, PoolLaggy
from ..model.verdict import CohortReport, OsdState


@dataclass(frozen=True)
class OsdReading:
    """One OSD's figures.

    ``latency`` is by channel in seconds. ``bench_profile`` is that of its newest bench.
    ``checksum_share`` is 0 to 1 of its op threads, ``checksum_rate`` bytes per second.
    """

    osd: int
    host: str
    device_class: str = ""
    state: OsdState = OsdState.NO_DATA
    latency: Mapping[str, float] = field(default_factory=dict)
    ratio: Optional[float] = None
    robust_z: Optional[float] = None
    risk: Optional[float] = None
    laggy_pg_seconds: Optional[float] = None
    bench_profile: Optional[str] = None
    bench_bytes_per_second: Optional[float] = None
    bench_iops: Optional[float] = None
    bench_percent_of_peers: Optional[float] = None
    checksum_share: Optional[float] = None
    checksum_rate: Optional[float] = None


@dataclass(frozen=True)
class RoundReading:
    """A profile's newest round that has ended, ``ended_at`` in unix seconds."""

    profile: str
    ended_at: float
    median_bytes_per_second: Optional[float] = None
    median_iops: Optional[float] = None
    median_cv_percent: Optional[float] = None


@dataclass(frozen=True)
class Readings:
    """All that is told. ``tick_at`` is unix seconds, ``tick_seconds`` the tick's CPU time.

    ``findings`` are those that are not closed. ``laggy`` None: nobody has looked yet.
    ``frames_dropped`` and ``store_errors`` count since this mgr is active.
    """

    version: str
    release: str
    findings: Sequence[Finding] = ()
    osd_states: Mapping[OsdState, int] = field(default_factory=dict)
    osds: Sequence[OsdReading] = ()
    errors: Sequence[Errors] = ()
    laggy: Optional[LaggyNow] = None
    laggy_pg_seconds: Optional[float] = None
    pools: Sequence[PoolLaggy] = ()
    rounds: Mapping[str, int] = field(default_factory=dict)
    newest: Sequence[RoundReading] = ()
    tick_at: Optional[float] = None
    tick_seconds: Optional[float] = None
    frames_dropped: Optional[int] = None
    store_backend: str = ""
    store_up: Optional[bool] = None
    store_errors: Optional[int] = None
    cohorts: Sequence[CohortReport] = ()
