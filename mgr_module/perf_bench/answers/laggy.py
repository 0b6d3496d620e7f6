"""Laggy placement groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from .shape import Count, Stamp


@dataclass(frozen=True)
class LaggyOsd:
    """What one OSD had of laggy PGs; share is of its own PGs' time, 0 to 1."""

    osd: Count
    host: Optional[str]
    laggy_pg_seconds: float
    share: float


@dataclass(frozen=True)
class LaggyPool:
    """A pool's laggy and waiting PGs now, and the PG-seconds they were laggy in all."""

    pool: str
    laggy: int
    wait: int
    laggy_pg_seconds: float


@dataclass(frozen=True)
class Suspect(LaggyOsd):
    """An OSD that laggy PGs point at.

    Part of all laggy time on it, share of its own PGs' time, seconds without a report, most slow
    operations.
    """

    part: float
    stale_seconds: float
    slow_ops: int


@dataclass(frozen=True)
class Episode:
    """A time in which PGs were laggy.

    to and seconds are null while it goes on, round is the bench round that ran meanwhile, stuck
    that nothing is wrong at their OSDs.

    suspects_left_out -- How many more there are.
    pools_left_out -- How many more there are.
    """

    from_: Optional[Stamp]
    to: Optional[Stamp]
    seconds: Optional[float]
    peak: int
    laggy_pg_seconds: float
    suspects: Sequence[Suspect]
    suspects_left_out: int
    stuck: bool
    pools: Sequence[str]
    pools_left_out: int
    round: Optional[int]


@dataclass(frozen=True)
class LaggyNow:
    """Counts at the newest tick."""

    laggy: int
    wait: int
    pgs: int
    at: Optional[Stamp]


@dataclass(frozen=True)
class Laggy:
    """Laggy PGs now, of all pgs, by OSD and pool, and the episodes, newest first.

    now -- Counts at the newest tick.
    osds -- Of each episode the OSDs that were affected most.
    osds_left_out -- The most OSDs of one episode that are not counted in it.
    episodes_left_out -- How many older ones are kept.
    """

    now: LaggyNow
    osds: Sequence[LaggyOsd]
    osds_left_out: int
    pools: Sequence[LaggyPool]
    episodes: Sequence[Episode]
    episodes_left_out: int
