"""The routes of the dashboard's back end, made from the table of questions."""

from __future__ import annotations

import keyword
import pprint
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from documentation.words import words_of
from perf_bench.answers.question import Argument, ArgumentKind, Question, Use
from perf_bench.answers.questions import QUESTIONS

FILE = Path("dashboard_plugin") / "backend" / "_perf_bench_routes.py"
_TYPES = {
    ArgumentKind.FLAG: "bool",
    **dict.fromkeys(
        (
            ArgumentKind.NUMBER,
            ArgumentKind.ROUND_ID,
            ArgumentKind.FINDING_ID,
            ArgumentKind.OSD_ID,
        ),
        "int",
    ),
}
_HEAD = '''\
# ceph-perf-bench: 'ceph-perf-bench install' puts this file here, 'uninstall' removes it.
"""The routes of the REST API, made from the table of questions (answers/questions.py).

An argument's type and meaning are those of "question argument", or else of "argument".
"""

'''
_USED = (Use.NEEDED, Use.OPTIONAL)
# Rows of a page where none are asked for; all OSDs that laggy PGs point at, and those of a round,
# are shown.
_ROWS, _WHOLE = 25, ("laggy ls", "round show", "round compare")


def page() -> str:
    """The file: the arguments, and a dictionary of plain values for each route."""
    asked = [one for one in QUESTIONS if one.rest]
    arguments: dict[str, tuple[str, str]] = {}
    for question in asked:
        for argument in _given(question):
            name = argument.public_name
            meant = _TYPES.get(argument.kind, "str"), _meaning(question, argument)
            if arguments.setdefault(name, meant) != meant:
                arguments[f"{question.rest_name} {name}"] = meant
    routes = ",\n".join(pprint.pformat(_route(one), width=96) for one in asked)
    told = pprint.pformat(arguments, width=96, sort_dicts=False)
    return f"{_HEAD}ARGUMENTS = \\\n{told}\n\nROUTES = (\n{routes},\n)\n"


def _route(question: Question) -> Mapping[str, Any]:
    method, path = question.rest.split()
    given = _given(question)
    words = [
        one.public_name
        for one in question.arguments
        if one.rest in _USED and keyword.iskeyword(one.public_name)
    ]
    also = f"; also by {', '.join(words)}" if words else ""
    pages = (question.paged or question.listed) and question.name not in _WHOLE
    return {
        "method": method,
        "path": path,
        "question": question.rest_name,
        "doc": f"{question.help}{also}",
        "arguments": [one.public_name for one in given],
        "needed": [one.public_name for one in given if one.rest is Use.NEEDED],
        # Rows of a page where none are asked for.
        "rows": _ROWS if pages else None,
        # From the user's session.
        "session": [one.name for one in question.arguments if one.rest is Use.SESSION],
        # What makes a round of a call that needs a body.
        "created": method == "POST" and path in ("round", "round/import", "baseline", "schedule"),
    }


def _given(question: Question) -> list[Argument]:
    """What users may give, but for words of Python."""
    return [
        one
        for one in question.arguments
        if one.rest in _USED and not keyword.iskeyword(one.public_name)
    ]


def _meaning(question: Question, argument: Argument) -> str:
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words_of(question, argument).meaning)
