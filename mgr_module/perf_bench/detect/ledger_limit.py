"""No storms: what is claimed of many is a few findings and one that counts the rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..model.finding import Claim, Severity, Target

# So many findings of one code and kind of target at most. A person reads no more of them, and a
# cluster in which more is wrong has one cause that none of them names.
LIMIT = 50
_WORST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def within_limit(claims: Sequence[Claim], live: Collection[tuple[str, str, str]]) -> list[Claim]:
    """The claims; where there are too many, those that are findings already, then the worst."""
    groups: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        groups.setdefault((claim.code, claim.target.kind), []).append(claim)
    found: list[Claim] = []
    for group in groups.values():
        if len(group) > LIMIT:
            group.sort(key=lambda claim: (claim.key not in live, *_rank(claim)))
            found.append(_rest(group[LIMIT:], len(group)))
        found += group[:LIMIT]
    return found


def _rank(claim: Claim) -> tuple[int, float, int, str]:
    number = claim.target.id
    return _WORST_FIRST.index(claim.severity), claim.since, len(number), number


def _rest(rest: Sequence[Claim], total: int) -> Claim:
    first = rest[0]
    kind = "OSD" if first.target.kind == "osd" else first.target.kind
    return Claim(
        code=first.code,
        severity=min((claim.severity for claim in rest), key=_WORST_FIRST.index),
        target=Target("cluster", f"{first.target.kind}s"),
        message=f"{len(rest)} more {kind}s have the same fault, {total} in all: "
        "that many at once have a cause in common",
        evidence={"more": len(rest), "total": total},
        since=min(claim.since for claim in rest),
    )
