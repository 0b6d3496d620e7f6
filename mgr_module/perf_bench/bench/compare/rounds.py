"""Compares two rounds: all OSDs as one figure, and each OSD by itself.

**Each OSD is compared with itself.** Samples of one OSD are not independent: OSDs differ from each
other far more than repeats do. Pooling all samples would hide a change behind the differences
between devices, and a t test of the pool would count five repeats of one OSD as five independent
values. So each OSD has one value, the difference of the means of its logarithms. The round's change
is their mean without the outer fifths (Yuen), which a few broken OSDs change little.

**What moves all OSDs at once** (a busy network, the time of day) is no change of the cluster, and
many OSDs do not average it out. Its variance is taken from the changes of the mean over OSDs
between repeats, or between rounds if the profile has a history (``spread``), and added to that of
the OSDs; Student's t has the degrees of freedom of Satterthwaite. Without a history no statistic of
two rounds can detect a shift of a whole round; then a change must be at least 3 %, and the result
says so.

Measured by simulation (400 pairs of rounds of 12 OSDs x 5 repeats, CV 3 %; OSDs vary by 1 % and
repeats move all of them by 1 %; ``tests/bench/compare/test_error_rates.py`` tests a few per row):

| change | verdict better or worse | plain paired t, p < 0.01 |
| --- | --- | --- |
| nothing | 0 % | 6 % |
| nothing, but repeats move all OSDs by 3 % | 1 % | 56 % |
| -5 % / -10 % | 95 % / 100 % | 100 % |
| -10 %, 3 repeats only | 99 % | 100 % |
| nothing, but each round shifts by 2 %, no history | 26 % | 49 % |
| the same, with a history that knows it | 1 % | 49 % |
| -10 % on top of that | 78 % | 99 % |

A t test of all samples pooled finds -5 % in 62 % where this finds it in 95 %. The interval held
the true change in 95 to 98 % of all but the fifth row (56 %). 10,000 OSDs x 5 take 0.3 s of CPU.

**Rounds of clients** are compared as a single OSD's repeats are (``of_repeats``), with the
variation between rounds of the profile if its history shows it. Latency is judged besides
throughput; with a fixed number of operations in flight it follows throughput (Little's law), unless
clients wait elsewhere.

All tests and intervals are Student's t of an estimate with the variance of that estimate. Rank and
permutation tests cannot replace it: three repeats against three, as a round of clients has, reach a
p-value of 0.1 at best, and after the correction for thousands of OSDs none of them could be named.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Optional

from ...model.phrases import osd_names, plural
from ...model.rados import CombinedRun, SearchLoad
from ...model.round import (
    Change,
    Comparison,
    Interval,
    Latency,
    MeasuredRound,
    OsdChange,
    OsdResult,
    Spread,
    counted,
)
from ...model.statistics import (
    LEAST_VALUES,
    Variance,
    mean,
    percent,
    pooled_cv_percent,
    two_sided_p,
    variance_of_mean,
)
from .comparable import differences, load_text, noisy_notes, obstacles, pairs
from .loads import at_peak, conclude, measured, under_loads

# By OSD, by repeat: the logarithm of the rate.
Logs = Mapping[int, Mapping[int, float]]


def compare_rounds(
    a: MeasuredRound,
    b: MeasuredRound,
    spread: Optional[Spread] = None,
    created_at: Optional[Mapping[int, Optional[float]]] = None,
) -> Comparison:
    """Compare round b with round a. If they are not comparable the result has the reasons.

    ``spread`` is the spread of the profile's figure between rounds (``history.spread``),
    ``created_at`` has when each OSD was made, if known.
    """
    against = obstacles(a.round, b.round)
    found = Comparison(a.round.id, b.round.id, Change.NOT_COMPARABLE, against)
    if against:
        return found
    found = replace(found, environment=differences(a.round.environment, b.round.environment))
    clients = a.round.plan.load is not None
    found = _clients(found, a, b, spread) if clients else _osds(found, a, b, spread, created_at)
    notes = noisy_notes((a.round, b.round))
    return replace(found, why=(*found.why, *notes, *map(str, found.environment)))


def _judged(found: Comparison, evidence: Evidence, cv: float, notes: Sequence[str]) -> Comparison:
    """The comparison with its verdict and figures."""
    verdict, least = verdict_of(evidence, evidence.p_value, cv), least_effect(cv)
    return replace(
        found,
        verdict=verdict,
        why=(_why(verdict, evidence, least), *notes),
        change_percent=evidence.change_percent,
        interval_percent=evidence.interval_percent,
        p_value=evidence.p_value,
        least_percent=least,
    )


def _cv(groups: Sequence[Sequence[float]], spread: Optional[Spread]) -> float:
    """The spread within groups or that of the history, whichever is larger."""
    return max(pooled_cv_percent(groups), spread.cv_percent if spread else 0.0)


def _osds(
    found: Comparison,
    a: MeasuredRound,
    b: MeasuredRound,
    spread: Optional[Spread],
    created_at: Optional[Mapping[int, Optional[float]]],
) -> Comparison:
    shared, notes = pairs(a, b, created_at or {})
    logs = _logs(a), _logs(b)
    spoilt = [row.osd for _, row in shared if any(row.osd not in side for side in logs)]
    rows = [row for _, row in shared if row.osd not in set(spoilt)]
    if spoilt:
        notes.append(
            f"left out because one of the rounds has no valid sample of it: {osd_names(spoilt)}"
        )
    if not rows:
        nothing = "no OSD was measured in both rounds on the same device"
        return replace(found, why=(nothing, *notes))
    whole = _whole(found, logs, [row.osd for row in rows], spread)
    per_osd = tuple(_each(logs[0], logs[1], rows))
    return replace(
        whole, why=(*whole.why, *notes), osds=len(rows), per_osd=per_osd, counts=counted(per_osd)
    )


def _logs(measured: MeasuredRound) -> Logs:
    """Return the logarithms of a round's valid samples in its leading phase, in bytes/s."""
    phase = measured.round.plan.leading.name
    found: dict[int, dict[int, float]] = defaultdict(dict)
    for sample in measured.samples:
        if sample.valid and sample.phase == phase and sample.bytes_per_second:
            found[sample.osd][sample.repeat] = math.log(sample.bytes_per_second)
    return found


def _whole(
    found: Comparison, logs: tuple[Logs, Logs], osds: Sequence[int], spread: Optional[Spread]
) -> Comparison:
    """Compare the rounds as one figure; sets the verdict, its reasons and the figures."""
    a, b = logs
    shifts = [_mean(b[osd]) - _mean(a[osd]) for osd in osds]
    residuals = [_residuals(side, osds) for side in logs]
    common = common_variance(residuals, spread)
    counts = [len(side) for side in residuals]
    if common is None:
        few = (
            f"{plural(min(counts), 'repeat')} cannot tell what moves all OSDs at once: "
            f"{LEAST_VALUES} are needed, or a history of the profile"
        )
        change = percent(mean(shifts))
        return replace(found, verdict=Change.INCONCLUSIVE, why=(few,), change_percent=change)
    evidence = of_pairs(shifts, common)
    if len(osds) == 1 and min(counts) >= LEAST_VALUES:
        evidence = of_repeats(list(a[osds[0]].values()), list(b[osds[0]].values()), spread)
    measured_ = (
        f"{plural(len(osds), 'OSD', 'OSDs, each against itself')}, {counts[0]} and "
        f"{counts[1]} repeats"
    )
    cv = _cv([[mean(repeat) for repeat in side] for side in residuals], spread)
    return _judged(found, evidence, cv, [basis(measured_, spread)])


def _mean(logs: Mapping[int, float]) -> float:
    return mean(list(logs.values()))


def _residuals(logs: Logs, osds: Sequence[int]) -> list[list[float]]:
    """Return by repeat the differences of the OSDs from their own means over the round."""
    found: dict[int, list[float]] = defaultdict(list)
    for osd in osds:
        own = _mean(logs[osd])
        for repeat, value in logs[osd].items():
            found[repeat].append(value - own)
    return list(found.values())


def _each(a: Logs, b: Logs, rows: Sequence[OsdResult]) -> list[OsdChange]:
    """Compare each OSD, the worst change first; p-values are corrected for their number."""
    sides = {row.osd: [list(side[row.osd].values()) for side in (a, b)] for row in rows}
    tested = {
        osd: of_repeats(before, after, None)
        for osd, (before, after) in sides.items()
        if min(len(before), len(after)) >= LEAST_VALUES
    }
    p_values = dict(zip(tested, holm([evidence.p_value for evidence in tested.values()])))
    found = []
    for row in rows:
        evidence, (before, after) = tested.get(row.osd), sides[row.osd]
        if evidence is None:
            change = percent(mean(after) - mean(before))
            found.append(OsdChange(row.osd, row.host, Change.INCONCLUSIVE, change))
            continue
        p_value = p_values[row.osd]
        found.append(
            OsdChange(
                row.osd,
                row.host,
                verdict_of(evidence, p_value, pooled_cv_percent([before, after])),
                evidence.change_percent,
                evidence.interval_percent,
                p_value,
            )
        )
    return sorted(found, key=lambda change: change.change_percent or 0.0)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for multiple tests (Holm 1979)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    raised = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - place)))
        raised[index] = highest
    return raised


def _clients(
    found: Comparison, a: MeasuredRound, b: MeasuredRound, spread: Optional[Spread]
) -> Comparison:
    sides = _repeats(a), _repeats(b)
    counts = [len(side) for side in sides]
    if min(counts) < LEAST_VALUES:
        few = f"{counts[0]} and {counts[1]} repeats: at least {LEAST_VALUES} each are needed"
        return replace(found, verdict=Change.INCONCLUSIVE, why=(few,))
    notes = [basis(f"{counts[0]} and {counts[1]} repeats of all clients together", spread)]
    rates = [[math.log(one.bytes_per_second) for one in side] for side in sides]
    evidence = of_repeats(rates[0], rates[1], spread)
    latency: Optional[Latency] = None
    loads = [_compared(side) for side in (a, b)]
    if loads[0] == loads[1]:
        latency = _latency(sides, spread)
    else:  # latencies differ by the operations in flight (Little's law), not by the cluster
        notes.append(f"loads differ: {' and '.join(map(load_text, loads))}")
    return replace(_judged(found, evidence, _cv(rates, spread), notes), latency=latency)


def _repeats(side: MeasuredRound) -> list[CombinedRun]:
    """The repeats with figures; for a search the runs of its highest throughput."""
    load = side.round.plan.load
    found = measured(side.loads)[0]
    return at_peak(found) if load and load.saturates else [one.run for one in found]


def _compared(side: MeasuredRound) -> SearchLoad:
    """The load of these repeats."""
    load = side.round.plan.load
    if load is None or load.saturates:
        return conclude(under_loads(side.loads)).peak.load
    return load.most


def _latency(sides: Sequence[Sequence[CombinedRun]], spread: Optional[Spread]) -> Optional[Latency]:
    """The change of the mean latency; positive is slower, and so WORSE."""
    if any(one.mean_latency <= 0 for side in sides for one in side):
        return None
    logs = [[-math.log(one.mean_latency) for one in side] for side in sides]
    evidence = of_repeats(logs[0], logs[1], spread)
    low, high = evidence.interval
    return Latency(
        verdict_of(evidence, evidence.p_value, _cv(logs, spread)),
        percent(-evidence.difference),
        (percent(-high), percent(-low)),
        evidence.p_value,
    )


# --- what a difference is worth -------------------------------------------------------------------

# Limits that keep false verdicts rare (DETECTION): p under 0.01 and a minimum effect.
MOST_P = 0.01
LEAST_EFFECT_PERCENT = 3.0
LEAST_EFFECT_CVS = 2.0
# The maximum change with the verdict SAME, also for noisy rounds: a change of 5 % is the minimum
# in the history of a profile.
MOST_SAME_PERCENT = 5.0
# The part of OSDs that is trimmed at each end: broken OSDs there do not affect the mean.
TRIMMED = 0.2
LEAST_PAIRS_TO_TRIM = 6


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


def _why(verdict: Change, evidence: Evidence, least: float) -> str:
    """The reason of a verdict; changes from ``least`` percent on count."""
    # Never "-0.0".
    low, high = (round(one, 1) + 0 for one in evidence.interval_percent)
    change = round(evidence.change_percent, 1) + 0
    room = f"between {low:+.1f} and {high:+.1f} % (95 % sure)"
    if verdict in (Change.BETTER, Change.WORSE):
        return f"changed by {change:+.1f} %, {room}; a change counts from {least:.1f} % on"
    if verdict is Change.SAME:
        most = min(least, MOST_SAME_PERCENT)
        return f"the change is {room}: under {most:.1f} % is called the same"
    doubts = []
    if evidence.p_value >= MOST_P:
        doubts.append(f"p is {evidence.p_value:.2g} and not under {MOST_P:.2g}")
    if evidence.interval[0] <= 0 <= evidence.interval[1]:
        doubts.append("there may be no change at all")
    if abs(evidence.change_percent) < least:
        doubts.append(f"{change:+.1f} % is under the {least:.1f} % that count")
    return f"the change is {room}, but {'; '.join(doubts)}"


def basis(measured: str, spread: Optional[Spread]) -> str:
    """Describe what was measured, and how much rounds of the profile differ by themselves."""
    if spread is None:
        return f"{measured}; how much whole rounds of this profile differ is not known yet"
    return f"{measured}; rounds of this profile differ by {spread.cv_percent:.1f} % by themselves"
