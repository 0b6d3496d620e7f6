"""The right to change settings: only the mgr that the monitors name as the active one has it.

A mgr that was stopped for a while (SIGSTOP, a frozen virtual machine) does not know that another
one has taken over, so the monitors are asked right before each change.
"""

from __future__ import annotations

from mgr_module import MgrModule

from ..errors import NotNow
from .mons import Mons


class MgrAuthority:
    """Implements Authority for the active mgr, known by its global ID, which is never reused."""

    def __init__(self, mgr: MgrModule, mons: Mons) -> None:
        """Make it while this mgr becomes active, when its own map names it as active."""
        self._mons = mons
        self._name = str(mgr.get_mgr_id())
        self._gid = int(mgr.get("mgr_map")["active_gid"])
        self._epoch: int | None = None

    @property
    def writer(self) -> str:
        return str(self._gid)

    def check(self) -> None:
        """Raises NotNow if another mgr is active, CommandFailed without the monitors."""
        stat = self._mons.command_json("mgr stat")
        if stat["epoch"] == self._epoch:
            return  # already checked for this epoch of the map
        mgr_map = self._mons.command_json("mgr dump")
        if mgr_map["active_gid"] != self._gid:
            raise NotNow(
                f"mgr.{self._name} is no longer the active mgr "
                f"({mgr_map['active_name'] or 'none'} is), so it changes no settings"
            )
        self._epoch = mgr_map["epoch"]
