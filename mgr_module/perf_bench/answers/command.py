"""The questions as commands of the ``ceph`` CLI: descriptors, values of arguments, answers as text.

Plain descriptors instead of the decorators of ``mgr_module``: those were renamed in Ceph 20, and
they cannot have arguments called ``class`` or ``as``, which INTERFACE promises. Every release's
decorators produce these descriptors in the end.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from typing import Any, Optional

import yaml

from ..errors import PerfBenchError, VerdictNamed
from ..model.phrases import harmless, not_one_of, plural, sentence
from .api import Api
from .question import Args, ArgumentKind, Question, Use, checked
from .questions import QUESTIONS
from .shape import to_json
from .text import GAP
from .watched import covered_below

# (return code, stdout, stderr) as ceph-mgr wants it.
Reply = tuple[int, str, str]

FORMATS = ("plain", "json", "json-pretty", "yaml")
PLAIN = FORMATS[0]
_FORMAT = f"name=format,type=CephChoices,strings={'|'.join(FORMATS)},req=false"
# Arguments that leave rows of a list out.
_FILTERS = ("kind", "state", "comparable", "class", "host", "osds")
# Ceph's type; every other kind arrives as CephString.
_TYPES = {ArgumentKind.NUMBER: "CephInt", ArgumentKind.FLAG: "CephBool"}


def descriptor(question: Question) -> dict[str, Any]:
    """The command as ``MgrModule.COMMANDS`` takes it."""
    words = [f"perf-bench {question.name}"]
    words += [
        f"name={argument.name},type={_TYPES.get(argument.kind, 'CephString')}"
        + ("" if argument.cli is Use.NEEDED else ",req=false")
        for argument in question.arguments
        if argument.cli is not Use.ABSENT and argument.kind is not ArgumentKind.FILE
    ]
    perm = "rw" if question.writes else "r"
    return {"cmd": " ".join([*words, _FORMAT]), "desc": question.help, "perm": perm}


def carried_out(api: Api, question: Question, order: Mapping[str, Any], file: str) -> str:
    """Ask the question with a command's words and print the answer in the format asked for.

    ``file`` is what came with -i. Raises one of the error family; VerdictNamed has the text.
    """
    # The client takes xml for itself too, and adds it after its check of our descriptor.
    format_ = order.get("format") or PLAIN
    if format_ not in FORMATS:
        raise not_one_of("format", format_, FORMATS)
    args = _values(question, order, file)
    if format_ == PLAIN:
        args.update(question.in_text)
    answer, total = question.ask(api, args)
    if question.text is None:
        return str(answer)
    if format_ == PLAIN:
        text = _text(api, question, answer, total, args)
    else:
        text = _machine_readable(to_json(answer), format_)
    why = question.fails(answer, args) if question.fails else ""
    if why:
        raise VerdictNamed(why, text)
    return text


def _text(api: Api, question: Question, answer: Any, total: Optional[int], args: Args) -> str:
    """The text of an answer, and what is below it: rows after the page, what was not looked at."""
    text = question.text(answer) if question.text else ""
    if total is not None:
        text = _page_text(question, text, answer, total, args)
    covered = covered_below(api, question.covers, answer) if question.covers else ""
    return harmless(f"{text}{GAP}{covered}" if covered else text)


def _page_text(question: Question, text: str, answer: Any, total: int, args: Args) -> str:
    """The text of a page, or what stands for rows that it, or the filter, has none of."""
    offset, rows = (
        args.get("offset", 0),
        getattr(answer, question.rows) if question.rows else answer,
    )
    if not rows and total:
        nothing = f"nothing from --offset {offset} on: the list ends after {total}"
        return f"{text}\n{nothing}" if question.rows else nothing
    filters = [f"--{name}" for name in _FILTERS if args.get(name)]
    if not total and filters and not question.rows:
        return f"nothing matches {' and '.join(filters)}"
    more = total - offset - len(rows)
    if more <= 0:
        return text
    count = plural(more, "more OSD") if question.rows else f"{more} more"
    return f"{text}\n… {count}: --limit, --offset"


def _values(question: Question, order: Mapping[str, Any], file: str) -> dict[str, Any]:
    there = [one for one in question.arguments if one.cli is not Use.ABSENT]
    files = {one.name: file for one in there if one.kind is ArgumentKind.FILE}
    return checked({one.name: (one, one.cli) for one in there}, {**order, **files})


def _machine_readable(shape: Any, format_: str) -> str:
    if format_ == "yaml":
        return str(yaml.safe_dump(shape, sort_keys=False, default_flow_style=False))
    return json.dumps(shape, indent=2 if format_ == "json-pretty" else None)


_COMMANDS = {f"perf-bench {one.name}": one for one in QUESTIONS if one.is_command}


def descriptors() -> list[dict[str, Any]]:
    """The commands as ``MgrModule.COMMANDS`` takes them."""
    return [descriptor(question) for question in _COMMANDS.values()]


def dispatch(api: Api, order: Mapping[str, Any], file: str = "") -> Reply:
    """Carry out one command; ``file`` is what came with -i.

    Every error of the family becomes its errno and one sentence. The client prints an answer that
    comes with an error, too.
    """
    question = _COMMANDS.get(order.get("prefix", ""))
    if question is None:
        return -errno.EINVAL, "", sentence(f"unknown command '{order.get('prefix')}'")
    try:
        return 0, carried_out(api, question, order, file), ""
    except VerdictNamed as error:
        return -error.errno, error.answer, sentence(str(error))
    except PerfBenchError as error:
        return -error.errno, "", sentence(str(error))
