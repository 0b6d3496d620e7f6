"""The detector of laggy PGs: counts them every tick, joins ticks to episodes, and names the cause.

A PG becomes laggy when a client operation arrives after a replica has failed to renew the lease
in time (16 s by default). Ceph has no health check for it. Every laggy PG counts for each OSD of
its acting set. One slow OSD makes all of its PGs laggy: it is in nearly all laggy PGs, and each of
its peers is in a few.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any, Callable, Optional

from ...core.clock import Clock
from ...model.cluster import Every, OsdHealth, PgStates, pgs_with
from ...model.finding import Claim, Detector, Gap, Look, Severity, Target, WatchTick
from ...model.finding_kinds import LAGGY_PGS
from ...model.phrases import osd_names, span
from ...model.verdict import EPISODES_KEPT, Episode, LaggyNow, LaggyOsd, LaggyPool, Suspect

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
HostOf = Callable[[int], Optional[str]]

# An open episode is claimed after this time: a PG that peers is laggy for a moment.
LASTING_SECONDS = 15.0
# This many episodes within this time are claimed, however short they are.
REPEATED = 3
REPEATED_SECONDS = 1800.0
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

    def osds(self) -> tuple[LaggyOsd, ...]:
        """Return the OSDs with laggy PG-seconds, worst first."""
        worst = sorted(self.laggy.items(), key=lambda one: (-one[1], one[0]))
        return tuple(LaggyOsd(osd, laggy, self.held[osd]) for osd, laggy in worst if laggy > 0)


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


# --- who is to blame -------------------------------------------------------------------------


def suspects(totals: LaggyTotals) -> tuple[Suspect, ...]:
    """Return all OSDs that cause the laggy PGs, most likely first; empty if none stands out."""
    if totals.total <= 0:
        return ()
    ranked = sorted(
        (
            Suspect(
                osd=one.osd,
                laggy_pg_seconds=one.laggy_pg_seconds,
                part=min(1.0, one.laggy_pg_seconds / totals.total),
                share=one.share,
                stale_seconds=totals.stale.get(one.osd, 0.0),
                slow_ops=totals.slow_ops.get(one.osd, 0),
            )
            for one in totals.osds()
        ),
        key=lambda one: (-one.part, -one.share, one.osd),
    )
    single, stale = _single(ranked), _stale(ranked)
    if single and stale:
        return single + tuple(one for one in stale if one not in single)
    return stale or single or _several(ranked)


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


# --- when it is a finding --------------------------------------------------------------------


def claims_of(
    episodes: Sequence[Episode], lasted: float, now: float, host_of: HostOf
) -> list[Claim]:
    """Return the claims at ``now`` (unix seconds). ``episodes`` are newest first.

    ``lasted`` is for how many seconds the open episode, if any, has had laggy PGs.
    """
    if episodes and episodes[0].end is None and lasted >= LASTING_SECONDS:
        return _claims([episodes[0]], host_of)
    # One that begins later is of a mgr whose clock was ahead: nobody knows how long ago it was.
    recent = [one for one in episodes if 0 <= now - one.start <= REPEATED_SECONDS]
    return _claims(recent, host_of) if len(recent) >= REPEATED else []


def _claims(episodes: Sequence[Episode], host_of: HostOf) -> list[Claim]:
    """Return a claim for each suspect, about one or several episodes together."""
    newest = episodes[0]
    evidence: Mapping[str, Any] = {
        "episodes": len(episodes),
        "peak": max(one.peak for one in episodes),
        "laggy_pg_seconds": round(sum(one.laggy_pg_seconds for one in episodes), 1),
        "suspects": [asdict(one) for one in newest.suspects],
        "pools": list(newest.pools),
        "stuck": newest.stuck,
        "rounds": _rounds(episodes),
    }
    since = min(one.start for one in episodes)

    def claim(kind: str, name: str, message: str) -> Claim:
        target = Target(kind, name)
        return Claim(LAGGY_PGS.code, Severity.WARNING, target, message, evidence, since)

    if newest.stuck:
        return [claim("cluster", "cluster", _stuck(newest))]
    how, guilty = _how(episodes), _culprits(episodes)
    hosts = {host_of(one.osd) for one in guilty}
    host = hosts.pop() if len(guilty) > 1 and len(hosts) == 1 else None
    if host is not None:
        osds = osd_names(one.osd for one in guilty)
        message = f"the OSDs of {host} make placement groups laggy ({how}): {osds}"
        return [claim("host", host, message)]
    if guilty:
        return [claim("osd", str(one.osd), _does(one, host_of(one.osd), how)) for one in guilty]
    message = (
        f"placement groups are laggy ({how}) and no OSD stands out: look at the cluster "
        "network and the messenger threads"
    )
    return [claim("cluster", "cluster", message)]


def _culprits(episodes: Sequence[Episode]) -> list[Suspect]:
    """Return the suspects of most of the episodes, with the figures of the newest."""
    found: dict[int, list[Suspect]] = {}
    for episode in episodes:
        for one in episode.suspects:
            found.setdefault(one.osd, []).append(one)
    return [times[0] for times in found.values() if 2 * len(times) > len(episodes)]


def _does(one: Suspect, host: Optional[str], how: str) -> str:
    name = f"osd.{one.osd} on {host}" if host else f"osd.{one.osd}"
    # Its share of its own PGs changes with every tick, so it is in the evidence, not here.
    silent = ", and it stopped reporting meanwhile" if one.stale_seconds else ""
    return (
        f"{name} makes placement groups laggy: {100 * one.part:.0f} % of them are on it{silent} "
        f"({how})"
    )


def _how(episodes: Sequence[Episode]) -> str:
    """Say how many and how often, without a duration, which would change with every tick."""
    words = f"up to {max(one.peak for one in episodes)} at once"
    if len(episodes) > 1:
        words = f"{words}, {len(episodes)} times in {span(REPEATED_SECONDS)}"
    more = episodes[0].more_suspects
    if more:
        named = "more OSD is" if more == 1 else "more OSDs are"
        words = f"{words}, {more} {named} like those that are named"
    rounds = _rounds(episodes)
    return f"{words}, while round {', '.join(map(str, rounds))} ran" if rounds else words


def _rounds(episodes: Sequence[Episode]) -> list[int]:
    return sorted({one.round_id for one in episodes if one.round_id is not None})


def _stuck(episode: Episode) -> str:
    pools = ", ".join(episode.pools)
    if episode.more_pools:
        pools = f" of pools {pools} and {episode.more_pools} more"
    elif pools:
        pools = f" of {'pool' if len(episode.pools) == 1 else 'pools'} {pools}"
    return (
        f"placement groups{pools} are stuck: laggy for over 5 min without any change, although "
        "their OSDs are well: a known defect (trackers 53806, 80404), not a slow OSD; list them "
        "with 'ceph pg ls laggy', free each with 'ceph pg repeer PGID' or by restarting its primary"
    )
