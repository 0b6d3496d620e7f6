"""Makes the claim of a cause: its target, its sentence, and its evidence as figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Optional

from ....model.finding import Claim, Severity, Target
from ....model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from ....model.said import Said, say
from ....model.unit_names import unit_named
from .attribution import BURSTS, GENERATION, INTERMITTENT, Cause, SlowEvidence
from .cohort_channel import CohortChannel

_CODES = {"host": SLOW_HOST.code, "enclosure": SLOW_ENCLOSURE.code, "rack": SLOW_ENCLOSURE.code}
# Maximum number of OSDs in a claim's evidence.
_LISTED = 100


def claim(cause: Cause, cohort_channel: CohortChannel, warn: bool = True) -> Claim:
    """Return the claim of a cause; ``cohort_channel`` is that of its worst evidence."""
    code, target = _target(cause)
    severity = Severity.WARNING if warn else Severity.INFO
    return Claim(
        code, severity, target, _sentence(cause), evidence(cause, cohort_channel), cause.since
    )


def _target(cause: Cause) -> tuple[str, Target]:
    if cause.osd is not None:
        return SLOW_OSD.code, Target("osd", str(cause.osd))
    if cause.unit is None:
        name = f"{cause.cohort.name} {cause.kind}" if cause.kind else cause.cohort.name
        return SLOW_ENCLOSURE.code, Target("cohort", name)
    if cause.unit.kind == "device":
        return SLOW_OSD.code, Target("osd", str(cause.slow[0]))
    return _CODES[cause.unit.kind], Target(cause.unit.kind, cause.unit.id)


def _sentence(cause: Cause) -> Said:
    ground = cause.worst
    ratio = math.exp(ground.flag.facts.excess)
    figures = say(
        "slow-figures",
        "({channel:channel} {own:ms} against {usual:ms}) since {since:time}",
        channel=ground.channel,
        own=ground.milliseconds[0] / 1000,
        usual=ground.milliseconds[1] / 1000,
        since=cause.since,
    )
    if cause.osd is not None:
        return _of_osd(cause, ratio, figures)
    if cause.kind:
        return _of_many(cause, ratio, figures)
    if cause.unit is None:
        return say(
            "slow-cohort",
            "{slow} of the {size} OSDs of {cohort} are slower than the others, typically "
            "{ratio:times} times {figures}",
            slow=len(cause.slow),
            size=cause.cohort.size,
            cohort=cause.cohort.name,
            ratio=ratio,
            figures=figures,
        )
    return say(
        "slow-unit",
        "{unit} ({osds|OSD|OSDs}) is {ratio:times} times as slow as its peers {figures}",
        unit=unit_named(cause.unit.kind, cause.unit.id),
        osds=len(cause.slow),
        ratio=ratio,
        figures=figures,
    )


def _of_osd(cause: Cause, ratio: float, figures: Said) -> Said:
    ground = cause.worst
    assert cause.osd is not None  # noqa: S101
    host = cause.cohort.members[cause.cohort.place[cause.osd]].host
    osd = say("osd-on-host", "osd.{osd} on {host}", osd=cause.osd, host=host)
    peers = ground.flag.facts.members
    if ground.path == INTERMITTENT:
        return say(
            "slow-osd-bursts",
            "{osd} is {ratio:times} times as slow as its {peers|peer|peers} in bursts, {bursts} of "
            "them in 24 h {figures}",
            osd=osd,
            ratio=ratio,
            peers=peers,
            bursts=ground.flag.bursts,
            figures=figures,
        )
    return say(
        "slow-osd",
        "{osd} is {ratio:times} times as slow as its {peers|peer|peers} {figures}",
        osd=osd,
        ratio=ratio,
        peers=peers,
        figures=figures,
    )


def _of_many(cause: Cause, ratio: float, figures: Said) -> Said:
    """Return the sentence of a cause that OSDs of different hosts have in common."""
    cohort, common = cause.cohort, cause.common
    if cause.kind == GENERATION:
        return say(
            "slow-generation",
            "{slow} of the {hosts|host|hosts} of {cohort} are {ratio:times} times as slow "
            "{figures}: since the first data and as slow as each other, as other hardware is",
            slow=len(common.hosts),
            hosts=len(cohort.host_sizes),
            cohort=cohort.name,
            ratio=ratio,
            figures=figures,
        )
    on = len({cohort.members[cohort.place[osd]].host for osd in cause.slow if osd in cohort.place})
    who = say(
        "slow-some",
        "{slow} of the {size} OSDs of {cohort}, on {hosts|host|hosts},",
        slow=len(cause.slow),
        size=cohort.size,
        cohort=cohort.name,
        hosts=on,
    )
    if cause.kind == BURSTS:
        return say(
            "slow-together-bursts",
            "{who} are slower than their peers in bursts, typically {ratio:times} times {figures}: "
            "{reason}",
            who=who,
            ratio=ratio,
            figures=figures,
            reason=_reason(cause),
        )
    return say(
        "slow-together",
        "{who} are slower than their peers, typically {ratio:times} times {figures}: {reason}",
        who=who,
        ratio=ratio,
        figures=figures,
        reason=_reason(cause),
    )


def _reason(cause: Cause) -> Said:
    """Return what the OSDs have in common."""
    positions, hosts = cause.common.positions, cause.common.hosts
    if positions and hosts:
        return say(
            "slow-at-positions-hosts",
            "they are at the same positions ({positions:list}) of the same hosts ({hosts:list}), "
            "so the cause is not in the drives",
            positions=positions,
            hosts=hosts,
        )
    if positions:
        return say(
            "slow-at-positions",
            "they are at the same positions ({positions:list}), so the cause is not in the drives",
            positions=positions,
        )
    if hosts:
        return say(
            "slow-at-hosts",
            "they are at the same hosts ({hosts:list}), so the cause is not in the drives",
            hosts=hosts,
        )
    return say("slow-too-many", "too many at once for faults of their own")


def evidence(cause: Cause, cohort_channel: CohortChannel) -> Mapping[str, Any]:
    """Return the figures behind a cause, JSON-ready."""
    ground = cause.worst
    found: dict[str, Any] = {
        **figures(ground),
        "cohort": cause.cohort.name,
        "minimum_detectable_ratio": _rounded(cohort_channel.detectable()),
        "paths": sorted({f"{each.channel} {each.path}" for each in cause.grounds}),
    }
    if cause.osd is None:
        found["osds"] = sorted(cause.slow)[:_LISTED]
        found["members"] = len(cause.slow)
        if cause.common.positions:
            found["positions"] = list(cause.common.positions)[:_LISTED]
        if cause.common.hosts:
            found["hosts"] = list(cause.common.hosts)[:_LISTED]
    else:
        found["host"] = cause.cohort.members[cause.cohort.place[cause.osd]].host
    if cause.unit is not None and cause.unit.kind == "device":
        found["device"] = cause.unit.id
    return found


def figures(ground: SlowEvidence) -> dict[str, Any]:
    """Return the figures of one piece of evidence, JSON-ready."""
    flag = ground.flag
    facts = flag.facts
    own, peers = ground.milliseconds
    found: dict[str, Any] = {
        "path": ground.path,
        "channel": ground.channel,
        "ratio": round(math.exp(facts.excess), 3),
        "max_ratio": round(math.exp(min(flag.worst, 50.0)), 3),
        "robust_z": round(facts.z, 2),
        "latency_ms": _rounded_ms(own),
        "peers_latency_ms": _rounded_ms(peers),
        "peers": facts.members,
        "since": flag.since,
        "share_of_time": round(flag.share, 3),
        "explained_by_load": round(math.exp(facts.load), 3),
    }
    if ground.floor:  # in the ratio, not in the latencies
        found["floor_ms"] = _rounded_ms(1000 * ground.floor)
    if ground.path == INTERMITTENT:
        found["bursts_24h"] = flag.bursts
    return found


def _rounded_ms(value: float) -> float:
    return float(f"{value:.4g}")


def _rounded(value: Optional[float]) -> Optional[float]:
    return None if value is None else round(value, 3)
