"""Laggy placement groups (PGs): their number, duration and suspected OSDs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

# Of the past episodes, so many are in memory.
EPISODES_KEPT = 200


@dataclass(frozen=True)
class LaggyNow:
    """Counts of PGs at the newest tick; ``pgs`` counts all. ``at`` is unix seconds."""

    laggy: int = 0
    wait: int = 0
    pgs: int = 0
    at: Optional[float] = None


@dataclass(frozen=True)
class Suspect:
    """An OSD that may have caused laggy PGs.

    ``part`` is the share of all laggy PG-seconds in PGs on it, ``share`` the share of its PGs' time
    that was laggy. ``stale_seconds`` is the time without reports from it, ``slow_ops`` the most
    slow operations that it reported.
    """

    osd: int
    laggy_pg_seconds: float
    part: float
    share: float
    stale_seconds: float = 0.0
    slow_ops: int = 0


@dataclass(frozen=True)
class OsdLaggy:
    """One OSD's laggy PG-seconds; ``pg_seconds`` are those of all its PGs in the same time."""

    osd: int
    laggy_pg_seconds: float
    pg_seconds: float

    @property
    def share(self) -> float:
        return self.laggy_pg_seconds / self.pg_seconds if self.pg_seconds else 0.0


@dataclass(frozen=True)
class PoolLaggy:
    """A pool's present laggy and waiting PGs, and the sum of its laggy PG-seconds."""

    pool: str
    laggy: int
    wait: int
    laggy_pg_seconds: float


@dataclass(frozen=True)
class Episode:
    """A time in which PGs were laggy, short gaps included. Times are unix seconds.

    ``end`` is None while it lasts. ``peak`` is the highest number of laggy PGs. ``stuck``: the PGs
    stayed laggy although their OSDs were healthy. ``round_id`` is a bench round that ran meanwhile.
    ``osds`` has the most affected OSDs; ``suspects`` is empty if no OSD stands out. Of these and of
    ``pools`` the ``more_…`` say how many are left out.
    """

    start: float
    end: Optional[float]
    peak: int
    laggy_pg_seconds: float
    suspects: tuple[Suspect, ...] = ()
    osds: tuple[OsdLaggy, ...] = ()
    pools: tuple[str, ...] = ()
    stuck: bool = False
    round_id: Optional[int] = None
    more_suspects: int = 0
    more_osds: int = 0
    more_pools: int = 0
