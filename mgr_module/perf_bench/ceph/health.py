"""The cluster's health as the monitors send it to the mgr, and Ceph's own alerts in it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule

from ..model.cluster import OsdHealth
from ..model.verdict import BY_CODE, SLOW_OPS, AlertKind, CephAlert
from .osd_options import number_of

_OSD = re.compile(r"\bosd\.(\d{1,9})\b")
_IMPROVING = "possibly improving"


def health_of(mgr: MgrModule) -> Optional[Mapping[str, Any]]:
    """The health as Ceph dumps it; None before the monitors have sent any."""
    text = mgr.get("health")["json"]
    found: Optional[Mapping[str, Any]] = json.loads(text) if text else None
    return found


def checks_of(mgr: MgrModule) -> Optional[Mapping[str, Mapping[str, Any]]]:
    """The health checks by code; None before the monitors have sent them."""
    health = health_of(mgr)
    return None if health is None else health.get("checks", {})


class MgrCephAlerts:
    """Implements CephAlerts on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, health: OsdHealth) -> None:
        self._mgr = mgr
        self._health = health

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        checks = checks_of(self._mgr)
        if checks is None:
            return None
        return [
            self._alert(BY_CODE[code], check) for code, check in checks.items() if code in BY_CODE
        ]

    def _alert(self, kind: AlertKind, check: Mapping[str, Any]) -> CephAlert:
        summary = str(check["summary"]["message"])
        lines = [str(one["message"]) for one in check.get("detail", ())]
        named = Counter(
            int(osd) for line in (lines or [summary]) for osd in set(_OSD.findall(line))
        )
        if kind is SLOW_OPS:  # its text names the daemons, but not all of many
            named.update(dict.fromkeys(self._health.slow_ops(), 1))
        stays = number_of(self._mgr, min(named), kind.lifetime) if kind.lifetime and named else None
        return CephAlert(
            kind.code,
            summary,
            dict(named),
            check["severity"] == "HEALTH_ERR",
            bool(check.get("muted")),
            len(lines),
            bool(lines) and all(_IMPROVING in line for line in lines),
            None if stays is None else float(stays),
        )
