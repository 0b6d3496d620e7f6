"""Find where a cluster saturates without trying every load.

Three parts, decided by the runs so far alone, so that another mgr decides the same:

1. *climb*: threads of one client by fours, clients by fours, threads again, each until throughput
   stops rising beyond noise while latency takes off, or collapses;
2. *refine*: from the best load so far to its neighbours, twice or half of either;
3. *confirm*: the best load is repeated, and so is whoever is best then.

A third of the grid's runs are made at most, and the last of them are kept for the confirmation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Optional

from ..model.saturation import Bounds, CurvePoint, Load, LoadRun, Saturation

# Runs of the same load differ by 1 to 2.5 % on a tuned cluster (Stachecki 2024); twice that, for
# a rise compares two of them.
_NOISE = 0.05
# By Little's law four times the operations at the same throughput take four times as long.
_LATENCY_TAKES_OFF = 1.5
# Below this share of the best a cluster has collapsed: more load would only harm it.
_COLLAPSED = 0.8
_CONFIRMATIONS = 3
# The load to run at gives up a tenth of the peak: what remains is the room for recovery and for
# clients that come and go, and where curves bend a tenth is worth a multiple in latency.
_SHARE = 0.9


def next_load(runs: Sequence[LoadRun], bounds: Bounds) -> Optional[Load]:
    """The load to run next; None when the search is over."""
    budget = max(_CONFIRMATIONS + 1, len(bounds.grid) // 3)
    if len(runs) >= budget:
        return None
    points = {point.load: point for point in curve(runs)}
    if len(runs) <= budget - _CONFIRMATIONS:
        load = _next_rung(points, bounds) or _next_neighbour(points, bounds)
        if load is not None:
            return load
    best = _best(points.values())
    return best.load if best.runs < _CONFIRMATIONS else None


def conclude(runs: Sequence[LoadRun]) -> Saturation:
    """What at least one run says of the cluster."""
    points = curve(runs)
    peak = _best(points)
    knee = _least(points, peak, 1 - _NOISE)
    recommended = _least(points, peak, _SHARE)
    return Saturation(points, peak, knee, recommended, _reason(peak, recommended))


def curve(runs: Sequence[LoadRun]) -> tuple[CurvePoint, ...]:
    """The means of each load, by operations in flight."""
    by_load: dict[Load, list[LoadRun]] = defaultdict(list)
    for run in runs:
        by_load[run.load].append(run)
    points = (
        CurvePoint(
            load,
            len(same),
            sum(run.bytes_per_second for run in same) / len(same),
            sum(run.latency_seconds for run in same) / len(same),
        )
        for load, same in by_load.items()
    )
    return tuple(sorted(points, key=lambda point: (point.load.in_flight, point.load)))


def _next_rung(points: dict[Load, CurvePoint], bounds: Bounds) -> Optional[Load]:
    """Threads of one client by fours, clients by fours, threads again; None once that is done."""
    alone = [Load(1, threads) for threads in _fours(bounds.threads)]
    rung = _next_of(points, alone)
    if rung is not None:
        return rung
    deep = _best_of(points, alone).threads
    together = [Load(clients, deep) for clients in _fours(bounds.clients)]
    rung = _next_of(points, together)
    if rung is not None:
        return rung
    wide = _best_of(points, together).clients
    if wide == 1:
        return None
    return _next_of(points, [Load(wide, t) for t in _fours(bounds.threads) if t >= deep])


def _best_of(points: dict[Load, CurvePoint], loads: Iterable[Load]) -> Load:
    return _best(points[load] for load in loads if load in points).load


def _fours(most: int) -> list[int]:
    """1, 4, 16 … and ``most``, a power of two."""
    return sorted({most, *(1 << power for power in range(0, most.bit_length(), 2))})


def _next_of(points: dict[Load, CurvePoint], rungs: Sequence[Load]) -> Optional[Load]:
    """The first rung without a run; None once the rungs below say that it is enough."""
    below: list[CurvePoint] = []
    for rung in rungs:
        if rung not in points:
            return None if _saturated(below) else rung
        below.append(points[rung])
    return None


def _saturated(rungs: Sequence[CurvePoint]) -> bool:
    if len(rungs) < 2:
        return False
    *before, last = rungs
    best = _best(before)
    gained = last.bytes_per_second / best.bytes_per_second
    slower = last.latency_seconds / best.latency_seconds
    return gained < _COLLAPSED or (gained < 1 + _NOISE and slower > _LATENCY_TAKES_OFF)


# Of clients and threads, as powers of two: deeper, shallower, as many operations in flight by half
# or twice the clients, more and fewer clients.
_BESIDE = ((0, 1), (0, -1), (-1, 1), (1, -1), (1, 0), (-1, 0))


def _next_neighbour(points: dict[Load, CurvePoint], bounds: Bounds) -> Optional[Load]:
    """The first load beside the best one that has no run yet."""
    best, grid = _best(points.values()).load, set(bounds.grid)
    for clients, threads in _BESIDE:
        load = Load(_shifted(best.clients, clients), _shifted(best.threads, threads))
        if load in grid and load not in points:
            return load
    return None


def _shifted(number: int, power: int) -> int:
    return number << power if power > 0 else number >> -power


def _best(points: Iterable[CurvePoint]) -> CurvePoint:
    return max(points, key=lambda point: point.bytes_per_second)


def _least(points: Sequence[CurvePoint], peak: CurvePoint, share: float) -> CurvePoint:
    """The point of the lowest latency that has so much of the peak's throughput."""
    enough = [point for point in points if point.bytes_per_second >= share * peak.bytes_per_second]
    return min(enough, key=lambda point: point.latency_seconds)


def _reason(peak: CurvePoint, recommended: CurvePoint) -> str:
    share = 100 * recommended.bytes_per_second / peak.bytes_per_second
    if recommended is peak:
        return f"no smaller load reaches {100 * _SHARE:.0f} % of its throughput"
    latency = 100 * recommended.latency_seconds / peak.latency_seconds
    return (
        f"{share:.0f} % of the highest throughput at {latency:.0f} % of its latency, "
        f"with {recommended.load.in_flight} operations in flight instead of {peak.load.in_flight}"
    )
