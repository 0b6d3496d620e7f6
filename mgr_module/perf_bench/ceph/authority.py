"""Who may change the cluster's settings: the mgr that the monitors name as the active one.

A mgr that was stopped for a while (SIGSTOP, a frozen virtual machine) does not know that another
one has taken over, so the monitors are asked right before each change.
"""

from __future__ import annotations

from mgr_module import MgrModule

from ..errors import NotNow
from .mons import Mons


class MgrAuthority:
    """The Authority of ``ports`` for the active mgr: its global ID, which no other mgr ever has."""

    def __init__(self, mgr: MgrModule, mons: Mons) -> None:
        """To be made while this mgr becomes active: its map names it then."""
        self._mons = mons
        self._name = str(mgr.get_mgr_id())
        self._gid = int(mgr.get("mgr_map")["active_gid"])
        self._epoch: int | None = None

    @property
    def writer(self) -> str:
        return str(self._gid)

    def check(self) -> None:
        """Raises NotNow where another mgr is active, CommandFailed without the monitors."""
        stat = self._mons.command_json("mgr stat")
        if stat["epoch"] == self._epoch:
            return  # what was found in this epoch of the map holds
        found = self._mons.command_json("mgr dump")
        if found["active_gid"] != self._gid:
            raise NotNow(
                f"mgr.{self._name} is not the active mgr any more: {found['active_name'] or 'none'}"
                f" is, and this one changes no settings"
            )
        self._epoch = found["epoch"]
