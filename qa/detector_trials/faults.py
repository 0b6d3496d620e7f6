"""What can be wrong with OSDs, as an addition to ln latency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Fault:
    """These members are ``ratio`` times as slow from ``begin`` to ``end`` (seconds).

    With ``every``, only for ``burst`` seconds at a time; with ``ramp``, it takes so many seconds
    to get that slow. ``channels`` empty means all.
    """

    members: Sequence[int]
    ratio: float
    begin: float = 0.0
    end: float = math.inf
    every: float = 0.0
    burst: float = 30.0
    ramp: float = 0.0
    channels: Sequence[str] = ()

    def apply(self, values: NDArray[Any], channel: str, at: float, seconds: float) -> None:
        """Add to ln latencies of a frame that begins at ``at`` and lasts ``seconds``."""
        if not self.begin <= at < self.end or (self.channels and channel not in self.channels):
            return
        ratio = self.ratio
        if self.every:
            into = (at - self.begin) % self.every
            share = max(0.0, min(into + seconds, self.burst) - into) / seconds
            ratio = 1 + (ratio - 1) * share
        size = math.log(ratio)
        if self.ramp:
            size *= min(1.0, (at - self.begin) / self.ramp)
        values[np.asarray(self.members)] += size
