"""Which OSDs are down, and since when.

Seen with our own eyes where we were there. The map's ``down_stamp`` will not do: an OSD that dies
so that its peers' connections are refused keeps the stamp of an earlier time, or none (on 16.2).
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Mapping
from datetime import datetime
from typing import Optional

from mgr_module import MgrModule

from ..errors import CommandFailed
from ..ports import AdmissionSource, Clock
from .mons import Mons

LONG_AGO = -math.inf
# A map is megabytes at 10,000 OSDs; those of an enclosure that fell are in a few newest ones.
_MOST_ASKED = 16
_MODIFIED = re.compile(rb"^modified (\S+)$", re.MULTILINE)


class MgrDownTimes:
    """The Falls port on a ceph-mgr; the monitors are asked once, for what was before."""

    def __init__(self, mgr: MgrModule, outlook: AdmissionSource, mons: Mons, clock: Clock) -> None:
        self._mgr = mgr
        self._outlook = outlook
        self._mons = mons
        self._clock = clock
        self._lock = threading.Lock()
        self._up: Optional[frozenset[int]] = None
        self._fell: Mapping[int, float] = {}

    def fell(self) -> Mapping[int, float]:
        with self._lock:
            up = self._outlook.up()
            if self._up is None:
                self._fell = self._before(up)
            elif up != self._up:
                now, gone = self._clock.now(), self._up - up
                still = {osd: at for osd, at in self._fell.items() if osd not in up}
                self._fell = {**still, **dict.fromkeys(gone, now)}
            self._up = up
            return self._fell

    def _before(self, up: frozenset[int]) -> Mapping[int, float]:
        """Those that were down before the first look."""
        entries = self._mgr.get("osd_map")["osds"]
        down = {one["osd"]: one["down_at"] for one in entries if one["up_from"]}
        down = {osd: epoch for osd, epoch in down.items() if osd not in up}
        newest = sorted(set(down.values()), reverse=True)[:_MOST_ASKED]
        began = {epoch: self._began(epoch) for epoch in newest}
        return {osd: began.get(epoch, LONG_AGO) for osd, epoch in down.items()}

    def _began(self, epoch: int) -> float:
        """When the map of that epoch was made; the monitors forget what is long ago."""
        try:
            found = _MODIFIED.search(self._mons.command("osd dump", epoch=epoch))
        except CommandFailed:
            return LONG_AGO
        return _unix(found[1].decode()) if found else LONG_AGO


def _unix(stamp: str) -> float:
    """Unix seconds of "2026-11-21T02:44:34.114418+0000"."""
    try:
        return datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
    except ValueError:
        return LONG_AGO
