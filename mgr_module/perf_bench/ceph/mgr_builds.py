"""Which mgr has which files of the module, from the mgr's own copy of the map of mgrs."""

from __future__ import annotations

from collections.abc import Sequence

from mgr_module import MgrModule

from ..model.installation import MgrBuild, mgr_builds


class MapOfMgrs:
    """The MgrBuilds port on a ceph-mgr."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr

    def builds(self) -> Sequence[MgrBuild]:
        return mgr_builds(self._mgr.get("mgr_map"))
