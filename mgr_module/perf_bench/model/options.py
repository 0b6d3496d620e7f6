"""What an operator may set for the watch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WatchOptions:
    """``codes`` are the health checks that may be raised."""

    on: bool
    tick_seconds: float
    probe: bool
    codes: frozenset[str]
