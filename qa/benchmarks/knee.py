"""The saturation search on a real cluster, against an exhaustive grid of the same loads.

The search finds a load, the grid another. Which is better is not read off the runs that chose them:
the best of 35 noisy runs looks better than it is. Both are run again, in turn, and set against each
other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from perf_bench.model.rados import MOST_LOAD, SearchLoad

from .bed import Bed
from .fidelity import of_pairs
from .figures import Figure, Target

_BOUNDS = MOST_LOAD
# 64 KiB: 1,024 operations in flight of it are 64 MiB of memory, of 4 MiB they would be 4 GiB.
_SIZE = "64K"
_SECONDS = 5


def run(bed: Bed, pairs: int, say: Callable[[str], None]) -> list[Figure]:
    """What the search's load reaches of the grid's, and the part of its time that it took."""
    _under(bed, SearchLoad(4, 16))  # makes the pool, and warms it
    searched = bed.round(
        "rados-saturate",
        clients=_BOUNDS.clients,
        threads=_BOUNDS.threads,
        seconds=_SECONDS,
        size=_SIZE,
    )
    found = _load(searched["saturation"]["peak"])
    say(f"search: {found} in {searched['took_seconds']:.0f} s")
    grid = {load: _under(bed, load) for load in _BOUNDS.grid}
    best = max(grid, key=lambda load: _rate(grid[load]))
    took = sum(round_["took_seconds"] for round_ in grid.values())
    say(f"grid: {best} in {took:.0f} s")
    shares: list[float] = []
    for number in range(pairs):
        # Who comes second finds the cluster as the first left it: each is second half of the time.
        order = (found, best) if number % 2 else (best, found)
        rates = {load: _rate(_under(bed, load)) for load in order}
        shares.append(rates[found] / rates[best])
        say(f"pair {number + 1} of {pairs}: {shares[-1]:.3f}")
    note = f"{_words(found)} against the grid's {_words(best)}"
    return [
        of_pairs("load found / best of the grid", shares, Target(low=0.97), note),
        _time(searched, took, len(grid)),
    ]


def _under(bed: Bed, load: SearchLoad) -> dict[str, Any]:
    words = {"clients": load.clients, "threads": load.threads}
    return bed.round("rados-write", **words, seconds=_SECONDS, repeats=1, size=_SIZE)


def _rate(round_: dict[str, Any]) -> float:
    return float(round_["summary"]["median_bytes_per_second"])


def _load(point: dict[str, Any]) -> SearchLoad:
    return SearchLoad(point["clients"], point["threads"])


def _words(load: SearchLoad) -> str:
    return f"{load.clients} x {load.threads}"


def _time(searched: dict[str, Any], grid_seconds: float, loads: int) -> Figure:
    runs = len(searched["saturation"]["runs"])
    note = f"{runs} runs of {loads}; {searched['took_seconds']:.0f} s of {grid_seconds:.0f} s"
    share = searched["took_seconds"] / grid_seconds
    return Figure("time of the search / of the grid", share, "", Target(high=1 / 3), note)
