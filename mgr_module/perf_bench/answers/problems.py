"""Everything that is wrong now in one list, and what it does to the cluster's clients.

A part of ``status``: the overview and the page of what is wrong show the same list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Optional

from ..errors import StoreUnavailable
from ..hardware.enclosures import condition
from ..model import finding_kinds
from ..model.doctor_snapshot import Advice
from ..model.finding import Finding as Found
from ..model.finding import FindingState, Severity, Target
from ..model.finding_kinds import BY_CODE
from ..model.json_fields import iso
from ..model.phrases import plural
from .api import MAPS_AGE, Api
from .finding import harm
from .findings import RANK, Kind, about, began
from .paging import WHOLE, Page
from .question import ALL, Question
from .shape import Stamp
from .text import Column, filled, table

# The list is made anew after so many seconds, and has at most so many lines. The first ones say
# what they do to clients: with thousands of findings all would take a second.
_FRESH, _MOST, _HARMFUL = 5.0, 100, 20
# How bad a state of enclosures and paths is; others are no problem, or are not known.
_BAD = {
    "failed": Severity.ERROR,
    "fault": Severity.ERROR,
    "degraded": Severity.WARNING,
    "flapping": Severity.WARNING,
    "bare": Severity.WARNING,
}


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong now.

    page -- What says more of it.
    finding -- The ID of the finding; null: it is none, or none yet.
    since -- Null: not known.
    muted -- Whether it is left out of health.
    harm -- What the cluster's clients get now, and got before; null: not known, or nothing.
    action -- What to do.
    """

    kind: Kind
    page: Literal["finding", "laggy", "enclosure", "paths", "doctor"]
    severity: Severity
    target: Target
    text: str
    action: str
    finding: Optional[int] = None
    since: Optional[Stamp] = None
    muted: bool = False
    harm: Optional[str] = None


def problems(api: Api) -> tuple[list[Problem], int]:
    """Findings, and what is no finding (yet): PGs, enclosures and paths, advice.

    Worst first and of these the newest, and how many are left out.
    """
    found = api.kept.of("problems", _FRESH, partial(_all, api))
    return found[:_MOST], max(0, len(found) - _MOST)


def _all(api: Api) -> list[Problem]:
    findings = [
        one for one in api.watch.findings() if one.state is not FindingState.CLOSED and one.id
    ]
    told = [_of_finding(one) for one in findings]
    # A finding says more than the state that it was made of.
    named = {(one.kind, one.target) for one in told}
    states = [*_laggy(api, told), *_hardware(api, findings)]
    told += [one for one in states if (one.kind, one.target) not in named]
    risks = {
        (code, one.target)
        for one in findings
        for code in one.evidence.get("advice", ())
        if one.code == finding_kinds.CONFIG_RISK.code
    }
    told += [_of_advice(one) for one in api.doctor.newest() if (one.code, one.target) not in risks]
    # First by time, newest first, as sorting keeps the order of equals.
    told.sort(key=lambda one: one.since or "", reverse=True)
    told.sort(key=lambda one: (one.muted, RANK[one.severity]))
    of = {one.id: one for one in findings}
    first = [
        one if one.finding is None else replace(one, harm=harm(api, of[one.finding], reads=False))
        for one in told[:_HARMFUL]
    ]
    return [*first, *told[_HARMFUL:]]


def _laggy(api: Api, told: Sequence[Problem]) -> Iterator[Problem]:
    """PGs that are laggy in this minute; a finding is made of them only when they last."""
    now, *_ = api.watch.laggy_groups()
    if not (now.laggy or now.wait) or any(one.kind == "laggy" for one in told):
        return
    text = f"{plural(now.laggy, 'PG')} laggy and {now.wait} waiting, of {now.pgs}"
    yield _state("laggy", "laggy", Severity.WARNING, Target("cluster", ""), text, now.at)


def _hardware(api: Api, findings: Sequence[Found]) -> Iterator[Problem]:
    """Enclosures and paths that are bad; of paths those that no finding names."""
    with suppress(StoreUnavailable):  # until the facts are read
        view = api.inventory.view(MAPS_AGE)
        for one in view.enclosures:
            word, why = condition(view, one)
            if word in _BAD:
                text = f"enclosure {one.id} is {word}: {'; '.join(why[:1])}"
                target = Target("enclosure", one.id)
                yield _state("hardware", "enclosure", _BAD[word], target, text)
        lost = {
            osd
            for one in findings
            if one.code == finding_kinds.MULTIPATH_DEGRADED.code
            for osd in one.evidence.get("osds", ())
        }
        for path in view.multipaths:
            word, osd = path.state, path.on.first
            if word not in _BAD or (word in ("degraded", "failed") and osd in lost):
                continue
            of = path.expected or len(path.paths)
            text = f"{path.name} on {path.host} is {word}: {path.active} of {of} paths active"
            target = Target("host", path.host) if osd is None else Target("osd", str(osd))
            yield _state("hardware", "paths", _BAD[word], target, text)


def _of_finding(one: Found) -> Problem:
    kind = BY_CODE.get(one.code)
    return Problem(
        kind=about(one),
        page="finding",
        finding=one.id,
        severity=one.severity,
        target=one.target,
        text=one.message,
        since=iso(began(one)),
        muted=one.state is FindingState.MUTED,
        action=kind.action if kind else "",
    )


def _state(
    kind: Kind,
    page: Literal["laggy", "enclosure", "paths"],
    severity: Severity,
    target: Target,
    text: str,
    since: Optional[float] = None,
) -> Problem:
    """Something that is bad now and that no finding was made of."""
    command = {
        "laggy": "ceph perf-bench laggy ls",
        "enclosure": f"ceph perf-bench enclosure show {target.id}",
        "paths": "ceph perf-bench multipath ls",
    }[page]
    return Problem(
        kind=kind,
        page=page,
        severity=severity,
        target=target,
        text=text,
        since=iso(since),
        action=f"'{command}' says more.",
    )


def _of_advice(one: Advice) -> Problem:
    return Problem(
        kind="advice",
        page="doctor",
        severity=one.severity,
        target=one.target,
        text=one.message,
        action=one.fix,
    )


# --- as text -------------------------------------------------------------------------------------

_PROBLEMS = (
    Column("SEVERITY", "severity", "word"),
    Column("SINCE (UTC)", "since", "time"),
    Column("KIND", "kind", "word"),
    Column("ABOUT", "target", "word", 48),
)


def listed(api: Api, page: Page = WHOLE) -> tuple[list[Problem], int]:
    """List everything that is wrong now, worst first, and what to do about it."""
    return page.of(problems(api)[0], Problem)


def problems_text(found: Sequence[Problem]) -> str:
    """Text of ``problem ls``: a line each, and below it what it says, hurts and needs."""
    if not found:
        return "nothing is wrong, as far as it was possible to look"
    head, *lines = table(_PROBLEMS, found).splitlines()
    text = [head]
    for line, one in zip(lines, found):
        told = (one.text, one.harm, "muted: health leaves it out" * one.muted, one.action)
        text += [line, *(filled(words, 4) for words in told if words)]
    return "\n".join(text)


QUESTIONS = (Question("problem ls", listed, text=problems_text, covers=ALL),)
