"""What the module shows in Ceph (health checks, log, progress), and what the orchestrator knows."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from mgr_module import MgrModule

from ..core.clock import Clock
from ..model.finding import Severity
from ..model.phrases import one_line

_CHANNEL = "cluster"
_LEVELS = {Severity.ERROR: "ERROR", Severity.WARNING: "WARN", Severity.INFO: "INFO"}
# Seconds between updates of progress, for which people who watch ``ceph -s`` need no more.
_EVERY_SECONDS = 1.0


class MgrNotifier:
    """Implements Notifier on a ceph-mgr; the loop calls it."""

    def __init__(self, mgr: MgrModule) -> None:
        self._mgr = mgr
        self._shown: Optional[Mapping[str, Any]] = None

    def health(self, checks: Mapping[str, Mapping[str, Any]]) -> None:
        """Show exactly these health checks; the mgr is called only when they have changed."""
        if checks != self._shown:
            self._mgr.set_health_checks({code: _printable(one) for code, one in checks.items()})
            self._shown = checks

    def log(self, severity: Severity, line: str) -> None:
        level = getattr(self._mgr.ClusterLogPrio, _LEVELS[severity])
        self._mgr.cluster_log(_CHANNEL, level, one_line(line))


def _printable(check: Mapping[str, Any]) -> dict[str, Any]:
    """A check whose sentences a terminal can show: they name hosts, devices, workers."""
    summary, detail = one_line(check["summary"]), [one_line(line) for line in check["detail"]]
    return {**check, "summary": summary, "detail": detail}


class MgrProgress:
    """Implements Progress. Ignores errors of the progress module, which may be off."""

    def __init__(self, mgr: MgrModule, clock: Clock) -> None:
        self._mgr = mgr
        self._clock = clock
        self._told: dict[int, float] = {}

    def update(self, round_id: int, message: str, fraction: float) -> None:
        now = self._clock.monotonic()
        if now - self._told.get(round_id, -_EVERY_SECONDS) < _EVERY_SECONDS:
            return
        self._told[round_id] = now
        self._call(
            "update",
            _event(round_id),
            ev_msg=message,
            ev_progress=fraction,
            # Pairs: the dashboard makes a dict of them, and its summary fails on anything else.
            refs=[("mgr", "perf_bench")],
            add_to_ceph_s=True,
        )

    def end(self, round_id: int, failure: Optional[str] = None) -> None:
        if self._told.pop(round_id, None) is None:
            return
        if failure:
            self._call("fail", _event(round_id), failure)
        else:
            self._call("complete", _event(round_id))

    def _call(self, method: str, *args: object, **named: object) -> None:
        try:
            self._mgr.remote("progress", method, *args, **named)
        except Exception as error:  # noqa: BLE001 - remote() raises whatever the other did
            self._mgr.log.debug("progress.%s: %s", method, error)


def _event(round_id: int) -> str:
    return f"perf_bench-round-{round_id}"


# --- the orchestrator, if there is one ------------------------------------------------------
# Results are of the interface's class ``OrchResult``. It is not imported here, because that imports
# half of cephadm's dependencies; unpickling a result imports it.


class MgrOrchestrator:
    """The orchestrator's data."""

    def __init__(self, mgr: MgrModule, log: logging.Logger) -> None:
        self._mgr = mgr
        self._log = log
        self._logged: set[str] = set()

    def facts(self) -> Sequence[Mapping[str, Any]]:
        hosts = self._call("get_facts")
        return [one for one in hosts if isinstance(one, Mapping)] if hosts else []

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
        backend = self.backend()
        if backend is None:
            return None
        try:
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
