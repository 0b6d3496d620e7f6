"""Clocks, and times in Ceph's maps and logs."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time. ``now`` is unix seconds for people, ``monotonic`` seconds for durations."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The host's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


def unix(stamp: str) -> float:
    """Unix seconds of a time like "2026-11-21T02:44:34.114418+0000". Raises ValueError."""
    return datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
