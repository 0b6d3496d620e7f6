"""Which OSDs make placement groups laggy, when that is a finding, and what it says.

Every laggy PG counts for each OSD of its acting set. One slow OSD makes all of its PGs laggy: it is
in nearly all laggy PGs, and each of its peers is in a few.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Callable, Optional

from ...model.finding import Claim, Severity, Target
from ...model.finding_kinds import LAGGY_PGS
from ...model.phrases import osd_names, span
from ...model.verdict import Episode, LaggyOsd, Suspect

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
