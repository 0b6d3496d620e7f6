"""Read the monitors' clock, which may differ from this mgr's."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Optional

from mgr_module import MgrModule

from ..core.clock import Clock, unix
from .osd_map import OsdMapReader


class MonClock:
    """The monitors' time; may be asked from any thread.

    They date the moment at which they make a mgr the active one, and each OSD map. What has passed
    since the first is counted by the monotonic clock, so that the answer is late by what passed
    until the first call, some seconds.
    """

    def __init__(self, mgr: MgrModule, maps: OsdMapReader, clock: Clock) -> None:
        self._mgr = mgr
        self._maps = maps
        self._clock = clock
        self._lock = threading.Lock()
        # The monitors' time when the monotonic clock was at zero.
        self._zero: Optional[float] = None

    def now(self) -> Optional[float]:
        """Unix seconds by the monitors' clock; None if they have not told it."""
        with self._lock:
            passed = self._clock.monotonic()
            if self._zero is None:
                self._zero = self._activation(passed)
            if self._zero is None:  # a map alone may be weeks old
                return None
            newest = self._newest_map(passed)
            self._zero = self._zero if newest is None else max(self._zero, newest)
            return self._zero + passed

    def _activation(self, passed: float) -> Optional[float]:
        with suppress(KeyError, TypeError, ValueError):
            return unix(self._mgr.get("mgr_map")["active_change"]) - passed
        return None

    def _newest_map(self, passed: float) -> Optional[float]:
        known = self._maps.known()
        return None if known is None or known.modified is None else known.modified - passed
