"""CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from ..model.phrases import harmless

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return the rows as lines.

    A text that begins like a formula gets an apostrophe in front; numbers stay as they are.
    Control characters are written out.
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    is_formula = value.startswith(_FORMULA) and not _NUMBER.fullmatch(value)
    return harmless(f"'{value}" if is_formula else value)
