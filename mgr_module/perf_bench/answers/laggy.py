"""Laggy placement groups: ``ceph perf-bench laggy ls``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ..model import verdict
from ..model.phrases import plural
from .shape import Count, Stamp, copied
from .text import GAP, NOTHING, clip, duration, facts, iso, minute, number, table

HostOf = Callable[[int], Optional[str]]
# The newest ones of the answer, and the most rows of each table.
_MOST_EPISODES, _ROWS = 50, 20


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


def laggy_answer(
    now: verdict.LaggyNow,
    osds: Sequence[verdict.OsdLaggy],
    pools: Sequence[verdict.PoolLaggy],
    episodes: Sequence[verdict.Episode],
    host_of: HostOf,
) -> Laggy:
    """The answer, with the newest episodes."""
    return Laggy(
        now=copied(LaggyNow, now),
        osds=[copied(LaggyOsd, one, **_of_osd(one, host_of)) for one in osds],
        osds_left_out=max((one.more_osds for one in episodes), default=0),
        pools=[
            copied(LaggyPool, one, laggy_pg_seconds=round(one.laggy_pg_seconds, 1)) for one in pools
        ],
        episodes=[_episode(one, host_of) for one in episodes[:_MOST_EPISODES]],
        episodes_left_out=max(0, len(episodes) - _MOST_EPISODES),
    )


def _of_osd(one: Any, host_of: HostOf) -> dict[str, Any]:
    return {
        "host": host_of(one.osd),
        "laggy_pg_seconds": round(one.laggy_pg_seconds, 1),
        "share": round(one.share, 4),
    }


def _suspect(one: verdict.Suspect, host_of: HostOf) -> Suspect:
    rounded = {"part": round(one.part, 4), "stale_seconds": round(one.stale_seconds, 1)}
    return copied(Suspect, one, **_of_osd(one, host_of), **rounded)


def _episode(one: verdict.Episode, host_of: HostOf) -> Episode:
    return copied(
        Episode,
        one,
        from_=iso(one.start),
        to=iso(one.end),
        seconds=None if one.end is None else round(one.end - one.start, 1),
        laggy_pg_seconds=round(one.laggy_pg_seconds, 1),
        suspects=[_suspect(suspect, host_of) for suspect in one.suspects],
        suspects_left_out=one.more_suspects,
        pools_left_out=one.more_pools,
        round=one.round_id,
    )


# --- as text -------------------------------------------------------------------------------------


def laggy_text(answer: Laggy) -> str:
    """The counts of now, then episodes, OSDs and pools."""
    now = answer.now
    # Not before the first look, nor while the watch is off.
    is_known = now.at is not None
    groups = "placement group" if now.pgs == 1 else "placement groups"
    head = f"now {now.laggy} laggy and {now.wait} waiting of {now.pgs} {groups}"
    none = ";\nnone was laggy while this watch looked, nor in the episodes that it keeps"
    if not is_known:
        head, none = "not known yet: the watch has not looked at the placement groups", ""
    if not answer.episodes and not answer.pools:
        return head + none
    heads = ["STARTED (UTC)", "LASTED", "PEAK", "PG TIME", "ROUND", "WHAT"]
    more = answer.osds_left_out
    uncounted = f"\n… without up to {plural(more, 'OSD')} of an episode" if more else ""
    # An open one is over only once no PG has been laggy for half a minute.
    unended = ("goes on" if now.laggy else "no PG now") if is_known else "not known"
    pools = [[clip(one.pool, 30), _pool(one, is_known)] for one in answer.pools]
    blocks = [
        _part(heads, [_row(one, unended) for one in answer.episodes], answer.episodes_left_out),
        _part(["OSD", "HOST", "PG TIME", "% OF ITS PGS"], _osds(answer)) + uncounted,
        facts(pools[:_ROWS]) + _more(len(pools) - _ROWS),
    ]
    return GAP.join([head, *[block for block in blocks if block]])


def _part(head: Sequence[str], rows: Sequence[Sequence[str]], left_out: int = 0) -> str:
    if not rows:
        return ""
    return table(head, rows[:_ROWS]) + _more(max(0, len(rows) - _ROWS) + left_out)


def _more(count: int) -> str:
    return f"\n… and {count} more" if count > 0 else ""


def _row(one: Episode, unended: str) -> list[str]:
    return [
        minute(one.from_),
        unended if one.to is None else _lasted(one.seconds),
        str(one.peak),
        duration(one.laggy_pg_seconds),
        str(one.round or NOTHING),
        clip(_suspects(one), 20),
    ]


def _lasted(seconds: Optional[float]) -> str:
    """From the first to the last look with laggy PGs; one look has no length."""
    return duration(seconds) if seconds else "one look"


def _suspects(episode: Episode) -> str:
    if episode.stuck:
        return "stuck, no OSD"
    return ", ".join(f"osd.{one.osd}" for one in episode.suspects) or "none stands out"


def _osds(answer: Laggy) -> list[list[str]]:
    return [
        [
            f"osd.{one.osd}",
            clip(one.host or NOTHING, 30),
            duration(one.laggy_pg_seconds),
            number(100 * one.share),
        ]
        for one in answer.osds
    ]


def _pool(one: LaggyPool, is_known: bool) -> str:
    spent = f"PG time {duration(one.laggy_pg_seconds)}"
    return f"{one.laggy} laggy, {one.wait} waiting now; {spent}" if is_known else spent
