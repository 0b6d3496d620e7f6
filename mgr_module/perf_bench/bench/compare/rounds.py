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

**Rounds of clients** are compared as a single OSD's repeats are (``evidence.of_repeats``), with the
variation between rounds of the profile if its history shows it. Latency is judged besides
throughput; with a fixed number of operations in flight it follows throughput (Little's law), unless
clients wait elsewhere.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Optional

from ...model.phrases import osd_names, plural
from ...model.rados import CombinedRun, LoadPlan
from ...model.round import Change, Comparison, Latency, MeasuredRound, OsdChange, OsdResult, Spread
from .comparable import differences, load_text, noisy_notes, obstacles, pairs
from .evidence import (
    LEAST_VALUES,
    Evidence,
    basis,
    common_variance,
    decide,
    least_effect,
    mean,
    of_pairs,
    of_repeats,
    percent,
    pooled_cv_percent,
    verdict_of,
)
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
    verdict, why = decide(evidence, evidence.p_value, cv)
    return replace(
        found,
        verdict=verdict,
        why=(why, *notes),
        change_percent=evidence.change_percent,
        interval_percent=evidence.interval_percent,
        p_value=evidence.p_value,
        least_percent=least_effect(cv),
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
    return replace(whole, why=(*whole.why, *notes), osds=len(rows), per_osd=per_osd)


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
    measured_ = f"{counts[0]} and {counts[1]} repeats of all clients together"
    notes = [basis(measured_, spread), *_other_peaks(a, b)]
    rates = [[math.log(one.bytes_per_second) for one in side] for side in sides]
    evidence = of_repeats(rates[0], rates[1], spread)
    latency = _latency(sides, spread) if len(notes) == 1 else None
    return replace(_judged(found, evidence, _cv(rates, spread), notes), latency=latency)


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


def _repeats(side: MeasuredRound) -> list[CombinedRun]:
    """The repeats with figures; for a search the runs of its highest throughput."""
    load = side.round.plan.load
    found = measured(side.loads)[0]
    return at_peak(found) if load and load.saturates else [one.run for one in found]


def _other_peaks(a: MeasuredRound, b: MeasuredRound) -> Iterator[str]:
    """A note if the peaks of two searches have different loads.

    Then their latencies differ by the operations in flight (Little's law), not by the cluster.
    """
    peaks = [_peak(side.round.plan.load, side) for side in (a, b)]
    if peaks[0] and peaks[1] and peaks[0].most != peaks[1].most:
        yield f"loads differ: {load_text(peaks[0])} and {load_text(peaks[1])}"


def _peak(load: Optional[LoadPlan], side: MeasuredRound) -> Optional[LoadPlan]:
    """The load of the repeats that are compared."""
    if load is None or not load.saturates:
        return load
    peak = conclude(under_loads(side.loads)).peak.load
    return replace(load, clients=peak.clients, threads=peak.threads, saturates=False)
