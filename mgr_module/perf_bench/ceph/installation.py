"""Which build of the module is active, and which mgr has which files."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Optional

from mgr_module import MgrModule

from ..core.clock import Clock
from ..errors import CommandFailed
from ..model.cluster import MARK_KEY, MgrBuild, mgr_builds
from ..model.pacing import Every
from ..version import build
from .mons import Mons

_RETRY_SECONDS = 60.0


class InstallationMark:
    """Tells the loss of the module later: written at the monitors once by each active mgr.

    Only if another build was active before.
    """

    def __init__(self, mons: Mons, clock: Clock, log: logging.Logger) -> None:
        self._mons = mons
        self._clock = clock
        self._log = log
        self._retry = Every(_RETRY_SECONDS)
        self._is_written = False

    def tick(self) -> None:
        """Call every few seconds. Waits for the monitors."""
        if self._is_written or not self._retry.is_due(self._clock.monotonic()):
            return
        try:
            if _build_of(self._mons.key(MARK_KEY)) != build():
                mark = {"build": build(), "since": round(self._clock.now())}
                self._mons.command("config-key set", key=MARK_KEY, val=json.dumps(mark))
            self._is_written = True
        except CommandFailed as error:
            self._log.warning("cannot note the active build at the monitors: %s", error)


def _build_of(text: Optional[str]) -> object:
    try:
        return json.loads(text or "{}").get("build")
    except (ValueError, AttributeError):
        return None


class MapOfMgrs:
    """Implements MgrBuilds, from the mgr's own copy of the map of mgrs."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr

    def builds(self) -> Sequence[MgrBuild]:
        return mgr_builds(self._mgr.get("mgr_map"))
