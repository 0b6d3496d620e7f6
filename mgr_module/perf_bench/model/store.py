"""The database: what of it cannot be read, its files, how much is kept and what was removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Optional, Union

from ..errors import StoreUnavailable
from .json_fields import Moment
from .plan import MIB

# By table the name of a row, of its key; some tables' keys have more.
_NAMES: Mapping[str, str] = {
    "rounds": "round {0}",
    "schedules": "schedule {0}",
    "samples": "sample {2} {3} of osd.{1} in round {0}",
    "results": "result of osd.{1} in round {0}",
    "loads": "repeat {1} of round {0}",
    "findings": "finding {0}",
    "states": "state {0} of the watch",
    "episodes": "laggy episode of {0:.0f}",
    "host_facts": "facts of host {0}",
    "wear": "wear by the round of token {0}",
    "removed_rounds": "note of the removed round {0}",
    "spans": "span of {0} {2} at {3}, level {1}",
}
Key = tuple[Union[str, int, float], ...]


@dataclass(frozen=True)
class UnreadableRow:
    """A row that is left where it is and passed over; ``key`` as its table's primary key."""

    table: str
    key: Key
    why: str

    @property
    def name(self) -> str:
        """What it is to an operator."""
        try:
            return _NAMES.get(self.table, self.table).format(*self.key)
        except (ValueError, TypeError, IndexError):  # the key is damaged too
            return self.table

    def __str__(self) -> str:
        return self.name


class Event(str, Enum):
    """What became of a database file.

    LOST: it was there before, and is empty or gone.
    """

    DAMAGED = "damaged"
    LOST = "lost"
    RESTORED = "restored"
    RESET = "reset"


@dataclass(frozen=True)
class Incident:
    """A database file that another took the place of. ``at`` is unix seconds.

    ``file`` stays in the pool as it was. ``rows`` were restored into the new one; ``missing`` is
    what an earlier version could not take over.
    """

    at: float
    event: Event
    file: str
    why: str
    rows: int = 0
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Backup:
    """A copy of the database in its pool."""

    at: Moment
    file: str
    rows: int


@dataclass(frozen=True)
class StoreMark:
    """What the monitors know of the database: which file it is, and how far its IDs are.

    ``pool`` is the ID of its pool. IDs below ``next_round`` and ``next_finding`` may have been
    given away: a new file begins with these. ``incidents`` and ``backups`` are oldest first.
    """

    file: str
    number: int = 1
    pool: Optional[int] = None
    next_round: int = 1
    next_finding: int = 1
    incidents: tuple[Incident, ...] = ()
    backups: tuple[Backup, ...] = ()


@dataclass(frozen=True)
class StoreState:
    """How the database is, as far as that is known without asking it.

    ``trouble`` is why the newest question has failed, None where it did not; ``wrong_clock`` why
    this mgr may not write. ``unreadable`` rows were met since this mgr is active.
    """

    mark: Optional[StoreMark]
    trouble: Optional[StoreUnavailable] = None
    wrong_clock: Optional[str] = None
    unreadable: Sequence[UnreadableRow] = ()


@dataclass(frozen=True)
class StoreJob:
    """A copy of the database; ``file`` is the one that it makes or restores."""

    KEYS = ("what", "file", "state", "problem")
    what: str
    answer: Future[str]
    asked_for: str = ""

    @property
    def state(self) -> str:
        if not self.answer.done():
            return "running"
        return "failed" if self.problem else "done"

    @property
    def problem(self) -> Optional[str]:
        """Why it has failed."""
        error = self.answer.exception() if self.answer.done() else None
        return None if error is None else str(error)

    @property
    def file(self) -> str:
        """The name of the copy; empty while it is not known."""
        is_known = self.answer.done() and self.problem is None
        return self.answer.result() if is_known else self.asked_for


@dataclass(frozen=True)
class StoreChecked:
    """What the newest check found.

    ``pages``: None where SQLite's own did not end in its time.
    """

    at: float
    pages: Optional[bool] = None


# --- How much of the history is kept, what was removed, and the size of the database ---


# The newest valid rounds of a profile that are always kept. The search for changes of level needs
# five rounds before a change and three after it; of steps of 10 % it finds 24 of 25 with 20 rounds
# before them, and 18 of 25 with 10 (bench/compare/history.py).
NEEDED_ROUNDS = 20
# Removed rounds that are remembered.
REMEMBERED = 200
# Why a round was removed that the operator removed.
BY_OPERATOR = "'round rm'"


@dataclass(frozen=True)
class RetentionRules:
    """The operator's limits: rounds of a profile, days (0: any age), MiB of the whole database."""

    rounds: int = 200
    days: int = 0
    mebibytes: int = 4096

    @property
    def bytes(self) -> int:
        return self.mebibytes * MIB


@dataclass(frozen=True)
class RemovedRound:
    """A round that was removed, and why: a sentence without its dot."""

    KEYS = (("round", "round_id"), "profile", "label", "created_at", "removed_at", "why")
    round_id: int
    profile: str
    label: str
    created_at: Moment
    removed_at: Moment
    why: str


@dataclass(frozen=True)
class StoreUsage:
    """The size of the file. ``free`` bytes of it are unused; ``shrinkable``: it can give them back.

    ``rounds`` are all rounds, ``removable`` those that the limit of the size may remove.
    """

    bytes: int
    free: int
    shrinkable: bool
    rounds: int = 0
    removable: int = 0

    @property
    def used(self) -> int:
        return self.bytes - self.free


@dataclass(frozen=True)
class Tended:
    """The result of one step of retention; ``more``: there is more to do at once."""

    usage: StoreUsage
    more: bool = False
    removed: Optional[RemovedRound] = None
