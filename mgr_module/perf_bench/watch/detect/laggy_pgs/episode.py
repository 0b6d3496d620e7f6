"""The open episode of laggy PGs, the OSDs that cause it, and episodes as JSON.

Every laggy PG counts for each OSD of its acting set. One slow OSD makes all of its PGs laggy: it is
in nearly all laggy PGs, and each of its peers is in a few.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Optional

from ....model.verdict import Episode, OsdLaggy, Suspect

# A single OSD is the suspect if it is in this part of all laggy PG-seconds …
EXPLAINS = 0.8
# … and every other OSD is in less than this part of the first one's. In the closest case, a pool of
# size 2 on three OSDs, the peers had 67 % and 33 % (SIGSTOP on Ceph 16).
RUNNER_UP = 0.85
# OSDs that stopped reporting are the suspects if together they are in this part of it.
STALE_EXPLAINS = 0.6
# Several OSDs are suspects if each has this many times the median share of the OSDs with laggy
# PGs.
OUTSTANDING = 3.0


@dataclass
class LaggyTotals:
    """The sums over an episode, in seconds and PG-seconds."""

    total: float = 0.0
    laggy: dict[int, float] = field(default_factory=dict)
    held: dict[int, float] = field(default_factory=dict)
    stale: dict[int, float] = field(default_factory=dict)
    slow_ops: dict[int, int] = field(default_factory=dict)

    def add(
        self,
        seconds: float,
        laggy: int,
        by_osd: Mapping[int, tuple[int, int]],
        stale: Collection[int],
        slow_ops: Mapping[int, int],
    ) -> None:
        """Add ``seconds`` with ``laggy`` PGs; ``by_osd`` has the OSDs' (laggy, all) PGs."""
        self.total += laggy * seconds
        for osd, (count, all_pgs) in by_osd.items():
            if count or osd in self.laggy:
                self.laggy[osd] = self.laggy.get(osd, 0.0) + count * seconds
            self.held[osd] = self.held.get(osd, 0.0) + all_pgs * seconds
        for osd in stale:
            self.stale[osd] = self.stale.get(osd, 0.0) + seconds
        for osd, count in slow_ops.items():
            self.slow_ops[osd] = max(count, self.slow_ops.get(osd, 0))

    def affected(self) -> int:
        """Return how many OSDs have laggy PG-seconds."""
        return sum(seconds > 0 for seconds in self.laggy.values())

    def osds(self, most: int) -> tuple[OsdLaggy, ...]:
        """Return up to ``most`` OSDs with the most laggy PG-seconds, worst first."""
        worst = sorted(self.laggy, key=lambda osd: (-self.laggy[osd], osd))[:most]
        return tuple(
            OsdLaggy(osd, self.laggy[osd], self.held[osd]) for osd in worst if self.laggy[osd] > 0
        )


def suspects(tally: LaggyTotals) -> tuple[Suspect, ...]:
    """Return all OSDs that cause the laggy PGs, most likely first; empty if none stands out."""
    if tally.total <= 0:
        return ()
    ranked = sorted(
        (_suspect(tally, osd) for osd, laggy in tally.laggy.items() if laggy > 0),
        key=lambda one: (-one.part, -one.share, one.osd),
    )
    single, stale = _single(ranked), _stale(ranked)
    if single and stale:
        return single + tuple(one for one in stale if one not in single)
    return stale or single or _several(ranked)


def _suspect(tally: LaggyTotals, osd: int) -> Suspect:
    laggy = tally.laggy[osd]
    return Suspect(
        osd=osd,
        laggy_pg_seconds=laggy,
        part=min(1.0, laggy / tally.total),
        share=laggy / tally.held[osd] if tally.held[osd] else 0.0,
        stale_seconds=tally.stale.get(osd, 0.0),
        slow_ops=tally.slow_ops.get(osd, 0),
    )


def _stale(ranked: list[Suspect]) -> tuple[Suspect, ...]:
    """Return the OSDs that stopped reporting, as a frozen OSD does while its peers continue.

    Slow operations are no sign: they queue at the primary, which waits for another OSD.
    """
    frozen = [one for one in ranked if one.stale_seconds > 0]
    explained = sum(one.part for one in frozen)
    return tuple(frozen) if explained >= STALE_EXPLAINS else ()


def _single(ranked: list[Suspect]) -> tuple[Suspect, ...]:
    if not ranked or ranked[0].part < EXPLAINS:
        return ()
    first, *others = ranked
    if any(one.part > RUNNER_UP * first.part or one.share > first.share for one in others):
        return ()
    return (first,)


def _several(ranked: list[Suspect]) -> tuple[Suspect, ...]:
    """Return several OSDs that stand out together, such as the OSDs of one host."""
    if not ranked:
        return ()
    usual = median(one.share for one in ranked)
    out = [one for one in ranked if one.share >= OUTSTANDING * usual]
    out = [one for one in out if 2 * one.part >= out[0].part]
    explained = sum(one.part for one in out)
    return tuple(out) if explained >= EXPLAINS else ()


# --- while it grows --------------------------------------------------------------------------

# PGs that are laggy this long without any change, on healthy OSDs, are stuck: no lease is renewed.
STUCK_SECONDS = 300.0
OSDS_KEPT = 32
POOLS_KEPT = 8
MOST_SUSPECTS = 16

# The number of laggy PGs, and by OSD the number of its laggy PGs if it has any.
Counts = tuple[int, dict[int, int]]
_NONE: Counts = (0, {})


class OpenEpisode:
    """An episode that has not ended; it grows with every tick with laggy PGs. Steady seconds."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.last = start
        self.round_id: Optional[int] = None
        self._peak = 0
        self._pg_seconds = 0.0
        # By pool the sum of its counts; it only ranks the pools.
        self._pools: dict[str, float] = {}
        self._tally = LaggyTotals()
        # OSDs and pools that the state of another mgr has left out.
        self._more_osds = self._more_pools = 0
        # When the counts changed last, and the counts.
        self._steady_since = start
        self._counts: Optional[Counts] = None

    @property
    def lasted(self) -> float:
        """Seconds from the first to the last tick with laggy PGs."""
        return self.last - self.start

    def grow(
        self,
        at: float,
        seconds: float,
        laggy: int,
        by_osd: Optional[Mapping[int, tuple[int, int]]],
        stale: Collection[int],
        slow_ops: Mapping[int, int],
    ) -> None:
        """Add a tick of ``seconds``; ``by_osd`` has (laggy, all) PGs, None if it was not read."""
        self.last = at
        self._peak = max(self._peak, laggy)
        self._pg_seconds += laggy * seconds
        # Without the counts by OSD it is unknown which OSDs are affected: all unhealthy ones count.
        unwell = {*stale, *slow_ops}
        affected = self._counts[1] if self._counts else {}
        if by_osd is not None:
            # The total is summed in the same ticks as its parts.
            self._tally.add(seconds, laggy, by_osd, stale, slow_ops)
            affected = {osd: count for osd, (count, _) in by_osd.items() if count}
            unwell &= affected.keys()
        counts = (laggy, affected)
        if unwell or (self._counts is not None and counts != self._counts):
            self._steady_since = at
        self._counts = counts

    def note(self, round_id: Optional[int], pools: Mapping[str, int]) -> None:
        """Add the bench round that ran in the tick, and the number of laggy PGs by pool."""
        if self.round_id is None:
            self.round_id = round_id
        for pool, laggy in pools.items():
            if laggy:
                self._pools[pool] = self._pools.get(pool, 0.0) + laggy

    def interrupt(self) -> None:
        """Take a tick without laggy PGs: the PGs after it need not be the same."""
        self._counts = _NONE

    def frozen(self, end: Optional[float], offset: float = 0.0) -> Episode:
        """Return the episode so far; ``end`` is None while it is open.

        ``offset`` makes unix seconds of steady ones.
        """
        stuck = self.last - self._steady_since >= STUCK_SECONDS
        pools = sorted(self._pools, key=lambda pool: -self._pools[pool])
        suspected = () if stuck else suspects(self._tally)
        return Episode(
            start=self.start + offset,
            end=None if end is None else end + offset,
            peak=self._peak,
            laggy_pg_seconds=self._pg_seconds,
            suspects=suspected[:MOST_SUSPECTS],
            osds=self._tally.osds(OSDS_KEPT),
            pools=tuple(pools[:POOLS_KEPT]),
            stuck=stuck,
            round_id=self.round_id,
            more_suspects=max(0, len(suspected) - MOST_SUSPECTS),
            more_osds=max(0, self._tally.affected() - OSDS_KEPT) + self._more_osds,
            more_pools=max(0, len(pools) - POOLS_KEPT) + self._more_pools,
        )

    @classmethod
    def again(cls, episode: Episode, offset: float) -> OpenEpisode:
        """An episode that another mgr saw, and that goes on."""
        made = cls(episode.start - offset)
        made.round_id = episode.round_id
        made._peak, made._pg_seconds = episode.peak, episode.laggy_pg_seconds
        made._pools = {pool: 1.0 / (place + 1) for place, pool in enumerate(episode.pools)}
        made._tally = LaggyTotals(
            episode.laggy_pg_seconds,
            {one.osd: one.laggy_pg_seconds for one in episode.osds},
            {one.osd: one.pg_seconds for one in episode.osds},
            {one.osd: one.stale_seconds for one in episode.suspects if one.stale_seconds},
            {one.osd: one.slow_ops for one in episode.suspects if one.slow_ops},
        )
        made._more_osds, made._more_pools = episode.more_osds, episode.more_pools
        return made
