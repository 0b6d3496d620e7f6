"""The orchestrator, where the cluster has one; without one nothing is asked and nothing said.

A result comes as the interface's ``OrchResult``. Its class is not imported here: that pulls in half
of what cephadm needs, and unpickling does it where there is a result.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule


class MgrOrchestrator:
    """The Orchestrator port on a ceph-mgr."""

    def __init__(self, mgr: MgrModule, log: logging.Logger) -> None:
        self._mgr = mgr
        self._log = log
        self._said: set[str] = set()

    def facts(self) -> Sequence[Mapping[str, Any]]:
        found = self._asked("get_facts")
        return [one for one in found if isinstance(one, Mapping)] if found else []

    def hardware(self) -> Mapping[str, Any]:
        found = self._asked("node_proxy_fullreport")
        return found if isinstance(found, Mapping) else {}

    def _asked(self, method: str) -> Any:
        """What the backend says; None without one, or where it does not know this."""
        try:
            backend: Optional[str] = self._mgr.remote("orchestrator", "_select_orchestrator")
            if not backend:
                return None
            answer = self._mgr.remote(backend, method)
        except Exception as error:  # noqa: BLE001 - what came over from another module is bare text
            return self._nothing(method, str(error))
        if getattr(answer, "serialized_exception", None) is not None:
            return self._nothing(method, str(getattr(answer, "exception_str", "")))
        return getattr(answer, "result", None)

    def _nothing(self, method: str, why: str) -> None:
        if method not in self._said:  # once: most backends do not know everything
            self._said.add(method)
            reason = (why.strip().splitlines() or [""])[-1]
            self._log.info("the orchestrator's %s gave nothing: %s", method, reason)
