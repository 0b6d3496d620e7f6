"""The JSON Schema of the REST API's answers, made from their classes and the table of questions."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from documentation.rights import by_route
from perf_bench.answers.question import Question
from perf_bench.answers.questions import QUESTIONS
from perf_bench.answers.shape import ABSENT, Absent, is_answer, keys_of
from perf_bench.answers.status import Refusal
from perf_bench.model.json_fields import Moment

FILE = Path("dashboard_plugin") / "frontend" / "src" / "generated" / "schema.json"
_DESCRIPTION = (
    "The answers of /api/perf_bench, as the dashboard's back end gives them and the tab reads "
    "them. More keys may come, none is renamed. An answer's schema stands under $defs by the name "
    "that x-answers gives."
)
_KNOWN: Mapping[Any, Mapping[str, Any]] = {
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    Moment: {"type": "string", "description": "ISO 8601 in UTC"},
}
# "key -- what it is", with further lines indented.
_TOLD = re.compile(r"^(\w+) -- (.*(?:\n +.*)*)", re.MULTILINE)


def schema() -> Mapping[str, Any]:
    """The whole schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "perf_bench",
        "title": "PerfBench",
        "description": _DESCRIPTION,
        "type": "object",
        "x-answers": {**_answers(), "error": Refusal.__name__},
        "x-rights": by_route(),
        "$defs": {**{one.__name__: _class(one) for one in classes()}, **_words()},
    }


def classes() -> Sequence[type[Any]]:
    """The classes of all answers and what is in them, by name."""
    return [one for one in _reached() if is_answer(one)]


@functools.cache
def _reached() -> Sequence[type[Any]]:
    """Classes and enums that the answers of the table lead to, by name."""
    asked = [one for one in QUESTIONS if one.rest and answer_of(one)]
    waiting: list[type[Any]] = [Refusal]
    waiting += [part for one in asked for part in _parts(one.answer)]
    found: dict[str, type[Any]] = {}
    while waiting:
        one: Any = waiting.pop()
        if found.setdefault(one.__name__, one) is not one:
            raise ValueError(f"two classes of answers are called {one.__name__}")
        if is_answer(one):
            hints = [key.hint for key in keys_of(one)]
            waiting += {part for hint in hints for part in _parts(hint)} - {*found.values()}
    return [found[name] for name in sorted(found)]


def _parts(hint: Any) -> Iterator[type[Any]]:
    """The classes and enums in a type."""
    if isinstance(hint, type) and (is_answer(hint) or issubclass(hint, Enum)):
        yield hint
    for inner in (*get_args(hint), *getattr(hint, "__metadata__", ())):
        yield from _parts(inner)


def _words() -> Mapping[str, Any]:
    """The enums of the model that answers use."""
    return {
        one.__name__: {"type": "string", "enum": [each.value for each in one]}
        for one in _reached()
        if issubclass(one, Enum)
    }


def answer_of(question: Question) -> str:
    """The name of an answer's class, in brackets where it is a list; empty for none."""
    if question.rest.startswith("DELETE"):
        return ""
    answer = question.answer
    if question.listed:
        return f"[{question.listed.__name__}]"
    return str((get_args(answer) or (answer,))[0].__name__)


def _answers() -> Mapping[str, str]:
    asked = [one for one in QUESTIONS if one.rest and answer_of(one)]
    # With the argument dry_run a start has another answer.
    return {**{one.rest: answer_of(one) for one in asked}, "POST round dry_run": "Plan"}


def _class(of: Any) -> Mapping[str, Any]:
    told: dict[str, str] = {}
    for base in reversed(of.__mro__):
        told.update(_TOLD.findall(_doc(base)) if is_answer(base) else ())
    properties = {}
    for key, _, hint in keys_of(of):
        words = {"description": " ".join(told[key].split())} if key in told else {}
        properties[key] = {**_type(hint), **words}
    return {
        "type": "object",
        "description": _description(of),
        "properties": properties,
        "required": [key for key, name, _ in keys_of(of) if getattr(of, name, None) is not ABSENT],
    }


def _description(of: type[Any]) -> str:
    """What its docstring says; of a noun of the model the first paragraph, the rest is of code."""
    first, *others = _TOLD.sub("", _doc(of)).split("\n\n")
    told = [first] if ".model." in of.__module__ else [first, *others]
    return " ".join(" ".join(told).replace("``", "`").split())


def _doc(of: type[Any]) -> str:
    return inspect.cleandoc(of.__doc__ or "")


def _type(hint: Any) -> Mapping[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _KNOWN:
        return _KNOWN[hint]
    if hasattr(hint, "__metadata__"):
        name, *value = hint.__metadata__
        if not value:  # a mapping, with the class that has its keys
            return _type(name)
        (value,) = value
        told = {} if name == "digits" else {name: value}
        return {**_type(hint.__origin__), **told}
    if origin is not None:
        return _generic(origin, inner)
    return {"$ref": f"#/$defs/{hint.__name__}"}


def _generic(origin: Any, inner: Sequence[Any]) -> Mapping[str, Any]:
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin is Union:
        return _one_of([_type(one) for one in inner if one is not Literal[Absent.ABSENT]])
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type(inner[1]) or True}
    fixed = origin is tuple and ... not in inner
    bounds = {"minItems": len(inner), "maxItems": len(inner)} if fixed else {}
    return {"type": "array", "items": _type(inner[0]), **bounds}


def _one_of(types: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Any of the types; plain ones, with null or without, in one word."""
    if len(types) == 1:
        return types[0]
    names = [one.get("type") for one in types]
    if any("$ref" in one or name == "object" for one, name in zip(types, names)):
        return {"anyOf": list(types)}
    merged: dict[str, Any] = {}
    for one in types:
        merged.update(one)
    if "enum" in merged and "null" in names:
        merged["enum"] = [*merged["enum"], None]
    return {**merged, "type": names}
