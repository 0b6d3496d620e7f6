"""The interfaces for changing the cluster's settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Protocol


class Monitors(Protocol):
    """Commands to the monitors, which forward those of mgr modules to the active mgr.

    Arguments are in the order of the command line. All raise CommandFailed with the daemon's
    errno, or ETIMEDOUT after a time limit.
    """

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output unparsed."""

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command; returns its JSON output."""


class Settings(Protocol):
    """The settings of the cluster; for names and values see ``model.quiesce``.

    All raise a PerfBenchError within a time limit, NotFound if the setting does not exist (any
    more). A ``set`` that raised may have taken effect, or may do so later.
    """

    def read(self, what: str) -> Optional[str]: ...

    def forget(self) -> None:
        """Forget what was read before; the next reading asks the cluster."""

    def set(self, what: str, value: Optional[str]) -> None: ...

    def commands(self, what: str, value: Optional[str]) -> list[str]:
        """The commands with which an operator sets the value; asks nobody."""


class RoundSettings(Settings, Protocol):
    """Settings, with the pools that a round needs to hold still."""

    def moving_pools(self) -> Sequence[int]:
        """The IDs of the pools that the autoscaler is about to split or merge."""


class Authority(Protocol):
    """This process's right to change the cluster's settings."""

    @property
    def writer(self) -> str:
        """A name that no other process has or had."""

    def check(self) -> None:
        """Ask the monitors. Raises NotNow if another mgr is active."""
