"""Search for the load that saturates a cluster: runs under different loads, and the result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Optional

# Runs of the same load differ by 1 to 2.5 % on a tuned cluster (Stachecki 2024); twice that,
# because a rise compares two runs.
NOISE = 0.05
# The number of runs that confirms a load.
CONFIRMED = 2


@dataclass(frozen=True, order=True)
class SearchLoad:
    """``clients`` processes that keep ``threads`` operations in flight each."""

    clients: int
    threads: int

    @property
    def in_flight(self) -> int:
        """Operations in flight at any time, all clients together."""
        return self.clients * self.threads


@dataclass(frozen=True)
class LoadRun:
    """One run under a load: bytes/s of all clients together, latencies of an operation.

    ``p99_seconds`` is None if unknown.
    """

    load: SearchLoad
    bytes_per_second: float
    latency_seconds: float
    p99_seconds: Optional[float] = None


@dataclass(frozen=True)
class Bounds:
    """The highest numbers of clients and threads, powers of two; they define a grid of loads."""

    clients: int = 16
    threads: int = 64

    @cached_property
    def grid(self) -> tuple[SearchLoad, ...]:
        """Every load whose clients and threads are powers of two."""
        return tuple(
            SearchLoad(1 << clients, 1 << threads)
            for clients in range(self.clients.bit_length())
            for threads in range(self.threads.bit_length())
        )

    def runs_text(self, runs: int) -> str:
        """The number of runs, compared with a run of every load, as a phrase."""
        grid = len(self.grid)
        if runs < grid:
            return f"{runs} runs, instead of {grid} for all loads"
        return f"{runs} runs: there are {grid} loads, and the best are run more than once"


@dataclass(frozen=True)
class CurvePoint:
    """A load's means over its ``runs``; ``lowest`` and ``highest`` are bytes/s of single runs."""

    load: SearchLoad
    runs: int
    bytes_per_second: float
    latency_seconds: float
    lowest: float
    highest: float
    p99_seconds: Optional[float] = None

    @classmethod
    def of(cls, runs: Sequence[LoadRun]) -> CurvePoint:
        """The point of these runs, at least one, all of the same load."""
        rates = [run.bytes_per_second for run in runs]
        slowest = [run.p99_seconds for run in runs if run.p99_seconds is not None]
        return cls(
            load=runs[0].load,
            runs=len(runs),
            bytes_per_second=_mean(rates),
            latency_seconds=_mean([run.latency_seconds for run in runs]),
            lowest=min(rates),
            highest=max(rates),
            p99_seconds=_mean(slowest) if slowest else None,
        )


def curve(runs: Iterable[LoadRun]) -> tuple[CurvePoint, ...]:
    """The points of all loads, by operations in flight."""
    by_load: dict[SearchLoad, list[LoadRun]] = defaultdict(list)
    for run in runs:
        by_load[run.load].append(run)
    points = map(CurvePoint.of, by_load.values())
    return tuple(sorted(points, key=lambda point: (point.load.in_flight, point.load)))


def highest(points: Iterable[CurvePoint]) -> CurvePoint:
    """The point of the highest throughput."""
    return max(points, key=lambda point: point.bytes_per_second)


def least(points: Iterable[CurvePoint], peak: CurvePoint, share: float) -> CurvePoint:
    """The point of the lowest latency with at least ``share`` of the peak's throughput."""
    enough = [point for point in points if point.bytes_per_second >= share * peak.bytes_per_second]
    return min(enough, key=lambda point: point.latency_seconds)


def knee_of(points: Iterable[CurvePoint], peak: CurvePoint) -> CurvePoint:
    """The point of the lowest latency that reaches the peak's throughput within noise."""
    return least(points, peak, 1 - NOISE)


@dataclass(frozen=True)
class Saturation:
    """The result of a search; ``curve`` is sorted by operations in flight.

    ``peak`` has the highest throughput, ``knee`` the lowest latency of those that reach it within
    noise, ``recommended`` is the load to run at; ``reason`` says why, with figures.
    """

    curve: tuple[CurvePoint, ...]
    peak: CurvePoint
    knee: CurvePoint
    recommended: CurvePoint
    reason: str

    @property
    def share_percent(self) -> float:
        """The recommended point's percentage of the peak's throughput."""
        return 100 * self.recommended.bytes_per_second / self.peak.bytes_per_second

    @property
    def confirmed(self) -> bool:
        """Whether peak and knee have more than one run each."""
        return min(self.peak.runs, self.knee.runs) >= CONFIRMED


@dataclass(frozen=True)
class SearchRun:
    """One run of a search: its figures, or ``why`` it has none."""

    repeat: int
    load: Optional[SearchLoad]
    measured: Optional[LoadRun]
    why: Optional[str]


@dataclass(frozen=True)
class Search:
    """A search so far: its runs in their order, of at most ``most_runs``; a grid has ``grid``.

    ``found`` is None until a run has figures. Operations have ``size`` bytes.
    """

    size: int
    most_runs: int
    grid: int
    runs: Sequence[SearchRun]
    found: Optional[Saturation]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
