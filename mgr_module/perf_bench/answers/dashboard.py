"""The dashboard's questions, by name; answers and errors as plain data.

The dashboard runs in an interpreter of its own up to Ceph 18. What passes between the two is
pickled, and an exception arrives there as a bare text; so errors are answers here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InvalidValue, NotFound, NotNow, PerfBenchError, StoreUnavailable
from ..model.phrases import sentence
from .api import Api
from .paging import Page
from .question import ArgumentKind, Question, Rights, Text, Use, check, checked, has
from .questions import QUESTIONS
from .shape import to_json

# "answer" with "total" where it is a page of a longer list; or "error".
Reply = dict[str, Any]

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
        found, total = known.ask(api, args)
        if known.listed and total is None:
            found, total = Page.asked(args).of(found, known.listed)
        shape = to_json(Text(found) if isinstance(found, str) else found)
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


def _checked(question: Question, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values by the arguments' own names. Raises InvalidValue or NotFound."""
    there = [one for one in question.arguments if one.rest is not Use.ABSENT]
    taken = {one.public_name: (one, one.rest) for one in there}
    for name in given:
        if name not in taken:
            names = ", ".join(taken) or "none"
            raise InvalidValue(f"there is no argument '{name}', there are: {names}", field=name)
    # What a form left empty is not given; but an empty dry_run must not start a round.
    filled = {
        name: value
        for name, value in given.items()
        if value != "" or taken[name][0].kind is ArgumentKind.FLAG
    }
    try:
        return checked(taken, filled)
    except InvalidValue as error:
        named, use = taken.get(str(error.field), (None, None))
        if named is None or named.kind is not ArgumentKind.OSD_ID or use is not Use.NEEDED:
            raise
        raise NotFound(error.message) from None  # the ID is in the path: there is no such page
