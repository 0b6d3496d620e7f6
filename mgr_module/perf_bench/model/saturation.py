"""How much load a cluster takes: runs under one load after the other, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, order=True)
class Load:
    """``clients`` processes that keep ``threads`` operations in flight each."""

    clients: int
    threads: int

    @property
    def in_flight(self) -> int:
        """Operations in flight at any time, all clients together."""
        return self.clients * self.threads


@dataclass(frozen=True)
class LoadRun:
    """One run under a load: bytes/s of all clients together, mean latency of an operation."""

    load: Load
    bytes_per_second: float
    latency_seconds: float


@dataclass(frozen=True)
class Bounds:
    """The most of either, powers of two: with all between them they are a grid of loads."""

    clients: int = 16
    threads: int = 64

    @cached_property
    def grid(self) -> tuple[Load, ...]:
        """Every load whose clients and threads are powers of two."""
        return tuple(
            Load(1 << clients, 1 << threads)
            for clients in range(self.clients.bit_length())
            for threads in range(self.threads.bit_length())
        )


@dataclass(frozen=True)
class CurvePoint:
    """A load's figures, means over its ``runs``."""

    load: Load
    runs: int
    bytes_per_second: float
    latency_seconds: float


@dataclass(frozen=True)
class Saturation:
    """What a search found; ``curve`` is by operations in flight.

    ``peak`` has the highest throughput, ``knee`` is the least load that reaches it within noise,
    ``recommended`` the one to run at; ``reason`` says why, with the figures.
    """

    curve: tuple[CurvePoint, ...]
    peak: CurvePoint
    knee: CurvePoint
    recommended: CurvePoint
    reason: str

    @property
    def share_percent(self) -> float:
        """What the recommended point reaches of the peak."""
        return 100 * self.recommended.bytes_per_second / self.peak.bytes_per_second
