"""Findings as the cluster's health checks, and as lines for its log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, Callable, NamedTuple

from ..model.finding import (
    NO_SECTION,
    TOLD_IN_PART,
    Finding,
    FindingState,
    Look,
    Severity,
    gap_sentences,
    why_unseen,
)
from ..model.finding_kinds import BY_CODE, LINK_ERRORS, MEDIA_ERRORS
from ..model.phrases import plural, span

DETAILS = 10
# Of these, lines about what could not be looked at.
UNSEEN = 2
# Lines for the cluster's log in one tick.
MOST_LINES = 20
_RANK = (Severity.ERROR, Severity.WARNING)


def checks(
    findings: Iterable[Finding],
    codes: Collection[str],
    coverage: Callable[[], Sequence[Look]] = tuple,
) -> dict[str, dict[str, Any]]:
    """What ``set_health_checks`` takes: one check for each of these codes that has findings.

    Muted findings and information are left out. ``count`` is how many things are wrong: the
    cluster ends a ``ceph health mute`` when it grows. ``coverage``, asked only if there are
    checks, tells what could not be looked at; the details end with that.
    """
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.code in codes and _is_raised(finding):
            by_code.setdefault(finding.code, []).append(finding)
    looks = coverage() if by_code else ()
    return {code: _check(code, by_code[code], looks) for code in sorted(by_code)}


def _is_raised(finding: Finding) -> bool:
    return finding.state is FindingState.OPEN and finding.severity in _RANK


def _check(code: str, findings: list[Finding], looks: Sequence[Look]) -> dict[str, Any]:
    findings.sort(key=_order)
    count = len(findings)
    return {
        "severity": findings[0].severity.value,
        "summary": BY_CODE[code].summary(count),
        "count": count,
        "detail": _detail([finding.message for finding in findings], count, _unseen(code, looks)),
    }


def _order(finding: Finding) -> tuple[int, float, str, int, str]:
    """Worst first, then oldest."""
    rank, target = _RANK.index(finding.severity), finding.target
    return rank, finding.first_seen, target.kind, len(target.id), target.id


def _unseen(code: str, looks: Sequence[Look]) -> Sequence[str]:
    """What findings of this kind could not be looked for in; the first sentences."""
    found: list[str] = [*gap_sentences(look for look in looks if code in look.codes)]
    more = len(found) - UNSEEN
    if more <= 0:
        return found
    rest = f"{plural(more, 'more reason')} why not all was looked at"
    return [*found[:UNSEEN], f"{rest}: 'ceph perf-bench coverage ls'"]


def _detail(messages: Sequence[str], count: int, unseen: Sequence[str]) -> list[str]:
    shown = DETAILS - len(unseen)
    if len(messages) <= shown:
        return [*messages, *unseen]
    return [*messages[:shown], f"and {count - shown} more", *unseen]


class Line(NamedTuple):
    """A line for the cluster's log."""

    severity: Severity
    text: str


def log_lines(
    opened: Iterable[Finding], closed: Iterable[Finding], looks: Sequence[Look] = ()
) -> list[Line]:
    """Lines for what opened and closed in a tick, at most so many and one that counts the others.

    Muted findings and information are not told. ``looks`` are what is looked at now: what closed
    because it cannot be is not called cleared.
    """
    found = [_opened(one) for one in opened if _is_raised(one)]
    found += [_closed(one, looks) for one in closed if _is_told_closed(one)]
    more = len(found) - MOST_LINES
    if more > 0:
        text = f"PERF_BENCH: and {more} more: 'ceph perf-bench finding ls --all' has them"
        found[MOST_LINES:] = [Line(Severity.WARNING, text)]
    return found


def _is_told_closed(finding: Finding) -> bool:
    return finding.severity in _RANK and finding.muted_until is None


def _opened(finding: Finding) -> Line:
    return Line(finding.severity, f"{finding.code}: {finding.message}")


def _closed(finding: Finding, looks: Sequence[Look]) -> Line:
    lasted = span((finding.closed_at or finding.last_seen) - finding.first_seen)
    found = (why_unseen(finding.code, units, looks) for units in _units(finding))
    why = next((why for why in found if why is not None), None)
    how = "cleared" if why is None else "not looked at any more"
    end = "" if why is None else f" ({why})"
    return Line(Severity.INFO, f"{finding.code} {how}: {finding.target} after {lasted}{end}")


def lacks_section(finding: Finding, looks: Sequence[Look]) -> bool:
    """Whether the newest facts of all its hosts lack what the finding is about, or a part of it."""
    of_facts = [
        replace(
            look,
            gaps=tuple(
                replace(gap, partly=gap.partly and gap.code == NO_SECTION)
                for gap in look.gaps
                if gap.code in (NO_SECTION, TOLD_IN_PART)
            ),
        )
        for look in looks
    ]
    return any(why_unseen(finding.code, units, of_facts) for units in _units(finding))


def _units(finding: Finding) -> list[Collection[str]]:
    """What is looked at for a finding, as looks at OSDs and at hosts name it."""
    host = finding.evidence.get("host")
    if finding.code in (LINK_ERRORS.code, MEDIA_ERRORS.code) and isinstance(host, str):
        return [host.split(", ")]
    kind, hosts, osds = finding.target.kind, *map(finding.evidence.get, ("hosts", "osds"))
    if kind == "enclosure" and isinstance(hosts, list):
        return [hosts]
    if kind != "osd" and isinstance(osds, list) and osds:
        return [[str(finding.target)], [f"osd.{osd}" for osd in osds]]
    return [[str(finding.target)]]
