"""What was looked at and what could not be, as JSON and as text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from ..answers.text import GAP, WIDTH, facts, iso
from ..model.coverage import Gap, Look, counted, gap_sentences
from ..model.json_fields import Json
from ..model.phrases import listed, plural

# Sentences in the status; the whole is in ``coverage ls``.
_BRIEF = 8
# Units of a gap by name; its ``count`` has all.
_NAMED = 20
_LIST = "'ceph perf-bench coverage ls'"
_COMMAND = re.compile(r"'ceph[^']*'")
# Stands for a blank at which no line may end.
_JOINED = "\x1f"


def look(one: Look) -> Json:
    """One thing that is looked at. ``gaps`` say what of it could not be, and why."""
    return {
        "name": one.name,
        "unit": one.unit,
        "total": one.total,
        "looked": one.looked,
        "partly": one.partly,
        "complete": one.complete,
        "codes": list(one.codes),
        "gaps": [_gap(gap) for gap in one.gaps],
        "what": one.what,
        "summary": counted(one),
        "sentences": gap_sentences([one]),
    }


def _gap(one: Gap) -> Json:
    return {
        "code": one.code,
        "count": one.count,
        "units": list(one.units[:_NAMED]),
        "since": iso(one.since),
        "partly": one.partly,
        "why": one.why,
        "help": one.remedy,
        "command": one.command or None,
        "on": list(one.on[:_NAMED]),
        "on_in_all": len(one.on),
    }


def brief(looks: Sequence[Look]) -> Json:
    """The whole in the status: whether everything was looked at, and the first gaps."""
    sentences = gap_sentences(looks)
    return {
        "looks": len(looks),
        "complete": sum(one.complete for one in looks),
        "more": max(0, len(sentences) - _BRIEF),
        "gaps": sentences[:_BRIEF],
    }


def kinds_looked(shape: Json) -> str:
    """Whether everything could be looked at, in words."""
    if shape["complete"] == shape["looks"]:
        return "everything could be looked at"
    return "not everything could be looked at: 'ceph perf-bench coverage ls'"


# --- as text ---------------------------------------------------------------------------------


def looks(shapes: Sequence[Json]) -> str:
    """Text of ``coverage ls``: how much each check looked at, then what would complete them."""
    rows = facts([(shape["what"], _count(shape["summary"], shape["partly"])) for shape in shapes])
    groups: dict[tuple[str, bool], list[tuple[Json, Json]]] = {}
    for shape in shapes:
        for gap in shape["gaps"]:
            helps = gap["command"] or gap["help"], gap["command"] is not None
            groups.setdefault(helps, []).append((shape, gap))
    # What only time completes comes last.
    ordered = sorted(groups.items(), key=lambda group: not group[0][0])
    parts = [_completes(help_, on_hosts, found) for (help_, on_hosts), found in ordered]
    return GAP.join([f"looked at\n{rows}", *parts])


def _completes(help_: str, on_hosts: bool, found: Sequence[tuple[Json, Json]]) -> str:
    """What completes some checks, once for all hosts that lack it, and which checks these are."""
    head = help_ or "nothing but time"
    if on_hosts:
        hosts = sorted({name for _, gap in found for name in gap["on"]})
        more = max(0, max(gap["on_in_all"] for _, gap in found) - len(hosts))
        head = f"'{help_}' on {listed([*hosts, *[''] * more])}"
    by_reason: dict[str, list[str]] = {}
    for shape, gap in found:
        by_reason.setdefault(gap["why"], []).append(_missing(shape, gap))
    lines = [_wrapped(f"{why}: {', '.join(checks)}", "  ") for why, checks in by_reason.items()]
    return "\n".join([_wrapped(f"to complete: {head}", ""), *lines])


def _missing(shape: Json, gap: Json) -> str:
    """The check, and how many of its units one reason concerns."""
    part = " in part" if gap["partly"] else ""
    if not gap["count"]:
        return f"{shape['what']}{part}"
    return f"{shape['what']} ({gap['count']} of {plural(shape['total'], shape['unit'])}{part})"


def _count(summary: str, partly: int) -> str:
    return f"{summary}, {partly} of them in part" if partly else summary


def below(found: Sequence[Look], whole: bool = False) -> str:
    """The line that other answers end with: how much of that could not be looked at.

    Of one check how much it looked at; of several how many are incomplete. Empty where all is
    complete, but for ``whole``, of an answer that says that there is nothing.
    """
    missing = sum(not one.complete for one in found)
    if not missing and not whole:
        return ""
    end = f": {_LIST}" if missing else ""
    if len(found) == 1:
        return _wrapped(f"{_of_one(found[0])}{end}", "")
    if not missing:
        return f"all {len(found)} checks are complete"
    return f"{_incomplete(missing, len(found))}{end}"


def _of_one(look: Look) -> str:
    if look.unit == "check" and not look.complete:
        return _incomplete(look.total - look.looked + look.partly, look.total)
    if look.complete:
        return f"{look.what}: {counted(look)} looked at"
    missing = look.total - look.looked
    parts = [f"{missing} of {plural(look.total, look.unit)} not looked at"] if missing else []
    parts += [f"{look.partly} only in part"] if look.partly else []
    return f"{look.what}: {', '.join(parts) or 'not looked at'}"


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
