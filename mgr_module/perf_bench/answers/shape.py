"""How answers become JSON.

An answer is an object of a dataclass or a NamedTuple, often one of the model's nouns. Its keys are
its fields, or the fields and properties that its class names as KEYS, a pair where the key has
another name ("on.osds" is a field of a field, null where that is null). A name that is a word of
Python ends with "_" here (``class_``). What the schema says of a key is in the class's docstring,
as "key -- what it is".
"""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache, cached_property, partial
from typing import (
    Annotated,
    Any,
    Callable,
    Literal,
    NamedTuple,
    Optional,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from ..model.json_fields import Moment, iso
from .text import reader_of, rounded

T = TypeVar("T")


class Absent(Enum):
    """The value of a key that is not in the answer."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
# A key that an answer may lack.
Maybe = Union[T, Literal[Absent.ABSENT]]
# The keys of a class, where they are not its fields.
Keys = Sequence[Union[str, tuple[str, str]]]
# Zero or more.
Count = Annotated[int, "minimum", 0]
# A part of a whole, or a ratio.
Share = Annotated[float, "minimum", 0]
# A moment as ISO 8601 in UTC, to the millisecond; the model's ``Moment`` becomes one.
Stamp = Annotated[str, "description", "ISO 8601 in UTC"]

_PLAIN = (int, float, str, bool, type(None), Count, Share, Stamp)


class Key(NamedTuple):
    """A key of a class of answers, the name of its field or property, and the type of its value."""

    key: str
    name: str
    hint: Any


@cache
def keys_of(of: Any) -> Sequence[Key]:
    """The keys of a class of answers, in their order."""
    fields = [one.name for one in dataclasses.fields(of)] if is_dataclass(of) else of._fields
    named = [
        (key_of(one), one) if isinstance(one, str) else one for one in getattr(of, "KEYS", fields)
    ]
    return [Key(key, name, _hint(of, name)) for key, name in named]


def _hint(of: Any, name: str) -> Any:
    """The type of a field or a property, or of one that another has ("on.osds")."""
    first, _, below = name.partition(".")
    hint = get_type_hints(of, include_extras=True).get(first)
    if hint is None:
        read = getattr(of, first)
        read = read.func if isinstance(read, cached_property) else read.fget
        hint = get_type_hints(read, include_extras=True)["return"]
    if not below:
        return hint
    inner = [one for one in get_args(hint) if one is not type(None)]
    return Optional[_hint(inner[0], below)] if inner else _hint(hint, below)


def key_of(name: str) -> str:
    """The key of a field in JSON: the model's ``device_class`` is the class of an OSD."""
    if name == "device_class":
        return "class"
    return name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name


def is_answer(of: Any) -> bool:
    """Whether this is a class, or an object of a class, that has keys."""
    return is_dataclass(of) or hasattr(of, "_fields")


def to_json(value: Any) -> Any:
    """An answer, or any value that is in one, as public JSON."""
    if is_answer(value):
        return _of_class(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: to_json(one) for key, one in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    # Waves have 10,000 numbers.
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return [one if type(one) in _PLAIN else to_json(one) for one in value] if is_list else value


def _of_class(answer: Any) -> dict[str, Any]:
    made = {}
    for key, read, convert in _conversions(cast(Hashable, type(answer))):
        value = read(answer)
        if value is not ABSENT:
            made[key] = value if convert is None or value is None else convert(value)
    return made


_Conversion = Optional[Callable[[Any], Any]]


@cache
def _conversions(of: Any) -> Sequence[tuple[str, Callable[[Any], Any], _Conversion]]:
    """Each key, what reads its value, and what makes JSON of that; None where it is JSON."""
    return [(key, reader_of(name), _conversion(hint)) for key, name, hint in keys_of(of)]


def _conversion(hint: Any) -> _Conversion:
    if hint in _PLAIN:
        return None
    if hint == Moment:
        return iso
    if getattr(hint, "__metadata__", ("",))[0] == "digits":
        return partial(rounded, digits=hint.__metadata__[1])
    inner = [one for one in get_args(hint) if one is not type(None)]
    if get_origin(hint) is Union and len(inner) == 1:
        return _conversion(inner[0])
    return to_json


def copied(answer: type[T], source: Any, **others: Any) -> T:
    """An answer whose fields are those of the same name in a noun of the model.

    Times (unix seconds) become stamps. ``others`` are the fields that the noun does not have, or
    has in another form. One of these that is missing is a TypeError.
    """
    for name, own, is_stamp in _taken(cast(Hashable, answer)):
        if name not in others and hasattr(source, own):
            value = getattr(source, own)
            others[name] = iso(value) if is_stamp and not isinstance(value, str) else value
    return answer(**others)


@cache
def _taken(of: type[Any]) -> list[tuple[str, str, bool]]:
    """Name of each field here and in the model, and whether it is a stamp."""
    own = {"class_": "device_class"}
    return [
        (name, own.get(name, name), hint in (Stamp, Optional[Stamp]))
        for name, hint in get_type_hints(of, include_extras=True).items()
    ]
