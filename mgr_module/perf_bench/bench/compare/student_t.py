"""Student's t without scipy: its distribution, its quantiles, and Welch's test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

_TINY = 1e-300
# The continued fraction converges in about sqrt(max(a, b)) steps; 1e6 degrees of freedom take 700.
_MOST_STEPS = 10_000


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for 0 <= x <= 1 and a, b > 0."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    # The fraction converges fast only below the mean; above it the complement does.
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    logs = a * math.log(x) + b * math.log1p(-x)
    logs += math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(logs) / (a * _fraction(x, a, b))


def _fraction(x: float, a: float, b: float) -> float:
    """Denominator of I_x(a, b): 1 + d1/(1 + d2/(1 + ...)), by Lentz's method (DLMF 8.17.22)."""
    value = above = 1.0
    below = 0.0
    for step in range(1, _MOST_STEPS):
        half, odd = divmod(step, 2)
        if odd:
            part = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            part = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        below = 1 / ((1 + part * below) or _TINY)
        above = (1 + part / above) or _TINY
        change = above * below
        value *= change
        if abs(change - 1) < 1e-15:
            return value
    raise ArithmeticError(f"the incomplete beta function of {x}, {a}, {b} does not converge")


def two_sided_p(t: float, freedom: float) -> float:
    """The two-sided p-value of t with these degrees of freedom."""
    if math.isinf(t):
        return 0.0
    return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def quantile(confidence: float, freedom: float) -> float:
    """The t that |t| stays under with this confidence (0.95: the 97.5 % point of Student's t)."""
    low, high = 0.0, 1.0
    while two_sided_p(high, freedom) > 1 - confidence:
        low, high = high, high * 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if two_sided_p(middle, freedom) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


class Variance(NamedTuple):
    """The estimated variance of a mean, and the degrees of freedom behind the estimate."""

    value: float
    freedom: float


def variance_of_mean(values: Sequence[float]) -> Variance:
    """The variance of the mean of at least two values."""
    count = len(values)
    mean = math.fsum(values) / count
    squares = math.fsum((value - mean) ** 2 for value in values)
    return Variance(squares / (count - 1) / count, count - 1)


class Centre(NamedTuple):
    """The location of values, and its variance."""

    value: float
    variance: Variance


def trimmed(values: Sequence[float], share: float) -> Centre:
    """The mean without this share of the values at each end, by Yuen (1974).

    An outlier changes it only little, unlike the plain mean. At least two values must be left.
    """
    ordered, cut = sorted(values), int(share * len(values))
    kept = ordered[cut : len(ordered) - cut]
    pulled = [kept[0]] * cut + kept + [kept[-1]] * cut
    left = len(kept)
    # The winsorised sum of squares, divided by the trimmed counts.
    squares = variance_of_mean(pulled).value * len(pulled) * (len(pulled) - 1)
    return Centre(math.fsum(kept) / left, Variance(squares / (left * (left - 1)), left - 1))


def together(parts: Iterable[Variance]) -> Variance:
    """The variance of a sum of independent parts, its freedom by Welch and Satterthwaite."""
    known = [part for part in parts if part.value > 0]
    total = math.fsum(part.value for part in known)
    if not known:
        return Variance(0.0, 1.0)
    return Variance(total, 1 / math.fsum((p.value / total) ** 2 / p.freedom for p in known))


def half_width(variance: Variance, confidence: float) -> float:
    """Half the width of Student's confidence interval for a mean with this variance.

    The degrees of freedom are rounded down to a twentieth, so that thousands of OSDs share
    quantiles (1 us instead of 1 ms); that widens the interval by under 3 % from 2 degrees on.
    """
    freedom = max(1.0, math.floor(20 * variance.freedom) / 20)
    return _quantile_kept(confidence, freedom) * math.sqrt(variance.value)


_quantile_kept = lru_cache(maxsize=512)(quantile)


class Welch(NamedTuple):
    """A difference with its interval and its p-value."""

    difference: float
    p_value: float
    variance: Variance

    def interval(self, confidence: float) -> tuple[float, float]:
        half = half_width(self.variance, confidence)
        return self.difference - half, self.difference + half


def judged(difference: float, variance: Variance) -> Welch:
    """Judge a difference of this variance. Without variance any difference is significant."""
    if variance.value <= 0:
        return Welch(difference, 1.0 if difference == 0 else 0.0, variance)
    t = difference / math.sqrt(variance.value)
    return Welch(difference, two_sided_p(t, variance.freedom), variance)


def welch(a: Sequence[float], b: Sequence[float]) -> Welch:
    """Welch's t test of mean(b) - mean(a), both of at least two values."""
    difference = math.fsum(b) / len(b) - math.fsum(a) / len(a)
    return judged(difference, together((variance_of_mean(a), variance_of_mean(b))))
