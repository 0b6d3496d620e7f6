"""Laggy placement groups: how many, for how long, and whose fault it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

# Of the past episodes, so many are in memory.
EPISODES_KEPT = 200


@dataclass(frozen=True)
class LaggyNow:
    """Counts of PGs at the newest tick, ``pgs`` all there are. ``at`` is unix seconds."""

    laggy: int = 0
    wait: int = 0
    pgs: int = 0
    at: Optional[float] = None


@dataclass(frozen=True)
class Suspect:
    """An OSD that laggy PGs point at.

    ``part`` is how much of all laggy PG-seconds were of PGs on it, ``share`` how much of its own
    PGs' time was laggy. ``stale_seconds`` is how long its reports stood still meanwhile,
    ``slow_ops`` the most operations it called slow.
    """

    osd: int
    laggy_pg_seconds: float
    part: float
    share: float
    stale_seconds: float = 0.0
    slow_ops: int = 0


@dataclass(frozen=True)
class OsdLaggy:
    """What one OSD had of laggy PGs, ``pg_seconds`` all its PGs in the same time."""

    osd: int
    laggy_pg_seconds: float
    pg_seconds: float

    @property
    def share(self) -> float:
        return self.laggy_pg_seconds / self.pg_seconds if self.pg_seconds else 0.0


@dataclass(frozen=True)
class PoolLaggy:
    """A pool's laggy and waiting PGs now, and the PG-seconds they were laggy in all."""

    pool: str
    laggy: int
    wait: int
    laggy_pg_seconds: float


@dataclass(frozen=True)
class Episode:
    """A time in which PGs were laggy, short gaps included. Times are unix seconds.

    ``end`` is None while it goes on. ``peak`` is the most PGs laggy at once. ``stuck`` says that
    the PGs stayed laggy with nothing wrong at their OSDs. ``round_id`` is the bench round that
    ran meanwhile. ``osds`` has those most affected, ``suspects`` is empty where nobody stands out.
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
