"""Laggy PGs as public JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from ..model.laggy import Episode, LaggyNow, OsdLaggy, PoolLaggy, Suspect
from . import text

Shape = dict[str, Any]
HostOf = Callable[[int], Optional[str]]


def laggy(
    now: LaggyNow,
    osds: Sequence[OsdLaggy],
    pools: Sequence[PoolLaggy],
    episodes: Sequence[Episode],
    host_of: HostOf,
) -> Shape:
    """The answer to ``laggy ls``. ``pgs`` is how many there are in all, ``share`` is 0 to 1."""
    return {
        "now": {"laggy": now.laggy, "wait": now.wait, "pgs": now.pgs, "at": text.iso(now.at)},
        "osds": [_osd(one, host_of) for one in osds],
        "pools": [
            {
                "pool": one.pool,
                "laggy": one.laggy,
                "wait": one.wait,
                "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
            }
            for one in pools
        ],
        "episodes": [_episode(one, host_of) for one in episodes],
    }


def _osd(one: OsdLaggy, host_of: HostOf) -> Shape:
    return {
        "osd": one.osd,
        "host": host_of(one.osd),
        "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
        "share": round(one.share, 4),
    }


def _episode(one: Episode, host_of: HostOf) -> Shape:
    """``to`` is null while it goes on; ``round`` is the bench round that ran meanwhile."""
    return {
        "from": text.iso(one.start),
        "to": text.iso(one.end),
        "seconds": None if one.end is None else round(one.end - one.start, 1),
        "peak": one.peak,
        "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
        "suspects": [_suspect(suspect, host_of) for suspect in one.suspects],
        "stuck": one.stuck,
        "pools": list(one.pools),
        "round": one.round_id,
    }


def _suspect(one: Suspect, host_of: HostOf) -> Shape:
    return {
        "osd": one.osd,
        "host": host_of(one.osd),
        "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
        "part": round(one.part, 4),
        "share": round(one.share, 4),
        "stale_seconds": round(one.stale_seconds, 1),
        "slow_ops": one.slow_ops,
    }
