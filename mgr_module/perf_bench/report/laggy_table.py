"""Laggy placement groups as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable, Optional

from ..answers import text
from ..answers.text import GAP, NOTHING, clip, duration, facts, minute, number, table
from ..model.json_fields import Json
from ..model.laggy import Episode, LaggyNow, OsdLaggy, PoolLaggy, Suspect
from ..model.phrases import plural

HostOf = Callable[[int], Optional[str]]
# The newest ones of the answer.
MOST_EPISODES = 50


def laggy_json(
    now: LaggyNow,
    osds: Sequence[OsdLaggy],
    pools: Sequence[PoolLaggy],
    episodes: Sequence[Episode],
    host_of: HostOf,
) -> Json:
    """The answer to ``laggy ls``, with at most MOST_EPISODES of the episodes.

    ``pgs`` counts all placement groups, ``share`` is 0 to 1. ``osds_left_out`` is the most OSDs of
    one episode that ``osds`` leaves out there.
    """
    return {
        "now": {"laggy": now.laggy, "wait": now.wait, "pgs": now.pgs, "at": text.iso(now.at)},
        "osds": [_osd(one, host_of) for one in osds],
        "osds_left_out": max((one.more_osds for one in episodes), default=0),
        "pools": [
            {
                "pool": one.pool,
                "laggy": one.laggy,
                "wait": one.wait,
                "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
            }
            for one in pools
        ],
        "episodes": [_episode(one, host_of) for one in episodes[:MOST_EPISODES]],
        "episodes_left_out": max(0, len(episodes) - MOST_EPISODES),
    }


def _osd(one: OsdLaggy, host_of: HostOf) -> Json:
    return {
        "osd": one.osd,
        "host": host_of(one.osd),
        "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
        "share": round(one.share, 4),
    }


def _episode(one: Episode, host_of: HostOf) -> Json:
    """An episode. ``to`` is null while it lasts; ``round`` is the bench round during it."""
    return {
        "from": text.iso(one.start),
        "to": text.iso(one.end),
        "seconds": None if one.end is None else round(one.end - one.start, 1),
        "peak": one.peak,
        "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
        "suspects": [_suspect(suspect, host_of) for suspect in one.suspects],
        "suspects_left_out": one.more_suspects,
        "stuck": one.stuck,
        "pools": list(one.pools),
        "pools_left_out": one.more_pools,
        "round": one.round_id,
    }


def _suspect(one: Suspect, host_of: HostOf) -> Json:
    return {
        "osd": one.osd,
        "host": host_of(one.osd),
        "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
        "part": round(one.part, 4),
        "share": round(one.share, 4),
        "stale_seconds": round(one.stale_seconds, 1),
        "slow_ops": one.slow_ops,
    }


# --- as text ---------------------------------------------------------------------------------

ROWS = 20


def laggy(shape: Json) -> str:
    """Text of ``laggy ls``: the counts of now, then OSDs, pools and episodes."""
    now = shape["now"]
    groups = "placement group" if now["pgs"] == 1 else "placement groups"
    head = f"now {now['laggy']} laggy and {now['wait']} waiting of {now['pgs']} {groups}"
    none = ";\nnone was laggy while this watch looked, nor in the episodes that it keeps"
    if not _is_known(shape):
        head, none = "not known yet: the watch has not looked at the placement groups", ""
    if not shape["episodes"] and not shape["pools"]:
        return head + none
    heads = ["STARTED (UTC)", "LASTED", "PEAK", "PG TIME", "ROUND", "WHAT"]
    more = shape["osds_left_out"]
    uncounted = f"\n… without up to {plural(more, 'OSD')} of an episode" if more else ""
    blocks = [
        _part(heads, _episodes(shape), shape["episodes_left_out"]),
        _part(["OSD", "HOST", "PG TIME", "% OF ITS PGS"], _osds(shape)) + uncounted,
        facts(_pools(shape)[:ROWS]) + _more(len(shape["pools"]) - ROWS),
    ]
    return GAP.join([head, *[block for block in blocks if block]])


def _is_known(shape: Json) -> bool:
    """Whether the counts are known: not before the first look, nor while the watch is off."""
    return shape["now"]["at"] is not None


def _part(head: Sequence[str], rows: Sequence[Sequence[str]], left_out: int = 0) -> str:
    if not rows:
        return ""
    return table(head, rows[:ROWS]) + _more(max(0, len(rows) - ROWS) + left_out)


def _more(count: int) -> str:
    return f"\n… and {count} more" if count > 0 else ""


def _episodes(shape: Json) -> list[list[str]]:
    # An open one is over only once no PG has been laggy for half a minute.
    unended = "goes on" if shape["now"]["laggy"] else "no PG now"
    if not _is_known(shape):
        unended = "not known"
    return [
        [
            minute(one["from"]),
            unended if one["to"] is None else _lasted(one["seconds"]),
            str(one["peak"]),
            duration(one["laggy_pg_seconds"]),
            str(one["round"] or NOTHING),
            clip(_suspects(one), 20),
        ]
        for one in shape["episodes"]
    ]


def _lasted(seconds: float) -> str:
    """From the first to the last look with laggy PGs; one look has no length."""
    return duration(seconds) if seconds else "one look"


def _suspects(episode: Json) -> str:
    if episode["stuck"]:
        return "stuck, no OSD"
    names = [f"osd.{one['osd']}" for one in episode["suspects"]]
    return ", ".join(names) or "none stands out"


def _osds(shape: Json) -> list[list[str]]:
    return [
        [
            f"osd.{one['osd']}",
            clip(one["host"] or NOTHING, 30),
            duration(one["laggy_pg_seconds"]),
            number(100 * one["share"]),
        ]
        for one in shape["osds"]
    ]


def _pools(shape: Json) -> list[list[str]]:
    def words(one: Json) -> str:
        spent = f"PG time {duration(one['laggy_pg_seconds'])}"
        if not _is_known(shape):
            return spent
        return f"{one['laggy']} laggy, {one['wait']} waiting now; {spent}"

    return [[clip(one["pool"], 30), words(one)] for one in shape["pools"]]
