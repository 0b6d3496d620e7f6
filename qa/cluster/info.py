"""What a cluster is now, as JSON for scripts."""

from __future__ import annotations

from typing import Any, Optional

from . import boot, client
from .crashes import crashes
from .daemons import process_of
from .errors import ClusterError
from .records import faults
from .spec import Spec


def describe(spec: Spec) -> dict[str, Any]:
    """The cluster's addresses, daemons and crashes. What its mon does not answer now is None."""
    pids = {daemon: _pid(spec, daemon) for daemon in spec.daemons}
    up = _osds_up(spec)
    return {
        "dir": str(spec.dir),
        "conf": str(spec.conf),
        "release": spec.release,
        "ceph_version": client.run(spec, ["ceph", "--version"]).strip(),
        "dashboard_url": _dashboard_url(spec),
        "dashboard_user": "admin" if spec.dashboard_ports else None,
        "dashboard_password": spec.dashboard_password or None,
        "osds": [
            {
                "id": int(osd[4:]),
                "host": spec.host_of(osd),
                "pid": pids[osd],
                "up": up and up.get(int(osd[4:])),
            }
            for osd in spec.osd_names
        ],
        "hosts": list(spec.host_names),
        "mgrs": list(spec.mgrs),
        "mons": list(spec.mon_ports),
        "pids": pids,
        "faults": [
            {"kind": fault.kind, "targets": list(fault.daemons), "seconds_left": fault.left}
            for fault in faults(spec)
        ],
        "crashes": crashes(spec),
    }


def _pid(spec: Spec, daemon: str) -> Optional[int]:
    process = process_of(spec, daemon)
    return process.pid if process else None


def _osds_up(spec: Spec) -> Optional[dict[int, bool]]:
    try:
        osds = client.ceph_json(spec, "osd", "dump", timeout=20)["osds"]
    except ClusterError:
        return None
    return {osd["osd"]: bool(osd["up"]) for osd in osds}


def _dashboard_url(spec: Spec) -> Optional[str]:
    if not spec.dashboard_ports:
        return None
    try:
        return boot.dashboard_url(spec) or None
    except ClusterError:
        return None
