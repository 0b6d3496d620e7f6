"""What an operator may set for the watch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .history import KEPT_SECONDS


@dataclass(frozen=True)
class WatchOptions:
    """``codes`` are the health checks that may be raised.

    ``kept`` says by level (seconds of a span) how many seconds the store keeps the series.
    """

    on: bool
    tick_seconds: float
    probe: bool
    codes: frozenset[str]
    kept: Mapping[int, float] = field(default_factory=lambda: KEPT_SECONDS)
