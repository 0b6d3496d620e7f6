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
"""The routes of the REST API, made from the table of questions (answers/questions)."""

ROUTES = (
'''
# Rows of a page where none are asked for; all OSDs that laggy PGs point at, and those of a round,
# are shown.
_ROWS, _WHOLE = 25, ("laggy ls", "round show", "round compare")


def page() -> str:
    """The file: a dictionary of plain values for each route."""
    routes = [_route(one) for one in QUESTIONS if one.rest]
    return f"{_HEAD}{''.join(pprint.pformat(one, width=96) + ',' + chr(10) for one in routes)})\n"


def _route(question: Question) -> Mapping[str, Any]:
    method, path = question.rest.split()
    given = [one for one in question.arguments if one.rest in (Use.NEEDED, Use.OPTIONAL)]
    words = [one.public_name for one in given if keyword.iskeyword(one.public_name)]
    also = f"; also by {', '.join(words)}" if words else ""
    return {
        "method": method,
        "path": path,
        "question": question.rest_name,
        "doc": f"{question.help}{also}",
        "arguments": [_argument(question, one) for one in given if one.public_name not in words],
        # From the user's session.
        "session": [one.name for one in question.arguments if one.rest is Use.SESSION],
        # What makes a round of a call that needs a body.
        "created": method == "POST" and path in ("round", "round/import", "baseline", "schedule"),
    }


def _argument(question: Question, argument: Argument) -> Mapping[str, Any]:
    name = argument.public_name
    pages = (question.paged or question.listed) and question.name not in _WHOLE
    return {
        "name": name,
        "type": _TYPES.get(argument.kind, "str"),
        "doc": re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words_of(question, argument).meaning),
        "needed": argument.rest is Use.NEEDED,
        "default": _ROWS if name == "limit" and pages else None,
    }
