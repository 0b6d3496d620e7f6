"""The live guard: what is looked at while a round runs, and what it made of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional


@dataclass(frozen=True)
class GuardSnapshot:
    """How the cluster is at a moment of a round, from what costs next to nothing.

    ``pgs`` counts PGs by state, ``slow_ops`` by OSD; ``up`` are the OSDs that are up.
    ``client_seconds`` is the mean latency of clients' operations; None while there are too few.
    """

    pgs: Mapping[str, int] = field(default_factory=dict)
    slow_ops: Mapping[int, int] = field(default_factory=dict)
    up: frozenset[int] = frozenset()
    client_seconds: Optional[float] = None


@dataclass(frozen=True)
class GuardRules:
    """What may be worse than before the round until it is ended.

    One OSD that goes down is often what a round finds out, and the others are worth measuring;
    two are the round's fault or a host's. A bench beside clients costs them about 40 % of their
    rate, 1.7 times the latency (three OSDs, 16 KiB writes); ``client_times`` is clearly beyond
    that. 0 looks at no latency.
    """

    on: bool = True
    laggy_pgs: int = 0
    slow_ops: int = 0
    osds_down: int = 1
    client_times: float = 3.0


@dataclass(frozen=True)
class Alarm:
    """Something that went wrong during a round.

    ``ends``: the round is ended for it; else its figures are called contaminated.
    """

    code: str
    message: str
    evidence: Mapping[str, Any]
    ends: bool
