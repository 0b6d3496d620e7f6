"""The two things that quiesce needs of the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Protocol


class JournalKeeper(Protocol):
    """Where the journal lives: one document in the cluster, replaced whole.

    Both raise one of the error family within a time limit. A ``save`` that raised may have been
    carried out all the same.
    """

    def load(self) -> Optional[Mapping[str, Any]]: ...

    def save(self, journal: Optional[Mapping[str, Any]]) -> None: ...


class Settings(Protocol):
    """The settings of the cluster, one at a time; names and values as ``model.quiesce`` says.

    Both raise one of the error family within a time limit, NotFound where there is no such
    setting (any more). A ``set`` that raised may have been carried out all the same, or will be.
    """

    def read(self, what: str) -> Optional[str]: ...

    def set(self, what: str, value: Optional[str]) -> None: ...


class RoundSettings(Settings, Protocol):
    """With what a round has to know to say what it wants."""

    def moving_pools(self) -> Sequence[int]:
        """The IDs of pools that the autoscaler would split or merge if it were let."""


class Will(Protocol):
    """Somebody outside of this mgr who puts back what it cannot any more."""

    def dismiss(self) -> None:
        """All is put back by ourselves."""
