"""Read facts from the cluster's orchestrator, if there is one.

Results are of the interface's class ``OrchResult``. It is not imported here, because that imports
half of cephadm's dependencies; unpickling a result imports it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule


class MgrOrchestrator:
    """Implements Orchestrator on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, log: logging.Logger) -> None:
        self._mgr = mgr
        self._log = log
        self._logged: set[str] = set()

    def facts(self) -> Sequence[Mapping[str, Any]]:
        hosts = self._call("get_facts")
        return [one for one in hosts if isinstance(one, Mapping)] if hosts else []

    def hardware(self) -> Optional[Mapping[str, Any]]:
        report = self._call("node_proxy_fullreport")
        return report if isinstance(report, Mapping) else None

    def backend(self) -> Optional[str]:
        """The name of the backend, such as cephadm; None without one. Takes microseconds."""
        try:
            found: Any = self._mgr.remote("orchestrator", "_select_orchestrator")
        except Exception as error:  # noqa: BLE001 - errors of other modules have no type
            self._nothing("backend", str(error))
            return None
        return found if isinstance(found, str) and found else None

    def _call(self, method: str) -> Any:
        """The result of a method of the backend; None without a backend, or if it fails."""
        try:
            backend: Optional[str] = self._mgr.remote("orchestrator", "_select_orchestrator")
            if not backend:
                return None
            answer = self._mgr.remote(backend, method)
        except Exception as error:  # noqa: BLE001 - errors of other modules have no type
            return self._nothing(method, str(error))
        if getattr(answer, "serialized_exception", None) is not None:
            return self._nothing(method, str(getattr(answer, "exception_str", "")))
        return getattr(answer, "result", None)

    def _nothing(self, method: str, why: str) -> None:
        if method not in self._logged:  # once: most backends lack some methods
            self._logged.add(method)
            reason = (why.strip().splitlines() or [""])[-1]
            self._log.info("the orchestrator's %s failed: %s", method, reason)
