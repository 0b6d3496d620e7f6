"""Health checks and log lines that the module gives to the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Protocol

from ..model.finding import Severity


class Progress(Protocol):
    """Progress as ``ceph -s`` shows it. Must not raise: progress is never worth a round."""

    def update(self, round_id: int, message: str, fraction: float) -> None: ...

    def end(self, round_id: int, failure: Optional[str] = None) -> None: ...


class Notifier(Protocol):
    """Health checks and log lines that the module gives to the cluster."""

    def health(self, checks: Mapping[str, Mapping[str, Any]]) -> None:
        """Show exactly these health checks, by code, as ``set_health_checks`` takes them."""

    def log(self, severity: Severity, line: str) -> None:
        """A line in the cluster's log."""
