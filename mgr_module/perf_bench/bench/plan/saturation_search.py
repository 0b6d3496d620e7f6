"""Find where a cluster saturates without trying every load.

Three parts, decided by the runs so far alone, so that another mgr decides the same:

1. *climb*: threads of one client by fours, clients by fours, threads again, each until throughput
   stops rising beyond noise while latency takes off, or collapses;
2. *refine*: from the best load so far to its neighbours, twice or half of either;
3. *confirm*: the best load is repeated, and so is whoever is best then; so is the knee.

A third of the grid's runs are made at most (in grids of under 21 loads up to seven), and the last
of them are kept for the confirmation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

from ...model.saturation import (
    CONFIRMED,
    NOISE,
    Bounds,
    CurvePoint,
    LoadRun,
    SearchLoad,
    curve,
    highest,
    knee_of,
)

# By Little's law four times the operations at the same throughput take four times as long.
_LATENCY_TAKES_OFF = 1.5
# Below this share of the best a cluster has collapsed: more load would only harm it.
_COLLAPSED = 0.8
# The peak is run so often, and the knee CONFIRMED times.
_PEAK_RUNS = 3
_KEPT = _PEAK_RUNS - 1 + CONFIRMED - 1
# Loads that are looked at however few there are: a third of a small grid shows nothing.
_LEAST = 4


def most_runs(bounds: Bounds) -> int:
    """How many runs a search makes at most: a third of the grid's, and never too few to tell."""
    return max(_KEPT + min(_LEAST, len(bounds.grid)), len(bounds.grid) // 3)


def next_load(runs: Sequence[LoadRun], bounds: Bounds) -> Optional[SearchLoad]:
    """The load to run next; None when the search is over."""
    left = most_runs(bounds) - len(runs)
    if left <= 0:
        return None
    points = {point.load: point for point in curve(runs)}
    if left > _KEPT:
        load = _next_rung(points, bounds) or _next_neighbour(points, bounds)
        if load is not None:
            return load
    return _unconfirmed(points)


def _unconfirmed(points: dict[SearchLoad, CurvePoint]) -> Optional[SearchLoad]:
    """The load to repeat: the peak, then the knee, then the peak once more."""
    peak = highest(points.values())
    knee = knee_of(points.values(), peak)
    for point, wanted in ((peak, CONFIRMED), (knee, CONFIRMED), (peak, _PEAK_RUNS)):
        if point.runs < wanted:
            return point.load
    return None


def _next_rung(points: dict[SearchLoad, CurvePoint], bounds: Bounds) -> Optional[SearchLoad]:
    """Threads of one client by fours, clients by fours, threads again; None once that is done."""
    alone = [SearchLoad(1, threads) for threads in _fours(bounds.threads)]
    rung = _next_of(points, alone)
    if rung is not None:
        return rung
    deep = _highest_of(points, alone).threads
    together = [SearchLoad(clients, deep) for clients in _fours(bounds.clients)]
    rung = _next_of(points, together)
    if rung is not None:
        return rung
    wide = _highest_of(points, together).clients
    if wide == 1:
        return None
    return _next_of(points, [SearchLoad(wide, t) for t in _fours(bounds.threads) if t >= deep])


def _highest_of(points: dict[SearchLoad, CurvePoint], loads: Iterable[SearchLoad]) -> SearchLoad:
    return highest(points[load] for load in loads if load in points).load


def _fours(most: int) -> list[int]:
    """1, 4, 16 … and ``most``, a power of two."""
    return sorted({most, *(1 << power for power in range(0, most.bit_length(), 2))})


def _next_of(
    points: dict[SearchLoad, CurvePoint], rungs: Sequence[SearchLoad]
) -> Optional[SearchLoad]:
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
    best = highest(before)
    gained = last.bytes_per_second / best.bytes_per_second
    slower = last.latency_seconds / best.latency_seconds
    return gained < _COLLAPSED or (gained < 1 + NOISE and slower > _LATENCY_TAKES_OFF)


# Of clients and threads, as powers of two: deeper, shallower, as many operations in flight by half
# or twice the clients, more and fewer clients.
_BESIDE = ((0, 1), (0, -1), (-1, 1), (1, -1), (1, 0), (-1, 0))


def _next_neighbour(points: dict[SearchLoad, CurvePoint], bounds: Bounds) -> Optional[SearchLoad]:
    """The first load beside the best one that has no run yet."""
    best, grid = highest(points.values()).load, set(bounds.grid)
    for clients, threads in _BESIDE:
        load = SearchLoad(_shifted(best.clients, clients), _shifted(best.threads, threads))
        if load in grid and load not in points:
            return load
    return None


def _shifted(number: int, power: int) -> int:
    return number << power if power > 0 else number >> -power
