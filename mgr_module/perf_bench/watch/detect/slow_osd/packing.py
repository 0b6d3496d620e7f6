"""Packs rows of figures into short texts for a JSON state: small integers, deflated, base64."""

from __future__ import annotations

import base64
import math
import zlib
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from ....model.json_fields import inflated

# The excess over peers is kept in steps of 2 %, up to 12 times as slow or as fast. That is enough
# for rules of 10 % on the median of many values.
STEP = 0.02
NOTHING = -128  # no data
# Figures that are compared one by one are kept in steps of 0.1 %.
_FINE = 0.001


def pack(values: array[Any]) -> str:
    """Return the array as text, for ``unpack``."""
    return base64.b64encode(zlib.compress(values.tobytes(), 1)).decode("ascii")


def unpack(kind: str, text: str) -> array[Any]:
    """Return the packed array; ``kind`` is its typecode."""
    values: array[Any] = array(kind)
    values.frombytes(inflated(base64.b64decode(text)))
    return values


def pack_floats(values: Iterable[float]) -> str:
    """Return figures as text, for ``unpack_floats``; clipped to -32 … 32, without NaN."""
    return pack(array("h", [round(max(-32.0, min(32.0, value)) / _FINE) for value in values]))


def unpack_floats(text: str) -> list[float]:
    """Return the figures that ``pack_floats`` packed."""
    return [value * _FINE for value in unpack("h", text)]


def coarse(values: Sequence[float]) -> array[int]:
    """Return ln figures as steps of one byte each; NaN becomes NOTHING."""
    most = 127 * STEP
    return array(
        "b",
        [
            int(value / STEP + 64.5) - 64  # round() costs three times as much
            if -1 < value < 1
            else NOTHING
            if math.isnan(value)
            else round(max(-most, min(most, value)) / STEP)
            for value in values
        ],
    )


def fine(values: Sequence[int]) -> list[float]:
    """Return the ln figures of ``coarse``; NOTHING becomes NaN."""
    return [math.nan if value == NOTHING else value * STEP for value in values]
