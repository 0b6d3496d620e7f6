"""What goes on in a healthy cluster, and must alarm nobody."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perf_bench.model.finding import Mark

Array = NDArray[Any]
_DAY = 86400.0
# Two in a hundred OSDs feel a scrub at any time.
_SCRUBBING_SHARE = 0.02
_SCRUB_SECONDS = (120.0, 600.0)
_SCRUB_RATIO = (1.2, 1.6)
_COMPACTION_EVERY = 4 * 3600.0
_COMPACTION_SECONDS, _COMPACTION_RATIO = 60.0, 1.5
_RESTART_EVERY = 30 * _DAY
_RESTART_AWAY, _RESTART_COLD, _RESTART_RATIO = 30.0, 180.0, 3.0
_RESTART_MARKED = 300.0
_RECOVERY_EVERY, _RECOVERY_SECONDS, _RECOVERY_RATIO = 7 * _DAY, 3600.0, (2.0, 5.0)
_FAILOVER_EVERY, _FAILOVER_SECONDS = 7 * _DAY, (30.0, 120.0)
_STRETCH_EVERY, _STRETCH_SECONDS = _DAY, 1800.0
_NEW_HOST_EVERY, _NEW_RATIO = 30 * _DAY, 0.7


@dataclass
class Now:
    """What to add to ln latency and ln load; ``lost`` frames nobody saw."""

    latency: Array
    load: Array
    missing: Array
    lost: bool
    stretched: bool


class Background:
    """Scrub, compaction, restarts, recovery, new hosts, failovers, stretched reports.

    ``host`` has the host's number of each OSD, ``seconds`` is the span of a frame.
    """

    def __init__(self, rng: np.random.Generator, host: Array, seconds: float) -> None:
        count = len(host)
        self._rng, self._host, self._step = rng, host, seconds
        self._scrub_until, self._scrub_size = np.zeros(count), np.zeros(count, dtype=np.float32)
        self._compacts_until, self._restarted = np.zeros(count), np.full(count, -math.inf)
        self._added = np.full(count, -math.inf)
        self._recovery_until, self._recovery = 0.0, np.zeros(count, dtype=np.float32)
        self._moving = np.zeros(count, dtype=bool)
        self._lost_until = self._stretched_until = 0.0

    def step(self, at: float, marks: Array) -> Now:
        """The frame that begins at ``at``; puts its marks in."""
        self._begin(at)
        scrubbing = self._scrub_until > at
        latency = np.where(scrubbing, self._scrub_size, np.float32(0))
        load = np.where(scrubbing, np.float32(0.3), np.float32(0))
        # A compaction may end within the frame: only its part of it is slow.
        part = np.clip((self._compacts_until - at) / self._step, 0, 1)
        busy = part > 0
        latency[busy] += np.log1p((_COMPACTION_RATIO - 1) * part[busy]).astype(np.float32)
        since = at - self._restarted
        latency[since < _RESTART_COLD + _RESTART_AWAY] += math.log(_RESTART_RATIO)
        marks[since < _RESTART_MARKED] |= int(Mark.RESTARTED)
        age = at - self._added
        latency[age < _DAY] += math.log(_NEW_RATIO)
        load[age < _DAY] -= 0.5
        marks[age < _DAY] |= int(Mark.NEW)
        if self._recovery_until > at:
            latency += self._recovery
            load += self._recovery / 2
            marks[self._moving] |= int(Mark.RECOVERING)
        missing = since < _RESTART_AWAY
        lost, stretched = self._lost_until > at, self._stretched_until > at
        return Now(latency, load, missing, lost, stretched)

    def _begin(self, at: float) -> None:
        """What begins now."""
        rng, count = self._rng, len(self._host)
        low, high = _SCRUB_SECONDS
        some = self._some(_SCRUBBING_SHARE / ((low + high) / 2))
        self._scrub_until[some] = at + rng.uniform(low, high, len(some))
        self._scrub_size[some] = np.log(rng.uniform(*_SCRUB_RATIO, len(some)))
        self._compacts_until[self._some(1 / _COMPACTION_EVERY)] = at + _COMPACTION_SECONDS
        self._restarted[self._some(1 / _RESTART_EVERY)] = at
        if self._now(_RECOVERY_EVERY):
            self._recovery_until = at + _RECOVERY_SECONDS
            size = math.log(rng.uniform(*_RECOVERY_RATIO))
            # Not all OSDs have the same part in it.
            self._recovery = (size * rng.uniform(0.8, 1.2, count)).astype(np.float32)
            self._moving = rng.random(count) < 0.8
        if self._now(_FAILOVER_EVERY):
            self._lost_until = at + rng.uniform(*_FAILOVER_SECONDS)
        if self._now(_STRETCH_EVERY):
            self._stretched_until = at + _STRETCH_SECONDS
        if self._now(_NEW_HOST_EVERY):
            self._added[self._host == rng.integers(0, self._host.max() + 1)] = at

    def _some(self, per_second: float) -> Array:
        """Those OSDs to which something happens that often."""
        rng, count = self._rng, len(self._host)
        chance = min(1.0, per_second * self._step)
        return rng.integers(0, count, rng.binomial(count, chance))

    def _now(self, every: float) -> bool:
        return bool(self._rng.random() < self._step / every)
