"""The questions as commands of the ``ceph`` CLI: descriptors, values of arguments, answers as text.

Plain descriptors instead of the decorators of ``mgr_module``: those were renamed in Ceph 20, and
they cannot have arguments called ``class`` or ``as``, which INTERFACE promises. Every release's
decorators produce these descriptors in the end.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping
from typing import Any, Callable, Optional

import yaml

from ..errors import InvalidValue, NotFound, PerfBenchError, VerdictNamed
from ..model import phrases as arguments
from ..model.phrases import harmless, plural, sentence
from .api import Api
from .question import Args, ArgumentKind, Question, Use
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


def _by_text(convert: Callable[[str], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: convert(arguments.text(name, value))


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
        raise arguments.not_one_of("format", format_, FORMATS)
    args = _values(question, {**order, "file": file})
    if format_ == PLAIN:
        args.update(question.in_text)
    found = question.ask(api, args)
    answer, total = found if question.paged else (found, None)
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
    offset = args.get("offset", 0)
    rows = getattr(answer, question.rows) if question.rows else answer
    text = _none_here(rows, total, args) if not question.rows else ""
    text = text or question.text(answer) if question.text else ""
    if total is not None and 0 < total <= offset and question.rows:
        text += f"\n{nothing_from(offset, total)}"
    elif total is not None and (more := total - offset - len(rows)) > 0:
        count = plural(more, "more OSD") if question.rows else f"{more} more"
        text += f"\n… {count}: --limit, --offset"
    if question.below and not offset:
        text += question.below(api)
    covered = covered_below(api, question.covers, answer) if question.covers else ""
    return harmless(f"{text}{GAP}{covered}" if covered else text)


def _values(question: Question, order: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for argument in question.arguments:
        if argument.cli is Use.ABSENT:
            continue
        value = order.get("file" if argument.kind is ArgumentKind.FILE else argument.name)
        if value is not None:
            values[argument.name] = _VALUES[argument.kind](argument.name, value)
        elif argument.cli is Use.NEEDED:
            raise InvalidValue(f"'{argument.name}' is needed", field=argument.name)
    return values


def _number_of(kind: ArgumentKind) -> Callable[[str], int]:
    """The ID of a round or a finding. Raises NotFound."""

    def number(text: str) -> int:
        if not _is_number(text) or len(text) > 15:
            noun = kind.value
            what = "" if _is_number(text) else f" a {noun}'s ID is a number,"
            raise NotFound(f"no {noun} '{text}':{what} see 'ceph perf-bench {noun} ls'")
        return int(text)

    return number


def _osd_id(text: str) -> int:
    """An OSD's ID, of "3" or "osd.3". Raises InvalidValue."""
    digits = text.lower().removeprefix("osd.")
    if not _is_number(digits) or len(digits) > 9:
        raise InvalidValue(f"'{text}' is not an OSD: give its ID, as 3 or osd.3", field="id")
    return int(digits)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()  # "²" is a digit too, and no number


# Functions that check and convert values. They raise InvalidValue or NotFound.
_VALUES: Mapping[ArgumentKind, Callable[[str, Any], Any]] = {
    ArgumentKind.TEXT: arguments.text,
    ArgumentKind.SIZE: arguments.text,
    ArgumentKind.NUMBER: arguments.whole,
    ArgumentKind.FLAG: arguments.flag,
    ArgumentKind.FILE: lambda _name, value: value,
    ArgumentKind.ROUND_ID: _by_text(_number_of(ArgumentKind.ROUND_ID)),
    ArgumentKind.FINDING_ID: _by_text(_number_of(ArgumentKind.FINDING_ID)),
    ArgumentKind.OSD_ID: _by_text(_osd_id),
}


def _machine_readable(shape: Any, format_: str) -> str:
    if format_ == "yaml":
        return str(yaml.safe_dump(shape, sort_keys=False, default_flow_style=False))
    return json.dumps(shape, indent=2 if format_ == "json-pretty" else None)


def nothing_from(offset: int, total: int) -> str:
    """What stands for the rows of a page that begins after the last one."""
    return f"nothing from --offset {offset} on: the list ends after {total}"


def _none_here(shape: Any, total: Optional[int], args: Mapping[str, Any]) -> str:
    """What stands for a page without rows where it is the page, or the filter, that has none.

    The text of an empty list says that there is nothing at all. Empty for every other answer.
    """
    if total is None or shape != []:
        return ""
    if total:
        return nothing_from(args.get("offset", 0), total)
    chosen = [f"--{name}" for name in _FILTERS if args.get(name)]
    return f"nothing matches {' and '.join(chosen)}" if chosen else ""


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
