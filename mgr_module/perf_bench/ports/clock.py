"""Time."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Time. ``now`` is unix seconds for people, ``monotonic`` seconds for durations."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...
