"""Robust figures of lists in which NaN is "no data". All values are natural logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from ..model.statistics import MAD_TO_SIGMA, median

# Above this many members every k-th stands for all: the scale of 2,000 is sure to 3 %.
_SAMPLE = 2000


def valid(values: Sequence[float]) -> list[float]:
    """Those that are not NaN, ascending."""
    total = sum(values)
    if total == total:  # noqa: PLR0124  # no NaN among them: the usual case, and much faster
        return sorted(values)
    return sorted([value for value in values if value == value])  # noqa: PLR0124


def sample(values: Sequence[float]) -> Sequence[float]:
    """At most about 2,000 of them, evenly chosen."""
    return values if len(values) <= 2 * _SAMPLE else values[:: len(values) // _SAMPLE]


def spread(values: Sequence[float]) -> float:
    """Robust standard deviation around 0 of residuals; NaN under 2 of them."""
    sizes = valid([abs(value) for value in sample(values)])
    return MAD_TO_SIGMA * median(sizes) if len(sizes) > 1 else math.nan


def against_others(values: Sequence[float], reference: Sequence[float]) -> list[float]:
    """Each value minus the median of all *other* reference values.

    ``reference`` is ascending, without NaN, and contains the values (up to those that are NaN).
    Taking one out moves the median to one of three places, so one comparison a value is enough.
    """
    count = len(reference)
    if count < 2:
        return [math.nan] * len(values)
    middle = count // 2
    high = reference[middle]
    low = reference[middle - 1]
    if count % 2:
        pivot = high
        below, above = (high + reference[middle + 1]) / 2, (low + high) / 2
        at = (low + reference[middle + 1]) / 2
    else:
        pivot = (low + high) / 2
        below, above, at = high, low, low
    return [
        value - (below if value < pivot else above if value > pivot else at) for value in values
    ]


def sharper_z(z: float, tests: int) -> float:
    """The z that keeps the chance of a false alarm when the worst of several tests counts."""
    if tests <= 1:
        return z
    chance = math.erfc(z / math.sqrt(2)) / 2  # NormalDist.cdf is 0 from z 8.3 on
    return -NormalDist().inv_cdf(max(chance / tests, 1e-300))
