"""A question as a command: its descriptor, its arguments' values, its answer as text.

Plain descriptors instead of the decorators of ``mgr_module``: those were renamed in Ceph 20, and
they cannot have arguments called ``class`` or ``as``, which INTERFACE promises. Every release's
decorators produce these descriptors in the end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Callable, Optional

import yaml

from ..api import Api
from ..api.questions.question import Kind, Question, Use
from .ids import finding_id, osd_id, round_id

FORMATS = ("plain", "json", "json-pretty", "yaml")
PLAIN = FORMATS[0]
_FORMAT = f"name=format,type=CephChoices,strings={'|'.join(FORMATS)},req=false"
# Ceph's type; every other kind arrives as CephString.
_TYPES = {Kind.NUMBER: "CephInt", Kind.FLAG: "CephBool"}
# Functions that convert values; those of other kinds are not changed.
_VALUES: Mapping[Kind, Callable[[Any], Any]] = {
    Kind.FLAG: bool,
    Kind.ROUND_ID: round_id,
    Kind.FINDING_ID: finding_id,
    Kind.OSD_ID: osd_id,
}


def descriptor(question: Question) -> dict[str, Any]:
    """The command as ``MgrModule.COMMANDS`` takes it."""
    words = [f"perf-bench {question.name}"]
    words += [
        f"name={argument.name},type={_TYPES.get(argument.kind, 'CephString')}"
        + ("" if argument.cli is Use.NEEDED else ",req=false")
        for argument in question.arguments
        if argument.cli is not Use.ABSENT and argument.kind is not Kind.FILE
    ]
    perm = "rw" if question.writes else "r"
    return {"cmd": " ".join([*words, _FORMAT]), "desc": question.help, "perm": perm}


def carried_out(api: Api, question: Question, order: Mapping[str, Any], file: str) -> str:
    """Ask the question with a command's words and print the answer in the format asked for.

    ``file`` is what came with -i. Raises one of the error family.
    """
    format_: str = order.get("format") or PLAIN
    args = _values(question, {**order, "file": file})
    if format_ == PLAIN:
        args.update(question.in_text)
    answer = question.call(api, args)
    if question.plain is None:
        return str(answer)
    shape, total = answer if question.paged else (answer, None)
    if format_ != PLAIN:
        return _machine_readable(shape, format_)
    return question.plain(shape) + _more(question, shape, total, args)


def _values(question: Question, order: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for argument in question.arguments:
        value = order.get("file" if argument.kind is Kind.FILE else argument.name)
        if argument.cli is not Use.ABSENT and value is not None:
            values[argument.name] = _VALUES.get(argument.kind, _unchanged)(value)
    return values


def _unchanged(value: Any) -> Any:
    return value


def _machine_readable(shape: Any, format_: str) -> str:
    if format_ == "yaml":
        return str(yaml.safe_dump(shape, sort_keys=False, default_flow_style=False))
    return json.dumps(shape, indent=2 if format_ == "json-pretty" else None)


def _more(question: Question, shape: Any, total: Optional[int], args: Mapping[str, Any]) -> str:
    """How many rows come after the page; empty for none."""
    if total is None:
        return ""
    rows = shape if isinstance(shape, list) else shape["osds"]
    more = total - args.get("offset", 0) - len(rows)
    return question.more.format(more) if more > 0 else ""
