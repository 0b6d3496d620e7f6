"""Lay out a sandwich: OSDs alone, all of their host together, alone, and after rests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Optional

from ...errors import InvalidValue
from ...model.bench import Step
from ...model.duration import parse_duration
from ...model.osd import Osd
from ...model.plan import AFTER, BEFORE, RESTED, TOGETHER, Phase
from ...model.profile import Profile
from ...model.request import Request
from ...model.selection import Selection
from .waves import lay_waves

# Long enough to be a rest on a cluster for tests; two hours are past what an operator waits for.
LEAST_REST = 2
MOST_REST = 7200
MOST_RESTS = 12


class Chosen(NamedTuple):
    """Which OSDs are measured, which of them alone, and what is to be said of the choice."""

    osds: Sequence[Osd]
    solo: Sequence[Osd]
    notes: Sequence[str]


def rests_of(request: Request, profile: Profile) -> tuple[int, int]:
    """How many rests, and of how many seconds. Raises InvalidValue."""
    count = profile.rests if request.rests is None else request.rests
    if not 0 <= count <= MOST_RESTS:
        raise InvalidValue(f"--rests {count} is not within 0 to {MOST_RESTS}", "rests")
    seconds = profile.rest_seconds if request.rest is None else parse_duration(request.rest, "rest")
    if not LEAST_REST <= seconds <= MOST_REST:
        raise InvalidValue(f"--rest {request.rest} is not within 2s to 2h", "rest")
    return count, seconds


def choose(up: Sequence[Osd], everything: Sequence[Osd], request: Request) -> Chosen:
    """Choose hosts and OSDs among those of the request that are ``up``. Raises InvalidValue.

    Who names no OSDs gets one host, for it is a load that a whole cluster should not meet by
    accident. Alone is the OSD with the lowest ID: another day it is the same one again.
    """
    named = _solo(up, everything, request.solo)
    hosts = _by_host(up)
    notes = []
    if request.osds is None:
        candidates = sorted({osd.host for osd in named}) or sorted(hosts)
        host = max(candidates, key=lambda name: len(hosts[name]))
        hosts = {host: hosts[host]}
        why = "that of the OSD that is alone" if named else "the one with the most OSDs"
        notes.append(f"one host, {why}: {host} (--osds host=NAME for another)")
    alone = _by_host(named) if named else {host: osds[:1] for host, osds in hosts.items()}
    kept = {host: osds for host, osds in hosts.items() if len(osds) > 1 and host in alone}
    left = sorted(hosts.keys() - kept.keys())
    if not kept:
        raise InvalidValue(
            "a sandwich sets one OSD against all of its host, and no chosen host has two OSDs "
            "that are up: choose others",
            field="osds",
        )
    if left:
        notes.append(f"left out because nothing can be set against each other: {', '.join(left)}")
    if not named:
        names = ", ".join(f"{osds[0].name} of {host}" for host, osds in sorted(kept.items()))
        notes.append(f"alone: {names} (the lowest ID, so that it is the same in every round)")
    osds = [osd for own in kept.values() for osd in own]
    solo = [osd for host in kept for osd in alone[host]]
    return Chosen(sorted(osds, key=_id), sorted(solo, key=_id), notes)


def sandwich(
    chosen: Chosen, steps: Sequence[Step], rests: tuple[int, int], max_parallel: int
) -> tuple[Phase, ...]:
    """The phases, in their order. Raises InvalidValue where too many would work together."""
    if len(chosen.osds) > max_parallel:
        raise InvalidValue(
            f"{len(chosen.osds)} OSDs would have to work together, and mgr/perf_bench/max_parallel "
            f"is {max_parallel}: choose fewer hosts",
            field="osds",
        )
    count, seconds = rests
    alone = lay_waves(chosen.solo, max_parallel)
    together = (tuple(osd.id for osd in chosen.osds),)
    parts = [(BEFORE, alone, 0), (TOGETHER, together, 0), (AFTER, alone, 0)]
    parts += [(f"{RESTED}-{number}", alone, seconds) for number in range(1, count + 1)]
    return tuple(
        Phase(step, waves, part, float(rest) if step is steps[0] else 0.0)
        for part, waves, rest in parts
        for step in steps
    )


def _solo(up: Sequence[Osd], everything: Sequence[Osd], text: Optional[str]) -> Sequence[Osd]:
    if text is None:
        return []
    known = {osd.id for osd in up}
    found = Selection.parse(text).select(everything)
    strange = [osd.name for osd in found if osd.id not in known]
    if strange:
        raise InvalidValue(
            f"--solo {text}: {strange[0]} is not among the chosen OSDs that are up", field="solo"
        )
    return found


def _by_host(osds: Sequence[Osd]) -> Mapping[str, list[Osd]]:
    found: dict[str, list[Osd]] = defaultdict(list)
    for osd in sorted(osds, key=_id):
        found[osd.host].append(osd)
    return found


def _id(osd: Osd) -> int:
    return osd.id
