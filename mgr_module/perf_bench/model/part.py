"""A round part by part: what each OSD did in each, in writes and in reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional


@dataclass(frozen=True)
class MeasuredPhase:
    """One OSD in one phase: medians over its ``samples`` valid samples."""

    bytes_per_second: float
    iops: float
    samples: int
    cv_percent: Optional[float]


@dataclass(frozen=True)
class Part:
    """One part of a round.

    ``measured`` is by operation and OSD; an operation that the part does not have is not in
    there, nor is an OSD without a valid sample. Times are unix seconds: ``ended_at`` is None
    until all its samples are there, ``started_at`` until the first is. ``since_load`` is how many
    seconds after the end of TOGETHER it began. ``percent_of_before`` is by operation what its OSDs
    reach of what they reached in BEFORE, their median; None where nothing can be compared.
    """

    name: str
    rest_seconds: float
    osds: tuple[int, ...]
    started_at: Optional[float] = None
    ended_at: Optional[float] = None
    since_load: Optional[float] = None
    measured: Mapping[str, Mapping[int, MeasuredPhase]] = field(default_factory=dict)
    percent_of_before: Mapping[str, Optional[float]] = field(default_factory=dict)
