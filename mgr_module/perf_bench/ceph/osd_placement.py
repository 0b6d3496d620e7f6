"""What is placed on the OSDs, from the mgr's own copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from mgr_module import MgrModule

from ..model.incident import Placed
from ..ports import Clock

# Seconds that the answer is used: reading it takes 20 us per OSD and more for each of its pools.
_FRESH = 300.0


class MgrOsdPlacement:
    """By OSD its placement groups and pools, read on request."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._clock = clock
        self._read_at: Optional[float] = None
        self._placed: Mapping[int, Placed] = {}

    def placed(self) -> Mapping[int, Placed]:
        """All OSDs that have reported, at most 5 minutes old."""
        now = self._clock.monotonic()
        if self._read_at is None or now - self._read_at >= _FRESH:
            self._placed = self._read()
            self._read_at = now
        return self._placed

    def _read(self) -> Mapping[int, Placed]:
        stats = self._mgr.get("osd_stats")
        names = {
            number: str(pool["pool_name"])
            for number, pool in self._mgr.get_osdmap().get_pools().items()
        }
        pools: dict[int, set[str]] = {}
        for entry in stats.get("pool_statfs", ()):
            if entry["poolid"] in names:
                pools.setdefault(entry["osd"], set()).add(names[entry["poolid"]])
        return {
            entry["osd"]: Placed(
                int(entry.get("num_pgs", 0)), tuple(sorted(pools.get(entry["osd"], ())))
            )
            for entry in stats["osd_stats"]
        }
