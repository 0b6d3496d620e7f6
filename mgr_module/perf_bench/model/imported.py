"""Results of another tool, as that tool reported them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

TOOLS = ("fio", "elbencho", "warp")
# In one round.
MOST_JOBS = 64


@dataclass(frozen=True)
class Job:
    """One kind of operation of one job. Sizes are bytes, times seconds; None is unknown.

    ``block_size`` is the mean size of an operation, 0 if their number is unknown.
    """

    name: str
    operation: str
    seconds: float
    bytes: int
    bytes_per_second: float
    operations: Optional[int] = None
    iops: Optional[float] = None
    block_size: int = 0
    mean_latency: Optional[float] = None
    min_latency: Optional[float] = None
    max_latency: Optional[float] = None
    p50_latency: Optional[float] = None
    p95_latency: Optional[float] = None
    p99_latency: Optional[float] = None


@dataclass(frozen=True)
class Imported:
    """A file of results. ``began`` and ``ended`` are unix seconds."""

    tool: str
    version: str
    began: float
    ended: float
    jobs: tuple[Job, ...]
