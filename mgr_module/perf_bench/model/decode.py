"""JSON to the nouns, checked: what was stored may be damaged, or of a newer version."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Callable, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
_Read = Callable[[Any], Any]

# What reading a damaged row may raise. RecursionError: JSON that is nested too deep.
FAULTS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    zlib.error,
)

# Bytes; states of detectors are the largest, some ten MiB for 10,000 OSDs.
LARGEST_INFLATED = 256 << 20

# Beyond it no count is one, and arithmetic with floats fails.
_LARGEST = (1 << 63) - 1

_NAMES: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


class _WrongValue(ValueError):
    """``path`` names the value, as ``phases.0.step``; ``what`` says what is wrong with it."""

    def __init__(self, what: str, path: str = "") -> None:
        super().__init__(f"{path} {what}".lstrip())
        self.what = what
        self.path = path


def decode(kind: type[T], saved: Any) -> T:
    """The noun of a dataclass ``kind`` from a mapping of its fields.

    Fields that this version does not know are passed over, those that are absent get their
    defaults. Raises ValueError with the path of the first field that is missing or of another
    type.
    """
    return cast("T", _reader(cast("Any", kind))(saved))


def from_json(text: Any, name: str) -> Any:
    """What stands in the JSON of the column ``name``. Raises ValueError that names it."""
    if type(text) is not str:
        raise _WrongValue("is missing" if text is None else f"is not {_NAMES[str]}", name)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _WrongValue(f"is no JSON: {error}", name) from None


def inflated(data: Any, most: int = LARGEST_INFLATED) -> bytes:
    """The bytes that zlib packed into ``data``. Raises one of FAULTS, also for more than ``most``.

    A thousandth of it is enough to write: the database is in a pool.
    """
    unpacker = zlib.decompressobj()
    found = unpacker.decompress(data, most + 1)
    if len(found) > most:
        raise ValueError(f"it unpacks to more than {most} bytes")
    if not unpacker.eof:
        raise ValueError("it is cut off")
    return found


@cache
def _reader(hint: Any) -> _Read:
    """What reads a value of this type."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return _anything
    if origin is Union:
        (inner,) = (arg for arg in args if arg is not type(None))
        return _optional(_reader(inner))
    if origin is tuple:
        return _list(args[0]) if args[-1] is Ellipsis else _tuple(args)
    if isinstance(origin or hint, type) and issubclass(origin or hint, Mapping):
        return _plain(dict)
    return _record(hint) if is_dataclass(hint) else _simple(hint)


def _anything(value: Any) -> Any:
    return value


def _simple(hint: Any) -> _Read:
    if issubclass(hint, Enum):
        return _enum(hint)
    return _number if hint is float else _plain(hint)


def _plain(kind: Any) -> _Read:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise _WrongValue(f"is not {_NAMES[kind]}")
        if kind is int and not -_LARGEST <= value <= _LARGEST:
            raise _WrongValue("is beyond 64 bits")
        return value

    return read


def _number(value: Any) -> Any:
    """A number as it stands: 10 stays a whole one."""
    if type(value) not in (int, float):
        raise _WrongValue(f"is not {_NAMES[float]}")
    if not -_LARGEST <= value <= _LARGEST and type(value) is int:
        raise _WrongValue("is beyond 64 bits")
    return value


def _enum(kind: type[Enum]) -> _Read:
    def read(value: Any) -> Any:
        try:
            return kind(value)
        except ValueError:
            raise _WrongValue(f"is {value!r:.40}, which this version does not know") from None

    return read


def _optional(inner: _Read) -> _Read:
    return lambda value: None if value is None else inner(value)


def _list(hint: Any) -> _Read:
    inner = _reader(hint)

    def read(value: Any) -> Any:
        return tuple(_at(place, inner, one) for place, one in enumerate(_sequence(value)))

    def read_simple(value: Any) -> Any:
        found = tuple(_sequence(value))
        if any(type(one) is not hint for one in found):
            raise _WrongValue(f"has something that is not {_NAMES[hint]}")
        return found

    return read_simple if hint in (str, int) else read


def _tuple(hints: tuple[Any, ...]) -> _Read:
    inner = [_reader(hint) for hint in hints]

    def read(value: Any) -> Any:
        if len(_sequence(value)) != len(inner):
            raise _WrongValue(f"has {len(value)} values, not {len(inner)}")
        return tuple(_at(place, one, entry) for place, (one, entry) in enumerate(zip(inner, value)))

    return read


def _sequence(value: Any) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise _WrongValue(f"is not {_NAMES[list]}")
    return value


def _record(kind: Any) -> _Read:
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    needed = [
        field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    ]

    def read(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise _WrongValue(f"is not {_NAMES[dict]}")
        for name in needed:
            if name not in value:
                raise _WrongValue("is missing", name)
        known = {name: _at(name, readers[name], value[name]) for name in readers if name in value}
        return kind(**known)

    return read


def _at(where: object, reader: _Read, value: Any) -> Any:
    """The value, or an error that says where it stands."""
    try:
        return reader(value)
    except _WrongValue as error:
        raise _WrongValue(error.what, f"{where}.{error.path}".rstrip(".")) from None
