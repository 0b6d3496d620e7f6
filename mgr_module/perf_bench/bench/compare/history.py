"""The history of a profile's rounds: where its level changed, and whether that is a regression.

A change must be at least 5 % and twice the spread within levels, with three rounds after it
(DETECTION). Measured by simulation (``tests/bench/compare/test_change_points.py`` tests some):

| series | result |
| --- | --- |
| 50 rounds without a change, CV 2 %, white or autocorrelated by 0.5 | 0 of 300 changed |
| the same at CV 5 %, autocorrelated (apache-otava 0.8.0: a quarter at CV 2 %) | 15 of 300 |
| a step of 10 % at CV 2 %, after three rounds, with 10, 20, 50 rounds before | 86, 98, 98 % found |
| a step of 5 %, the minimum, at CV 2 %, within 12 rounds | 53 % found |
| a step of 10 %, the minimum at CV 5 %, within 12 rounds | 64 % found |

Called after every round of 60 series of 40 rounds without a change, ``regression`` warns at CV 2 %
in none, autocorrelated in 1; at CV 5 % in 1, autocorrelated in 14 (5 % of all rounds).
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
from ...model.round_words import ROUND_WORDS
from ...model.said import Said, say
from ...model.statistics import median
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

# The minimum change: 5 %, as a difference of logarithms, and twice the spread.
LEAST_CHANGE = -math.log1p(-0.05)
LEAST_CHANGE_CVS = 2.0
# Three years of weekly rounds. The search takes 10 ms at 200.
MOST_ROUNDS = 200
# The minimum share of common OSDs; rounds with fewer are another series.
LEAST_SHARED = 0.5
# Minimum rounds in a level: the spread of fewer is too inexact for a claim.
LEAST_BEFORE = 5
# The search may place a change one round too early or too late.
_NEAR = 1


def history(rounds: Sequence[Round], baseline: Optional[int] = None) -> History:
    """Return the history of one profile's rounds, which may be in any order.

    It has the valid rounds with the same work on mostly the same OSDs as the baseline, or without
    a baseline as the newest round. ``left_out`` lists the others with the reasons.
    """
    ordered = sorted(rounds, key=lambda round_: (_at(round_), round_.id))[-MOST_ROUNDS:]
    useless = [_useless(round_) for round_ in ordered]
    useful = [round_ for round_, why in zip(ordered, useless) if not why]
    if not useful:
        profile = ordered[-1].profile if ordered else ""
        return History(profile, left_out=_left_out(ordered, useless))
    # It may be a round that is not in its history itself, as it is noisy.
    like = next((round_ for round_ in ordered if round_.id == baseline), useful[-1])
    reasons = [why or _other_series(round_, like) for round_, why in zip(ordered, useless)]
    left_out = _left_out(ordered, reasons)
    kept = [round_ for round_, why in zip(ordered, reasons) if not why]
    if not kept:
        return History(like.profile, like.plan.step.block_size, left_out=left_out)
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
        left_out,
    )


def spread(past: History) -> Optional[Spread]:
    """Return the spread between rounds without a change; None for less than LEAST_BEFORE rounds."""
    if past.cv_percent is None or len(past.points) < LEAST_BEFORE:
        return None
    repeats = median([point.repeats for point in past.points])
    return Spread(past.cv_percent, len(past.points) - len(past.changes), repeats)


def regression(past: History, baseline: Optional[int] = None) -> Optional[Claim]:
    """Return the claim that the profile has become slower without a known reason, else None.

    The level since the last change is compared. With a baseline (a round's ID) it is compared with
    the baseline's level, which the operator has accepted. Without one it is compared with each
    level before, the nearest first, so that a partial recovery does not hide the rest. Levels
    before an explained change (release, devices, options) are not compared.
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
    """Return the minimum difference of logarithms that counts at this spread within levels."""
    return max(LEAST_CHANGE, LEAST_CHANGE_CVS * noise)


def _levels_to_compare(past: History, cuts: Sequence[int], baseline: Optional[int]) -> list[int]:
    """Return the indexes of the levels to compare the last one with, the nearest first."""
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
    rates = _rate(before, past.block_size), _rate(now, past.block_size)
    message = _message(past, change.round, lost, rates, len(pieces[-1]))
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


def _message(past: History, since: int, lost: float, rates: tuple[Said, Said], rounds: int) -> Said:
    return say(
        "regression",
        "{profile} is {percent:.1f} % slower since round {round}: {before} -> {now} in the "
        "median of its {witnesses}, over {rounds|round|rounds}",
        profile=past.profile,
        percent=lost,
        round=since,
        before=rates[0],
        now=rates[1],
        witnesses=_witnesses(past),
        rounds=rounds,
    )


def _witnesses(past: History) -> Said:
    """Return what a round's figure is the median of; only client rounds have a latency."""
    if past.points[-1].latency is None:
        return say("witnesses-osds", "OSDs")
    return say("witnesses-repeats", "repeats")


def _rate(bytes_per_second: float, block_size: int) -> Said:
    """Return a rate: as bandwidth for large blocks, as operations per second for small ones."""
    if block_size >= MIB:
        return say("rate-mib", "{rate:.0f} MiB/s", rate=bytes_per_second / MIB)
    return say("rate-iops", "{rate:.0f} IOPS", rate=bytes_per_second / block_size)


def _at(round_: Round) -> float:
    return round_.started_at if round_.started_at is not None else round_.created_at


def _useless(round_: Round) -> str:
    """Return why a round belongs to no history; empty if it can."""
    if not round_.state.ended or round_.verdict != Verdict.VALID:
        ended = round_.state.ended and round_.verdict
        word = ended.value if ended else round_.state.value
        return ROUND_WORDS.get(word, word)
    if round_.summary.get("median_bytes_per_second"):
        return ""
    return say("left-out-figures", "without figures")


def _other_series(round_: Round, like: Round) -> str:
    """Return why a round does not belong to the history of ``like``; empty if it does."""
    found = next(_other_work(round_, like), "")
    if found or round_.plan.osds == like.plan.osds:  # sets of 10,000 OSDs take 2 ms
        return found
    ours, theirs = set(round_.plan.osds), set(like.plan.osds)
    if len(ours & theirs) < LEAST_SHARED * len(ours | theirs):
        return say("left-out-osds", "it measured other OSDs")
    return ""


def _other_work(round_: Round, like: Round) -> Iterator[str]:
    ours, theirs = round_.plan.load, like.plan.load
    if ours is None or theirs is None:
        yield from other_step(round_.plan.step, like.plan.step)
    else:
        yield from other_load(ours, theirs)
        yield from other_pool(round_.environment, like.environment)


def _left_out(rounds: Sequence[Round], reasons: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        say("left-out-round", "round {round}: {why}", round=round_.id, why=why)
        for round_, why in zip(rounds, reasons)
        if why
    )


def _points(rounds: Sequence[Round]) -> Iterator[Point]:
    for place, round_ in enumerate(rounds):
        changed = differences(rounds[place - 1].environment, round_.environment) if place else ()
        setup = tuple(difference for difference in changed if difference.setup)
        found = round_.summary
        rate, latency = found["median_bytes_per_second"], found.get("mean_latency")
        repeats = found.get("repeats") or round_.plan.repeats
        yield Point(round_.id, _at(round_), rate, setup, latency, repeats)


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
