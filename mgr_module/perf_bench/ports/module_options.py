"""The interface for the module's own options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Protocol

from ..model.option import ModuleOption, Threshold


class ModuleOptions(Protocol):
    """The options, and the thresholds that one of them changes."""

    def all(self) -> Sequence[ModuleOption]:
        """Every option that operators may set."""

    def thresholds(self) -> Sequence[Threshold]:
        """The thresholds in effect on this mgr."""

    def check(self, option: ModuleOption, value: str) -> None:
        """Raise InvalidValue if a text is not what the option's users understand."""

    def set(self, name: str, value: Optional[str]) -> None:
        """Set an option at the monitors; None for its default. Raises CommandFailed."""
