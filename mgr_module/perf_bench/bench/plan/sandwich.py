"""Plan a sandwich: OSDs alone, all OSDs of their hosts together, alone again, and after rests."""

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
from ...model.said import Said, say
from ...model.selection import Selection
from .waves import lay_waves

# Seconds; the least is for tests, and nobody waits longer than two hours.
LEAST_REST = 2
MOST_REST = 7200
MOST_RESTS = 12


class Chosen(NamedTuple):
    """The OSDs that are measured, those of them that are measured alone, and notes."""

    osds: Sequence[Osd]
    solo: Sequence[Osd]
    notes: Sequence[str]


def rests_of(request: Request, profile: Profile) -> tuple[int, int]:
    """The number of rests and their seconds. Raises InvalidValue."""
    count = profile.rests if request.rests is None else request.rests
    if not 0 <= count <= MOST_RESTS:
        raise InvalidValue(
            say(
                "rests-range",
                "--rests {given} is not within 0 to {most}",
                given=str(count),
                most=str(MOST_RESTS),
            ),
            "rests",
        )
    seconds = profile.rest_seconds if request.rest is None else parse_duration(request.rest, "rest")
    if not LEAST_REST <= seconds <= MOST_REST:
        raise InvalidValue(
            say("rest-range", "--rest {given} is not within 2s to 2h", given=request.rest), "rest"
        )
    return count, seconds


def choose(up: Sequence[Osd], everything: Sequence[Osd], request: Request) -> Chosen:
    """Choose hosts and OSDs among those of the request that are ``up``. Raises InvalidValue.

    Without --osds only one host is chosen, because the load is high. The OSD with the lowest ID is
    measured alone, so that every round measures the same one.
    """
    named = _solo(up, everything, request.solo)
    hosts = _by_host(up)
    notes: list[str] = []
    if request.osds is None:
        candidates = sorted({osd.host for osd in named}) or sorted(hosts)
        host = max(candidates, key=lambda name: len(hosts[name]))
        hosts = {host: hosts[host]}
        notes.append(_one_host(host, bool(named)))
    alone = _by_host(named) if named else {host: osds[:1] for host, osds in hosts.items()}
    kept = {host: osds for host, osds in hosts.items() if len(osds) > 1 and host in alone}
    left = sorted(hosts.keys() - kept.keys())
    if not kept:
        raise InvalidValue(
            say(
                "sandwich-alone",
                "osd-sandwich compares one OSD with all of its host, but no chosen host has two "
                "OSDs that are up: choose others",
            ),
            field="osds",
        )
    if left:
        notes.append(
            say(
                "plan-no-counterpart",
                "left out because they have no OSDs to compare: {hosts:list}",
                hosts=left,
            )
        )
    if not named:
        notes.append(
            say(
                "plan-alone",
                "alone: {osds:osds} (the lowest ID of its host, so that it is the same in every "
                "round)",
                osds=[osds[0].id for osds in kept.values()],
            )
        )
    osds = [osd for of_host in kept.values() for osd in of_host]
    solo = [osd for host in kept for osd in alone[host]]
    return Chosen(sorted(osds, key=_id), sorted(solo, key=_id), notes)


def sandwich(
    chosen: Chosen, steps: Sequence[Step], rests: tuple[int, int], max_parallel: int
) -> tuple[Phase, ...]:
    """The phases in order. Raises InvalidValue if too many OSDs would run at the same time."""
    if len(chosen.osds) > max_parallel:
        raise InvalidValue(
            say(
                "too-parallel",
                "{count} OSDs would run at the same time, but mgr/perf_bench/max_parallel is "
                "{most}: choose fewer hosts",
                count=len(chosen.osds),
                most=max_parallel,
            ),
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


def _one_host(host: str, named: bool) -> Said:
    if named:
        return say(
            "plan-host-of-solo",
            "one host, that of the OSD measured alone: {host} (--osds host=NAME for another)",
            host=host,
        )
    return say(
        "plan-largest-host",
        "one host, the one with the most OSDs: {host} (--osds host=NAME for another)",
        host=host,
    )


def _solo(up: Sequence[Osd], everything: Sequence[Osd], text: Optional[str]) -> Sequence[Osd]:
    if text is None:
        return []
    known = {osd.id for osd in up}
    named = Selection.parse(text).select(everything)
    others = [osd.name for osd in named if osd.id not in known]
    if others:
        raise InvalidValue(
            say(
                "solo-unchosen",
                "--solo {given}: {osd} is not among the chosen OSDs that are up",
                given=text,
                osd=others[0],
            ),
            field="solo",
        )
    return named


def _by_host(osds: Sequence[Osd]) -> Mapping[str, list[Osd]]:
    by_host: dict[str, list[Osd]] = defaultdict(list)
    for osd in sorted(osds, key=_id):
        by_host[osd.host].append(osd)
    return by_host


def _id(osd: Osd) -> int:
    return osd.id
