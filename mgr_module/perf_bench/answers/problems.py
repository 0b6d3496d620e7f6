"""Everything that is wrong now in one list, and what it does to the cluster's clients.

A part of ``status``: the overview and the page of what is wrong show the same list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Optional

from ..errors import StoreUnavailable
from ..hardware.enclosures import condition
from ..model import finding_kinds
from ..model.finding import Finding as Found
from ..model.finding import FindingState, Severity, Target
from ..model.finding_kinds import BY_CODE, About
from ..model.json_fields import iso
from ..model.phrases import plural
from .api import MAPS_AGE, Api
from .findings import RANK, about, began, harm, unclosed
from .paging import WHOLE, Page
from .question import ALL, Question
from .shape import Stamp
from .text import Column, table

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

    kind: About
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
    found = [one for one in unclosed(api) if one.id]
    told = [_of_finding(one) for one in found]
    # A finding says more than the state that it was made of.
    named = {(one.kind, one.target) for one in told}
    states = [*_laggy(api, told), *_hardware(api, found)]
    told += [one for one in states if (one.kind, one.target) not in named]
    risks = {
        (code, one.target)
        for one in found
        for code in one.evidence.get("advice", ())
        if one.code == finding_kinds.CONFIG_RISK.code
    }
    told += [
        Problem("advice", "doctor", one.severity, one.target, one.message, one.fix)
        for one in api.doctor.newest()
        if (one.code, one.target) not in risks
    ]
    # First by time, newest first, as sorting keeps the order of equals.
    told.sort(key=lambda one: one.since or "", reverse=True)
    told.sort(key=lambda one: (one.muted, RANK[one.severity]))
    of = {one.id: one for one in found}
    first = [
        one if one.finding is None else replace(one, harm=harm(api, of[one.finding], reads=False))
        for one in told[:_HARMFUL]
    ]
    return [*first, *told[_HARMFUL:]]


def _of_finding(one: Found) -> Problem:
    kind = BY_CODE.get(one.code)
    return Problem(
        about(one),
        "finding",
        one.severity,
        one.target,
        one.message,
        kind.action if kind else "",
        finding=one.id,
        since=iso(began(one)),
        muted=one.state is FindingState.MUTED,
    )


def _laggy(api: Api, told: Sequence[Problem]) -> Iterator[Problem]:
    """PGs that are laggy in this minute; a finding is made of them only when they last."""
    now, *_ = api.watch.laggy_groups()
    if not (now.laggy or now.wait) or any(one.kind == "laggy" for one in told):
        return
    text = f"{plural(now.laggy, 'PG')} laggy and {now.wait} waiting, of {now.pgs}"
    more = _more("laggy ls")
    yield Problem(
        "laggy", "laggy", Severity.WARNING, Target("cluster", ""), text, more, since=iso(now.at)
    )


def _hardware(api: Api, findings: Sequence[Found]) -> Iterator[Problem]:
    """Enclosures and paths that are bad; of paths those that no finding names."""
    try:
        view = api.inventory.view(MAPS_AGE)
    except StoreUnavailable:  # the facts are not read yet
        return
    for one in view.enclosures:
        word, why = condition(view, one)
        if word in _BAD:
            text = f"enclosure {one.id} is {word}: {'; '.join(why[:1])}"
            target, more = Target("enclosure", one.id), _more(f"enclosure show {one.id}")
            yield Problem("hardware", "enclosure", _BAD[word], target, text, more)
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
        yield Problem("hardware", "paths", _BAD[word], target, text, _more("multipath ls"))


def _more(command: str) -> str:
    return f"'ceph perf-bench {command}' says more."


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
    return table(_PROBLEMS, found, _told)


def _told(one: Problem) -> Sequence[str]:
    return one.text, one.harm or "", "muted: health leaves it out" * one.muted, one.action


QUESTIONS = (Question("problem ls", listed, text=problems_text, covers=ALL),)
