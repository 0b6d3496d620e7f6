"""Rows of figures as short texts for a JSON state: small integers, deflated, base64."""

from __future__ import annotations

import base64
import math
import zlib
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

# Excess over peers is kept in steps of 2 % up to 12 times as slow or as fast: enough for the
# rules of 10 % that read the median of many of them.
STEP = 0.02
NOTHING = -128
# Figures that are compared one by one are kept in steps of 0.1 %.
_FINE = 0.001


def pack(values: array[Any]) -> str:
    """An array's bytes, for ``unpack``."""
    return base64.b64encode(zlib.compress(values.tobytes(), 1)).decode("ascii")


def unpack(kind: str, text: str) -> array[Any]:
    """The array again; ``kind`` is its typecode."""
    values: array[Any] = array(kind)
    values.frombytes(zlib.decompress(base64.b64decode(text)))
    return values


def pack_floats(values: Iterable[float]) -> str:
    """Figures between -32 and 32 that are no NaN."""
    return pack(array("h", [round(max(-32.0, min(32.0, value)) / _FINE) for value in values]))


def unpack_floats(text: str) -> list[float]:
    """The figures that ``pack_floats`` took."""
    return [value * _FINE for value in unpack("h", text)]


def coarse(values: Sequence[float]) -> array[int]:
    """Ln figures in one byte each; NaN is NOTHING."""
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
    """The ln figures again."""
    return [math.nan if value == NOTHING else value * STEP for value in values]
