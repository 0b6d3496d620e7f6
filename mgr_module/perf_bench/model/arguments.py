"""What a user asked with: the type of each argument, checked before anything is done with it.

The command line client checks types itself. Other clients of the cluster, and the dashboard's REST
API, may send anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Optional

from ..errors import InvalidValue
from . import json_fields
from .frame import CHANNELS

# IDs of 100,000 OSDs; also what an error may quote.
LONGEST = 1 << 20
_DIGITS = re.compile(r"[+-]?[0-9]+")
# Python refuses to read thousands of them; a number of so many is too large.
_MOST_DIGITS = 30
_WORDS = {"true": True, "false": False}


def text(name: str, value: Any) -> str:
    """Return a text of one printable line. Raises InvalidValue."""
    json_fields.text(value, name, LONGEST)
    return str(value)


def whole(name: str, value: Any) -> int:
    """Return a whole number of 64 bits, given as such or as its digits. Raises InvalidValue."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value) if len(value) <= _MOST_DIGITS else 1 << 64
    if type(value) is not int or abs(value) > json_fields.LARGEST_COUNT:
        raise json_fields.wrong(name, "a whole number of at most 64 bits", value)
    return value


def flag(name: str, value: Any) -> bool:
    """Return true or false, given as such or as the word. Raises InvalidValue."""
    return json_fields.flag(_WORDS.get(str(value).lower(), value), name)


def not_one_of(option: str, given: object, known: Iterable[str]) -> InvalidValue:
    """The error for an option whose value is none of these."""
    return InvalidValue(
        f"--{option} {given}: one of {', '.join(known)} is needed",
        field=option,
    )


def within(option: str, value: int, least: int, most: int) -> int:
    """Return an option's value. Raises InvalidValue if it is not from ``least`` to ``most``."""
    if least <= value <= most:
        return value
    raise InvalidValue(
        f"--{option} {value} is not within {least} to {most}",
        field=option,
    )


def check_channel(name: Optional[str]) -> None:
    """Raise InvalidValue if this is given and no kind of operation."""
    if name is not None and name not in CHANNELS:
        raise InvalidValue(
            f"channel {name}: one of {', '.join(CHANNELS)}",
            field="channel",
        )


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
# Longer ones are mistakes, and times so far away have no date.
_LONGEST_YEARS = 100
_DURATION = re.compile(r"^(\d+)\s*([smhdw])$", re.ASCII)
# More digits are too long in any unit.
_MOST_DURATION_DIGITS = 12


def parse_duration(text: str, field: str) -> int:
    """Parse a duration: 1 second to 100 years. Raises InvalidValue with ``field``."""
    match = _DURATION.match(text.strip().lower())
    digits = match.group(1).lstrip("0")[:_MOST_DURATION_DIGITS] if match else ""
    seconds = int(digits) * _UNITS[match.group(2)] if match and digits else 0
    if not seconds:
        raise InvalidValue(
            f"'{text}' is not a duration: give a whole number of 1 or more with s, m, "
            "h, d or w, as 90s or 1d",
            field=field,
        )
    if seconds > _LONGEST_YEARS * 366 * _UNITS["d"]:
        raise InvalidValue(
            f"'{text}' is longer than {_LONGEST_YEARS} years",
            field=field,
        )
    return seconds


def duration_text(seconds: float) -> str:
    """Print seconds as "14 s", "3 min 20 s" or "2 h 05 min"."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 100:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
