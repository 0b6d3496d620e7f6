"""Parse JSON files from users, which may be broken, huge or hostile."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InvalidValue
from .said import say

LARGEST_FILE = 8 << 20
# Levels of nesting: the fields that are read are 4 to 6 deep, other fields may be deeper.
DEEPEST = 32
# Digits of a number; Python takes minutes to parse a number of a million digits.
_MOST_DIGITS = 40
# A file of 8 MiB has some 12,000 of elbencho's.
_MOST_DOCUMENTS = 20_000
# Not a note as "{client-a} is ready" or "[eta 00m:30s]".
_OBJECT = r"(?=\{\s*(?:[\"}]|\Z))"
_LIST = r"(?=\[\s*(?:[{\]]|\Z))"
_FOLLOWS = re.compile(rf"[\s\ufeff]*(?:{_OBJECT}|{_LIST})")
# An object may stand behind a note that has no new line, as fio's progress.
_BEGINS = re.compile(rf'^[^"\n{{]*{_OBJECT}|^[ \t\r\ufeff]*{_LIST}', re.MULTILINE)
# A part of a number or of "null", "true", "false"; or nothing.
_LAST_WORD = re.compile(r"[-+.\w]*\s*\Z")


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
    with _refusals(what):
        document = _JSON.decode(text.lstrip("\ufeff"))
    return _not_deep(document, what)


def documents_of(text: str, what: str) -> Iterator[tuple[int, Any]]:
    """The JSON objects in a text that has notes before, between or after them.

    Each with the line of the file in which it begins; a list's entries have the line of the list.
    Raises InvalidValue for one that is cut off, broken or hostile.
    """
    checked_size(text, what)
    end = number = 0
    line = 1
    while True:
        begins = _FOLLOWS.match(text, end) or _BEGINS.search(text, end)
        begin = begins.end() if begins else len(text)
        _no_rest_of_json(text[end:begin], line, what)
        if not begins:
            return
        line += text.count("\n", end, begin)
        with _refusals(what, line):
            document, end = _JSON.raw_decode(text, begin)
        _not_deep(document, what)
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
def _refusals(what: str, line: int = 0) -> Iterator[None]:
    """Make InvalidValue of what the parser raises of a document that begins in this line."""
    try:
        yield
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError as error:
        why = str(error)
        if line and isinstance(error, json.JSONDecodeError) and _is_cut(error):
            why = f"what begins in line {line} is cut off"
        raise not_json(what, why) from None


def not_json(what: str, why: str) -> InvalidValue:
    """The error for a text that is not JSON; ``what`` is a plural, as "facts"."""
    sentence = say("input-no-json", "the {what} are not JSON: {why}", what=what, why=why)
    return InvalidValue(sentence, field=what)


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Whether the text ended within the document."""
    return error.msg.startswith("Unterminated") or bool(_LAST_WORD.match(error.doc, error.pos))


def _not_deep(document: Any, what: str) -> Any:
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


_JSON = json.JSONDecoder(parse_int=_whole, parse_float=_fraction, parse_constant=_constant)


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
