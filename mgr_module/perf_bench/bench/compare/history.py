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

**Changes of the level** are found by optimal partitioning, then t tests for correlated series.
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
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Optional

from ...model.finding import PROFILE, Claim, Severity, Target
from ...model.finding_kinds import REGRESSION
from ...model.phrases import plural
from ...model.plan import MIB
from ...model.round import ChangePoint, History, HistoryPoint, Round, RoundLine, Spread, Verdict
from ...model.statistics import Variance, mean, median, percent
from ...store.sqlite import Store
from .comparable import differences, obstacles, other_work
from .rounds import Evidence

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
    cuts: list[int] = []
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
    if not ordered:
        return History("")
    useless = [_useless(round_) for round_ in ordered]
    useful = [round_ for round_, why in zip(ordered, useless) if not why]
    # The baseline may be a round that is not in its history itself, as it is noisy.
    newest = (useful or ordered)[-1]
    like = next((round_ for round_ in ordered if round_.id == baseline), newest)
    reasons = [why or _other_series(round_, like) for round_, why in zip(ordered, useless)]
    pairs = zip(ordered, reasons)
    left_out = tuple(f"round {round_.id}: {why}" for round_, why in pairs if why)
    kept = [round_ for round_, why in zip(ordered, reasons) if not why]
    if not kept:
        return History(like.profile, like.plan.step.block_size, left_out=left_out)
    points = tuple(_points(kept))
    values = [math.log(point.bytes_per_second) for point in points]
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
    values = [math.log(point.bytes_per_second) for point in past.points]
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
    change, rounds = past.changes[level], len(pieces[-1])
    before, now = (math.exp(mean(piece)) for piece in (pieces[level], pieces[-1]))
    lost = 100 * (1 - now / before)
    was, is_ = (_rate(rate, past.block_size) for rate in (before, now))
    # What a round's figure is the median of; only rounds of clients have a latency.
    of = "OSDs" if past.points[-1].mean_latency is None else "repeats"
    message = (
        f"{past.profile} is {lost:.1f} % slower since round {change.round}: {was} -> {is_} in the "
        f"median of its {of}, over {plural(rounds, 'round')}"
    )
    evidence = {
        "change_percent": -lost,
        "least_percent": past.least_percent,
        "p_value": p_value,
        "since_round": change.round,
        "rounds_before": len(pieces[level]),
        "rounds_after": rounds,
        "bytes_per_second_before": before,
        "bytes_per_second_after": now,
        "cv_percent": past.cv_percent,
    }
    target = Target(PROFILE, past.profile)
    return Claim(REGRESSION.code, Severity.WARNING, target, message, evidence, change.at)


def _rate(bytes_per_second: float, block_size: int) -> str:
    """Return a rate: as bandwidth for large blocks, as operations per second for small ones."""
    if block_size >= MIB:
        return f"{bytes_per_second / MIB:.0f} MiB/s"
    return f"{bytes_per_second / block_size:.0f} IOPS"


def _at(round_: Round) -> float:
    return round_.started_at if round_.started_at is not None else round_.created_at


def _useless(round_: Round) -> str:
    """Return why a round belongs to no history; empty if it can."""
    if round_.state.ended and round_.verdict is Verdict.VALID:
        return "" if round_.summary.get("median_bytes_per_second") else "without figures"
    verdict = round_.verdict if round_.state.ended else None
    return verdict.value if verdict else round_.state.value


def _other_series(round_: Round, like: Round) -> str:
    """Return why a round does not belong to the history of ``like``; empty if it does."""
    found = next(other_work(round_, like), "")
    if found or round_.plan.osds == like.plan.osds:  # sets of 10,000 OSDs take 2 ms
        return found
    ours, theirs = set(round_.plan.osds), set(like.plan.osds)
    if len(ours & theirs) < LEAST_SHARED * len(ours | theirs):
        return "it measured other OSDs"
    return ""


def _points(rounds: Sequence[Round]) -> Iterator[HistoryPoint]:
    for place, round_ in enumerate(rounds):
        changed = differences(rounds[place - 1].environment, round_.environment) if place else ()
        setup = tuple(difference for difference in changed if difference.setup)
        found = round_.summary
        rate, latency = found["median_bytes_per_second"], found.get("mean_latency")
        repeats = found.get("repeats") or round_.plan.repeats
        iops = rate / round_.plan.step.block_size
        yield HistoryPoint(round_.id, _at(round_), rate, iops, setup, latency, repeats)


def _changes(
    points: Sequence[HistoryPoint], values: Sequence[float], cuts: Sequence[int]
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
            math.exp(mean(before)),
            math.exp(mean(after)),
            tuple(difference for point in near for difference in point.since_last),
        )


# A round of 10,000 OSDs is 100 KiB: 2 MiB a piece.
PIECE = 20


class ProfileHistoryReader:
    """One profile's newest rounds, at most MOST_ROUNDS, and its baseline (a round's ID)."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self.baseline: Optional[int] = None
        self._rounds: list[Round] = []
        # Whether there are older rounds than those that are read.
        self._older = False

    def read(self, store: Store) -> bool:
        """Read the next piece; returns whether there may be more."""
        if not self._rounds:
            found = [b.round.id for b in store.baselines() if b.round.profile == self.profile]
            self.baseline = found[0] if found else None
        before = self._rounds[-1].id if self._rounds else None
        piece = store.past(self.profile, PIECE, before)
        self._rounds += piece
        if len(self._rounds) >= MOST_ROUNDS:
            self._older = bool(store.past(self.profile, 1, self._rounds[-1].id))
            return False
        return len(piece) == PIECE

    def history(self, like: Optional[int] = None) -> History:
        """The history of the baseline, or of the round ``like``, from the rounds read so far."""
        found = history(self._rounds, self.baseline if like is None else like)
        if not self._older:
            return found if found.profile else History(self.profile)
        oldest = self._rounds[-1]
        older = (
            f"rounds before round {oldest.id}: only the newest {MOST_ROUNDS} of the "
            "profile are read"
        )
        return replace(found, left_out=(*found.left_out, older), read_since=_at(oldest))

    def regression(self, past: History) -> Optional[Claim]:
        """The result of ``history.regression`` for this ``history()``."""
        return regression(past, self.baseline)

    def comparable(self, round_: Round) -> list[RoundLine]:
        """Those that measured an OSD of ``round_`` and can be compared with it, newest first."""
        osds = frozenset(round_.plan.osds)
        return [
            other.line
            for other in self._rounds
            if not osds.isdisjoint(other.plan.osds) and not obstacles(round_, other)
        ]
