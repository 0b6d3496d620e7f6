"""Reads what comes in, checked by types and bounds: rows of the database, and files of users.

A dataclass says how it is read: a field by its type hint, or by the reader that ``known`` and
``needed`` give it, which may have bounds. Unknown fields are passed over; missing ones, and those
that are null, get their defaults. A NamedTuple is a list in JSON. What is wrong raises a
WrongValue, which is a ValueError for who reads what we have stored, and an InvalidValue for who
reads what others send. It names the first field that is wrong by its path, as
``enclosures[0].slots[3].slot``.
"""

from __future__ import annotations

import json
import math
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, field, fields, is_dataclass
from datetime import datetime, timezone
from enum import Enum
from functools import cache, lru_cache
from types import FunctionType
from typing import (
    Annotated,
    Any,
    Callable,
    Optional,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from ..errors import InvalidValue

T = TypeVar("T")
# A JSON object, such as an answer with its public keys.
Json = dict[str, Any]
# A time in unix seconds, which answers write as ISO 8601 in UTC.
Moment = Annotated[float, "moment"]
# Figures that answers round to one, to three, to four and to six digits after the point.
Tenths = Annotated[float, "digits", 1]
Thousandths = Annotated[float, "digits", 3]
Part = Annotated[float, "digits", 4]
Micros = Annotated[float, "digits", 6]
# (value, path) -> the field's value. Raises WrongValue.
Reader = Callable[[Any, str], Any]

# What reading a damaged row may raise. RecursionError: JSON that is nested too deep.
FAULTS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    zlib.error,
    struct.error,
)

# Bytes; states of detectors are the largest, some ten MiB for 10,000 OSDs.
LARGEST_INFLATED = 256 << 20
# What the database holds; arithmetic with floats fails beyond.
LARGEST_COUNT = (1 << 63) - 1
LONGEST_TEXT = 512
# Characters of a bad value that an error shows.
_SHOWN = 40
# Python takes minutes to parse a number of a million digits.
_MOST_DIGITS = 40
_READ, _KEY = "read", "key"

_NAMES: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}
# Seconds from 1970, in both directions, that Python has dates of: to the years 68 and 3871.
_DATED = 6e10


class WrongValue(InvalidValue, ValueError):
    """A value that is not what it must be; ``path`` names it, as ``phases[0].step``."""

    def __init__(self, what: str, path: str = "") -> None:
        super().__init__(f"{path} {what}".lstrip(), field=path)


def decode(kind: Callable[..., T], value: Any, path: str = "") -> T:
    """The noun of a dataclass ``kind`` from a mapping of its fields. Raises WrongValue."""
    return cast("T", _reader(cast("Any", kind))(value, path))


def reader_of(kind: type[T]) -> Callable[[Any, str], T]:
    """What ``decode`` reads this dataclass with, made now and not with the first row."""
    return cast("Callable[[Any, str], T]", _reader(cast("Any", kind)))


def known(reader: Optional[Reader] = None, default: Any = None, key: str = "") -> Any:
    """A field that may be missing, or null; ``key`` is its name in the file if that differs."""
    return field(default=default, metadata={_READ: reader, _KEY: key})


def needed(reader: Optional[Reader] = None, key: str = "") -> Any:
    """A required field."""
    return field(metadata={_READ: reader, _KEY: key})


def wrong(path: str, wanted: str, value: Any) -> WrongValue:
    """The error for a field: what it must be, and what it is."""
    return WrongValue(f"must be {wanted}, not {_name(value)}", path)


def _name(value: Any) -> str:
    if isinstance(value, str):
        return ascii(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")
    if type(value) in (int, float):
        return f"{value:.6g}"
    names = {bool: "a truth value", list: "a list", dict: "an object", type(None): "nothing"}
    return names.get(type(value), "of another type")


# --- by type hints --------------------------------------------------------------------------


@cache
def _reader(hint: Any) -> Reader:
    """What reads a value of this type."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda value, _path: value
    if origin is Union:
        (inner,) = (_reader(arg) for arg in args if arg is not type(None))
        return lambda value, path: None if value is None else inner(value, path)
    if origin is None:
        return _of_class(hint)
    if issubclass(origin, Mapping):
        return _mapping(*args)
    if origin is tuple and args[-1] is not Ellipsis:
        return _tuple(args)
    return many(args[0])


def _of_class(kind: Any) -> Reader:
    if is_dataclass(kind):
        return _record(kind)
    if issubclass(kind, tuple):
        hints = tuple(get_type_hints(kind).values())
        return _tuple(hints, kind, len(getattr(kind, "_field_defaults", ())))
    if issubclass(kind, Enum):
        return _enum(kind)
    return _plain(dict if issubclass(kind, Mapping) else kind)


def _plain(kind: Any) -> Reader:
    """A value of just this type; a whole number is a number too, and stays as it stands."""
    kinds = (int, float) if kind is float else (kind,)

    def reader(value: Any, path: str) -> Any:
        if type(value) not in kinds:
            raise wrong(path, _NAMES[kind], value)
        if type(value) is int and not -LARGEST_COUNT <= value <= LARGEST_COUNT:
            raise WrongValue("is beyond 64 bits", path)
        return value

    return reader


def _enum(kind: type[Enum]) -> Reader:
    def reader(value: Any, path: str) -> Any:
        try:
            return kind(value)
        except ValueError:
            raise WrongValue(f"is {value!r:.40}, which this version does not know", path) from None

    return reader


def _tuple(
    hints: tuple[Any, ...], make: Optional[Callable[..., Any]] = None, defaults: int = 0
) -> Reader:
    inner = [_reader(hint) for hint in hints]

    def reader(value: Any, path: str) -> Any:
        if not 0 <= len(inner) - len(_sequence(value, path)) <= defaults:
            raise WrongValue(f"has {len(value)} values, not {len(inner)}", path)
        pairs = enumerate(zip(inner, value))
        found = [one(entry, f"{path}[{place}]") for place, (one, entry) in pairs]
        return make(*found) if make else tuple(found)

    return reader


def _mapping(key: Any = str, kind: Any = Any) -> Reader:
    whole, inner = _plain(dict), _reader(kind)
    if kind is Any or key is not str:
        return whole
    return lambda value, path: {
        name: inner(one, f"{path}.{name}") for name, one in whole(value, path).items()
    }


def _sequence(value: Any, path: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise wrong(path, "a list", value)
    return value


def _record(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    plan = [
        (
            one.name,
            one.metadata.get(_KEY) or one.name,
            one.metadata.get(_READ) or _reader(hints[one.name]),
            one.default is one.default_factory is MISSING,
        )
        for one in fields(kind)
    ]

    def reader(value: Any, path: str) -> Any:
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise wrong(path or "the document", "an object", value)
        found = {}
        for name_, key, inner, is_needed in plan:
            below = f"{path}.{key}" if path else key
            # Null is the same as a missing field, which has its default.
            if value.get(key) is not None or (is_needed and key in value):
                found[name_] = inner(value[key], below)
            elif is_needed:
                raise WrongValue("is missing", below)
        return kind(**found)

    return reader


# --- readers of one value, with bounds ------------------------------------------------------

# True or false.
flag: Callable[[Any, str], bool] = _plain(bool)


def many(of: Any, most: Optional[int] = None) -> Reader:
    """A list of values of a type, or for a reader, at most ``most``."""
    inner = of if isinstance(of, FunctionType) else _reader(of)

    def reader(value: Any, path: str) -> tuple[Any, ...]:
        entries = _sequence(value, path)
        if most is not None and len(entries) > most:
            raise WrongValue(f"must have at most {most} entries, not {len(entries)}", path)
        # Waves have 10,000 numbers.
        if of in (str, int) and all(type(one) is of for one in entries):
            return tuple(entries)
        paths = (f"{path}[{place}]" for place in range(len(entries)))
        return tuple(map(inner, entries, paths))

    return reader


def text(value: Any, path: str, longest: int = LONGEST_TEXT) -> str:
    """A printable text: no control characters, no lone surrogates. Stripped."""
    if not isinstance(value, str):
        raise wrong(path, "a text", value)
    if len(value) > longest:
        raise wrong(path, f"at most {longest} characters long", value)
    if not value.isprintable():
        raise wrong(path, "a text without control characters", value)
    return value.strip()


def name(value: Any, path: str) -> str:
    """A text that is not empty."""
    stripped = text(value, path)
    if not stripped:
        raise wrong(path, "a text that is not empty", value)
    return stripped


def word(*words: str) -> Reader:
    """One of these words, ignoring case; returned as written here."""
    by_lower = {word_.lower(): word_ for word_ in words}

    def reader(value: Any, path: str) -> str:
        known_word = by_lower.get(text(value, path).lower())
        if known_word is None:
            raise wrong(path, f"one of: {', '.join(words)}", value)
        return known_word

    return reader


def matching(pattern: str, wanted: str) -> Reader:
    """A text that the regular expression matches as a whole; ``wanted`` says what it is."""
    whole = re.compile(pattern)

    def reader(value: Any, path: str) -> str:
        if not isinstance(value, str) or not whole.fullmatch(value):
            raise wrong(path, wanted, value)
        return value

    return reader


def meaning(words: Mapping[str, Optional[str]], unknown: Optional[str] = None) -> Reader:
    """The meaning of a word, ignoring case; ``unknown`` for any other word."""
    return lambda value, path: words.get(text(value, path).lower(), unknown)


def within(reader: Reader, least: float, most: float) -> Reader:
    """A number from ``least`` to ``most``, both included."""

    def reader_(value: Any, path: str) -> Any:
        checked = reader(value, path)
        if not least <= checked <= most:
            raise wrong(path, f"{least:.10g} to {most:.10g}", value)
        return checked

    return reader_


def count(value: Any, path: str) -> int:
    """A whole number of 0 or more."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT:
        return value
    raise wrong(path, "a whole number of 0 or more", value)


def number(value: Any, path: str) -> float:
    """A number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise wrong(path, "a number", value)
    converted = float(value)
    if not 0 <= converted < math.inf:
        raise wrong(path, "a number of 0 or more", value)
    return converted


def digits(value: Any, path: str) -> int:
    """A whole number of 0 or more, or its digits as a text."""
    whole = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 19
    return count(int(value) if whole else value, path)


def iso(unix_seconds: Optional[float]) -> Optional[str]:
    """ISO 8601 in UTC to the millisecond; None stays None, and so are times that have no date."""
    if unix_seconds is None or not abs(unix_seconds) < _DATED:  # of a damaged row
        return None
    second, micros = divmod(round(unix_seconds * 1_000_000), 1_000_000)
    return f"{_second(second)}.{micros // 1000:03d}Z"


@lru_cache(maxsize=1024)
def _second(unix_seconds: int) -> str:
    """Cached, as the samples of a wave start together: 2,500 samples take 1 ms instead of 8."""
    return datetime.fromtimestamp(unix_seconds, tz=timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def moment(value: Any, path: str) -> float:
    """Unix seconds from ISO 8601, as "2026-11-20T12:00:00Z"; UTC without a zone.

    Not before 1970, as no clock tells that, and those of the year 1 cannot be written in UTC.
    """
    given = text(value, path)
    try:
        time = datetime.fromisoformat(f"{given[:-1]}+00:00" if given[-1:] in "Zz" else given)
        if time.tzinfo is None:
            time = time.replace(tzinfo=timezone.utc)
        found = time.timestamp()
    except (ValueError, OverflowError):
        raise wrong(path, "a time as 2026-11-20T12:00:00Z", value) from None
    if found < 0:
        raise wrong(path, "a time of 1970 or later", value)
    return found


# --- JSON texts and packed bytes ------------------------------------------------------------


def from_json(text: Any, name: str) -> Any:
    """What stands in the JSON of the column ``name``. Raises ValueError that names it."""
    if type(text) is not str:
        raise WrongValue("is missing", name) if text is None else wrong(name, "a text", text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WrongValue(f"is no JSON: {error}", name) from None


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


# --- files of users, which may be broken, huge or hostile -----------------------------------

LARGEST_FILE = 8 << 20
# A file of 8 MiB has some 12,000 of elbencho's.
_MOST_DOCUMENTS = 20_000
# An object or a list of objects; not a note as "{client-a} is ready" or "[eta 00m:30s]". An object
# may stand behind a note that has no new line, as fio's progress.
_BEGINS = re.compile(r"(?=\{\s*(?:[\"}]|\Z))|(?=\[\s*(?:[{\]]|\Z))")


def checked_size(text: str, what: str) -> str:
    """The text if it is neither empty nor too large; ``what`` is a plural, as "facts".

    Raises InvalidValue.
    """
    if not text.strip():
        why = f"there are no {what}: give a file with -i {what.upper()}.json"
        raise InvalidValue(why, field=what)
    # A character is at least a byte, so the first test avoids a copy of the text.
    if len(text) > LARGEST_FILE or len(text.encode("utf-8", "replace")) > LARGEST_FILE:
        raise InvalidValue(f"the {what} are over {LARGEST_FILE >> 20} MiB", field=what)
    return text


def document_of(text: str, what: str) -> Any:
    """Parse a JSON text. Raises InvalidValue for a text that is not JSON, or is hostile."""
    checked_size(text, what)
    with _refusals(what):
        return _JSON.decode(text.lstrip("\ufeff"))


def documents_of(text: str, what: str) -> Iterator[tuple[int, Any]]:
    """The JSON objects in a text that has notes before, between or after them.

    Each with the line of the file in which it begins; a list's entries have the line of the list.
    Raises InvalidValue for one that is cut off, broken or hostile.
    """
    checked_size(text, what)
    end = number = 0
    line = 1
    while True:
        begins = _BEGINS.search(text, end)
        begin = begins.end() if begins else len(text)
        _no_rest_of_json(text[end:begin], line, what)
        if not begins:
            return
        line += text.count("\n", end, begin)
        with _refusals(what):
            document, end = _JSON.raw_decode(text, begin)
        entries = document if isinstance(document, list) else [document]
        number += len(entries) or 1
        if number > _MOST_DOCUMENTS:
            raise InvalidValue(f"the {what} have over {_MOST_DOCUMENTS} JSON objects", what)
        for entry in entries:
            yield line, entry
        line += text.count("\n", begin, end)


def _no_rest_of_json(note: str, line: int, what: str) -> None:
    """Refuse the end of a document whose beginning is missing; it is no note."""
    for number, written in enumerate(note.split("\n"), line):
        ends = written.rstrip(" \t\r,]").endswith("}")
        if ends and written.count("}") > written.count("{"):
            raise InvalidValue(
                f"line {number} of the {what} ends JSON whose beginning is missing: "
                "is the file cut off?",
                what,
            )


@contextmanager
def _refusals(what: str) -> Iterator[None]:
    """Make InvalidValue of what the parser raises."""
    try:
        yield
    except RecursionError:
        raise not_json(what, "they are nested too deep") from None
    except ValueError as error:
        raise not_json(what, str(error)) from None


def not_json(what: str, why: str) -> InvalidValue:
    """The error for a text that is not JSON; ``what`` is a plural, as "facts"."""
    return InvalidValue(f"the {what} are not JSON: {why}", field=what)


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


_JSON = json.JSONDecoder(parse_int=_whole, parse_constant=_constant)
