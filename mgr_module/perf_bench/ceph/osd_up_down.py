"""Which OSDs went up or down, by the epochs in the OSD map.

Epochs also tell of an OSD that was marked down and came back between two looks: one that is
wrongly marked down boots again within two seconds.
"""

from __future__ import annotations

import math
from typing import Optional

from mgr_module import MgrModule

from ..ports import Clock
from ..ports.watch_inputs import OsdEpochs, UpDownChanges

# The map takes 0.4 s at 10,000 OSDs, in one call that lets no other Python run: so often that this
# is 1 % of the time.
_MAP_SHARE = 100.0


class MgrUpDown:
    """The UpDown port on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._clock = clock
        self._due = -math.inf

    def changes(self, since: Optional[int]) -> Optional[UpDownChanges]:
        began = self._clock.monotonic()
        if began < self._due or self._mgr.get_osdmap().get_epoch() == since:
            return None
        osd_map = self._mgr.get("osd_map")
        after = osd_map["epoch"] if since is None else since
        found = {
            entry["osd"]: OsdEpochs(entry["up_from"], entry["down_at"])
            for entry in osd_map["osds"]
            if max(entry["up_from"], entry["down_at"]) > after
        }
        ended = self._clock.monotonic()
        self._due = ended + _MAP_SHARE * (ended - began)
        return UpDownChanges(osd_map["epoch"], found)
