"""What changing the cluster's settings needs of the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Protocol

from ..model.quiesce import Contents, Entry, SettingChange


class Monitors(Protocol):
    """Orders to the monitors, which pass those of mgr modules on to the active mgr.

    Arguments stand in the order in which the command line has them. All raise CommandFailed with
    the daemon's errno, or ETIMEDOUT within a time limit.
    """

    def command(self, prefix: str, **arguments: Any) -> bytes:
        """Give an order, return its output."""

    def command_json(self, prefix: str, **arguments: Any) -> Any:
        """The same of an order that answers in JSON."""

    def osd_command_json(self, osd: int, prefix: str, **arguments: Any) -> Any:
        """The JSON answer of one OSD."""


class Settings(Protocol):
    """The settings of the cluster, one at a time; names and values as ``model.quiesce`` says.

    All raise one of the error family within a time limit, NotFound where there is no such
    setting (any more). A ``set`` that raised may have been carried out all the same, or will be.
    """

    def read(self, what: str) -> Optional[str]: ...

    def set(self, what: str, value: Optional[str]) -> None: ...

    def lagging(self, change: SettingChange) -> Optional[str]:
        """Who still goes by what was changed after it was put back, as a sentence; None: nobody."""

    def author(self, change: SettingChange) -> Optional[str]:
        """Who but us has set it to the value that we hold it at, where Ceph knows of one."""

    def commands(self, change: SettingChange) -> list[str]:
        """What an operator types to undo the change."""


class RoundSettings(Settings, Protocol):
    """With what a round has to know to say what it wants."""

    def moving_pools(self) -> Sequence[int]:
        """The IDs of pools that the autoscaler would split or merge if it were let."""


class JournalKeeper(Protocol):
    """Where the journal lives. Entries are never rewritten; every key is used once.

    All raise one of the error family within a time limit. What raised may have been carried out
    all the same.
    """

    def read(self) -> Contents: ...

    def add(
        self, writer: str, holder: str, since: float, until: float, change: SettingChange
    ) -> Entry:
        """Write an entry down under a new key."""

    def confirm(self, writer: str, holder: str, until: float) -> None:
        """Note that all changes written down so far by this writer are made."""

    def add_all(
        self, writer: str, holder: str, changes: Sequence[SettingChange]
    ) -> Sequence[Entry]:
        """Write many changes down at once; they are put back only when somebody says so."""

    def remove(self, *entries: Entry) -> None:
        """Remove entries; one that is gone already is no error."""

    def tidy(self, entries: Sequence[Entry]) -> None:
        """Remove the notes of ``confirm`` that none of these entries, all there are, needs."""


class Authority(Protocol):
    """Who this process is, and whether it may change the cluster's settings now."""

    @property
    def writer(self) -> str:
        """A name that no other process has or had."""

    def check(self) -> None:
        """Ask the monitors. Raises NotNow where it may not: another mgr is the active one."""


class RestoreHelper(Protocol):
    """A process beside this mgr that puts back what the mgr cannot any more."""

    def dismiss(self) -> None:
        """All is put back by ourselves."""
