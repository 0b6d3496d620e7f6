"""Finds the OSDs that cause laggy PGs, from counts per OSD.

Every laggy PG counts for each OSD of its acting set. One slow OSD makes all of its PGs laggy: it is
in nearly all laggy PGs, and each of its peers is in a few.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import median

from ....model.laggy import OsdLaggy, Suspect

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
