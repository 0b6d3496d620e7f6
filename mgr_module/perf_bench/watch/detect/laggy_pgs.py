"""The detector of laggy PGs: counts them every tick, joins ticks to episodes.

A PG becomes laggy when a client operation arrives after a replica has failed to renew the lease
in time (16 s by default). Ceph has no health check for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Optional

from ...core.clock import Clock
from ...model.cluster import Every, OsdHealth, PgStates, pgs_with
from ...model.finding import Claim, Detector, Gap, Look, WatchTick
from ...model.finding_kinds import LAGGY_PGS
from ...model.verdict import EPISODES_KEPT, Episode, LaggyNow, LaggyOsd, LaggyPool
from .laggy_claims import LaggyTotals, claims_of, suspects

States = Mapping[str, int]
# By OSD its laggy PGs and all of its PGs.
ByOsd = Mapping[int, tuple[int, int]]

# PGs that are laggy again within this time continue the episode: they alternate while an OSD hangs.
JOIN_SECONDS = 30.0
# A tick counts for the time since the one before, at most for this.
LONGEST_TICK = 15.0
# PGs that are laggy this long without any change, on healthy OSDs, are stuck: no lease is renewed.
STUCK_SECONDS = 300.0
# The states of PGs by OSD take 0.2 s for 262,144 PGs, in one call during which no other Python
# runs. The pause between two calls is this many times their duration: 2 % of the time.
_GROUPS_SHARE = 50.0
# Number of the newest episodes that can still change after they were written.
_CHANGING = 4
# Seconds between two looks for pools that were deleted or renamed, while no PG is laggy.
_POOLS_EVERY = 60.0
# Of more OSDs, pools and suspects the worst are kept, and the others counted.
_OSDS_KEPT, _POOLS_KEPT, _MOST_SUSPECTS = 32, 8, 16


@dataclass
class OpenEpisode:
    """An episode that has not ended; it grows with every tick with laggy PGs. Steady seconds."""

    start: float
    last: float
    # Since when the number of laggy PGs and those of each OSD have not changed, and these counts.
    same_since: float
    counts: Optional[tuple[int, Mapping[int, int]]] = None
    round_id: Optional[int] = None
    peak: int = 0
    pg_seconds: float = 0.0
    # By pool the sum of its counts; it only ranks the pools.
    pools: dict[str, float] = field(default_factory=dict)
    totals: LaggyTotals = field(default_factory=LaggyTotals)

    def grow(self, at: float, seconds: float, laggy: int, by_osd: Optional[ByOsd]) -> None:
        """Add a tick of ``seconds``; ``by_osd`` is None if it was not read."""
        self.last = at
        self.peak = max(self.peak, laggy)
        self.pg_seconds += laggy * seconds
        affected = self.counts[1] if self.counts else {}
        if by_osd is not None:
            affected = {osd: own for osd, (own, _) in by_osd.items() if own}
        counts = (laggy, affected)
        if self.counts is not None and counts != self.counts:
            self.same_since = at
        self.counts = counts

    def frozen(self, offset: float) -> Episode:
        """Return the episode so far, as open; ``offset`` makes unix seconds of steady ones."""
        stuck = self.last - self.same_since >= STUCK_SECONDS
        pools = sorted(self.pools, key=lambda pool: -self.pools[pool])
        suspected = () if stuck else suspects(self.totals)
        affected = self.totals.osds()
        return Episode(
            start=self.start + offset,
            end=None,
            peak=self.peak,
            laggy_pg_seconds=self.pg_seconds,
            suspects=suspected[:_MOST_SUSPECTS],
            osds=affected[:_OSDS_KEPT],
            pools=tuple(pools[:_POOLS_KEPT]),
            stuck=stuck,
            round_id=self.round_id,
            more_suspects=len(suspected[_MOST_SUSPECTS:]),
            more_osds=len(affected[_OSDS_KEPT:]),
            more_pools=len(pools[_POOLS_KEPT:]),
        )


class LaggyPgDetector(Detector):
    """Reads PGs by OSD only while some are laggy or waiting. An episode ends with its mgr."""

    name = "laggy"

    def __init__(self, pgs: PgStates, health: OsdHealth, clock: Clock) -> None:
        self._pgs = pgs
        self._health = health
        self._clock = clock
        self._hosts: Mapping[int, str] = {}
        self._members: object = None
        self._groups_due = 0.0
        self._look_for_pools = Every(_POOLS_EVERY)
        # PGs of which no OSD has reported, and those whose OSDs are all down.
        self._unknown = self._stale = 0
        # The counts of the newest tick.
        self.now = LaggyNow()
        # The steady time of the newest tick.
        self._at: Optional[float] = None
        self._open: Optional[OpenEpisode] = None
        # The same as it is told; it takes 15 ms if 10,000 OSDs have laggy PGs.
        self._going_on: Optional[Episode] = None
        self._past: list[Episode] = []
        self._pools: dict[str, LaggyPool] = {}
        # The total so far; it only grows.
        self.laggy_pg_seconds = 0.0

    def tick(self, tick: WatchTick) -> None:
        if tick.members is not self._members:
            self._members = tick.members
            self._hosts = {member.osd: member.host for member in tick.members}
        by_state = self._pgs.by_state()
        self._unknown, self._stale = pgs_with(by_state, "unknown"), pgs_with(by_state, "stale")
        laggy, wait = pgs_with(by_state, "laggy"), pgs_with(by_state, "wait")
        self.now = LaggyNow(laggy, wait, sum(by_state.values()), tick.now)
        at, before = tick.steady, self._at
        seconds = 0.0 if before is None else min(max(0.0, at - before), LONGEST_TICK)
        self._at = at
        self.laggy_pg_seconds += laggy * seconds
        self._count_pools(seconds)
        if self._open is not None and at - self._open.last > JOIN_SECONDS:
            end = self._open.last + tick.offset
            self._past.append(replace(self._open.frozen(tick.offset), end=end))
            del self._past[:-EPISODES_KEPT]
            self._open = None
        by_osd = self._by_osd() if laggy or wait else None
        if laggy:
            self._grow(tick, seconds, by_osd)
        elif self._open is not None:
            self._open.counts = (0, {})  # the PGs after it need not be the same
        self._going_on = self._open.frozen(tick.offset) if self._open else None

    def _by_osd(self) -> Optional[ByOsd]:
        """The PGs by OSD, which take 1 us per PG; None where they were read a moment ago."""
        began = self._clock.monotonic()
        if began < self._groups_due:
            return None
        found = self._pgs.by_osd()
        took = self._clock.monotonic() - began
        self._groups_due = began + _GROUPS_SHARE * took
        return {osd: (pgs_with(of, "laggy"), sum(of.values())) for osd, of in found.items()}

    def _grow(self, tick: WatchTick, seconds: float, by_osd: Optional[ByOsd]) -> None:
        """Add a tick with laggy PGs to the open episode."""
        at, laggy, slow_ops = tick.steady, self.now.laggy, self._health.slow_ops()
        episode = self._open = self._open or OpenEpisode(at, at, at)
        episode.grow(at, seconds, laggy, by_osd)
        # Without the counts by OSD it is unknown which OSDs are affected: all unhealthy ones count.
        unwell = {*tick.stale, *slow_ops}
        if by_osd is not None:
            # The total is summed in the same ticks as its parts.
            episode.totals.add(seconds, laggy, by_osd, tick.stale, slow_ops)
            unwell = {osd for osd in unwell if by_osd.get(osd, (0, 0))[0]}
        if unwell:
            episode.same_since = at
        if episode.round_id is None:
            episode.round_id = tick.running_round
        for one in self._pools.values():
            if one.laggy:
                episode.pools[one.pool] = episode.pools.get(one.pool, 0.0) + one.laggy

    def _count_pools(self, seconds: float) -> None:
        """Update the pools. A pool is listed from its first laggy PG until it is deleted.

        Those that are deleted while no PG is laggy are found once a minute. Not while PGs are
        unknown: a mgr that has just become active may not know all pools yet.
        """
        looks = self.now.laggy or self.now.wait
        due = not looks and self._pools and not self._unknown
        by_pool: Mapping[str, States] = {}
        if looks or (due and self._look_for_pools.is_due(self._clock.monotonic())):
            by_pool = self._pgs.by_pool()
        counts = {p: (pgs_with(s, "laggy"), pgs_with(s, "wait")) for p, s in by_pool.items()}
        names = {*self._pools, *(pool for pool, both in counts.items() if any(both))}
        pools = {}
        for pool in names if not by_pool else names & by_pool.keys():
            laggy, wait = counts.get(pool, (0, 0))
            known = self._pools.get(pool)
            spent = laggy * seconds + (known.laggy_pg_seconds if known else 0.0)
            if laggy or wait or spent:  # else it only had waiting PGs, and has none now
                pools[pool] = LaggyPool(pool, laggy, wait, spent)
        self._pools = pools

    # --- questions ---------------------------------------------------------------------------

    def claims(self) -> list[Claim]:
        """Return the claims on lasting or repeated episodes."""
        lasted = self._open.last - self._open.start if self._open else 0.0
        return claims_of(self.episodes(), lasted, self.now.at or 0.0, self._hosts.get)

    def episodes(self) -> list[Episode]:
        """Return the episodes, newest first, including the open one; at most 201."""
        going_on = [self._going_on] if self._going_on else []
        return [*going_on, *reversed(self._past)]

    def osds(self) -> list[LaggyOsd]:
        """Return the OSDs with laggy PGs in the kept episodes, worst first."""
        sums: dict[int, tuple[float, float]] = {}
        for episode in self.episodes():
            for one in episode.osds:
                laggy, held = sums.get(one.osd, (0.0, 0.0))
                sums[one.osd] = (laggy + one.laggy_pg_seconds, held + one.pg_seconds)
        found = [LaggyOsd(osd, laggy, held) for osd, (laggy, held) in sums.items()]
        return sorted(found, key=lambda one: (-one.laggy_pg_seconds, one.osd))

    def pools(self) -> list[LaggyPool]:
        """Return the pools that have, or had, laggy or waiting PGs, worst first."""
        found = self._pools.values()
        return sorted(found, key=lambda one: (-one.laggy_pg_seconds, one.pool))

    def looks(self) -> Sequence[Look]:
        told = []
        if self.now.at is None:
            told.append(Gap("unread", "the watch has not counted them yet"))
        if self._unknown:
            why = "no OSD has reported their state to the mgr"
            told.append(Gap("unknown", why, count=self._unknown))
        if self._stale:
            why = "the OSDs that have them are down"
            told.append(Gap("stale", why, count=self._stale))
        codes = (LAGGY_PGS.code,)
        return [Look("laggy_pgs", "states of PGs", "PG", self.now.pgs, codes, tuple(told))]

    # --- across mgrs: rows of episodes, no state ---------------------------------------------

    def to_store(self) -> list[Episode]:
        """The newest episodes, which may have changed; an open one ends when it was seen last."""
        newest = list(reversed(self._past[-_CHANGING:]))
        if self._open is None or self._going_on is None:
            return newest
        end = self._going_on.start + self._open.last - self._open.start
        return [replace(self._going_on, end=end), *newest]

    def add_past(self, episodes: Collection[Episode]) -> None:
        """Add the episodes of the mgr before that this one does not have."""
        known = {one.start for one in self.episodes()}
        newer = [one for one in episodes if one.end is not None and one.start not in known]
        self._past = sorted([*self._past, *newer], key=lambda one: one.start)[-EPISODES_KEPT:]
