"""Makes the claim of a cause: its target, its sentence, and its evidence as figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Optional

from ....model.finding import Claim, Severity, Target
from ....model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from ....model.phrases import plural
from .attribution import BURSTS, GENERATION, INTERMITTENT, Cause, SlowEvidence
from .cohort_channel import CohortChannel

_CODES = {"host": SLOW_HOST.code, "enclosure": SLOW_ENCLOSURE.code, "rack": SLOW_ENCLOSURE.code}
# Maximum number of OSDs in a claim's evidence.
_LISTED = 100
# Maximum number of positions or hosts in a sentence.
_NAMED = 6


def clock(at: float, now: float) -> str:
    """Return the time of day in UTC, with the date if it is over a day ago."""
    moment = datetime.fromtimestamp(at, timezone.utc)
    return moment.strftime("%H:%M" if now - at < 86400 else "%Y-%m-%d %H:%M")


def milliseconds(value: float) -> str:
    """Format a latency in milliseconds."""
    return f"{value:.2g} ms" if value < 10 else f"{value:.0f} ms"


def times(excess: float) -> str:
    """Format the ratio of an excess (ln)."""
    ratio = math.exp(excess)
    return f"{ratio:.2f}" if ratio < 2 else f"{ratio:.1f}" if ratio < 20 else f"{ratio:.0f}"


def claim(cause: Cause, cohort_channel: CohortChannel, now: float, warn: bool = True) -> Claim:
    """Return the claim of a cause; ``cohort_channel`` is that of its worst evidence."""
    code, target = _target(cause)
    severity = Severity.WARNING if warn else Severity.INFO
    return Claim(
        code, severity, target, _sentence(cause, now), evidence(cause, cohort_channel), cause.since
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


def _sentence(cause: Cause, now: float) -> str:
    ground = cause.worst
    facts = ground.flag.facts
    since = clock(cause.since, now)
    own, usual = map(milliseconds, ground.milliseconds)
    figures = f"({ground.channel} {own} against {usual})"
    if cause.osd is not None:
        member = cause.cohort.members[cause.cohort.place[cause.osd]]
        who = f"{member.name} on {member.host}"
        peers = f"its {facts.members} peers" if facts.members > 1 else "its only peer"
        if ground.path == INTERMITTENT:
            return (
                f"{who} is {times(facts.excess)} times as slow as {peers} in "
                f"bursts, {ground.flag.bursts} of them in 24 h {figures} since {since}"
            )
        return f"{who} is {times(facts.excess)} times as slow as {peers} {figures} since {since}"
    if cause.kind:
        return f"{_together(cause)} {figures} since {since}: {_reason(cause)}"
    if cause.unit is None:
        return (
            f"{len(cause.slow)} of the {cause.cohort.size} OSDs of {cause.cohort.name} are slower "
            f"than the others, typically {times(facts.excess)} times {figures} since {since}"
        )
    what = f"{cause.unit.kind} {cause.unit.id} ({plural(len(cause.slow), 'OSD')})"
    return f"{what} is {times(facts.excess)} times as slow as its peers {figures} since {since}"


def _together(cause: Cause) -> str:
    """Return who is slow and how, of a cause that OSDs of different hosts have in common."""
    ground, cohort, common = cause.worst, cause.cohort, cause.common
    ratio = times(ground.flag.facts.excess)
    if cause.kind == GENERATION:
        count, hosts = len(common.hosts), len(cohort.host_sizes)
        return f"{count} of the {hosts} hosts of {cohort.name} are {ratio} times as slow"
    on = len({cohort.members[cohort.place[osd]].host for osd in cause.slow if osd in cohort.place})
    who = f"{len(cause.slow)} of the {cohort.size} OSDs of {cohort.name}, on {plural(on, 'host')},"
    bursts = " in bursts" if cause.kind == BURSTS else ""
    return f"{who} are slower than their peers{bursts}, typically {ratio} times"


def _reason(cause: Cause) -> str:
    """Return what the OSDs have in common."""
    common = cause.common
    if cause.kind == GENERATION:
        return "since the first data and as slow as each other, as other hardware is"
    parts = []
    if common.positions:
        parts.append(f"the same positions ({_some(common.positions)})")
    if common.hosts:
        parts.append(f"the same hosts ({_some(common.hosts)})")
    if not parts:
        return "too many at once for faults of their own"
    return f"they are at {' of '.join(parts)}, so the cause is not in the drives"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


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
