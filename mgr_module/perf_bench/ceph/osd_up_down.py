"""Which OSDs went up or down, which are down, and since when.

Epochs in the OSD map also tell of an OSD that was marked down and came back between two looks: one
that is wrongly marked down boots again within two seconds. Times are those at which this mgr
noticed it. The map's ``down_stamp`` is not reliable: an OSD whose death its peers report by refused
connections keeps an earlier stamp, or none (on 16.2).
"""

from __future__ import annotations

import errno
import math
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Optional

from ..core.clock import Clock, unix
from ..errors import CommandFailed
from ..model.cluster import Every, OsdEpochs, UpDownChanges
from .inventory import InventoryReader
from .mons import Mons
from .osd_map import OsdMapReader

LONG_AGO = -math.inf
# Reading the map stops all other Python: so often that this is 1 % of the time.
_MAP_SHARE = 100.0
# Old maps that are read: a map has megabytes at 10,000 OSDs, and only recent failures matter.
_MOST_ASKED = 16
# Seconds until monitors that did not answer are asked again, which holds up whoever looks.
_RETRY = 60.0
_MODIFIED = re.compile(rb"^modified (\S+)$", re.MULTILINE)


class MgrUpDown:
    """The UpDown port on a ceph-mgr."""

    def __init__(self, maps: OsdMapReader, clock: Clock) -> None:
        self._maps = maps
        self._clock = clock
        self._due = -math.inf

    def changes(self, since: Optional[int]) -> Optional[UpDownChanges]:
        if since is None:
            return UpDownChanges(self._maps.epoch(), {})
        began = self._clock.monotonic()
        osd_map = self._maps.known() if began < self._due else self._maps.look()
        if osd_map is None or osd_map.epoch == since:
            return None
        found = {
            osd: OsdEpochs(entry.up_from, entry.down_at)
            for osd, entry in osd_map.osds.items()
            if max(entry.up_from, entry.down_at) > since
        }
        ended = self._clock.monotonic()
        self._due = max(self._due, ended + _MAP_SHARE * (ended - began))
        return UpDownChanges(osd_map.epoch, found)


class MgrDownTimes:
    """When OSDs went down; asks the monitors for earlier failures.

    Until they have answered, those were long ago.
    """

    def __init__(
        self, maps: OsdMapReader, inventory: InventoryReader, mons: Mons, clock: Clock
    ) -> None:
        self._maps = maps
        self._inventory = inventory
        self._mons = mons
        self._clock = clock
        self._lock = threading.Lock()
        self._up: Optional[frozenset[int]] = None
        self._fell: Mapping[int, float] = {}
        # By OSD the epoch in which it went down, of those whose time the monitors have not told.
        self._untold: Mapping[int, int] = {}
        self._retry = Every(_RETRY)

    def fell(self) -> Mapping[int, float]:
        with self._lock:
            inventory = self._inventory.look()
            up = inventory.up
            if self._up is None and len(up) < len(inventory.osds):
                self._begin(up)
            elif self._up is not None and up != self._up:
                now, gone = self._clock.now(), self._up - up
                still = {osd: fell_at for osd, fell_at in self._fell.items() if osd not in up}
                self._fell = {**still, **dict.fromkeys(gone, now)}
                self._untold = {osd: at for osd, at in self._untold.items() if osd not in up}
            self._up = up
            if self._untold and self._retry.is_due(self._clock.monotonic()):
                self._ask()
            return self._fell

    def _begin(self, up: frozenset[int]) -> None:
        """Note the OSDs that were down before the first call."""
        down = {
            osd: entry.down_at
            for osd, entry in self._maps.look().osds.items()
            if entry.up_from and osd not in up
        }
        newest = sorted(set(down.values()), reverse=True)[:_MOST_ASKED]
        self._fell = dict.fromkeys(down, LONG_AGO)
        self._untold = {osd: epoch for osd, epoch in down.items() if epoch in newest}

    def _ask(self) -> None:
        """Ask for the times that are not known yet, the newest first, as long as there are answers.

        An answer that does not come takes the time limit of a command each time.
        """
        told: dict[int, float] = {}
        with suppress(CommandFailed):
            for epoch in sorted(set(self._untold.values()), reverse=True):
                told[epoch] = self._began(epoch)
        known = {osd: told[epoch] for osd, epoch in self._untold.items() if epoch in told}
        self._fell = {**self._fell, **known}
        self._untold = {osd: epoch for osd, epoch in self._untold.items() if epoch not in told}

    def _began(self, epoch: int) -> float:
        """The time of the map of that epoch; LONG_AGO if the monitors have trimmed it.

        Raises CommandFailed.
        """
        try:
            match = _MODIFIED.search(self._mons.command("osd dump", epoch=epoch))
            return unix(match[1].decode()) if match else LONG_AGO
        except CommandFailed as error:
            if error.errno == errno.ENOENT:
                return LONG_AGO
            raise
        except ValueError:
            return LONG_AGO
