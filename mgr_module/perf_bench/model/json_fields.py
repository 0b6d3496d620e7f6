"""Read untrusted JSON into dataclasses: types are checked, unknown keys are ignored.

A dataclass defines how each field is read (``known``, ``needed``). Null is the same as a missing
field: unknown. The first error raises InvalidValue with its path, as
``enclosures[0].slots[3].slot``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, field, fields
from datetime import datetime, timezone
from typing import Any, Callable, Optional, TypeVar

from ..errors import InvalidValue
from .said import say

T = TypeVar("T")
# A JSON object, such as an answer with its public keys.
Json = dict[str, Any]
# (value, path) -> the field's value.
Reader = Callable[[Any, str], Any]

LONGEST_TEXT = 512
LARGEST_COUNT = (1 << 63) - 1
_READ, _KEY = "read", "key"
# Characters of a bad value that an error shows.
_SHOWN = 40


def known(reader: Reader, default: Any = None, key: str = "") -> Any:
    """A field that may be missing; ``key`` is its name in the file if that differs."""
    return field(default=default, metadata={_READ: reader, _KEY: key})


def needed(reader: Reader, key: str = "") -> Any:
    """A required field."""
    return field(metadata={_READ: reader, _KEY: key})


def read(noun: Callable[..., T], value: Any, path: str = "") -> T:
    """Read a JSON object into the dataclass ``noun``. Raises InvalidValue with the path."""
    if not isinstance(value, Mapping):
        raise wrong(path or "the document", "an object", value)
    values = {}
    for one in fields(noun):  # type: ignore[arg-type]
        key = one.metadata[_KEY] or one.name
        below = f"{path}.{key}" if path else key
        given = value.get(key)
        if given is not None:
            values[one.name] = one.metadata[_READ](given, below)
        elif one.default is MISSING:
            raise InvalidValue(say("field-missing", "{path} is missing", path=below), field=below)
    return noun(**values)


def wrong(path: str, wanted: str, value: Any) -> InvalidValue:
    """The error for a field: what it must be, and what it is."""
    return InvalidValue(
        say(
            "field-wrong",
            "{path} must be {wanted}, not {given}",
            path=path,
            wanted=wanted,
            given=_name(value),
        ),
        field=path,
    )


def _name(value: Any) -> str:
    if isinstance(value, str):
        return ascii(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")
    names = ((bool, "a truth value"), (list, "a list"), (dict, "an object"))
    for kind, name_ in names:
        if isinstance(value, kind):
            return name_
    return "nothing" if value is None else f"{value:.6g}"


# --- readers of one value -------------------------------------------------------------------


def noun_of(noun: Callable[..., Any]) -> Reader:
    """An object."""
    return lambda value, path: read(noun, value, path)


def list_of(noun: Callable[..., Any], most: Optional[int] = None) -> Reader:
    """A list of objects, at most ``most``."""

    def reader(value: Any, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise wrong(path, "a list", value)
        if most is not None and len(value) > most:
            text_ = f"{path} must have at most {most} entries, not {len(value)}"
            raise InvalidValue(text_, field=path)
        return tuple(read(noun, entry, f"{path}[{index}]") for index, entry in enumerate(value))

    return reader


def text(value: Any, path: str) -> str:
    """A printable text: no control characters, no lone surrogates. Stripped."""
    if not isinstance(value, str):
        raise wrong(path, "a text", value)
    if len(value) > LONGEST_TEXT:
        raise wrong(path, f"at most {LONGEST_TEXT} characters long", value)
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


def flag(value: Any, path: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong(path, "true or false", value)
    return value


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
