"""Decides when laggy PGs are a finding, and makes the claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Callable, Optional

from ....model.finding import Claim, Severity, Target
from ....model.finding_kinds import LAGGY_PGS
from ....model.phrases import osd_names, span
from ....model.verdict import Episode, LaggyNow, Suspect

HostOf = Callable[[int], Optional[str]]

# An open episode is claimed after this time: a PG that peers is laggy for a moment.
LASTING_SECONDS = 15.0
# This many episodes within this time are claimed, however short they are.
REPEATED = 3
REPEATED_SECONDS = 1800.0


def claims_of(
    episodes: Sequence[Episode], lasted: float, now: LaggyNow, host_of: HostOf
) -> list[Claim]:
    """Return the claims at ``now``. ``episodes`` are newest first.

    ``lasted`` is for how many seconds the open episode, if any, has had laggy PGs.
    """
    if episodes and episodes[0].end is None and lasted >= LASTING_SECONDS:
        return _claims([episodes[0]], host_of)
    at = now.at or 0.0
    # One that begins later is of a mgr whose clock was ahead: nobody knows how long ago it was.
    recent = [one for one in episodes if 0 <= at - one.start <= REPEATED_SECONDS]
    return _claims(recent, host_of) if len(recent) >= REPEATED else []


def _claims(episodes: Sequence[Episode], host_of: HostOf) -> list[Claim]:
    """Return a claim for each suspect, about one or several episodes together."""
    evidence = _evidence(episodes)
    since = min(one.start for one in episodes)

    def claim(target: Target, message: str) -> Claim:
        return Claim(LAGGY_PGS.code, Severity.WARNING, target, message, evidence, since)

    if episodes[0].stuck:
        return [claim(Target("cluster", "cluster"), _stuck(episodes[0]))]
    culprits = _culprits(episodes)
    how = _how(episodes)
    if not culprits:
        message = (
            f"placement groups are laggy ({how}) and no OSD stands out: look at the cluster "
            "network and the messenger threads"
        )
        return [claim(Target("cluster", "cluster"), message)]
    host = _common_host(culprits, host_of)
    if host is not None:
        osds = osd_names(one.osd for one in culprits)
        message = f"the OSDs of {host} make placement groups laggy ({how}): {osds}"
        return [claim(Target("host", host), message)]
    return [
        claim(Target("osd", str(one.osd)), _does(one, host_of(one.osd), how)) for one in culprits
    ]


def _culprits(episodes: Sequence[Episode]) -> list[Suspect]:
    """Return the suspects of most of the episodes, with the figures of the newest."""
    found: dict[int, list[Suspect]] = {}
    for episode in episodes:
        for one in episode.suspects:
            found.setdefault(one.osd, []).append(one)
    return [times[0] for times in found.values() if 2 * len(times) > len(episodes)]


def _common_host(culprits: Sequence[Suspect], host_of: HostOf) -> Optional[str]:
    hosts = {host_of(one.osd) for one in culprits}
    return hosts.pop() if len(culprits) > 1 and len(hosts) == 1 else None


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
    return (
        f"{_pgs(episode)} are stuck: laggy for over 5 min without any change, although their OSDs "
        "are well: a known defect (trackers 53806, 80404), not a slow OSD; list them with 'ceph pg "
        "ls laggy', free each with 'ceph pg repeer PGID' or by restarting its primary"
    )


def _pgs(episode: Episode) -> str:
    pools = ", ".join(episode.pools)
    if episode.more_pools:
        return f"placement groups of pools {pools} and {episode.more_pools} more"
    if episode.pools:
        return f"placement groups of {'pool' if len(episode.pools) == 1 else 'pools'} {pools}"
    return "placement groups"


def _evidence(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Return the figures behind the claims: durations in seconds, times in unix seconds."""
    newest = episodes[0]
    return {
        "episodes": len(episodes),
        "peak": max(one.peak for one in episodes),
        "laggy_pg_seconds": round(sum(one.laggy_pg_seconds for one in episodes), 1),
        "suspects": [asdict(one) for one in newest.suspects],
        "pools": list(newest.pools),
        "stuck": newest.stuck,
        "rounds": _rounds(episodes),
    }
