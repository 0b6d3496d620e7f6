"""What of the database cannot be read."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import Enum
from typing import Optional, Union

# By table what a row is, with its key.
_NAMES = {
    "rounds": "round {0}",
    "schedules": "schedule {0}",
    "samples": "sample {2} {3} of osd.{1} in round {0}",
    "results": "result of osd.{1} in round {0}",
    "loads": "repeat {1} of round {0}",
    "findings": "finding {0}",
    "states": "state {0} of the watch",
    "episodes": "laggy episode of {0:.0f}",
    "host_facts": "facts of host {0}",
    "wear": "wear of osd.{1} by round token {0}",
    "removed_rounds": "note of the removed round {0}",
    "cluster_spans": "latencies of the cluster at {1}, level {0}",
    "series": "latencies of a chunk of OSDs ({1}) at {2}, level {0}",
}
Key = tuple[Union[str, int, float], ...]


@dataclass(frozen=True)
class UnreadableRow:
    """A row that is left where it is and passed over; ``key`` as its table's primary key."""

    table: str
    key: Key
    why: str

    def __str__(self) -> str:
        """What it is to an operator."""
        return _NAMES.get(self.table, self.table).format(*self.key)


class Event(str, Enum):
    """What became of a database file.

    LOST: it was there before, and is empty or gone. COMPACTED: it was copied whole into another.
    """

    DAMAGED = "damaged"
    LOST = "lost"
    RESTORED = "restored"
    RESET = "reset"
    COMPACTED = "compacted"


@dataclass(frozen=True)
class Incident:
    """A database file that another took the place of. ``at`` is unix seconds.

    ``file`` stays in the pool as it was. ``rows`` were taken over into the new one, ``missing``
    says what of it could not be.
    """

    at: float
    event: Event
    file: str
    why: str
    rows: int = 0
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Backup:
    """A copy in the pool of the database; ``at`` is unix seconds."""

    at: float
    file: str
    rows: int


@dataclass(frozen=True)
class StoreMark:
    """What the monitors know of the database: which file it is, and how far its IDs are.

    ``pool`` is the ID of its pool. IDs below ``next_round`` and ``next_finding`` may have been
    given away: a new file begins with these. ``incidents`` and ``backups`` are oldest first.
    ``unused`` files were copied whole into the file in use and are to be removed.
    """

    file: str
    number: int = 1
    pool: Optional[int] = None
    next_round: int = 1
    next_finding: int = 1
    incidents: tuple[Incident, ...] = ()
    backups: tuple[Backup, ...] = ()
    unused: tuple[str, ...] = ()


@dataclass(frozen=True)
class StoreState:
    """How the database is, as far as that is known without asking it.

    ``damage`` says why the file is not used, None while it is. ``problem`` is why the newest
    question has failed, None where it did not; ``too_new`` that a newer version has written it.
    """

    mark: Optional[StoreMark]
    damage: Optional[str] = None
    problem: Optional[str] = None
    too_new: bool = False


@dataclass
class StoreJob:
    """A copy, or a check. ``problem`` is why it has failed; ``done`` is set at its end."""

    what: str
    file: str = ""
    problem: Optional[str] = None
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def state(self) -> str:
        if not self.done.is_set():
            return "running"
        return "failed" if self.problem else "done"


@dataclass(frozen=True)
class StoreChecked:
    """What the newest check found. ``pages``: None where SQLite's own did not end in its time."""

    at: float
    pages: Optional[bool]
