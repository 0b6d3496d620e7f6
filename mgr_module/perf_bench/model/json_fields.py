"""Strict reading of JSON that somebody else wrote into nouns: types are checked, keys are not.

A noun says of each field how it is read (``known``, ``needed``); what it does not name is passed
over. Null is the same as absent: not known. The first thing that is wrong raises InvalidValue with
its path, as ``enclosures[0].slots[3].slot``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, field, fields
from datetime import datetime, timezone
from typing import Any, Callable, Optional, TypeVar

from ..errors import InvalidValue

T = TypeVar("T")
# A JSON object, such as an answer with its public keys.
Json = dict[str, Any]
# (value, path) -> what the noun holds.
Reader = Callable[[Any, str], Any]

LONGEST_TEXT = 512
LARGEST_COUNT = (1 << 63) - 1
_READ, _KEY = "read", "key"
# Nobody reads a whole hostile value in an error.
_SHOWN = 40


def known(reader: Reader, default: Any = None, key: str = "") -> Any:
    """A field that may be absent; ``key`` where it is called otherwise in the file."""
    return field(default=default, metadata={_READ: reader, _KEY: key})


def needed(reader: Reader, key: str = "") -> Any:
    """A field that must be there."""
    return field(metadata={_READ: reader, _KEY: key})


def read(noun: Callable[..., T], value: Any, path: str = "") -> T:
    """The noun, a dataclass, out of a JSON object. Raises InvalidValue with the path."""
    if not isinstance(value, Mapping):
        raise wrong(path or "the document", "an object", value)
    found = {}
    for one in fields(noun):  # type: ignore[arg-type]
        key = one.metadata[_KEY] or one.name
        below = f"{path}.{key}" if path else key
        given = value.get(key)
        if given is not None:
            found[one.name] = one.metadata[_READ](given, below)
        elif one.default is MISSING:
            raise InvalidValue(f"{below} is missing", field=below)
    return noun(**found)


def wrong(path: str, wanted: str, value: Any) -> InvalidValue:
    """The error that names the field, what it must be, and what it is."""
    return InvalidValue(f"{path} must be {wanted}, not {_name(value)}", field=path)


def _name(value: Any) -> str:
    if isinstance(value, str):
        return ascii(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")
    names = ((bool, "a truth value"), (list, "a list"), (dict, "an object"))
    for kind, name_ in names:
        if isinstance(value, kind):
            return name_
    return "nothing" if value is None else f"{value:.6g}"


# --- how one value is read ------------------------------------------------------------------


def noun_of(noun: Callable[..., Any]) -> Reader:
    """An object."""
    return lambda value, path: read(noun, value, path)


def list_of(noun: Callable[..., Any], most: Optional[int] = None) -> Reader:
    """A list of objects, of so many at most."""

    def reader(value: Any, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise wrong(path, "a list", value)
        if most is not None and len(value) > most:
            text_ = f"{path} must have at most {most} entries, not {len(value)}"
            raise InvalidValue(text_, field=path)
        return tuple(read(noun, entry, f"{path}[{at}]") for at, entry in enumerate(value))

    return reader


def text(value: Any, path: str) -> str:
    """A text that can be printed as it is: no control characters, no halves of letters."""
    if not isinstance(value, str):
        raise wrong(path, "a text", value)
    if len(value) > LONGEST_TEXT:
        raise wrong(path, f"at most {LONGEST_TEXT} letters long", value)
    if not value.isprintable():
        raise wrong(path, "a text without control characters", value)
    return value.strip()


def name(value: Any, path: str) -> str:
    """A text that is not empty."""
    found = text(value, path)
    if not found:
        raise wrong(path, "a text that is not empty", value)
    return found


def word(*words: str) -> Reader:
    """One of these words; in any case when it is read, as it stands here afterwards."""
    by_lower = {word_.lower(): word_ for word_ in words}

    def reader(value: Any, path: str) -> str:
        found = by_lower.get(text(value, path).lower())
        if found is None:
            raise wrong(path, f"one of: {', '.join(words)}", value)
        return found

    return reader


def meaning(words: Mapping[str, str]) -> Reader:
    """What a word means, in any case; None, not known, for one that is not among them."""
    return lambda value, path: words.get(text(value, path).lower())


def within(reader: Reader, least: float, most: float) -> Reader:
    """A number of that kind between these two, both among them."""

    def reader_(value: Any, path: str) -> Any:
        found = reader(value, path)
        if not least <= found <= most:
            raise wrong(path, f"{least:.10g} to {most:.10g}", value)
        return found

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
    found = float(value)
    if not 0 <= found < math.inf:
        raise wrong(path, "a number of 0 or more", value)
    return found


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
    """Unix seconds out of ISO 8601, as "2026-11-20T12:00:00Z"; UTC where no zone stands."""
    given = text(value, path)
    try:
        found = datetime.fromisoformat(f"{given[:-1]}+00:00" if given[-1:] in "Zz" else given)
        if found.tzinfo is None:
            found = found.replace(tzinfo=timezone.utc)
        return found.timestamp()
    except (ValueError, OverflowError):
        raise wrong(path, "a time as 2026-11-20T12:00:00Z", value) from None
