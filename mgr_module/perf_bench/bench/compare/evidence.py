"""Tests the difference between two sets of logarithms, and decides the verdict.

All tests and intervals are Student's t of an estimate with the variance of that estimate. Rank and
permutation tests cannot replace it: three repeats against three, as a round of clients has, reach a
p-value of 0.1 at best, and after the correction for thousands of OSDs none of them could be named.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Optional

from ...model.round import Change, Interval, Spread

# Limits that keep false verdicts rare (DETECTION): p under 0.01 and a minimum effect.
MOST_P = 0.01
LEAST_EFFECT_PERCENT = 3.0
LEAST_EFFECT_CVS = 2.0
CONFIDENCE = 0.95
# The maximum change with the verdict SAME, also for noisy rounds: a change of 5 % is the minimum
# in the history of a profile.
MOST_SAME_PERCENT = 5.0
# Minimum number of values for a spread.
LEAST_VALUES = 3
# The part of OSDs that is trimmed at each end: broken OSDs there do not affect the mean.
TRIMMED = 0.2
LEAST_PAIRS_TO_TRIM = 6
# From here on Student's t is the normal distribution to a thousandth.
_MOST_FREEDOM = 1000


class Variance(NamedTuple):
    """The estimated variance of a mean, and the degrees of freedom behind the estimate."""

    value: float
    freedom: float

    @property
    def whole_freedom(self) -> int:
        """The degrees of freedom as a whole number, of which Student's t has a closed form.

        Rounded down, a change of 10 % in three repeats is found in 94 % of pairs, and in 97 % by
        the nearest number, with as few false ones.
        """
        return min(_MOST_FREEDOM, max(1, round(self.freedom)))

    def half_width(self) -> float:
        """Half the width of the confidence interval of a mean with this variance."""
        return quantile(CONFIDENCE, self.whole_freedom) * math.sqrt(self.value)


class Evidence(NamedTuple):
    """A difference of logarithms, and the variance of that estimate."""

    difference: float
    variance: Variance

    @property
    def p_value(self) -> float:
        """The two-sided p-value. Without variance any difference is significant."""
        if self.variance.value <= 0:
            return 1.0 if self.difference == 0 else 0.0
        t = self.difference / math.sqrt(self.variance.value)
        return two_sided_p(t, self.variance.whole_freedom)

    @property
    def interval(self) -> Interval:
        half = self.variance.half_width()
        return self.difference - half, self.difference + half

    @property
    def change_percent(self) -> float:
        return percent(self.difference)

    @property
    def interval_percent(self) -> Interval:
        low, high = self.interval
        return percent(low), percent(high)


def percent(log_ratio: float) -> float:
    """Return a difference of logarithms as a change in percent."""
    return 100 * math.expm1(log_ratio)


def two_sided_p(t: float, freedom: int) -> float:
    """The two-sided p-value of Student's t (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle, odd = math.atan2(abs(t), math.sqrt(freedom)), freedom % 2
    cosine = math.cos(angle)
    total, term = 0.0, cosine if odd else 1.0
    for number in range(2 + odd, freedom + 1, 2):
        total += term
        term *= (number - 1) / number * cosine * cosine
    inside = math.sin(angle) * total
    return max(0.0, 1 - (2 / math.pi * (angle + inside) if odd else inside))


@lru_cache(maxsize=512)
def quantile(confidence: float, freedom: int) -> float:
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


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    return math.fsum(values) / len(values)


def variance_of_mean(values: Sequence[float]) -> Variance:
    """The variance of the mean of at least two values."""
    count, middle = len(values), mean(values)
    squares = math.fsum((value - middle) ** 2 for value in values)
    return Variance(squares / (count - 1) / count, count - 1)


def together(parts: Iterable[Variance]) -> Variance:
    """The variance of a sum of independent parts, its freedom by Welch and Satterthwaite."""
    known = [part for part in parts if part.value > 0]
    total = math.fsum(part.value for part in known)
    if not known:
        return Variance(0.0, 1.0)
    return Variance(total, 1 / math.fsum((p.value / total) ** 2 / p.freedom for p in known))


def of_repeats(a: Sequence[float], b: Sequence[float], spread: Optional[Spread]) -> Evidence:
    """Compare one OSD's repeats in two rounds, at least LEAST_VALUES each.

    ``spread`` is the known spread of its figure between rounds; it replaces that of the repeats if
    it is larger.
    """
    inner, outer = together((variance_of_mean(a), variance_of_mean(b))), _between(spread)
    larger = outer if outer is not None and outer.value > inner.value else inner
    return Evidence(mean(b) - mean(a), larger)


def of_pairs(differences: Sequence[float], common: Variance) -> Evidence:
    """Test the OSDs' differences; ``common`` is the variance that all OSDs share.

    Their mean without TRIMMED of them at each end, with its variance by Yuen (1974): an outlier
    changes it only little.
    """
    if len(differences) == 1:
        return Evidence(differences[0], common)
    cut = int(TRIMMED * len(differences)) if len(differences) >= LEAST_PAIRS_TO_TRIM else 0
    ordered = sorted(differences)
    kept = ordered[cut : len(ordered) - cut]
    left = len(kept)
    pulled = variance_of_mean([kept[0]] * cut + kept + [kept[-1]] * cut)
    # The winsorised sum of squares, divided by the trimmed counts.
    squares = pulled.value * len(ordered) * (len(ordered) - 1)
    own = Variance(squares / (left * (left - 1)), left - 1)
    return Evidence(mean(kept), together((own, common)))


def common_variance(
    residuals: Sequence[Sequence[Sequence[float]]], spread: Optional[Spread]
) -> Optional[Variance]:
    """Return the variance of what moves all OSDs of a round at once; None if unknown.

    ``residuals`` are by round and repeat the OSDs' differences from their own means. It is the
    larger one of the variance between repeats and that of the history, which has slow drift, too.
    """
    outer = _between(spread, [len(round_) for round_ in residuals])
    effects = [[mean(repeat) for repeat in round_] for round_ in residuals]
    if any(len(round_) < LEAST_VALUES for round_ in effects):
        return outer
    inner = together(variance_of_mean(round_) for round_ in effects)
    return outer if outer is not None and outer.value > inner.value else inner


def _between(spread: Optional[Spread], repeats: Sequence[int] = ()) -> Optional[Variance]:
    """Return the variance of the difference between two rounds; None without a history.

    ``repeats`` are those of the two. Where they are fewer than in the history, all of its spread
    may come from repeats, whose mean varies more the fewer they are.
    """
    if spread is None or spread.rounds < LEAST_VALUES:
        return None
    times = (
        math.fsum(max(1.0, spread.repeats / max(1, made)) for made in repeats) if repeats else 2.0
    )
    return Variance(times * (spread.cv_percent / 100) ** 2, spread.rounds - 1)


def least_effect(cv_percent: float) -> float:
    """Return the smallest change in percent that counts at this spread."""
    return max(LEAST_EFFECT_PERCENT, LEAST_EFFECT_CVS * cv_percent)


def pooled_cv_percent(groups: Sequence[Sequence[float]]) -> float:
    """Return the spread of logarithms within groups as a CV in percent; 0 for single values."""
    squares, freedom = 0.0, 0
    for group in groups:
        middle = mean(group)
        squares += math.fsum((value - middle) ** 2 for value in group)
        freedom += len(group) - 1
    return 100 * math.sqrt(squares / freedom) if freedom else 0.0


def verdict_of(evidence: Evidence, p_value: float, cv_percent: float) -> Change:
    """Return the verdict. ``p_value`` may be larger than the evidence's (Holm).

    BETTER or WORSE: p is low and the change is large enough. SAME: the interval contains no change
    that is large enough. Otherwise INCONCLUSIVE.
    """
    least = least_effect(cv_percent)
    change, (low, high) = evidence.change_percent, evidence.interval_percent
    if p_value < MOST_P and abs(change) >= least:
        return Change.BETTER if change > 0 else Change.WORSE
    margin = min(least, MOST_SAME_PERCENT)
    return Change.SAME if -margin < low and high < margin else Change.INCONCLUSIVE


def decide(evidence: Evidence, p_value: float, cv_percent: float) -> tuple[Change, str]:
    """Return the verdict and its reason."""
    verdict = verdict_of(evidence, p_value, cv_percent)
    least = least_effect(cv_percent)
    low, high = evidence.interval_percent
    room = f"between {_no_minus_zero(low):+.1f} and {_no_minus_zero(high):+.1f} % (95 % sure)"
    if verdict in (Change.BETTER, Change.WORSE):
        return verdict, (
            f"changed by {_no_minus_zero(evidence.change_percent):+.1f} %, {room}; "
            f"a change counts from {least:.1f} % on"
        )
    if verdict is Change.SAME:
        return verdict, (
            f"the change is {room}: under {min(least, MOST_SAME_PERCENT):.1f} % is called the same"
        )
    return verdict, f"the change is {room}, but {'; '.join(_doubts(evidence, p_value, least))}"


def basis(measured: str, spread: Optional[Spread]) -> str:
    """Describe what was measured, and how much rounds of the profile differ by themselves."""
    if spread is None:
        return f"{measured}; how much whole rounds of this profile differ is not known yet"
    return f"{measured}; rounds of this profile differ by {spread.cv_percent:.1f} % by themselves"


def _no_minus_zero(percent_: float) -> float:
    return round(percent_, 1) + 0


def _doubts(evidence: Evidence, p_value: float, least: float) -> list[str]:
    doubts = []
    if p_value >= MOST_P:
        doubts.append(f"p is {p_value:.2g} and not under {MOST_P:.2g}")
    low, high = evidence.interval
    if low <= 0 <= high:
        doubts.append("there may be no change at all")
    if abs(evidence.change_percent) < least:
        doubts.append(
            f"{_no_minus_zero(evidence.change_percent):+.1f} % is under the {least:.1f} "
            "% that count"
        )
    return doubts
