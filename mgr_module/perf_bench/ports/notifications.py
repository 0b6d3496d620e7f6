"""Progress, health checks and log lines that the module shows in the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Protocol

from ..model.finding import Severity


class Progress(Protocol):
    """Progress in ``ceph -s``. Must not raise: a failure must not end a round."""

    def update(self, round_id: int, message: str, fraction: float) -> None: ...

    def end(self, round_id: int, failure: Optional[str] = None) -> None: ...


class Notifier(Protocol):
    """The module's health checks and lines in the cluster log."""

    def health(self, checks: Mapping[str, Mapping[str, Any]]) -> None:
        """Show exactly these health checks, by code, as ``set_health_checks`` takes them."""

    def log(self, severity: Severity, line: str) -> None:
        """Write a line to the cluster log."""
