"""What is looked at, what of that cannot be, and by which cohorts.

``ceph perf-bench coverage ls`` and ``cohort ls``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ..model import finding as coverage
from ..model.finding import counted, gap_sentences
from ..model.json_fields import Json
from ..model.phrases import listed, plural
from ..watch.service import Watch
from .paging import WHOLE, Page
from .shape import Stamp, copied
from .text import GAP, NOTHING, WIDTH, clip, facts, number, table

# Stands for all looks.
ALL = ("*",)
# Sentences in the status; the whole is in ``coverage ls``.
_BRIEF = 8
# Units of a gap by name; its ``count`` has all.
_NAMED = 20
_LIST = "'ceph perf-bench coverage ls'"
_COMMAND = re.compile(r"'ceph[^']*'")
# Stands for a blank at which no line may end.
_JOINED = "\x1f"


@dataclass(frozen=True)
class Cohort:
    """Who is compared with whom; a lasting slowdown below minimum_detectable_ratio is not seen."""

    name: str
    members: int
    judged: int
    channel: Optional[str]
    minimum_detectable_ratio: Optional[float]


@dataclass(frozen=True)
class CoverageGap:
    """What could not be looked at for one reason: count units, of which units names some.

    help says what would bring them. partly: they were looked at in part.

    command -- A command that completes it if it is run on each of the hosts of 'on'.
    on -- Hosts on which the command is to be run; at most 20 of on_in_all.
    """

    code: str
    count: int
    units: Sequence[str]
    why: str
    command: Optional[str]
    on: Sequence[str]
    on_in_all: int
    help: str
    since: Optional[Stamp]
    partly: bool


@dataclass(frozen=True)
class Look:
    """One thing that is looked at.

    Looked units of total, for findings with these codes, and what of it could not be looked at.
    sentences say the gaps in words.
    """

    name: str
    what: str
    unit: str
    total: int
    looked: int
    partly: int
    complete: bool
    codes: Sequence[str]
    gaps: Sequence[CoverageGap]
    summary: str
    sentences: Sequence[str]


_KEYS = ("name", "what", "unit", "total", "looked", "partly", "complete", "summary")


class CoverageAnswers:
    """What is asked of coverage, and what other answers end with."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def ls(self, page: Page = WHOLE) -> tuple[list[Look], int]:
        """Everything that is looked at, and how many that are."""
        return page.of_keyed([look(one) for one in self._watch.coverage()], *_KEYS)

    def cohorts(self) -> list[Cohort]:
        """Which OSDs are compared with each other, and the smallest slowdown that is detected."""
        return [copied(Cohort, one) for one in self._watch.cohorts()]

    def brief(self) -> Json:
        """The whole in the status: whether everything was looked at, and the first gaps."""
        looks = self._watch.coverage()
        sentences = gap_sentences(looks)
        return {
            "looks": len(looks),
            "complete": sum(one.complete for one in looks),
            "more": max(0, len(sentences) - _BRIEF),
            "gaps": sentences[:_BRIEF],
        }

    def below(self, names: Collection[str], answer: object) -> str:
        """The line that the text of an answer ends with, about these looks; "" for nothing."""
        looks = self._watch.coverage()
        found = looks if names == ALL else [one for one in looks if one.name in names]
        return coverage_below(found, whole=not answer)


def look(one: coverage.Look) -> Look:
    """One thing that is looked at."""
    gaps = [_gap(gap) for gap in one.gaps]
    return copied(Look, one, gaps=gaps, summary=counted(one), sentences=gap_sentences([one]))


def _gap(one: coverage.Gap) -> CoverageGap:
    named: dict[str, Any] = {"units": one.units[:_NAMED], "on": one.on[:_NAMED]}
    return copied(
        CoverageGap,
        one,
        **named,
        on_in_all=len(one.on),
        help=one.remedy,
        command=one.command or None,
    )


def kinds_looked(shape: Json) -> str:
    """Whether everything could be looked at, in words; ``shape`` is that of ``brief``."""
    if shape["complete"] == shape["looks"]:
        return "everything could be looked at"
    return "not everything could be looked at: 'ceph perf-bench coverage ls'"


# --- as text ---------------------------------------------------------------------------------


def looks_text(looks: Sequence[Look]) -> str:
    """Text of ``coverage ls``: how much each check looked at, then what would complete them."""
    rows = facts([(look.what, _count(look.summary, look.partly)) for look in looks])
    groups: dict[tuple[str, bool], list[tuple[Look, CoverageGap]]] = {}
    for look in looks:
        for gap in look.gaps:
            helps = gap.command or gap.help, gap.command is not None
            groups.setdefault(helps, []).append((look, gap))
    # What only time completes comes last.
    ordered = sorted(groups.items(), key=lambda group: not group[0][0])
    parts = [_completes(help_, on_hosts, found) for (help_, on_hosts), found in ordered]
    return GAP.join([f"looked at\n{rows}", *parts])


def _completes(help_: str, on_hosts: bool, found: Sequence[tuple[Look, CoverageGap]]) -> str:
    """What completes some checks, once for all hosts that lack it, and which checks these are."""
    head = help_ or "nothing but time"
    if on_hosts:
        hosts = sorted({name for _, gap in found for name in gap.on})
        more = max(0, max(gap.on_in_all for _, gap in found) - len(hosts))
        head = f"'{help_}' on {listed([*hosts, *[''] * more])}"
    by_reason: dict[str, list[str]] = {}
    for look, gap in found:
        by_reason.setdefault(gap.why, []).append(_missing(look, gap))
    lines = [_wrapped(f"{why}: {', '.join(checks)}", "  ") for why, checks in by_reason.items()]
    return "\n".join([_wrapped(f"to complete: {head}", ""), *lines])


def _missing(look: Look, gap: CoverageGap) -> str:
    """The check, and how many of its units one reason concerns."""
    part = " in part" if gap.partly else ""
    if not gap.count:
        return f"{look.what}{part}"
    return f"{look.what} ({gap.count} of {plural(look.total, look.unit)}{part})"


def _count(summary: str, partly: int) -> str:
    return f"{summary}, {partly} of them in part" if partly else summary


def coverage_below(found: Sequence[coverage.Look], whole: bool = False) -> str:
    """The line that other answers end with: how much of that could not be looked at.

    Of one check how much it looked at; of several how many are incomplete. Empty where all is
    complete, but for ``whole``, of an answer that says that there is nothing.
    """
    missing = sum(not one.complete for one in found)
    if not missing and not whole:
        return ""
    end = f": {_LIST}" if missing else ""
    if len(found) == 1:
        line = f"{_of_one(found[0])}{end}"
        # It is one line: what an answer is about it need not say where that would not fit.
        return line if len(line) <= WIDTH else f"{_looked(found[0])}{end}"
    if not missing:
        return f"all {len(found)} checks are complete"
    return f"{_incomplete(missing, len(found))}{end}"


def _of_one(look: coverage.Look) -> str:
    if look.unit == "check" and not look.complete:
        return _incomplete(look.total - look.looked + look.partly, look.total)
    return f"{look.what}: {_looked(look)}"


def _looked(look: coverage.Look) -> str:
    """How much of it was looked at, or was not."""
    if look.complete:
        return f"{counted(look)} looked at"
    missing = look.total - look.looked
    parts = [f"{missing} of {plural(look.total, look.unit)} not looked at"] if missing else []
    parts += [f"{look.partly} only in part"] if look.partly else []
    return ", ".join(parts) or f"no {look.unit} looked at"


def _incomplete(count: int, total: int) -> str:
    return f"{count} of {total} checks {'is' if count == 1 else 'are'} incomplete"


def _wrapped(line: str, indent: str) -> str:
    # Commands stay on one line, so that they can be copied.
    joined = _COMMAND.sub(lambda match: match[0].replace(" ", _JOINED), line)
    wrapped = textwrap.fill(
        joined,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.replace(_JOINED, " ")


def cohorts_text(cohorts: Sequence[Cohort]) -> str:
    """Text of ``cohort ls``."""
    if not cohorts:
        return "no cohorts yet: the watch has not read the OSDs' counters (is it on?)"
    rows = [
        [
            clip(one.name, 40),
            str(one.members),
            str(one.judged),
            one.channel or NOTHING,
            number(one.minimum_detectable_ratio, 2),
        ]
        for one in cohorts
    ]
    return table(["COHORT", "OSDS", "JUDGED", "CHANNEL", "SEEN FROM (x PEERS)"], rows)
