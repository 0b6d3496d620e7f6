"""Which OSDs went up or down, by the epochs in the OSD map.

Epochs also tell of an OSD that was marked down and came back between two looks: one that is
wrongly marked down boots again within two seconds.
"""

from __future__ import annotations

import math
from typing import Optional

from ..ports import Clock
from ..ports.watch_inputs import OsdEpochs, UpDownChanges
from .osd_map import OsdMapReader

# Reading the map stops all other Python: so often that this is 1 % of the time.
_MAP_SHARE = 100.0


class MgrUpDown:
    """The UpDown port on a ceph-mgr."""

    def __init__(self, maps: OsdMapReader, clock: Clock) -> None:
        self._maps = maps
        self._clock = clock
        self._due = -math.inf

    def changes(self, since: Optional[int]) -> Optional[UpDownChanges]:
        began = self._clock.monotonic()
        osd_map = self._maps.known() if began < self._due else self._maps.look()
        if osd_map is None or osd_map.epoch == since:
            return None
        after = osd_map.epoch if since is None else since
        found = {
            osd: OsdEpochs(entry.up_from, entry.down_at)
            for osd, entry in osd_map.osds.items()
            if max(entry.up_from, entry.down_at) > after
        }
        ended = self._clock.monotonic()
        self._due = max(self._due, ended + _MAP_SHARE * (ended - began))
        return UpDownChanges(osd_map.epoch, found)
