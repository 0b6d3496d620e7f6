"""Find changes in the level of a series: E-divisive with a t test, for autocorrelated series.

The search is that of Matteson and James (2014): a series is split where the energy statistic of
its two sides is largest, and each side again. As in Hunter (Fleming and others, 2023), it also runs
in overlapping windows, so that a long history does not hide a short dip; Student's t test replaces
permutations, so that the result is deterministic; and weak candidates are kept until all are found,
then the weakest are removed one after the other.

Added: consecutive rounds of a cluster are correlated (fill, time of day, other load), which makes
t tests find steps by chance. So n values count as n (1 - phi) / (1 + phi).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .student_t import Variance, judged

# The least values of a level; one or two are outliers.
LEAST_LENGTH = 3
MOST_P = 0.001
# The p-value of candidates while others are not found yet, because two opposite steps hide each
# other. With 0.01, as in Hunter, 14 of 40 dips over 4 of 186 rounds were found, with 0.1 37, and
# no more false ones.
WEAK_P = 0.1
WINDOW = 50
# With a higher phi 19 values would count as less than one.
MOST_PHI = 0.9


class LevelStep(NamedTuple):
    """The change between two neighbouring levels, of logarithms."""

    difference: float
    p_value: float


def change_points(values: Sequence[float], least: float, floor_cvs: float) -> list[int]:
    """The indexes at which new levels begin.

    A change counts if its difference is at least ``least`` and ``floor_cvs`` times the standard
    deviation within levels. O(n^2): 200 values take 10 ms.
    """
    cuts = sorted(_candidates(values))
    while cuts:
        phi, noise = autocorrelation(values, cuts), deviation(values, cuts)
        enough = max(least, floor_cvs * noise)
        steps = [step(*sides, phi) for sides in neighbours(values, cuts)]
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


def neighbours(
    values: Sequence[float], cuts: Sequence[int]
) -> Iterator[tuple[Sequence[float], Sequence[float]]]:
    """For each cut the levels on its two sides."""
    pieces = levels(values, cuts)
    return zip(pieces, pieces[1:])


def step(before: Sequence[float], after: Sequence[float], phi: float) -> LevelStep:
    """Student's t test of two levels whose consecutive values are correlated by ``phi``.

    The variance of both is pooled, because three values after a change are too few for one.
    """
    shrink = (1 - phi) / (1 + phi)
    counts = [max(1.0, len(side) * shrink) for side in (before, after)]
    freedom = max(1.0, (len(before) + len(after)) * shrink - 2)
    variance = _squares([before, after]) / (len(before) + len(after) - 2)
    difference = _mean(after) - _mean(before)
    spread = Variance(variance * (1 / counts[0] + 1 / counts[1]), freedom)
    return LevelStep(difference, judged(difference, spread).p_value)


def deviation(values: Sequence[float], cuts: Sequence[int]) -> float:
    """The standard deviation within levels; 0 with too few values."""
    pieces = levels(values, cuts)
    freedom = len(values) - len(pieces)
    return math.sqrt(_squares(pieces) / freedom) if freedom > 0 else 0.0


def autocorrelation(values: Sequence[float], cuts: Sequence[int]) -> float:
    """The autocorrelation within levels, from 0 to MOST_PHI.

    The estimate from a few values is too low by about (1 + 3 phi) / n (Kendall 1954), which is
    added.
    """
    products = squares = 0.0
    for piece in levels(values, cuts):
        mean = _mean(piece)
        rest = [value - mean for value in piece]
        squares += math.fsum(value * value for value in rest)
        products += math.fsum(one * next_ for one, next_ in zip(rest, rest[1:]))
    if squares <= 0:
        return 0.0
    phi = products / squares
    phi += (1 + 3 * max(0.0, phi)) / len(values)
    return min(MOST_PHI, max(0.0, phi))


def _candidates(values: Sequence[float]) -> set[int]:
    """All candidates: splits of the whole series, and of windows that overlap by half."""
    found = set(_splits(values, 0, len(values)))
    if len(values) > WINDOW:
        for start in range(0, len(values) - WINDOW // 2, WINDOW // 2):
            found.update(_splits(values, start, min(start + WINDOW, len(values))))
    return _apart(sorted(found))


def _apart(cuts: Sequence[int]) -> set[int]:
    """Keep one of several cuts that are too close: windows find a step a round early or late."""
    kept: list[int] = []
    for cut in cuts:
        if not kept or cut - kept[-1] >= LEAST_LENGTH:
            kept.append(cut)
    return set(kept)


def _placed(values: Sequence[float], cuts: Sequence[int]) -> list[int]:
    """Move each cut to where it divides its two levels best; windows saw only parts of them.

    A cut that then leaves fewer than LEAST_LENGTH values on a side is dropped: two low values at
    the end could otherwise form a level together with the value before.
    """
    edges = [0, *cuts, len(values)]
    for place in range(1, len(edges) - 1):
        start, end = edges[place - 1], edges[place + 1]
        edges[place] = start + _best_split(values[start:end], least=1)
    pairs = zip(edges, edges[1:], edges[2:])
    return [cut for start, cut, end in pairs if min(cut - start, end - cut) >= LEAST_LENGTH]


def _splits(values: Sequence[float], start: int, end: int) -> Iterator[int]:
    if end - start < 2 * LEAST_LENGTH:
        return
    cut = start + _best_split(values[start:end])
    if step(values[start:cut], values[cut:end], 0.0).p_value < WEAK_P:
        yield cut
        yield from _splits(values, start, cut)
        yield from _splits(values, cut, end)


def _best_split(values: Sequence[float], least: int = LEAST_LENGTH) -> int:
    """The index at which the energy distance of both sides, weighted by size, is largest.

    ``least`` is the least number of values of a side.
    """
    total = len(values)
    left, right, across = 0.0, _distances_within(values), 0.0
    best, place = -math.inf, least
    for cut in range(1, total):
        # values[cut - 1] goes over from the right side to the left one.
        value = values[cut - 1]
        to_left = math.fsum(abs(value - other) for other in values[: cut - 1])
        to_right = math.fsum(abs(value - other) for other in values[cut:])
        left, right, across = left + to_left, right - to_right, across - to_left + to_right
        if least <= cut <= total - least:
            rest = total - cut
            energy = 2 * across / (cut * rest)
            energy -= left / _pairs(cut) + right / _pairs(rest)
            energy *= cut * rest / total
            if energy > best:
                best, place = energy, cut
    return place


def _pairs(count: int) -> float:
    """The number of pairs of ``count`` values, at least 1, as a divisor."""
    return max(1.0, count * (count - 1) / 2)


def _distances_within(values: Sequence[float]) -> float:
    """The sum of all pairs' distances, from their order: O(n log n)."""
    last = len(values) - 1
    return math.fsum((2 * rank - last) * value for rank, value in enumerate(sorted(values)))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _squares(pieces: Sequence[Sequence[float]]) -> float:
    """The sum of squared deviations from each piece's own mean."""
    total = 0.0
    for piece in pieces:
        mean = _mean(piece)
        total += math.fsum((value - mean) ** 2 for value in piece)
    return total
