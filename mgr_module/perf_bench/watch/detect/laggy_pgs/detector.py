"""The detector of laggy PGs: counts them every tick, joins ticks to episodes, attributes episodes.

A PG becomes laggy when a client operation arrives after a replica has failed to renew the lease
in time (16 s by default). Ceph has no health check for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Callable, Optional

from ....core.clock import Clock
from ....model.cluster import OsdHealth, PgStates
from ....model.coverage import Gap, Look
from ....model.detector import Detector, WatchTick
from ....model.finding import Claim
from ....model.finding_kinds import LAGGY_PGS
from ....model.pacing import Every
from ....model.verdict import EPISODES_KEPT, Episode, LaggyNow, OsdLaggy, PoolLaggy
from .claims import claims_of
from .episode import OpenEpisode

States = Mapping[str, int]

# PGs that are laggy again within this time continue the episode: they alternate while an OSD hangs.
JOIN_SECONDS = 30.0
# The same for an episode of the mgr before: a failover takes a minute or two.
REJOIN_SECONDS = 180.0
# A tick counts for the time since the one before, at most for this.
LONGEST_TICK = 15.0
# The states of PGs by OSD take 0.2 s for 262,144 PGs, in one call during which no other Python
# runs. The pause between two calls is this many times their duration: 2 % of the time.
_GROUPS_SHARE = 50.0
# Number of the newest episodes that can still change after they were written.
_CHANGING = 4
# Seconds between two looks for pools that were deleted or renamed, while no PG is laggy.
_POOLS_EVERY = 60.0


def count(states: States, word: str) -> int:
    """Return the number of PGs with this word in their state; ``recovery_wait`` is not ``wait``."""
    return sum(pgs for state, pgs in states.items() if _has(state, word))


@lru_cache(maxsize=4096)
def _has(state: str, word: str) -> bool:
    """Whether a state contains the word. Cached: a cluster has a few dozen states.

    Of a stale PG all OSDs are down: its other words are of before, so it has none of them.
    """
    words = state.split("+")
    return word in words and (word == "stale" or "stale" not in words)


def wants_by_osd(by_state: States) -> bool:
    """Whether to read the counts by OSD, which take 1 us per PG."""
    return count(by_state, "laggy") > 0 or count(by_state, "wait") > 0


class LaggyTracker:
    """Takes the PG states of every tick, and returns counts, episodes and claims.

    ``host_of`` returns an OSD's host: the OSDs of one host become one claim.
    """

    def __init__(self, host_of: Callable[[int], Optional[str]] = lambda _osd: None) -> None:
        self._host_of = host_of
        self._now = LaggyNow()
        # The steady time of the newest tick.
        self._at: Optional[float] = None
        self._open: Optional[OpenEpisode] = None
        # The open episode as made last; it takes 15 ms if 10,000 OSDs have laggy PGs.
        self._so_far: Optional[Episode] = None
        self._past: list[Episode] = []
        self._pools: dict[str, PoolLaggy] = {}
        self._total = 0.0
        self._offset = 0.0
        # Whether the newest episode may be one that goes on.
        self._inherited = False

    @property
    def laggy_pg_seconds(self) -> float:
        """The total so far; it only grows."""
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
        offset: float = 0.0,
    ) -> None:
        """Add a tick; ``at`` is steady seconds, of which ``offset`` makes unix seconds.

        ``by_osd`` is None if it was not read.
        """
        self._so_far, self._offset = None, offset
        seconds = 0.0 if self._at is None else min(max(0.0, at - self._at), LONGEST_TICK)
        self._at = at
        self._now = LaggyNow(
            count(by_state, "laggy"), count(by_state, "wait"), sum(by_state.values()), at + offset
        )
        self._count_pools(by_pool, seconds)
        self._close_if_over(at)
        if not self._now.laggy:
            if self._open:
                self._open.interrupt()
            return
        self._total += self._now.laggy * seconds
        if self._open is None:
            self._open = self._rejoined(at + offset) or OpenEpisode(at)
        both = None
        if by_osd is not None:
            both = {osd: (count(of, "laggy"), sum(of.values())) for osd, of in by_osd.items()}
        self._open.grow(at, seconds, self._now.laggy, both, stale, slow_ops)
        self._open.note(round_id, {one.pool: one.laggy for one in self._pools.values()})

    def _rejoined(self, now: float) -> Optional[OpenEpisode]:
        """The newest episode of the mgr before, if it goes on; ``now`` is unix seconds."""
        inherited, self._inherited = self._inherited, False
        newest = self._past[-1] if inherited and self._past else None
        if newest is None or newest.end is None or now - newest.end > REJOIN_SECONDS:
            return None
        return OpenEpisode.again(self._past.pop(), self._offset)

    def _count_pools(self, by_pool: Mapping[str, States], seconds: float) -> None:
        """Update the pools. A pool is listed from its first laggy PG until it is deleted."""
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
            else:  # it only had waiting PGs, and has none now
                self._pools.pop(pool, None)

    def _close_if_over(self, at: float) -> None:
        if self._open is None or at - self._open.last <= JOIN_SECONDS:
            return
        self._past.append(self._open.frozen(self._open.last, self._offset))
        del self._past[:-EPISODES_KEPT]
        self._open = None

    def now(self) -> LaggyNow:
        """Return the counts of the newest tick."""
        return self._now

    def episodes(self) -> list[Episode]:
        """Return the episodes, newest first, including the open one; at most 201."""
        going_on = [self._going_on(self._open)] if self._open else []
        return [*going_on, *reversed(self._past)]

    def _going_on(self, episode: OpenEpisode) -> Episode:
        if self._so_far is None:
            self._so_far = episode.frozen(None, self._offset)
        return self._so_far

    def osds(self) -> list[OsdLaggy]:
        """Return the OSDs with laggy PGs in the kept episodes, worst first."""
        sums: dict[int, tuple[float, float]] = {}
        for episode in self.episodes():
            for one in episode.osds:
                laggy, held = sums.get(one.osd, (0.0, 0.0))
                sums[one.osd] = (laggy + one.laggy_pg_seconds, held + one.pg_seconds)
        found = [OsdLaggy(osd, laggy, held) for osd, (laggy, held) in sums.items()]
        return sorted(found, key=lambda one: (-one.laggy_pg_seconds, one.osd))

    def pools(self) -> list[PoolLaggy]:
        """Return the pools that have, or had, laggy or waiting PGs, worst first."""
        found = self._pools.values()
        return sorted(found, key=lambda one: (-one.laggy_pg_seconds, one.pool))

    def claims(self) -> list[Claim]:
        """Return the claims on lasting or repeated episodes."""
        if self._now.at is None:
            return []
        lasted = self._open.lasted if self._open else 0.0
        return claims_of(self.episodes(), lasted, self._now, self._host_of)

    def to_store(self) -> list[Episode]:
        """The newest episodes, which may have changed; an open one ends when it was seen last.

        So the mgr that takes over knows it, and whether it goes on.
        """
        open_ = []
        if self._open is not None:
            end = self._open.last + self._offset
            open_ = [replace(self._going_on(self._open), end=end)]
        return [*open_, *reversed(self._past[-_CHANGING:])]

    def add_past(self, episodes: Sequence[Episode]) -> None:
        """Add the episodes of the mgr before that it does not have."""
        known = {one.start for one in self.episodes()}
        newer = [one for one in episodes if one.end is not None and one.start not in known]
        self._past = sorted([*self._past, *newer], key=lambda one: one.start)[-EPISODES_KEPT:]
        self._inherited = self._open is None


class LaggyPgDetector(Detector):
    """Owns the tracker; reads PGs by OSD only while some are laggy or waiting."""

    name = "laggy"

    def __init__(self, pgs: PgStates, health: OsdHealth, clock: Clock) -> None:
        self._pgs = pgs
        self._health = health
        self._clock = clock
        self._hosts: Mapping[int, str] = {}
        self._members: object = None
        self._groups_due = 0.0
        self._pools = Every(_POOLS_EVERY)
        # PGs of which no OSD has reported, and those whose OSDs are all down.
        self._unknown = self._stale = 0
        self.tracker = LaggyTracker(self._host_of)

    def _host_of(self, osd: int) -> Optional[str]:
        return self._hosts.get(osd)

    def tick(self, tick: WatchTick) -> None:
        if tick.members is not self._members:
            self._members = tick.members
            self._hosts = {member.osd: member.host for member in tick.members}
        by_state = self._pgs.by_state()
        self._unknown, self._stale = count(by_state, "unknown"), count(by_state, "stale")
        wanted = wants_by_osd(by_state)
        began = self._clock.monotonic()
        of_osds = None
        if wanted and began >= self._groups_due:
            of_osds = self._pgs.by_osd()
            took = self._clock.monotonic() - began
            self._groups_due = began + _GROUPS_SHARE * took
        self.tracker.step(
            tick.steady,
            by_state,
            self._pgs.by_pool() if wanted or self._looks_for_pools(began) else {},
            of_osds,
            tick.stale,
            self._health.slow_ops(),
            tick.running_round,
            tick.offset,
        )

    def _looks_for_pools(self, now: float) -> bool:
        """Whether to see if the pools that are listed are still there.

        Not while PGs are unknown: a mgr that has just become active may not know all pools yet.
        """
        return not self._unknown and bool(self.tracker.pools()) and self._pools.is_due(now)

    def claims(self) -> Sequence[Claim]:
        return self.tracker.claims()

    def looks(self) -> Sequence[Look]:
        now = self.tracker.now()
        told = []
        if now.at is None:
            told.append(Gap("unread", "the watch has not counted them yet"))
        if self._unknown:
            why = "no OSD has reported their state to the mgr"
            told.append(Gap("unknown", why, count=self._unknown))
        if self._stale:
            why = "the OSDs that have them are down"
            told.append(Gap("stale", why, count=self._stale))
        codes = (LAGGY_PGS.code,)
        return [Look("laggy_pgs", "states of PGs", "PG", now.pgs, codes, tuple(told))]
