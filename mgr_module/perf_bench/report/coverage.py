"""What was looked at and what could not be, as JSON and as text below other answers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from ..model.coverage import Gap, Look, counted, gap_sentences
from ..model.json_fields import Json
from ..model.said import with_said
from .text import GAP, WIDTH, facts, iso

# Sentences in the status; the whole is in ``coverage ls``.
_BRIEF = 8
# Units of a gap by name; its ``count`` has all.
_NAMED = 20
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
        **with_said(what=one.what, summary=counted(one), sentences=gap_sentences([one])),
    }


def _gap(one: Gap) -> Json:
    return {
        "code": one.code,
        "count": one.count,
        "units": list(one.units[:_NAMED]),
        "since": iso(one.since),
        "partly": one.partly,
        **with_said(why=one.why, help=one.help),
    }


def brief(looks: Sequence[Look]) -> Json:
    """The whole in the status: whether everything was looked at, and the first gaps."""
    sentences = gap_sentences(looks)
    return {
        "looks": len(looks),
        "complete": sum(one.complete for one in looks),
        "more": max(0, len(sentences) - _BRIEF),
        **with_said(gaps=sentences[:_BRIEF]),
    }


def kinds_looked(shape: Json) -> str:
    """Whether everything could be looked at, in words."""
    if shape["complete"] == shape["looks"]:
        return "everything could be looked at"
    return "not everything could be looked at: 'ceph perf-bench coverage ls'"


# --- as text ---------------------------------------------------------------------------------


def looks(shapes: Sequence[Json]) -> str:
    """Text of ``coverage ls``: how much of each was looked at, and what was not."""
    seen = facts([(shape["what"], _count(shape["summary"], shape["partly"])) for shape in shapes])
    missing = _bullets([line for shape in shapes for line in shape["sentences"]])
    return f"looked at\n{seen}{GAP + missing if missing else ''}"


def _count(summary: str, partly: int) -> str:
    return f"{summary}, {partly} of them in part" if partly else summary


def below(found: Sequence[Look], whole: bool = False) -> str:
    """What other answers end with: the gaps, and if ``whole`` also what was looked at.

    Empty if there is nothing to say.
    """
    seen = ""
    if whole:
        counts = [(one.what, _count(counted(one), one.partly)) for one in found]
        seen = f"looked at\n{facts(counts)}"
    return GAP.join(part for part in (seen, _bullets(gap_sentences(found))) if part)


def _bullets(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    return "\n".join(["not looked at", *map(_bullet, sentences)])


def _bullet(line: str) -> str:
    # Commands stay on one line, so that they can be copied.
    joined = _COMMAND.sub(lambda match: match[0].replace(" ", _JOINED), line)
    wrapped = textwrap.fill(
        joined,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.replace(_JOINED, " ")
