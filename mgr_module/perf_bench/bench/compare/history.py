"""A profile's rounds in a row: where the level changed, and whether that is a regression.

A change counts from 5 % and twice the spread within levels on, with three rounds after it
(DETECTION). Measured (held by ``tests/compare/test_divisive.py``), CV 2 %, series of 50 rounds:
false changes in 0 of 60 of white noise, and in 0 of 60 that remember half of the round before
(AR(1); apache-otava 0.8.0, 60 rounds: 14 of 60 at its minimum of 3 %, 3 of 60 at 5 %). A step of
10 % is found when three rounds have seen it in 25 of 25 with 50 rounds before, 24 of 25 with 20,
18 of 25 with 10. Of steps of 5 %, the very least that counts, 20 of 25 are found within 12 rounds.
At CV 5 % 10 % are the very least (19 of 25), and 1 of 60 series with memory has a false change.

Asked after every round of 60 lives of 40 rounds in which nothing happens, ``regression`` warns in
none at CV 2 %, with memory or without; at CV 5 % in 2, with memory in 11 (2 % of all rounds).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Optional

from ...model.bench import MIB
from ...model.comparison import ChangePoint, History, Point, Spread
from ...model.finding import PROFILE, Claim, Severity, Target
from ...model.finding_kinds import REGRESSION
from ...model.round import Round, Verdict
from .change_points import (
    LEAST_LENGTH,
    MOST_P,
    autocorrelation,
    change_points,
    deviation,
    levels,
    step,
)
from .client_rounds import other_load, other_pool
from .comparable import other_step
from .environment import differences
from .evidence import percent

# What a change must be at least: 5 %, as a difference of logarithms, and twice the spread.
LEAST_CHANGE = -math.log1p(-0.05)
LEAST_CHANGE_CVS = 2.0
# Three years of weekly rounds. The search takes 10 ms at 200.
MOST_ROUNDS = 200
# Rounds of other OSDs are another series; so much of both must be shared.
LEAST_SHARED = 0.5
# From fewer rounds a level's spread is not known well enough to accuse anybody.
LEAST_BEFORE = 5
# The search may place a change one round too early or too late.
_NEAR = 1


def history(rounds: Sequence[Round], baseline: Optional[int] = None) -> History:
    """One profile's rounds as a history, whatever their order.

    It has the valid rounds that do the same work on much the same OSDs as the baseline, or
    without one as the newest. What is left out is told.
    """
    ordered = sorted(rounds, key=lambda round_: (_at(round_), round_.id))[-MOST_ROUNDS:]
    useful = [round_ for round_ in ordered if not _useless(round_)]
    if not useful:
        profile = ordered[-1].profile if ordered else ""
        return History(profile, left_out=_left_out(ordered, None))
    like = next((round_ for round_ in useful if round_.id == baseline), useful[-1])
    kept = [round_ for round_ in useful if not _other_series(round_, like)]
    points = tuple(_points(kept))
    values = [math.log(point.value) for point in points]
    cuts = change_points(values, LEAST_CHANGE, LEAST_CHANGE_CVS)
    noise = 100 * deviation(values, cuts) if len(values) >= LEAST_LENGTH else None
    return History(
        like.profile,
        like.plan.step.block_size,
        points,
        tuple(_changes(points, values, cuts)),
        noise,
        None if noise is None else -percent(-_least(noise / 100)),
        _left_out(ordered, like),
    )


def spread(past: History) -> Optional[Spread]:
    """How much rounds of this profile differ by themselves; None under LEAST_BEFORE rounds."""
    if past.cv_percent is None or len(past.points) < LEAST_BEFORE:
        return None
    return Spread(past.cv_percent, len(past.points) - len(past.changes))


def regression(past: History, baseline: Optional[int] = None) -> Optional[Claim]:
    """The profile is slower now than it was, and nobody knows why; None if it is not.

    Now is the level since the last change. With a baseline (a round's ID) it is set against the
    level that round belongs to, so what the operator has accepted is accepted; without one
    against each level before, the nearest first, so a partial recovery does not hide the rest.
    Nothing before a change that is explained (release, devices, options) is compared with.
    """
    if not past.changes:
        return None
    values = [math.log(point.value) for point in past.points]
    places = {point.round: place for place, point in enumerate(past.points)}
    cuts = [places[change.round] for change in past.changes]
    pieces = levels(values, cuts)
    phi, least = autocorrelation(values, cuts), _least(deviation(values, cuts))
    for level in _levels_to_compare(past, cuts, places.get(baseline or 0)):
        found = step(pieces[level], pieces[-1], phi)
        sure = found.p_value < MOST_P and len(pieces[level]) >= LEAST_BEFORE
        if sure and -found.difference >= least:
            return _claim(past, level, pieces, found.p_value)
    return None


def _least(noise: float) -> float:
    """The difference of logarithms that counts where levels spread so."""
    return max(LEAST_CHANGE, LEAST_CHANGE_CVS * noise)


def _levels_to_compare(past: History, cuts: Sequence[int], baseline: Optional[int]) -> list[int]:
    """Places of the levels that the last one may be set against."""
    last = len(cuts)
    explained = [place for place, change in enumerate(past.changes) if change.explained_by]
    first = explained[-1] + 1 if explained else 0
    if baseline is not None:
        chosen = sum(cut <= baseline for cut in cuts)
        if chosen >= first:
            return [chosen] if chosen < last else []
    return list(range(last - 1, first - 1, -1))


def _claim(past: History, level: int, pieces: Sequence[Sequence[float]], p_value: float) -> Claim:
    change = past.changes[level]
    before, now = (math.exp(math.fsum(p) / len(p)) for p in (pieces[level], pieces[-1]))
    lost = 100 * (1 - now / before)
    message = (
        f"{past.profile} is {lost:.1f} % slower since round {change.round}: "
        f"{_rate(before, past.block_size)} -> {_rate(now, past.block_size)} "
        f"in the median of its {_witnesses(past)}, over {len(pieces[-1])} rounds"
    )
    evidence = {
        "change_percent": -lost,
        "least_percent": past.least_percent,
        "p_value": p_value,
        "since_round": change.round,
        "rounds_before": len(pieces[level]),
        "rounds_after": len(pieces[-1]),
        "bytes_per_second_before": before,
        "bytes_per_second_after": now,
        "cv_percent": past.cv_percent,
    }
    target = Target(PROFILE, past.profile)
    return Claim(REGRESSION.code, Severity.WARNING, target, message, evidence, change.at)


def _witnesses(past: History) -> str:
    """Whose median a round's figure is; only clients tell a latency."""
    return "OSDs" if past.points[-1].latency is None else "repeats"


def _rate(bytes_per_second: float, block_size: int) -> str:
    """The figure that a profile is made for: bandwidth of large writes, operations of small."""
    if block_size >= MIB:
        return f"{bytes_per_second / MIB:.0f} MiB/s"
    return f"{bytes_per_second / block_size:.0f} IOPS"


def _at(round_: Round) -> float:
    return round_.started_at if round_.started_at is not None else round_.created_at


def _useless(round_: Round) -> str:
    """Why a round is in no history, "" if it may be in one."""
    if not round_.state.ended:
        return round_.state.value
    if round_.verdict != Verdict.VALID:
        return round_.verdict.value if round_.verdict else round_.state.value
    return "" if round_.summary.get("median_bytes_per_second") else "without figures"


def _other_series(round_: Round, like: Round) -> str:
    """Why a round is not in the history of another, "" if it is."""
    found = next(_other_work(round_, like), "")
    ours, theirs = set(round_.plan.osds), set(like.plan.osds)
    if not found and len(ours & theirs) < LEAST_SHARED * len(ours | theirs):
        return "it measured other OSDs"
    return found


def _other_work(round_: Round, like: Round) -> Iterator[str]:
    ours, theirs = round_.plan.load, like.plan.load
    if ours is None or theirs is None:
        yield from other_step(round_.plan.step, like.plan.step)
    else:
        yield from other_load(ours, theirs)
        yield from other_pool(round_.environment, like.environment)


def _left_out(rounds: Sequence[Round], like: Optional[Round]) -> tuple[str, ...]:
    reasons = [
        (round_.id, _useless(round_) or (_other_series(round_, like) if like else ""))
        for round_ in rounds
    ]
    return tuple(f"round {number}: {why}" for number, why in reasons if why)


def _points(rounds: Sequence[Round]) -> Iterator[Point]:
    for place, round_ in enumerate(rounds):
        changed = differences(rounds[place - 1].environment, round_.environment) if place else ()
        setup = tuple(difference for difference in changed if difference.setup)
        found = round_.summary
        rate, latency = found["median_bytes_per_second"], found.get("mean_latency")
        yield Point(round_.id, _at(round_), rate, setup, latency)


def _changes(
    points: Sequence[Point], values: Sequence[float], cuts: Sequence[int]
) -> Iterator[ChangePoint]:
    phi = autocorrelation(values, cuts)
    pieces = levels(values, cuts)
    for cut, before, after in zip(cuts, pieces, pieces[1:]):
        found = step(before, after, phi)
        near = points[max(0, cut - _NEAR) : cut + _NEAR + 1]
        yield ChangePoint(
            points[cut].round,
            points[cut].at,
            percent(found.difference),
            found.p_value,
            len(before),
            len(after),
            math.exp(math.fsum(before) / len(before)),
            math.exp(math.fsum(after) / len(after)),
            tuple(difference for point in near for difference in point.since_last),
        )
