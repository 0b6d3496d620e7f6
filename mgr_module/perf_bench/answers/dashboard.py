"""The dashboard's questions, by name; answers and errors as plain data.

The dashboard runs in an interpreter of its own up to Ceph 18. What passes between the two is
pickled, and an exception arrives there as a bare text; so errors are answers here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from ..errors import InvalidValue, NotFound, NotNow, PerfBenchError, StoreUnavailable
from ..model import phrases as checks
from ..model.phrases import sentence
from .api import Api
from .paging import Page
from .question import Argument, ArgumentKind, Question, Rights, Use, check, has
from .questions import QUESTIONS
from .shape import to_json

# "answer" with "total" where it is a page of a longer list; or "error".
Reply = dict[str, Any]

_SHOWN = 40  # letters of a value that is no ID
_BY_NAME = {question.rest_name: question for question in QUESTIONS if question.rest}


def answer(api: Api, question: str, arguments: Mapping[str, Any], rights: Rights) -> Reply:
    """Answer one question; every error of the family becomes an ``error`` with its errno.

    ``rights`` are the user's. Those that every such question needs are asked for first: who lacks
    one learns nothing about the arguments.
    """
    try:
        known = _BY_NAME.get(question)
        if known is None:
            raise NotFound(f"perf_bench has no answer to '{question}'")
        check(rights, [need for need in known.rights if need.when is None])
        args = _checked(known, arguments)
        check(rights, [need for need in known.rights if need.when and need.when(api, args)])
        for right, instead in known.without.items():
            args.update({} if has(rights, right) else instead)
        found, total = known.ask(api, args), None
        if known.paged:
            found, total = found
        elif known.listed:
            found, total = Page.asked(args).of(found, known.listed)
        shape = to_json(found)
    except PerfBenchError as error:
        return failure(error)
    return {"answer": shape} if total is None else {"answer": shape, "total": total}


def failure(error: PerfBenchError) -> Reply:
    """An error as data: ``field`` names the argument at fault, ``reasons`` every cause.

    ``away`` is true when nothing was asked that is wrong: the database does not answer.
    """
    reasons = error.reasons if isinstance(error, NotNow) else ()
    return {
        "error": {
            "errno": error.errno,
            "message": sentence(error.message),
            "field": sentence(error.field) if isinstance(error, InvalidValue) else "",
            "reasons": [sentence(one) for one in reasons],
            "away": isinstance(error, StoreUnavailable),
        }
    }


def crash() -> Reply:
    """The answer to an unexpected exception; the mgr's log has the traceback."""
    message = "internal error: the log of the active mgr says more"
    return failure(PerfBenchError(message))


# --- what may be given --------------------------------------------------------------------------


def _checked(question: Question, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values by the arguments' own names. Raises InvalidValue or NotFound."""
    taken = {one.public_name: one for one in question.arguments if one.rest is not Use.ABSENT}
    checked = {}
    for name, value in given.items():
        argument = taken.get(name)
        if argument is None:
            there = ", ".join(taken) or "none"
            raise InvalidValue(
                f"there is no argument '{name}', there are: {there}",
                field=name,
            )
        # What a form left empty is not given; but an empty dry_run must not start a round.
        if value is not None and (value != "" or argument.kind is ArgumentKind.FLAG):
            checked[argument.name] = _CHECKS[argument.kind](name, value)
    for name, argument in taken.items():
        if argument.rest is Use.NEEDED and argument.name not in checked:
            raise InvalidValue(_missing(argument), field=name)
    return checked


def _missing(argument: Argument) -> str:
    if argument.kind in _NUMBERED:
        return f"the {argument.kind.value}'s ID is needed"
    return f"'{argument.public_name}' is needed"


def _file(name: str, value: Any) -> str:
    """A whole file, whose reader checks what is in it."""
    if not isinstance(value, str):
        raise InvalidValue(f"{name} must be a text", field=name)
    return value


def _size(name: str, value: Any) -> str:
    """A size as ``round start --size`` takes it, or a number of bytes."""
    return checks.text(name, value) if isinstance(value, str) else str(checks.whole(name, value))


def _id(kind: ArgumentKind) -> Callable[[str, Any], int]:
    def checked(name: str, value: Any) -> int:
        try:
            return checks.whole(name, value)
        except InvalidValue:
            shown = f" {value[:_SHOWN]!a}" if isinstance(value, str) else " of this kind"
            raise NotFound(f"no {kind.value}{shown}: the ID is a number") from None

    return checked


# Kinds of IDs that are numbers, with their article.
_NUMBERED = (ArgumentKind.ROUND_ID, ArgumentKind.FINDING_ID, ArgumentKind.OSD_ID)
_CHECKS: Mapping[ArgumentKind, Callable[[str, Any], Any]] = {
    ArgumentKind.TEXT: checks.text,
    ArgumentKind.NUMBER: checks.whole,
    ArgumentKind.FLAG: checks.flag,
    ArgumentKind.SIZE: _size,
    ArgumentKind.FILE: _file,
    **{kind: _id(kind) for kind in _NUMBERED},
}
