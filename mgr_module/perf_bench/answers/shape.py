"""How the classes of answers become JSON.

A field is a key of the same name; one that is a word of Python ends with "_" here (``class_``).
What the schema says of a key is in the class's docstring, as "key -- what it is".
"""

from __future__ import annotations

import keyword
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import (
    Annotated,
    Any,
    Callable,
    Literal,
    Optional,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from ..model.json_fields import Json
from .text import iso

T = TypeVar("T")


class Absent(Enum):
    """The value of a key that is not in the answer."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
# A key that an answer may lack.
Maybe = Union[T, Literal[Absent.ABSENT]]
# Zero or more.
Count = Annotated[int, "minimum", 0]
# A part of a whole, or a ratio.
Share = Annotated[float, "minimum", 0]
# A moment as ISO 8601 in UTC, to the millisecond.
Stamp = Annotated[str, "description", "ISO 8601 in UTC"]

_PLAIN = (int, float, str, bool, type(None), Count, Share, Stamp)
_PLAIN_OR_NONE = frozenset((*_PLAIN, *(Optional[one] for one in _PLAIN)))


def to_json(answer: Any) -> Any:
    """An answer, or a page of one with its total, as public JSON; what is JSON stays as it is.

    A round has 50,000 samples: dicts that a question has made itself are not walked again.
    """
    if isinstance(answer, tuple):
        return tuple(map(to_json, answer))
    if isinstance(answer, dict) or (isinstance(answer, list) and not _of_classes(answer)):
        return answer
    return _converted(answer)


def _of_classes(rows: Sequence[Any]) -> bool:
    return bool(rows) and is_dataclass(rows[0])


def _converted(answer: Any) -> Any:
    """Dicts, lists and plain values of any value of a class of answers."""
    if is_dataclass(answer):
        return _of_class(answer)
    if isinstance(answer, Enum):
        return answer.value
    if isinstance(answer, Mapping):
        return {key: _converted(value) for key, value in answer.items()}
    if isinstance(answer, Sequence) and not isinstance(answer, str):
        return [_converted(value) for value in answer]
    return answer


def key_of(field: str) -> str:
    """The key of a field in JSON: the model's ``device_class`` is the class of an OSD."""
    if field == "device_class":
        return "class"
    return field[:-1] if field.endswith("_") and keyword.iskeyword(field[:-1]) else field


@cache
def types_of(of: type[Any]) -> Mapping[str, Any]:
    """The types of a class's fields, by name."""
    return get_type_hints(of, include_extras=True)


def copied(answer: type[T], source: Any, **others: Any) -> T:
    """An answer whose fields are those of the same name in a noun of the model.

    Times (unix seconds) become stamps, and what is of another class in the answer is copied in
    turn. ``others`` are the fields that the noun does not have, or has in another form. One of
    these that is missing is a TypeError.
    """
    for name, own, taken_over in _taken(cast(Hashable, answer)):
        if name not in others and hasattr(source, own):
            value = getattr(source, own)
            others[name] = value if taken_over is None or value is None else taken_over(value)
    return answer(**others)


_Taken = Optional[Callable[[Any], Any]]


@cache
def _taken(of: type[Any]) -> list[tuple[str, str, _Taken]]:
    """Name of each field here and in the model, and what is made of its value."""
    own = {"class_": "device_class"}
    return [
        (name, own.get(name, name), _taken_over(hint))
        for name, hint in types_of(cast(Hashable, of)).items()
    ]


def _taken_over(hint: Any) -> _Taken:
    """What is made of a value that is to be of this type; None if it stays."""
    if hint == Stamp:
        return lambda value: value if isinstance(value, str) else iso(value)
    if isinstance(hint, type) and is_dataclass(hint):
        kind: type[Any] = hint
        return lambda value: value if isinstance(value, kind) else copied(kind, value)
    inner = [one for one in get_args(hint) if one is not type(None)]
    if get_origin(hint) is Union and len(inner) == 1:
        return _taken_over(inner[0])
    each = _taken_over(inner[0]) if get_origin(hint) is Sequence else None
    return None if each is None else lambda values: list(map(each, values))


def _of_class(answer: Any) -> Json:
    made = {}
    for name, key, plain in _fields(cast(Hashable, type(answer))):
        value = getattr(answer, name)
        if value is not ABSENT:
            made[key] = value if plain else _converted(value)
    return made


@cache
def _fields(of: type[Any]) -> list[tuple[str, str, bool]]:
    """Name and key of each field, in their order, and whether its value is JSON already."""
    hints = types_of(cast(Hashable, of))
    return [
        (field.name, key_of(field.name), hints[field.name] in _PLAIN_OR_NONE)
        for field in fields(cast(Any, of))
    ]
