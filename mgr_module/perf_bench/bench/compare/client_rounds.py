"""Compare two rounds of clients: repeats of one against repeats of the other.

The statistics are those of a single OSD's repeats (``evidence.of_repeats``), with the variation
between rounds of the profile if its history shows it. Latency is judged besides throughput; with a
fixed number of operations in flight it follows throughput (Little's law), unless clients wait
elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

from ...model.comparison import Change, Comparison, Latency, MeasuredRound, Spread
from ...model.rados import CombinedRun, LoadPlan
from ...model.round import Round
from ...model.said import Said, say
from .comparable import noisy_notes, obstacles
from .environment import differences
from .evidence import (
    LEAST_VALUES,
    basis,
    decide,
    least_effect,
    of_repeats,
    percent,
    pooled_cv_percent,
    verdict_of,
)
from .loads import measured
from .saturation import conclude
from .saturation_verdict import at_peak, under_loads

# The properties of a pool that must be equal, and their names in sentences.
_POOL = {
    "kind": say("pool-kinds", "kinds of pool"),
    "copies": say("pool-copies", "copies"),
    "compression": say("pool-compression", "compression modes"),
}


def compare_clients(
    a: MeasuredRound, b: MeasuredRound, spread: Optional[Spread] = None
) -> Comparison:
    """Compare round b with round a, both of kind rados; if not comparable, ``why`` says why."""
    ids = a.round.id, b.round.id
    against = (*obstacles(a.round, b.round), *obstacles_of_clients(a.round, b.round))
    if against:
        return Comparison(*ids, Change.NOT_COMPARABLE, against)
    changed = differences(a.round.environment, b.round.environment)
    notes = [*noisy_notes((a.round, b.round)), *map(str, changed)]
    sides = _repeats(a), _repeats(b)
    counts = [len(side) for side in sides]
    if min(counts) < LEAST_VALUES:
        few = say(
            "few-client-repeats",
            "{a} and {b} repeats: at least {least} each are needed",
            a=counts[0],
            b=counts[1],
            least=LEAST_VALUES,
        )
        return Comparison(*ids, Change.INCONCLUSIVE, (few, *notes), environment=changed)
    other_peaks = tuple(_other_peaks(a, b))
    rates = [[math.log(one.bytes_per_second) for one in side] for side in sides]
    cv = max(pooled_cv_percent(rates), spread.cv_percent if spread else 0.0)
    evidence = of_repeats(rates[0], rates[1], spread)
    verdict, why = decide(evidence, evidence.p_value, cv)
    return Comparison(
        *ids,
        verdict,
        (why, _basis(counts, spread), *other_peaks, *notes),
        evidence.change_percent,
        evidence.interval_percent,
        evidence.p_value,
        least_effect(cv),
        environment=changed,
        latency=None if other_peaks else _latency(sides, spread),
    )


def _latency(sides: Sequence[Sequence[CombinedRun]], spread: Optional[Spread]) -> Optional[Latency]:
    """The change of the mean latency; positive is slower, and so WORSE."""
    if any(one.mean_latency <= 0 for side in sides for one in side):
        return None
    logs = [[-math.log(one.mean_latency) for one in side] for side in sides]
    cv = max(pooled_cv_percent(logs), spread.cv_percent if spread else 0.0)
    evidence = of_repeats(logs[0], logs[1], spread)
    low, high = evidence.interval
    return Latency(
        verdict_of(evidence, evidence.p_value, cv),
        percent(-evidence.difference),
        (percent(-high), percent(-low)),
        evidence.p_value,
    )


def _repeats(side: MeasuredRound) -> list[CombinedRun]:
    """The repeats with figures; for a search the runs of its highest throughput."""
    load = side.round.plan.load
    return at_peak(side.loads) if load and load.saturates else measured(side.loads)[0]


def _other_peaks(a: MeasuredRound, b: MeasuredRound) -> Iterator[Said]:
    """A note if the peaks of two searches have different loads.

    Then their latencies differ by the operations in flight (Little's law), not by the cluster.
    """
    peaks = [_peak(side.round.plan.load, side) for side in (a, b)]
    if peaks[0] and peaks[1] and peaks[0].most != peaks[1].most:
        yield say("other-load", "loads differ: {a} and {b}", a=_load(peaks[0]), b=_load(peaks[1]))


def _peak(load: Optional[LoadPlan], side: MeasuredRound) -> Optional[LoadPlan]:
    """The load of the repeats that are compared."""
    if load is None or not load.saturates:
        return load
    peak = conclude(under_loads(side.loads)).peak.load
    return replace(load, clients=peak.clients, threads=peak.threads, saturates=False)


def _basis(counts: Sequence[int], spread: Optional[Spread]) -> Said:
    measured_ = say(
        "basis-clients",
        "{a} and {b} repeats of all clients together",
        a=counts[0],
        b=counts[1],
    )
    return basis(measured_, spread)


def obstacles_of_clients(a: Round, b: Round) -> Iterator[Said]:
    """What of their clients makes two rounds of one profile incomparable."""
    if a.plan.load is not None and b.plan.load is not None and a.profile == b.profile:
        yield from other_load(a.plan.load, b.plan.load)
        yield from other_pool(a.environment, b.environment)


def other_load(a: LoadPlan, b: LoadPlan) -> Iterator[Said]:
    """The differences of two loads that make them incomparable."""
    if a.pool != b.pool:
        yield say("other-pool", "pools differ: {a} and {b}", a=a.pool, b=b.pool)
    if a.size != b.size:
        yield say("other-size", "sizes differ: {a} and {b} bytes", a=a.size, b=b.size)
    if a.most != b.most:
        yield say("other-load", "loads differ: {a} and {b}", a=_load(a), b=_load(b))
    if set(a.workers) != set(b.workers):
        yield say("other-hosts", "clients ran {a} and {b}", a=_where(a), b=_where(b))


def _load(load: LoadPlan) -> Said:
    if load.saturates:
        return say(
            "load-at-most",
            "at most {clients|client|clients} x {threads|thread|threads}",
            clients=load.clients,
            threads=load.threads,
        )
    return say(
        "load-of",
        "{clients|client|clients} x {threads|thread|threads}",
        clients=load.clients,
        threads=load.threads,
    )


def _where(load: LoadPlan) -> Said:
    """The hosts of the clients, which differ in network and processors."""
    if load.workers:
        return say("on-hosts", "on {hosts:all}", hosts=sorted(load.workers))
    return say("beside-mgr", "beside the mgr")


def other_pool(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Said]:
    """The differences of two rounds' pools; properties that one round lacks are skipped."""
    before, after = a.get("pool", {}), b.get("pool", {})
    for key, name in _POOL.items():
        if key in before and key in after and before[key] != after[key]:
            yield say(
                "pool-differs", "{what} differ: {a} and {b}", what=name, a=before[key], b=after[key]
            )
    # Erasure codes of the same overhead, as 2+1 and 4+2, differ by their number of chunks.
    sizes = before.get("size"), after.get("size")
    same = before.get("copies") == after.get("copies")
    if before.get("kind") == "erasure" and same and None not in sizes and sizes[0] != sizes[1]:
        yield say(
            "pool-differs",
            "{what} differ: {a} and {b}",
            what=_POOL["copies"],
            a=_chunks(before),
            b=_chunks(after),
        )


def _chunks(pool: Mapping[str, Any]) -> str:
    """The chunks of an erasure code as "4+2"."""
    data = round(pool["size"] / pool["copies"])
    return f"{data}+{pool['size'] - data}"
