"""The interfaces for changing the cluster's settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Protocol

from ..model.quiesce import Contents, Entry, SettingChange


class Monitors(Protocol):
    """Commands to the monitors, which forward those of mgr modules to the active mgr.

    Arguments are in the order of the command line. All raise CommandFailed with the daemon's
    errno, or ETIMEDOUT after a time limit.
    """

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Run a command; returns its output unparsed."""

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """Run a command; returns its JSON output."""

    def osd_command_json(self, osd: int, prefix: str, **arguments: Any) -> Any:
        """Run a command on one OSD; returns its JSON output."""


class Settings(Protocol):
    """The settings of the cluster; for names and values see ``model.quiesce``.

    All raise a PerfBenchError within a time limit, NotFound if the setting does not exist (any
    more). A ``set`` that raised may have taken effect, or may do so later.
    """

    def read(self, what: str) -> Optional[str]: ...

    def forget(self) -> None:
        """Forget what was read before; the next reading asks the cluster."""

    def set(self, what: str, value: Optional[str]) -> None: ...

    def lagging(self, change: SettingChange) -> Optional[str]:
        """After a change was undone: which daemon still uses its value, as a sentence, or None."""

    def author(self, change: SettingChange) -> Optional[str]:
        """Who else has set the held value, if Ceph knows."""

    def is_half_set(self, change: SettingChange, value: Optional[str]) -> bool:
        """Whether ``value`` is that of a ``set`` to ``change.was`` which was cut off."""

    def commands(self, change: SettingChange) -> list[str]:
        """The commands with which an operator undoes the change."""


class RoundSettings(Settings, Protocol):
    """Settings, with the pools that a round needs to hold still."""

    def moving_pools(self) -> Sequence[int]:
        """The IDs of the pools that the autoscaler is about to split or merge."""


class JournalKeeper(Protocol):
    """Stores the journal. Entries are never rewritten; every key is used once.

    All raise a PerfBenchError within a time limit. A call that raised may have taken effect.
    """

    def read(self) -> Contents: ...

    def add(
        self, writer: str, holder: str, since: float, until: float, change: SettingChange
    ) -> Entry:
        """Store an entry under a new key."""

    def confirm(self, writer: str, holder: str, until: float) -> None:
        """Note that all changes recorded so far by this writer are made."""

    def add_all(
        self, writer: str, holder: str, changes: Sequence[SettingChange]
    ) -> Sequence[Entry]:
        """Store several changes at once; these are put back on request only."""

    def remove(self, *entries: Entry) -> None:
        """Remove entries; one that is already removed is no error."""

    def tidy(self, entries: Sequence[Entry]) -> None:
        """Remove the notes of ``confirm`` that no entry needs; ``entries`` are all there are."""


class Authority(Protocol):
    """This process's right to change the cluster's settings."""

    @property
    def writer(self) -> str:
        """A name that no other process has or had."""

    def check(self) -> None:
        """Ask the monitors. Raises NotNow if another mgr is active."""


class RestoreHelper(Protocol):
    """A helper process that puts settings back if this mgr no longer can."""

    def dismiss(self) -> None:
        """End the helper: this mgr has put everything back."""
