"""The guard: its input while a round runs, its rules and its alarms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

# The code of the alarm for a round whose time is over.
TIME_OVER = "clock"


@dataclass(frozen=True)
class GuardSnapshot:
    """The cluster's state during a round, as far as it is cheap to read.

    ``pgs`` counts PGs by state, ``slow_ops`` slow operations by OSD; ``up`` are the OSDs that are
    up. ``client_seconds`` is the mean latency of clients; None with too few operations. ``epoch``
    is the OSD map's.
    """

    pgs: Mapping[str, int] = field(default_factory=dict)
    slow_ops: Mapping[int, int] = field(default_factory=dict)
    up: frozenset[int] = frozenset()
    client_seconds: Optional[float] = None
    epoch: int = 0


@dataclass(frozen=True)
class GuardRules:
    """How much worse than before the round the cluster may become until the round is ended.

    One OSD that goes down is often a finding of the round, and the others are worth measuring; two
    are the fault of the round or of a host. A bench costs clients about 40 % of their rate, or 1.7
    times the latency (three OSDs, 16 KiB writes); ``client_times`` is clearly above that, and 0
    ignores latency. ``maps_met`` benches may have got a new OSD map while they ran.
    """

    on: bool = True
    laggy_pgs: int = 0
    slow_ops: int = 0
    osds_down: int = 1
    client_times: float = 3.0
    maps_met: float = 100.0


@dataclass(frozen=True)
class Alarm:
    """A problem during a round. It ends the round if ``ends``, else contaminates its figures."""

    code: str
    message: str
    evidence: Mapping[str, Any]
    ends: bool
