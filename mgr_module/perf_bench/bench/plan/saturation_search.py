"""Find the load that saturates a cluster without trying every load.

The next load depends only on the runs so far, so that another mgr continues in the same way. Three
parts:

1. *climb*: multiply the threads of one client by four, then the clients, then the threads again,
   each until throughput no longer rises beyond noise while latency rises, or until it collapses;
2. *refine*: try the neighbours of the best load so far, with twice or half of either number;
3. *confirm*: repeat the best load and the knee.

At most a third of the grid's runs are made (up to seven in grids of under 21 loads); the last ones
are reserved for the confirmation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

from ...model.rados import (
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

# The rise of latency that shows saturation: by Little's law it is a factor of four when four times
# the operations in flight give the same throughput.
_LATENCY_TAKES_OFF = 1.5
# Below this share of the best throughput the cluster has collapsed.
_COLLAPSED = 0.8
# Runs of the peak; the knee has CONFIRMED runs.
_PEAK_RUNS = 3
_KEPT = _PEAK_RUNS - 1 + CONFIRMED - 1
# The least number of loads that are tried, because a third of a small grid is too few.
_LEAST = 4


def most_runs(bounds: Bounds) -> int:
    """The most runs of a search: a third of the grid's, but at least enough for a result."""
    return max(_KEPT + min(_LEAST, len(bounds.grid)), len(bounds.grid) // 3)


def next_load(runs: Sequence[LoadRun], bounds: Bounds) -> Optional[SearchLoad]:
    """The load to run next; None if the search is complete."""
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
    """The next load of the climb; None if the climb is complete."""
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
    """The first rung without a run; None if the rungs below are saturated, or all have runs."""
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


# Neighbours as powers of two for clients and threads: more threads, fewer threads, the same number
# of operations in flight with half or twice the clients, more clients, fewer clients.
_NEIGHBOURS = ((0, 1), (0, -1), (-1, 1), (1, -1), (1, 0), (-1, 0))


def _next_neighbour(points: dict[SearchLoad, CurvePoint], bounds: Bounds) -> Optional[SearchLoad]:
    """The first neighbour of the best load without a run."""
    best, grid = highest(points.values()).load, set(bounds.grid)
    for clients, threads in _NEIGHBOURS:
        load = SearchLoad(_shifted(best.clients, clients), _shifted(best.threads, threads))
        if load in grid and load not in points:
            return load
    return None


def _shifted(number: int, power: int) -> int:
    return number << power if power > 0 else number >> -power
