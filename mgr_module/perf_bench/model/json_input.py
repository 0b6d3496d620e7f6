"""Parse JSON files from users, which may be broken, huge or hostile."""

from __future__ import annotations

import json
import math
from typing import Any

from ..errors import InvalidValue
from .said import say

LARGEST_FILE = 8 << 20
# Levels of nesting: the fields that are read are 4 to 6 deep, other fields may be deeper.
DEEPEST = 32
# Digits of a number; Python takes minutes to parse a number of a million digits.
_MOST_DIGITS = 40


def checked_size(text: str, what: str) -> str:
    """The text if it is neither empty nor too large; ``what`` is a plural, as "facts".

    Raises InvalidValue.
    """
    if not text.strip():
        file = f"{what.upper()}.json"
        raise InvalidValue(
            say(
                "no-input", "there are no {what}: give a file with -i {file}", what=what, file=file
            ),
            field=what,
        )
    # A character is at least a byte, so the first test avoids a copy of the text.
    if len(text) > LARGEST_FILE or len(text.encode("utf-8", "replace")) > LARGEST_FILE:
        raise InvalidValue(
            say(
                "input-large", "the {what} are over {most} MiB", what=what, most=LARGEST_FILE >> 20
            ),
            field=what,
        )
    return text


def document_of(text: str, what: str) -> Any:
    """Parse a JSON text. Raises InvalidValue for a text that is not JSON, or is hostile."""
    checked_size(text, what)
    try:
        document = json.loads(
            text, parse_int=_whole, parse_float=_fraction, parse_constant=_constant
        )
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError as error:
        raise InvalidValue(
            say("input-no-json", "the {what} are not JSON: {why}", what=what, why=str(error)),
            field=what,
        ) from None
    if _depth(document) > DEEPEST:
        raise _too_deep(what)
    return document


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _fraction(digits: str) -> float:
    if len(digits) > 10 * _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    found = float(digits)
    if math.isinf(found):
        raise ValueError("a number beyond any figure")
    return found


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _too_deep(what: str) -> InvalidValue:
    return InvalidValue(
        say("input-deep", "the {what} are nested more than {most} deep", what=what, most=DEEPEST),
        field=what,
    )


def _depth(document: Any) -> int:
    depth, level = 0, [document]
    while level and depth <= DEEPEST:
        depth += 1
        level = [
            below
            for one in level
            if isinstance(one, (dict, list))
            for below in (one.values() if isinstance(one, dict) else one)
        ]
    return depth
