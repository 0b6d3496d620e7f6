"""Which OSDs are down, and since when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Optional

from mgr_module import MgrModule

from ..ports import Outlook


class MgrFalls:
    """The Falls port on a ceph-mgr; the map is read only when other OSDs are down than before."""

    def __init__(self, mgr: MgrModule, outlook: Outlook) -> None:
        self._mgr = mgr
        self._outlook = outlook
        self._up: Optional[frozenset[int]] = None
        self._fell: Mapping[int, float] = {}

    def fell(self) -> Mapping[int, float]:
        """By OSD that is down, and once was up, when the monitors saw it go (unix seconds)."""
        up = self._outlook.up()
        if up != self._up:
            self._up = up
            entries = self._mgr.get("osd_map")["osd_xinfo"]
            stamps = {entry["osd"]: _unix(entry["down_stamp"]) for entry in entries}
            self._fell = {osd: at for osd, at in stamps.items() if at and osd not in up}
        return self._fell


def _unix(stamp: str) -> float:
    """Unix seconds of "2026-11-21T02:44:34.114418+0000"; 0 of "0.000000", which is never."""
    try:
        return datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
    except ValueError:
        return 0.0
