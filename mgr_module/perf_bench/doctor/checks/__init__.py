"""The doctor's checks: a table, each row above a pure function of a snapshot.

A check says nothing where it could not look; ``examine`` tells of which checks that holds, and what
would help.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...model.doctor_snapshot import Advice, DoctorSnapshot
from ...model.finding import Gap, Look, Severity
from ...model.finding_kinds import CONFIG_RISK
from . import cluster, hosts, mclock, osds
from .seen import NAMED, Check, Found, Seen, Unknown, target_of

# All checks, in the order of their files; advice is sorted by severity.
CHECKS: Sequence[Check] = tuple(
    one
    for part in (osds, hosts, mclock, cluster)
    for one in vars(part).values()
    if isinstance(one, Check)
)
RANK = tuple(Severity)


class Examined(NamedTuple):
    """All advice, worst first, and what the checks could look at."""

    advice: list[Advice]
    look: Look


def examine(snapshot: DoctorSnapshot) -> Examined:
    """Make all checks."""
    advice: list[Advice] = []
    by_gap: dict[Gap, list[str]] = {}
    for check in CHECKS:
        seen = Seen(snapshot)
        try:
            advice += [_advice(check, found) for found in check.find(seen)]
        except Unknown as unknown:
            seen.gaps.append(unknown.gap)
        if seen.gaps:
            # One without which nothing could be looked at, if there is any.
            worst = min(seen.gaps, key=lambda gap: gap.partly)
            by_gap.setdefault(replace(worst, units=(), count=0), []).append(check.code)
    advice.sort(key=lambda one: (RANK.index(one.severity), one.code, str(one.target)))
    gaps = [replace(one, units=tuple(codes), count=len(codes)) for one, codes in by_gap.items()]
    gaps.sort(key=lambda one: (one.partly, -one.count))
    look = Look(
        "doctor", "settings and hosts", "check", len(CHECKS), (CONFIG_RISK.code,), tuple(gaps)
    )
    return Examined(advice, look)


def _advice(check: Check, found: Found) -> Advice:
    ids = sorted(details.osd.id for details in found.osds)
    named = {"osds": ids[:NAMED], "osds_in_all": len(ids)} if ids else {}
    return Advice(
        code=check.code,
        severity=found.severity or check.severity,
        target=found.target or target_of(found.osds),
        message=found.message,
        fix=" && ".join(dict.fromkeys(found.commands)),
        source=found.source or check.source,
        osds=frozenset(ids),
        evidence={**named, **found.evidence},
        risk=check.risk,
    )
