"""Whose fault laggy PGs are, from counts per OSD alone.

Every laggy PG counts once for each OSD of its acting set, and one slow OSD makes all the PGs
laggy that it is in: so the culprit is in nearly all of them, its partners each in a few.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import median

from ....model.laggy import OsdLaggy, Suspect

# One OSD alone is to blame when it is in this part of all laggy PG-seconds …
EXPLAINS = 0.8
# … and the next one is clearly less so. Partners in a pool of size 2 on three OSDs, the closest
# that there is, had 67 % and 33 % (SIGSTOP on Ceph 16).
RUNNER_UP = 0.85
# OSDs that stopped reporting are to blame when together they are in this part of it.
STALE_EXPLAINS = 0.6
# Several OSDs are to blame together when each has this many times the share that is usual
# among the OSDs with any laggy PG.
OUTSTANDING = 3.0
MOST_SUSPECTS = 16


@dataclass
class LaggyTotals:
    """What is summed up over an episode; seconds and PG-seconds."""

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
        """Count ``seconds`` in which ``laggy`` PGs were so; ``by_osd`` has (laggy, all) PGs."""
        self.total += laggy * seconds
        for osd, (count, all_pgs) in by_osd.items():
            if count or osd in self.laggy:
                self.laggy[osd] = self.laggy.get(osd, 0.0) + count * seconds
            self.held[osd] = self.held.get(osd, 0.0) + all_pgs * seconds
        for osd in stale:
            self.stale[osd] = self.stale.get(osd, 0.0) + seconds
        for osd, count in slow_ops.items():
            self.slow_ops[osd] = max(count, self.slow_ops.get(osd, 0))

    def osds(self, most: int) -> tuple[OsdLaggy, ...]:
        """The OSDs with the most laggy PG-seconds, worst first."""
        worst = sorted(self.laggy, key=lambda osd: (-self.laggy[osd], osd))[:most]
        return tuple(
            OsdLaggy(osd, self.laggy[osd], self.held[osd]) for osd in worst if self.laggy[osd] > 0
        )


def suspects(tally: LaggyTotals) -> tuple[Suspect, ...]:
    """The OSDs to blame, most likely first; empty where nobody stands out."""
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
    """Those that stopped reporting: a frozen OSD does, its partners go on.

    Slow operations single nobody out: they pile up at the primary, which waits for another.
    """
    frozen = [one for one in ranked if one.stale_seconds > 0]
    explained = sum(one.part for one in frozen)
    return tuple(frozen[:MOST_SUSPECTS]) if explained >= STALE_EXPLAINS else ()


def _single(ranked: list[Suspect]) -> tuple[Suspect, ...]:
    if not ranked or ranked[0].part < EXPLAINS:
        return ()
    first, *others = ranked
    if any(one.part > RUNNER_UP * first.part or one.share > first.share for one in others):
        return ()
    return (first,)


def _several(ranked: list[Suspect]) -> tuple[Suspect, ...]:
    """A few that stand out together, such as the OSDs of one host."""
    if not ranked:
        return ()
    usual = median(one.share for one in ranked)
    out = [one for one in ranked if one.share >= OUTSTANDING * usual]
    out = [one for one in out if 2 * one.part >= out[0].part]
    explained = sum(one.part for one in out)
    return tuple(out[:MOST_SUSPECTS]) if explained >= EXPLAINS else ()
