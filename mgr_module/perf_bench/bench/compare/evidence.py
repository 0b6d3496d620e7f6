"""Tests the difference between two sets of logarithms, and decides the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Optional

from ...model.comparison import Change, Interval, Spread
from ...model.said import Said, say
from .rank_tests import RankShift, RankTest, mann_whitney, shift_between, shift_of, signed_rank
from .student_t import (
    Variance,
    Welch,
    half_width,
    judged,
    together,
    trimmed,
    variance_of_mean,
    welch,
)

# Limits that keep false verdicts rare (DETECTION): p under 0.01 and a minimum effect.
MOST_P = 0.01
LEAST_EFFECT_PERCENT = 3.0
LEAST_EFFECT_CVS = 2.0
CONFIDENCE = 0.95
# The rank test only confirms; by itself it reaches 0.01 from 5 against 5 values on.
MOST_RANK_P = 0.05
# The maximum change with the verdict SAME, also for noisy rounds: a change of 5 % is the minimum
# in the history of a profile.
MOST_SAME_PERCENT = 5.0
# Minimum number of values for a spread.
LEAST_VALUES = 3
# Minimum number of values for a rank interval of 95 %; with fewer it is Student's.
LEAST_FOR_RANK_INTERVAL = 5
LEAST_PAIRS_FOR_RANK_INTERVAL = 6


# The part of OSDs that is trimmed at each end: broken OSDs there do not affect the mean.
TRIMMED = 0.2
LEAST_PAIRS_TO_TRIM = 6


class Evidence(NamedTuple):
    """A difference of logarithms with its tests."""

    shift: RankShift
    p_value: float
    rank: RankTest

    @property
    def change_percent(self) -> float:
        return percent(self.shift.estimate)

    @property
    def interval_percent(self) -> Interval:
        return percent(self.shift.low), percent(self.shift.high)

    @property
    def ranks_agree(self) -> bool:
        """Whether the rank test confirms. Few values cannot reach 5 %: then the minimum does."""
        return self.rank.p_value <= max(MOST_RANK_P, self.rank.reachable * (1 + 1e-9))


def percent(log_ratio: float) -> float:
    """Return a difference of logarithms as a change in percent."""
    return 100 * math.expm1(log_ratio)


def of_repeats(a: Sequence[float], b: Sequence[float], spread: Optional[Spread]) -> Evidence:
    """Compare one OSD's repeats in two rounds, at least LEAST_VALUES each.

    ``spread`` is the known spread of its figure between rounds; it replaces that of the repeats if
    it is larger.
    """
    test = welch(a, b)
    outer = _between(spread)
    rank = mann_whitney(a, b)
    if outer is not None and outer.value > test.variance.value:
        return _by_student(judged(test.difference, outer), rank)
    if min(len(a), len(b)) < LEAST_FOR_RANK_INTERVAL:
        return _by_student(test, rank)
    return Evidence(shift_between(a, b, CONFIDENCE), test.p_value, rank)


def of_pairs(differences: Sequence[float], common: Variance) -> Evidence:
    """Test the OSDs' differences; ``common`` is the variance that all OSDs share.

    The rank interval does not contain the common part: each of its half-widths and Student's of
    the common part are combined as the root of their squares (MOVER: Zou and Donner, 2008).
    """
    if len(differences) > 1:
        enough = len(differences) >= LEAST_PAIRS_TO_TRIM
        centre, own = trimmed(differences, TRIMMED if enough else 0)
    else:
        centre, own = differences[0], Variance(0, 1)
    test = judged(centre, together((own, common)))
    rank = signed_rank(differences)
    if len(differences) < LEAST_PAIRS_FOR_RANK_INTERVAL:
        return _by_student(test, rank)
    middle, low, high = shift_of(differences, CONFIDENCE)
    shared = half_width(common, CONFIDENCE)
    low = middle - math.hypot(middle - low, shared)
    high = middle + math.hypot(high - middle, shared)
    return Evidence(RankShift(middle, low, high), test.p_value, rank)


def common_variance(
    residuals: Sequence[Sequence[Sequence[float]]], spread: Optional[Spread]
) -> Optional[Variance]:
    """Return the variance of what moves all OSDs of a round at once; None if unknown.

    ``residuals`` are by round and repeat the OSDs' differences from their own means. It is the
    larger one of the variance between repeats and that of the history, which has slow drift, too.
    """
    outer = _between(spread, [len(round_) for round_ in residuals])
    effects = [[math.fsum(repeat) / len(repeat) for repeat in round_] for round_ in residuals]
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


def _by_student(test: Welch, rank: RankTest) -> Evidence:
    return Evidence(RankShift(test.difference, *test.interval(CONFIDENCE)), test.p_value, rank)


def least_effect(cv_percent: float) -> float:
    """Return the smallest change in percent that counts at this spread."""
    return max(LEAST_EFFECT_PERCENT, LEAST_EFFECT_CVS * cv_percent)


def pooled_cv_percent(groups: Sequence[Sequence[float]]) -> float:
    """Return the spread of logarithms within groups as a CV in percent; 0 for single values."""
    squares, freedom = 0.0, 0
    for group in groups:
        mean = math.fsum(group) / len(group)
        squares += math.fsum((value - mean) ** 2 for value in group)
        freedom += len(group) - 1
    return 100 * math.sqrt(squares / freedom) if freedom else 0.0


def verdict_of(evidence: Evidence, p_value: float, cv_percent: float) -> Change:
    """Return the verdict. ``p_value`` may be larger than the evidence's (Holm).

    BETTER or WORSE: p, ranks and interval agree, and the change is large enough. SAME: the interval
    contains no change that is large enough. Otherwise INCONCLUSIVE.
    """
    least = least_effect(cv_percent)
    change, (low, high) = evidence.change_percent, evidence.interval_percent
    if _is_sure(evidence, p_value) and abs(change) >= least:
        return Change.BETTER if change > 0 else Change.WORSE
    margin = min(least, MOST_SAME_PERCENT)
    return Change.SAME if -margin < low and high < margin else Change.INCONCLUSIVE


def decide(evidence: Evidence, p_value: float, cv_percent: float) -> tuple[Change, Said]:
    """Return the verdict and its reason."""
    verdict = verdict_of(evidence, p_value, cv_percent)
    least = least_effect(cv_percent)
    low, high = evidence.interval_percent
    room = say(
        "change-room",
        "between {low:+.1f} and {high:+.1f} % (95 % sure)",
        low=_no_minus_zero(low),
        high=_no_minus_zero(high),
    )
    if verdict in (Change.BETTER, Change.WORSE):
        return verdict, say(
            "change-counts",
            "changed by {change:+.1f} %, {room}; {least:.1f} % and more counts",
            change=_no_minus_zero(evidence.change_percent),
            room=room,
            least=least,
        )
    if verdict is Change.SAME:
        return verdict, say(
            "change-same",
            "the change is {room}: under {margin:.1f} % is called the same",
            room=room,
            margin=min(least, MOST_SAME_PERCENT),
        )
    return verdict, say(
        "change-unclear",
        "the change is {room}, but {doubts:clauses}",
        room=room,
        doubts=_doubts(evidence, p_value, least),
    )


def basis(measured: Said, spread: Optional[Spread]) -> Said:
    """Describe what was measured, and how much rounds of the profile differ by themselves."""
    if spread is None:
        return say(
            "basis-unknown",
            "{measured}; how much whole rounds of this profile differ is not known yet",
            measured=measured,
        )
    return say(
        "basis-spread",
        "{measured}; rounds of this profile differ by {cv:.1f} % by themselves",
        measured=measured,
        cv=spread.cv_percent,
    )


def _no_minus_zero(percent_: float) -> float:
    return round(percent_, 1) + 0


def _is_sure(evidence: Evidence, p_value: float) -> bool:
    none = evidence.shift.low <= 0 <= evidence.shift.high
    return p_value < MOST_P and evidence.ranks_agree and not none


def _doubts(evidence: Evidence, p_value: float, least: float) -> list[Said]:
    doubts = []
    if p_value >= MOST_P:
        doubts.append(
            say("doubt-p", "p is {p:.2g} and not under {most:.2g}", p=p_value, most=MOST_P)
        )
    if not evidence.ranks_agree:
        doubts.append(
            say("doubt-ranks", "the ranks do not agree (p {p:.2g})", p=evidence.rank.p_value)
        )
    if evidence.shift.low <= 0 <= evidence.shift.high:
        doubts.append(say("doubt-none", "that may be none"))
    if abs(evidence.change_percent) < least:
        doubts.append(
            say(
                "doubt-small",
                "{change:+.1f} % is under the {least:.1f} % that count",
                change=_no_minus_zero(evidence.change_percent),
                least=least,
            )
        )
    return doubts
