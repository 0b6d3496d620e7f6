"""Find changes in the level of a series: optimal partitioning, then t tests for correlated series.

The partition into levels has the least sum of squares, with a penalty for each level (Jackson and
others 2005), so a long history hides no short dip. The penalty is low, because the tests decide:
the weakest change is removed until all that are left pass Student's t test and are large enough.

Measured against E-divisive in windows (Hunter), and against the median of three rounds beyond a
band of the level before, on 300 series each. E-divisive finds as many steps with as many false
ones. At a CV of 5 % the band reports false ones in over a third of autocorrelated series, or with a
t test finds 10 % within 12 rounds in 24 to 47 % of series where this finds it in 55 %.

Consecutive rounds of a cluster are correlated (fill, time of day, other load), which makes t tests
find steps by chance. So n values count as n (1 - phi) / (1 + phi).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .evidence import Evidence, Variance, mean

# The least values of a level; one or two are outliers.
LEAST_LENGTH = 3
MOST_P = 0.001
# With a higher phi 19 values would count as less than one.
MOST_PHI = 0.9


def change_points(values: Sequence[float], least: float, floor_cvs: float) -> list[int]:
    """The indexes at which new levels begin.

    A change counts if its difference is at least ``least`` and ``floor_cvs`` times the standard
    deviation within levels. O(n^2): 200 values take 20 ms.
    """
    cuts = _partition(values, least)
    while cuts:
        phi, noise = autocorrelation(values, cuts), deviation(values, cuts)
        enough = max(least, floor_cvs * noise)
        pieces = levels(values, cuts)
        steps = [step(*sides, phi) for sides in zip(pieces, pieces[1:])]
        failing = [
            (found.p_value, place)
            for place, found in enumerate(steps)
            if found.p_value >= MOST_P or abs(found.difference) < enough
        ]
        if not failing:
            break
        del cuts[max(failing)[1]]
    return _placed(values, cuts)


def levels(values: Sequence[float], cuts: Sequence[int]) -> list[Sequence[float]]:
    """The series divided at ``cuts``."""
    return [values[start:end] for start, end in zip((0, *cuts), (*cuts, len(values)))]


def step(before: Sequence[float], after: Sequence[float], phi: float) -> Evidence:
    """Student's t test of two levels whose consecutive values are correlated by ``phi``.

    The variance of both is pooled, because three values after a change are too few for one.
    """
    shrink = (1 - phi) / (1 + phi)
    counts = [max(1.0, len(side) * shrink) for side in (before, after)]
    freedom = max(1.0, (len(before) + len(after)) * shrink - 2)
    variance = (_squares(before) + _squares(after)) / (len(before) + len(after) - 2)
    of_means = Variance(variance * (1 / counts[0] + 1 / counts[1]), freedom)
    return Evidence(mean(after) - mean(before), of_means)


def deviation(values: Sequence[float], cuts: Sequence[int]) -> float:
    """The standard deviation within levels; 0 with too few values."""
    pieces = levels(values, cuts)
    freedom = len(values) - len(pieces)
    return math.sqrt(math.fsum(map(_squares, pieces)) / freedom) if freedom > 0 else 0.0


def autocorrelation(values: Sequence[float], cuts: Sequence[int]) -> float:
    """The autocorrelation within levels, from 0 to MOST_PHI.

    The estimate from a few values is too low by about (1 + 3 phi) / n (Kendall 1954), which is
    added.
    """
    products = squares = 0.0
    for piece in levels(values, cuts):
        middle = mean(piece)
        rest = [value - middle for value in piece]
        squares += math.fsum(value * value for value in rest)
        products += math.fsum(one * next_ for one, next_ in zip(rest, rest[1:]))
    if squares <= 0:
        return 0.0
    phi = products / squares
    phi += (1 + 3 * max(0.0, phi)) / len(values)
    return min(MOST_PHI, max(0.0, phi))


def _partition(values: Sequence[float], least: float) -> list[int]:
    """The cuts with the least sum of squares, where a level costs ``least`` squared."""
    if len(values) < 2 * LEAST_LENGTH:
        return []
    sums, squares = [0.0], [0.0]
    for value in values:
        offset = value - values[0]
        sums.append(sums[-1] + offset)
        squares.append(squares[-1] + offset * offset)
    # By the end of the last level: the costs, and where this level begins.
    best: dict[int, tuple[float, int]] = {0: (0.0, 0)}
    for end in range(LEAST_LENGTH, len(values) + 1):
        best[end] = min(
            (
                best[start][0]
                + least**2
                + squares[end]
                - squares[start]
                - (sums[end] - sums[start]) ** 2 / (end - start),
                start,
            )
            for start in best
            if end - start >= LEAST_LENGTH
        )
    cuts = []
    place = best[len(values)][1]
    while place:
        cuts.insert(0, place)
        place = best[place][1]
    return cuts


def _placed(values: Sequence[float], cuts: Sequence[int]) -> list[int]:
    """Move each cut to where it divides its two levels best.

    A cut that then leaves fewer than LEAST_LENGTH values on a side is dropped: two low values at
    the end could otherwise form a level together with the value before.
    """
    edges = [0, *cuts, len(values)]
    for place in range(1, len(edges) - 1):
        start, end = edges[place - 1], edges[place + 1]
        edges[place] = min(
            range(start + 1, end),
            key=lambda cut: _squares(values[start:cut]) + _squares(values[cut:end]),
        )
    triples = zip(edges, edges[1:], edges[2:])
    return [cut for start, cut, end in triples if min(cut - start, end - cut) >= LEAST_LENGTH]


def _squares(piece: Sequence[float]) -> float:
    """The sum of squared deviations from the mean."""
    middle = mean(piece)
    return math.fsum((value - middle) ** 2 for value in piece)
