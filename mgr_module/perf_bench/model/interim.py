"""What a running round has measured so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from .distribution import Span


@dataclass(frozen=True)
class InterimClass:
    """The OSDs of one device class that have figures; the spans are of their medians."""

    device_class: Optional[str]
    osds: int
    bytes_per_second: Span
    iops: Span


@dataclass(frozen=True)
class InterimOsd:
    """One OSD so far; ``percent_of_class`` compares it with the median of its class."""

    osd: int
    host: str
    device_class: Optional[str]
    bytes_per_second: float
    iops: float
    percent_of_class: float


@dataclass(frozen=True)
class Interim:
    """``measured`` of ``planned`` OSDs have figures. ``slowest`` against their class first."""

    measured: int = 0
    planned: int = 0
    classes: Sequence[InterimClass] = ()
    slowest: Sequence[InterimOsd] = ()


@dataclass(frozen=True)
class ClientLatency:
    """Clients' mean latency while a round ran, in seconds; None where there were too few.

    ``before`` is that of its begin; ``points`` are (unix seconds, latency), oldest first.
    """

    before: Optional[float] = None
    points: Sequence[tuple[float, Optional[float]]] = ()
