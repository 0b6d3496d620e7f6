"""Find out which OSDs are down, and since when.

The times are those at which this mgr noticed it. The map's ``down_stamp`` is not reliable: an OSD
whose death its peers report by refused connections keeps an earlier stamp, or none (on 16.2).
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Mapping
from typing import Optional

from ..errors import CommandFailed
from ..ports import AdmissionSource, Clock
from .mons import Mons
from .osd_map import OsdMapReader
from .stamps import unix

LONG_AGO = -math.inf
# Old maps that are read: a map has megabytes at 10,000 OSDs, and only recent failures matter.
_MOST_ASKED = 16
_MODIFIED = re.compile(rb"^modified (\S+)$", re.MULTILINE)


class MgrDownTimes:
    """Implements DownTimes on a ceph-mgr; asks the monitors once, for earlier failures."""

    def __init__(
        self, maps: OsdMapReader, source: AdmissionSource, mons: Mons, clock: Clock
    ) -> None:
        self._maps = maps
        self._source = source
        self._mons = mons
        self._clock = clock
        self._lock = threading.Lock()
        self._up: Optional[frozenset[int]] = None
        self._fell: Mapping[int, float] = {}

    def fell(self) -> Mapping[int, float]:
        with self._lock:
            up = self._source.up()
            if self._up is None:
                self._fell = self._before(up)
            elif up != self._up:
                now, gone = self._clock.now(), self._up - up
                still = {osd: fell_at for osd, fell_at in self._fell.items() if osd not in up}
                self._fell = {**still, **dict.fromkeys(gone, now)}
            self._up = up
            return self._fell

    def _before(self, up: frozenset[int]) -> Mapping[int, float]:
        """The OSDs that were down before the first call."""
        down = {
            osd: entry.down_at
            for osd, entry in self._maps.look().osds.items()
            if entry.up_from and osd not in up
        }
        newest = sorted(set(down.values()), reverse=True)[:_MOST_ASKED]
        began = {epoch: self._began(epoch) for epoch in newest}
        return {osd: began.get(epoch, LONG_AGO) for osd, epoch in down.items()}

    def _began(self, epoch: int) -> float:
        """The time of the map of that epoch; LONG_AGO if the monitors have trimmed it."""
        try:
            match = _MODIFIED.search(self._mons.command("osd dump", epoch=epoch))
            return unix(match[1].decode()) if match else LONG_AGO
        except (CommandFailed, ValueError):
            return LONG_AGO
