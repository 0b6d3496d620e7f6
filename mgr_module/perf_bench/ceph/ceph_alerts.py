"""Read Ceph's own alerts about slow OSDs from the health that the monitors send to the mgr."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule

from ..model.ceph_alerts import BY_CODE, SLOW_OPS, AlertKind, CephAlert
from ..ports import OsdHealth

_OSD = re.compile(r"\bosd\.(\d{1,9})\b")
_IMPROVING = "possibly improving"


class MgrCephAlerts:
    """Implements CephAlerts on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, health: OsdHealth) -> None:
        self._mgr = mgr
        self._health = health

    def alerts(self) -> Optional[Sequence[CephAlert]]:
        text = self._mgr.get("health")["json"]
        if not text:
            return None
        checks: Mapping[str, Any] = json.loads(text).get("checks", {})
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
        return CephAlert(
            kind.code,
            summary,
            dict(named),
            check["severity"] == "HEALTH_ERR",
            bool(check.get("muted")),
            len(lines),
            bool(lines) and all(_IMPROVING in line for line in lines),
            self._lifetime(kind, named),
        )

    def _lifetime(self, kind: AlertKind, osds: Mapping[int, int]) -> Optional[float]:
        """The seconds for which it stays, from the option of its first OSD; None if unknown."""
        if not kind.lifetime or not osds:
            return None
        try:
            value = self._mgr.get_foreign_ceph_option(f"osd.{min(osds)}", kind.lifetime)
            return None if value is None else float(value)
        except (KeyError, ValueError):
            return None
