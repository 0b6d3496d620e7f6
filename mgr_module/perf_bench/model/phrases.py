"""Texts: names, counts and times in sentences; text of others made safe; typed arguments.

The command line client checks types itself. Other clients of the cluster, and the dashboard's REST
API, may send anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Any, Optional

from ..errors import InvalidValue
from . import json_fields

GIB = 1 << 30
# Names in a list; the rest is counted.
_NAMED = 4


def plural(count: Optional[int], noun: str, several: str = "") -> str:
    """A count with its noun, as "1 round" and "2 rounds"; ``several`` is an irregular plural."""
    return f"{count} {noun}" if count == 1 else f"{count} {several or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """The names as "a", "a and b", or "a, b, c, d and 56 more"."""
    more = len(names) - _NAMED
    if more > 0:
        return f"{', '.join(names[:_NAMED])} and {more} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def osd_names(numbers: Iterable[int]) -> str:
    """The OSDs by ID, as ``listed`` names them."""
    return listed([f"osd.{number}" for number in sorted(numbers)])


def gib(count: float) -> str:
    """Bytes as "3.0 GiB"."""
    return f"{count / GIB:.1f} GiB"


def span(seconds: float) -> str:
    """Print seconds as "40 s", "5 min", "2 h" or "2 h 05 min", as sentences have them."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {rest:02d} min" if rest else f"{hours} h"


def time_text(at: float) -> str:
    """Print unix seconds as "2026-11-27 16:55 UTC"."""
    return f"{datetime.fromtimestamp(at, timezone.utc):%Y-%m-%d %H:%M} UTC"


def ms_text(seconds: float) -> str:
    """Print seconds in milliseconds, as "4.1 ms" or "41 ms"."""
    value = seconds * 1000
    return f"{value:.2g} ms" if value < 10 else f"{value:.0f} ms"


def times_text(ratio: float) -> str:
    """A ratio as "1.42", "4.1" or "25"."""
    return f"{ratio:.2f}" if ratio < 2 else f"{ratio:.1f}" if ratio < 20 else f"{ratio:.0f}"


# --- Text of users, workers and daemons, made safe to print ---


LONGEST_SENTENCE = 2000
_HEAD, _TAIL = 1400, 500
_LEFT_OUT = " [...] "


def harmless(text: str) -> str:
    r"""Return the text with every unprintable character but a line break written out, as ``\x1b``.

    These are control characters, marks that change the direction of text, halves of letters.
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        one if one == "\n" or one.isprintable() else one.encode("unicode_escape").decode("ascii")
        for one in text
    )


def sentence(text: str) -> str:
    """Return the text of an error harmless, and at most LONGEST_SENTENCE characters long.

    What is left out of a longer one is in the middle: errors quote what they were given, which may
    be a megabyte, and end with what to do.
    """
    shown = harmless(text)
    if len(shown) <= LONGEST_SENTENCE:
        return shown
    return f"{shown[:_HEAD]}{_LEFT_OUT}{shown[-_TAIL:]}"


def one_line(text: str) -> str:
    """Return the same with line breaks written out, too: for a cell or a line of a log."""
    return text if text.isprintable() else harmless(text).replace("\n", "\\n")


# --- Names of what OSDs have in common, in sentences ---


def unit_named(kind: str, name: str) -> str:
    """The name of a unit: its kind is cluster, device, enclosure, host or rack."""
    return "the cluster" if kind == "cluster" else f"{kind} {name}"


# --- What a user typed: the type of each argument ---


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
    return InvalidValue(f"--{option} {given}: one of {', '.join(known)} is needed", field=option)


def within(option: str, value: int, least: int, most: int) -> int:
    """Return an option's value. Raises InvalidValue if it is not from ``least`` to ``most``."""
    if least <= value <= most:
        return value
    raise InvalidValue(f"--{option} {value} is not within {least} to {most}", field=option)


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
        raise InvalidValue(f"'{text}' is longer than {_LONGEST_YEARS} years", field=field)
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
