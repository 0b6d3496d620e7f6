"""What the monitors know of the module: which mgr has it, and whether it ran."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ...errors import CommandFailed, NotNow
from ...model.cluster import MARK_KEY, MODULE, MgrBuild, mgr_builds
from ..client import CephClient
from ..monitors import CephMonitors


@dataclass(frozen=True)
class Mgrs:
    """All mgrs, and by name what they say of themselves (hostname, ceph_version_short).

    ``mark`` is what the module wrote when it was last active, None if it never was.
    """

    mgrs: Sequence[MgrBuild]
    metadata: Mapping[str, Mapping[str, str]]
    enabled: bool
    active_gid: int
    is_available: bool
    mark: Optional[Mapping[str, Any]]

    @property
    def active(self) -> Optional[MgrBuild]:
        return next((mgr for mgr in self.mgrs if mgr.is_active), None)

    def host(self, mgr: MgrBuild) -> str:
        return str(self.metadata.get(mgr.name, {}).get("hostname", "unknown"))


def look(client: CephClient) -> Mgrs:
    """Ask the monitors; needs no mgr. Raises CommandFailed, NotNow."""
    monitors = CephMonitors(client)
    try:
        mgr_map = monitors.command_json("mgr dump")
        metadata = {str(one["name"]): one for one in monitors.command_json("mgr metadata")}
        return Mgrs(
            mgr_builds(mgr_map),
            metadata,
            MODULE in mgr_map["modules"],
            int(mgr_map["active_gid"]),
            bool(mgr_map["available"]),
            _mark(monitors),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotNow(f"the monitors gave an unknown answer: {error!r}") from error


def _mark(monitors: CephMonitors) -> Optional[Mapping[str, Any]]:
    try:
        mark = json.loads(monitors.command("config-key get", key=MARK_KEY))
    except CommandFailed as error:
        if error.errno == errno.ENOENT:
            return None
        raise
    return mark if isinstance(mark, dict) else {}
