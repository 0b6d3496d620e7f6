"""The saturation search on response curves that are known exactly."""

from __future__ import annotations

from typing import Callable

from perf_bench.bench.compare.loads import conclude
from perf_bench.bench.plan.clients import (
    most_runs,
    next_load,
)
from perf_bench.model.plan import profile_named
from perf_bench.model.rados import MOST_LOAD, LoadRun, SearchLoad, SearchResult

Curve = Callable[[SearchLoad], float]
MIB = 2.0**20


def search(curve: Curve, bounds: SearchLoad = MOST_LOAD) -> list[LoadRun]:
    runs: list[LoadRun] = []
    while (load := next_load(runs, bounds)) is not None:
        rate = curve(load)
        runs.append(LoadRun(load, rate, load.in_flight * MIB / rate))
    return runs


def found(curve: Curve) -> SearchResult:
    return conclude(search(curve))


def smooth(load: SearchLoad) -> float:
    return 1000 * MIB * load.in_flight / (load.in_flight + 20)


def plateau(load: SearchLoad) -> float:
    return 100 * MIB * min(load.in_flight, 8)


def collapse(load: SearchLoad) -> float:
    """More than 100 operations make placement groups laggy."""
    return smooth(load) * (0.3 if load.in_flight > 100 else 1)


def per_client(load: SearchLoad) -> float:
    """A client's own processor is the limit, whatever its threads."""
    return min(smooth(load), 40 * MIB * load.clients)


def test_the_peak_is_that_of_the_grid_in_a_third_of_its_runs() -> None:
    for curve in [smooth, plateau, collapse, per_client]:
        runs, grid = search(curve), MOST_LOAD.grid
        best = max(curve(load) for load in grid)
        assert curve(conclude(runs).peak.load) >= 0.97 * best
        assert len(runs) <= len(grid) / 3


def test_an_early_plateau_is_not_climbed_any_further() -> None:
    loads = {run.load for run in search(plateau)}
    assert max(load.in_flight for load in loads) <= 128  # the grid goes to 1,024


def test_a_collapse_ends_the_climb_at_once() -> None:
    beyond = [run.load for run in search(collapse) if run.load.in_flight > 100]
    assert len(beyond) <= 3  # one rung each of clients and threads, one neighbour


def test_a_search_that_has_confirmed_what_it_found_ends() -> None:
    runs = search(lambda _load: 50 * MIB)
    assert [run.load for run in runs].count(SearchLoad(1, 1)) == 3
    assert len(runs) < most_runs(MOST_LOAD)


def test_knee_and_recommended_point_of_a_sharp_corner_are_the_corner() -> None:
    result = found(plateau)
    assert result.knee.load.in_flight == result.recommended.load.in_flight == 8


def test_a_cluster_that_one_operation_saturates_is_run_with_one() -> None:
    result = found(lambda _load: 50 * MIB)
    assert result.recommended.load == SearchLoad(1, 1)


def test_what_is_decided_depends_on_the_runs_alone() -> None:
    runs = search(collapse)
    again = [next_load(runs[:count], MOST_LOAD) for count in range(len(runs))]
    assert again == [run.load for run in runs]


def test_the_profile_says_how_many_runs_there_are_at_most() -> None:
    for name in ("rados-saturate", "rados-saturate-rand"):
        assert profile_named(name).repeats == most_runs(MOST_LOAD)


def test_many_clients_climb_again_with_more_threads_each() -> None:
    loads = [(run.load.clients, run.load.threads) for run in search(per_client)]
    assert loads[:6] == [(1, 1), (1, 4), (4, 1), (16, 1), (16, 4), (16, 16)]
