"""Raise the module's health checks, and write to the cluster log."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Optional

from mgr_module import MgrModule

from ..model.finding import Severity
from ..model.printable import one_line

_CHANNEL = "cluster"


class MgrNotifier:
    """Implements Notifier on a ceph-mgr. Thread-safe."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr
        self._lock = threading.Lock()
        self._shown: Optional[Mapping[str, Any]] = None

    def health(self, checks: Mapping[str, Mapping[str, Any]]) -> None:
        """Show exactly these health checks; the mgr is called only when they have changed."""
        with self._lock:  # what is shown last must be what is known to be shown
            if checks != self._shown:
                printable = {code: _printable(check) for code, check in checks.items()}
                self._mgr.set_health_checks(printable)
                self._shown = checks

    def log(self, severity: Severity, line: str) -> None:
        levels = self._mgr.ClusterLogPrio
        level = {
            Severity.ERROR: levels.ERROR,
            Severity.WARNING: levels.WARN,
            Severity.INFO: levels.INFO,
        }[severity]
        self._mgr.cluster_log(_CHANNEL, level, one_line(line))


def _printable(check: Mapping[str, Any]) -> dict[str, Any]:
    """A check whose sentences a terminal can show: they name hosts, devices, workers."""
    summary, detail = one_line(check["summary"]), [one_line(line) for line in check["detail"]]
    return {**check, "summary": summary, "detail": detail}
