"""What of the database cannot be read."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Callable, Optional, Union

from .said import Said, say

# By table the name of a row, of its key; some tables' keys have more.
_NAMES: Mapping[str, Callable[..., Said]] = {
    "rounds": lambda id_, *_: say("row-round", "round {id}", id=id_),
    "schedules": lambda name, *_: say("row-schedule", "schedule {name}", name=name),
    "samples": lambda round_, osd, phase, repeat, *_: say(
        "row-sample",
        "sample {phase} {repeat} of osd.{osd} in round {round}",
        phase=phase,
        repeat=repeat,
        osd=osd,
        round=round_,
    ),
    "results": lambda round_, osd, *_: say(
        "row-result", "result of osd.{osd} in round {round}", osd=osd, round=round_
    ),
    "loads": lambda round_, repeat, *_: say(
        "row-load", "repeat {repeat} of round {round}", repeat=repeat, round=round_
    ),
    "findings": lambda id_, *_: say("row-finding", "finding {id}", id=id_),
    "states": lambda name, *_: say("row-state", "state {name} of the watch", name=name),
    "episodes": lambda at, *_: say("row-episode", "laggy episode of {at:.0f}", at=at),
    "host_facts": lambda host, *_: say("row-facts", "facts of host {host}", host=host),
    "wear": lambda token, *_: say("row-wear", "wear by the round of token {token}", token=token),
    "removed_rounds": lambda id_, *_: say("row-removed", "note of the removed round {id}", id=id_),
    "spans": lambda kind, level, key, at, *_: say(
        "row-span",
        "span of {kind} {key} at {at}, level {level}",
        kind=kind,
        key=key,
        at=str(at),
        level=level,
    ),
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
        named = _NAMES.get(self.table)
        try:
            return named(*self.key) if named else self.table
        except (TypeError, ValueError):  # the key is damaged too
            return self.table

    def __str__(self) -> str:
        return str(self.name)


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
    """A copy in the pool of the database; ``at`` is unix seconds."""

    at: float
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

    ``damage`` says why the file is not used, None while it is. ``problem`` is why the newest
    question has failed, None where it did not; ``too_new`` that a newer version has written it,
    ``clock`` why this mgr may not write by its clock.
    """

    mark: Optional[StoreMark]
    damage: Optional[str] = None
    problem: Optional[str] = None
    too_new: bool = False
    clock: Optional[str] = None


@dataclass
class StoreJob:
    """A copy of the database. ``problem`` is why it has failed; ``done`` is set at its end."""

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
