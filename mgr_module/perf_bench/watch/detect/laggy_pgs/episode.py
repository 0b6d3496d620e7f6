"""The open episode of laggy PGs, and episodes as JSON."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any, Optional

from ....model.laggy import Episode, OsdLaggy, Suspect
from .attribution import LaggyTotals, suspects

# Episodes as JSON for the store, and back. PG-seconds are kept to the tenth.

State = dict[str, Any]


def episode_state(episode: Episode) -> State:
    """Return an episode JSON-ready, with the OSDs as lists.

    Without counts of 0, so that a version without them can mostly read it.
    """
    fields = asdict(episode).items()
    return {
        **{name: value for name, value in fields if value or not name.startswith("more_")},
        "laggy_pg_seconds": round(episode.laggy_pg_seconds, 1),
        "suspects": [asdict(one) for one in episode.suspects],
        "osds": [
            [one.osd, round(one.laggy_pg_seconds, 1), round(one.pg_seconds, 1)]
            for one in episode.osds
        ],
        "pools": list(episode.pools),
    }


def episode_from(state: Mapping[str, Any]) -> Episode:
    """Return the episode of ``episode_state``."""
    fields: State = {
        **state,
        "suspects": tuple(Suspect(**one) for one in state["suspects"]),
        "osds": tuple(OsdLaggy(*one) for one in state["osds"]),
        "pools": tuple(state["pools"]),
    }
    return Episode(**fields)


def tally_state(tally: LaggyTotals, most: int) -> State:
    """Return the sums JSON-ready, for up to ``most`` OSDs with the most laggy PG-seconds."""
    kept = tally.osds(most)
    return {
        "total": tally.total,
        "osds": [
            [
                *(one.osd, one.laggy_pg_seconds, one.pg_seconds),
                *(tally.stale.get(one.osd, 0.0), tally.slow_ops.get(one.osd, 0)),
            ]
            for one in kept
        ],
    }


def tally_from(state: Mapping[str, Any]) -> LaggyTotals:
    """Return the sums of ``tally_state``."""
    tally = LaggyTotals(total=state["total"])
    for osd, laggy, held, stale, slow_ops in state["osds"]:
        tally.laggy[osd], tally.held[osd] = laggy, held
        if stale:
            tally.stale[osd] = stale
        if slow_ops:
            tally.slow_ops[osd] = slow_ops
    return tally


# PGs that are laggy this long without any change, on healthy OSDs, are stuck: no lease is renewed.
STUCK_SECONDS = 300.0
OSDS_KEPT = 32
POOLS_KEPT = 8
MOST_SUSPECTS = 16

# The number of laggy PGs, and by OSD the number of its laggy PGs if it has any.
Counts = tuple[int, dict[int, int]]
_NONE: Counts = (0, {})


class OpenEpisode:
    """An episode that has not ended; it grows with every tick with laggy PGs."""

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

    def clock_stepped(self, seconds: float) -> None:
        """Move its times along with the clock, so that it lasted as long as before."""
        self.start += seconds
        self.last += seconds
        self._steady_since += seconds

    def interrupt(self) -> None:
        """Take a tick without laggy PGs: the PGs after it need not be the same."""
        self._counts = _NONE

    def frozen(self, end: Optional[float]) -> Episode:
        """Return the episode so far; ``end`` is None while it is open."""
        stuck = self.last - self._steady_since >= STUCK_SECONDS
        pools = sorted(self._pools, key=lambda pool: -self._pools[pool])
        suspected = () if stuck else suspects(self._tally)
        return Episode(
            start=self.start,
            end=end,
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

    def save(self) -> dict[str, Any]:
        """Return the state for ``again``, JSON-ready."""
        return {
            "episode": episode_state(self.frozen(None)),
            "last": self.last,
            "steady_since": self._steady_since,
            "tally": tally_state(self._tally, OSDS_KEPT),
        }

    @classmethod
    def again(cls, state: Mapping[str, Any]) -> OpenEpisode:
        """Return the episode that ``save`` saved."""
        episode = episode_from(state["episode"])
        made = cls(episode.start)
        made.last, made._steady_since = float(state["last"]), float(state["steady_since"])
        made.round_id = episode.round_id
        made._peak, made._pg_seconds = episode.peak, episode.laggy_pg_seconds
        made._pools = {pool: 1.0 / (place + 1) for place, pool in enumerate(episode.pools)}
        made._tally = tally_from(state["tally"])
        made._more_osds, made._more_pools = episode.more_osds, episode.more_pools
        return made
