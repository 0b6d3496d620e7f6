"""The JSON Schema of the REST API's answers, made from their classes and the table of questions."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from documentation.rights import by_route
from perf_bench import answers
from perf_bench.answers.shape import Absent, key_of
from perf_bench.api.questions import QUESTIONS

FILE = Path("dashboard_plugin") / "frontend" / "src" / "generated" / "schema.json"
_DESCRIPTION = (
    "The answers of /api/perf_bench, as the dashboard's back end gives them and the tab reads "
    "them. More keys may come, none is renamed. An answer's schema stands under $defs by the name "
    "that x-answers gives."
)
_PLAIN = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}
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
        "x-answers": {**_answers(), "error": "Refusal"},
        "x-rights": by_route(),
        "$defs": {**{one.__name__: _class(one) for one in classes()}, **_words()},
    }


def classes() -> Iterator[type[Any]]:
    """All classes of answers, by file."""
    for module in _modules():
        for one in vars(module).values():
            if isinstance(one, type) and is_dataclass(one) and one.__module__ == module.__name__:
                yield one


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(answers.__path__):
        yield importlib.import_module(f"{answers.__name__}.{found.name}")


def _words() -> Mapping[str, Any]:
    """The enums of the model that answers use."""
    return {
        one.__name__: {"type": "string", "enum": [each.value for each in one]}
        for found in dict.fromkeys(sys.modules[answer.__module__] for answer in classes())
        for one in vars(found).values()
        if isinstance(one, type) and issubclass(one, Enum) and one is not Absent
    }


def _answers() -> Mapping[str, str]:
    asked = [one for one in QUESTIONS if one.rest and one.answer]
    also = {route: noun for one in asked for route, noun in one.also.items()}
    return {**{one.rest: one.answer for one in asked}, **also}


def _class(of: type[Any]) -> Mapping[str, Any]:
    told: dict[str, str] = {}
    for base in reversed(of.__mro__):
        told.update(_TOLD.findall(_doc(base)) if is_dataclass(base) else ())
    hints = get_type_hints(of, include_extras=True)
    properties = {}
    for field in fields(of):
        key = key_of(field.name)
        words = {"description": " ".join(told[key].split())} if key in told else {}
        properties[key] = {**_type(hints[field.name]), **words}
    return {
        "type": "object",
        "description": " ".join(_TOLD.sub("", _doc(of)).split()),
        "properties": properties,
        "required": [key_of(one.name) for one in fields(of) if one.default is MISSING],
    }


def _doc(of: type[Any]) -> str:
    return inspect.cleandoc(of.__doc__ or "")


def _type(hint: Any) -> Mapping[str, Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if hint is Any:
        return {}
    if hasattr(hint, "__metadata__"):
        name, value = hint.__metadata__
        return {**_type(hint.__origin__), name: value}
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
    bounds = {"minItems": len(inner), "maxItems": len(inner)} if origin is tuple else {}
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
