"""The saturation search against an exhaustive grid of loads, on simulated response curves.

A share is what the found load gives without noise over the best load of the grid without noise: the
search is told noisy figures only. The grid is told them too, once a load, and picks its best.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from perf_bench.bench.compare.loads import conclude
from perf_bench.bench.plan.clients import next_load
from perf_bench.model.rados import MOST_LOAD, LoadRun, SearchLoad

from .figures import Figure, Target

Curve = Callable[[SearchLoad], float]
BOUNDS = MOST_LOAD
SEEDS = 500
# Run to run; tuned clusters have 1 to 2.5 % (Stachecki 2024), and 5 % is a busy one.
NOISES = (0.02, 0.05)
_JUDGED = 0.02


def smooth(rng: random.Random) -> Curve:
    """Throughput bends by degrees, and falls a little beyond its peak."""
    half, peak = rng.uniform(2, 60), rng.uniform(1e8, 3e9)
    back = rng.uniform(0, 1e-4)
    return lambda load: peak * load.in_flight / (load.in_flight + half + back * load.in_flight**2)


def plateau(rng: random.Random) -> Curve:
    """Straight up to an early corner, flat from there."""
    corner, peak = rng.uniform(1, 12), rng.uniform(1e8, 3e9)
    return lambda load: peak * min(1.0, load.in_flight / corner)


def collapse(rng: random.Random) -> Curve:
    """Beyond some load most is lost, as with placement groups that become laggy."""
    below = smooth(rng)
    edge, left = rng.uniform(12, 400), rng.uniform(0.1, 0.6)
    return lambda load: below(load) * (left if load.in_flight > edge else 1)


def per_client(rng: random.Random) -> Curve:
    """Each client has a limit of its own, its processor or its link."""
    whole = smooth(rng)
    limit = whole(SearchLoad(16, 64)) * rng.uniform(0.05, 0.3)
    return lambda load: min(whole(load), load.clients * limit)


def crowded(rng: random.Random) -> Curve:
    """Each further client costs all of them, as on a host with few processors."""
    whole, cost = smooth(rng), rng.uniform(0.01, 0.05)
    return lambda load: whole(load) / (1 + cost * (load.clients - 1))


FAMILIES = (smooth, plateau, collapse, per_client, crowded)


def run() -> list[Figure]:
    """Shares of the peak by family and noise, and the largest part of the grid's runs."""
    figures, longest = [], 0.0
    for noise in NOISES:
        for family in FAMILIES:
            trials = [_trial(family, noise, seed) for seed in range(SEEDS)]
            figures.append(_share(family.__name__, noise, trials))
            longest = max(longest, *(runs for _, _, runs in trials))
    note = f"the most of {len(figures) * SEEDS} searches, grid of {len(BOUNDS.grid)} loads"
    return [*figures, Figure("runs over the grid's runs", longest, "", Target(high=1 / 3), note)]


def _trial(
    family: Callable[[random.Random], Curve], noise: float, seed: int
) -> tuple[float, float, float]:
    """What search and grid reach of the best load, and the search's runs over the grid's."""
    rng = random.Random(seed)  # noqa: S311 - a simulation
    curve = family(rng)

    def measured(load: SearchLoad) -> LoadRun:
        rate = curve(load) * rng.lognormvariate(0.0, noise)
        return LoadRun(load, rate, load.in_flight / rate)

    runs: list[LoadRun] = []
    while (load := next_load(runs, BOUNDS)) is not None:
        runs.append(measured(load))
    best = max(curve(load) for load in BOUNDS.grid)
    picked = max(map(measured, BOUNDS.grid), key=lambda run: run.bytes_per_second).load
    found = conclude(runs).peak.load
    return curve(found) / best, curve(picked) / best, len(runs) / len(BOUNDS.grid)


def _share(family: str, noise: float, trials: list[tuple[float, float, float]]) -> Figure:
    shares = sorted(share for share, _, _ in trials)
    grid = sorted(share for _, share, _ in trials)
    enough = 100 * sum(share >= 0.97 for share in shares) / len(shares)
    twentieth = len(shares) // 20
    return Figure(
        f"{family}, noise {100 * noise:.0f} %: share of the best",
        shares[twentieth],
        "",
        Target(low=0.97, high=1.0) if noise == _JUDGED else None,
        f"95 % of {len(shares)} searches are above; {enough:.1f} % reach 0.97; "
        f"least {shares[0]:.3f}; the grid's own pick: 95 % above {grid[twentieth]:.3f}",
        {"shares": shares, "grid": grid},
    )
