"""Laggy PGs: counted every tick, joined to episodes, blamed where the figures allow it.

A PG becomes laggy when a client's operation comes after a replica has not renewed the lease in
time (16 s by default), and no health check of Ceph's tells of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Callable, Optional

from ..model.finding import Claim
from ..model.laggy import Episode, LaggyNow, OsdLaggy, PoolLaggy
from .laggy_blame import Tally, suspects
from .laggy_claims import claims_of
from .laggy_state import episode_from, episode_state, tally_from, tally_state

States = Mapping[str, int]

# Laggy again within this is the same episode: PGs go in and out while one OSD hangs.
JOIN_SECONDS = 30.0
# A tick stands for the time since the one before, but for no more than this.
LONGEST_TICK = 15.0
# Laggy as long as this without any change, at OSDs that are well: nobody renews the lease.
STUCK_SECONDS = 300.0
EPISODES_KEPT = 200
OSDS_KEPT = 32
POOLS_KEPT = 8
_FORMAT = 1

# How many PGs are laggy, and by OSD those that have any.
Counts = tuple[int, dict[int, int]]
_NONE: Counts = (0, {})


def count(states: States, word: str) -> int:
    """How many PGs have this word in their state; ``recovery_wait`` is not ``wait``."""
    return sum(pgs for state, pgs in states.items() if _has(state, word))


@lru_cache(maxsize=4096)
def _has(state: str, word: str) -> bool:
    """A cluster has a few dozen states, each of 10,000 OSDs a few of them."""
    return word in state.split("+")


def wants_by_osd(by_state: States) -> bool:
    """Whether the counts by OSD, which cost 1 us a PG, are worth reading now."""
    return count(by_state, "laggy") > 0 or count(by_state, "wait") > 0


class _Open:
    """The episode that goes on."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.last = start
        self.peak = 0
        self.pg_seconds = 0.0
        self.round_id: Optional[int] = None
        self.pools: dict[str, float] = {}
        self.tally = Tally()
        # Since when nothing has changed, by which counts that is known.
        self.steady_since = start
        self.counts: Optional[Counts] = None

    @property
    def lasted(self) -> float:
        return self.last - self.start

    @property
    def stuck(self) -> bool:
        return self.last - self.steady_since >= STUCK_SECONDS

    def frozen(self, end: Optional[float]) -> Episode:
        """What it amounts to so far."""
        pools = sorted(self.pools, key=lambda pool: -self.pools[pool])
        return Episode(
            start=self.start,
            end=end,
            peak=self.peak,
            laggy_pg_seconds=self.pg_seconds,
            suspects=() if self.stuck else suspects(self.tally),
            osds=self.tally.osds(OSDS_KEPT),
            pools=tuple(pools[:POOLS_KEPT]),
            stuck=self.stuck,
            round_id=self.round_id,
        )


class LaggyTracker:
    """Give it every tick what the mgr knows; ask it what that means.

    ``host_of`` tells an OSD's host, so that the OSDs of one host become one claim.
    """

    def __init__(self, host_of: Callable[[int], Optional[str]] = lambda _osd: None) -> None:
        self._host_of = host_of
        self._now = LaggyNow()
        self._open: Optional[_Open] = None
        self._past: list[Episode] = []
        self._pools: dict[str, PoolLaggy] = {}
        self._total = 0.0

    @property
    def laggy_pg_seconds(self) -> float:
        """All there ever were; only grows."""
        return self._total

    def step(  # noqa: PLR0913, PLR0917 - one tick's figures, named by the watch's contract
        self,
        at: float,
        by_state: States,
        by_pool: Mapping[str, States],
        by_osd: Optional[Mapping[int, States]],
        stale: Collection[int],
        slow_ops: Mapping[int, int],
        round_id: Optional[int],
    ) -> None:
        """Take one tick; ``at`` is unix seconds. ``by_osd`` is None when it was not read."""
        before = self._now.at
        seconds = 0.0 if before is None else min(max(0.0, at - before), LONGEST_TICK)
        self._now = LaggyNow(
            count(by_state, "laggy"), count(by_state, "wait"), sum(by_state.values()), at
        )
        self._count_pools(by_pool, seconds)
        self._close_if_over(at)
        if not self._now.laggy:
            if self._open:
                self._open.counts = _NONE  # what comes after a gap is not the same any more
            return
        self._total += self._now.laggy * seconds
        if self._open is None:
            self._open = _Open(at)
        self._grow(self._open, seconds, by_osd, stale, slow_ops)
        if self._open.round_id is None:
            self._open.round_id = round_id

    def _count_pools(self, by_pool: Mapping[str, States], seconds: float) -> None:
        """A pool is listed from its first laggy PG on, until it is deleted."""
        counts = {}
        if self._now.laggy or self._now.wait:
            counts = {p: (count(s, "laggy"), count(s, "wait")) for p, s in by_pool.items()}
        for pool in [pool for pool in self._pools if by_pool and pool not in by_pool]:
            del self._pools[pool]
        for pool in {*self._pools, *(pool for pool, both in counts.items() if any(both))}:
            laggy, wait = counts.get(pool, (0, 0))
            known = self._pools.get(pool)
            spent = laggy * seconds + (known.laggy_pg_seconds if known else 0.0)
            if laggy or wait or spent:
                self._pools[pool] = PoolLaggy(pool, laggy, wait, spent)
            else:  # it only waited, and that is over
                self._pools.pop(pool, None)

    def _grow(
        self,
        episode: _Open,
        seconds: float,
        by_osd: Optional[Mapping[int, States]],
        stale: Collection[int],
        slow_ops: Mapping[int, int],
    ) -> None:
        now = self._now
        episode.last = now.at or 0.0
        episode.peak = max(episode.peak, now.laggy)
        episode.pg_seconds += now.laggy * seconds
        for pool in self._pools.values():
            if pool.laggy:
                episode.pools[pool.pool] = episode.pools.get(pool.pool, 0.0) + pool.laggy
        # Without the counts by OSD nobody knows which are meant: any that is unwell counts.
        unwell = {*stale, *slow_ops}
        affected = episode.counts[1] if episode.counts else {}
        if by_osd is not None:
            both = {osd: (count(of, "laggy"), sum(of.values())) for osd, of in by_osd.items()}
            # Parts of a whole, so the whole is summed up in the same ticks.
            episode.tally.add(seconds, now.laggy, both, stale, slow_ops)
            affected = {osd: laggy for osd, (laggy, _) in both.items() if laggy}
            unwell &= affected.keys()
        counts = (now.laggy, affected)
        if unwell or (episode.counts is not None and counts != episode.counts):
            episode.steady_since = episode.last
        episode.counts = counts

    def _close_if_over(self, at: float) -> None:
        if self._open is None or at - self._open.last <= JOIN_SECONDS:
            return
        self._past.append(self._open.frozen(self._open.last))
        del self._past[:-EPISODES_KEPT]
        self._open = None

    def now(self) -> LaggyNow:
        """The counts of the newest tick."""
        return self._now

    def episodes(self) -> list[Episode]:
        """Newest first, the one that goes on included; at most 201."""
        going_on = [self._open.frozen(None)] if self._open else []
        return [*going_on, *reversed(self._past)]

    def osds(self) -> list[OsdLaggy]:
        """The OSDs with laggy PGs in the episodes kept, worst first."""
        sums: dict[int, tuple[float, float]] = {}
        for episode in self.episodes():
            for one in episode.osds:
                laggy, held = sums.get(one.osd, (0.0, 0.0))
                sums[one.osd] = (laggy + one.laggy_pg_seconds, held + one.pg_seconds)
        found = [OsdLaggy(osd, laggy, held) for osd, (laggy, held) in sums.items()]
        return sorted(found, key=lambda one: (-one.laggy_pg_seconds, one.osd))

    def pools(self) -> list[PoolLaggy]:
        """The pools that have, or had, laggy or waiting PGs, worst first."""
        found = self._pools.values()
        return sorted(found, key=lambda one: (-one.laggy_pg_seconds, one.pool))

    def claims(self) -> list[Claim]:
        """What is wrong now, after persistence."""
        if self._now.at is None:
            return []
        lasted = self._open.lasted if self._open else 0.0
        return claims_of(self.episodes(), lasted, self._now, self._host_of)

    def save(self) -> dict[str, Any]:
        """All that must outlive the mgr, JSON-ready."""
        going_on = None
        if self._open:
            going_on = {
                "episode": episode_state(self._open.frozen(None)),
                "last": self._open.last,
                "steady_since": self._open.steady_since,
                "tally": tally_state(self._open.tally, OSDS_KEPT),
            }
        return {
            "format": _FORMAT,
            "total": self._total,
            "pools": {pool.pool: pool.laggy_pg_seconds for pool in self._pools.values()},
            "past": [episode_state(episode) for episode in self._past],
            "open": going_on,
        }

    def restore(self, state: Mapping[str, Any], now: float) -> None:
        """Go on from what was saved; a state of another format is left alone."""
        if state.get("format") != _FORMAT:
            return
        self._total = state["total"]
        self._pools = {p: PoolLaggy(p, 0, 0, seconds) for p, seconds in state["pools"].items()}
        self._past = [episode_from(one) for one in state["past"]]
        self._open = _reopened(state["open"]) if state["open"] else None
        self._close_if_over(now)


def _reopened(state: Mapping[str, Any]) -> _Open:
    episode = episode_from(state["episode"])
    again = _Open(episode.start)
    again.last, again.steady_since = state["last"], state["steady_since"]
    again.peak, again.pg_seconds = episode.peak, episode.laggy_pg_seconds
    again.round_id = episode.round_id
    again.pools = {pool: 1.0 / (place + 1) for place, pool in enumerate(episode.pools)}
    again.tally = tally_from(state["tally"])
    return again
