"""A schedule: which round is to run when, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional


class Missed(str, Enum):
    """What becomes of runs that came due while no mgr was there: made up once, or left out."""

    ONCE = "once"
    SKIP = "skip"


@dataclass(frozen=True)
class Window:
    """The hours of a day within which rounds may run, in minutes since local midnight.

    ``end`` is not in it; one that is not after ``start`` is on the next day.
    """

    start: int
    end: int

    @property
    def minutes(self) -> int:
        """How long it is by the clock on the wall."""
        return (self.end - self.start) % 1440 or 1440

    def __str__(self) -> str:
        return f"{_clock(self.start)}-{_clock(self.end)}"


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


@dataclass(frozen=True)
class ScheduleRequest:
    """What a user asks for, as typed; see ``schedule add`` in the CLI for each."""

    name: str
    profile: str
    every: Optional[str] = None
    cron: Optional[str] = None
    window: Optional[str] = None
    timezone: Optional[str] = None
    osds: Optional[str] = None
    missed: Optional[str] = None


@dataclass(frozen=True)
class Schedule:
    """A round that starts by itself; either ``every`` (seconds) or ``cron`` (five fields) is set.

    ``anchor`` is unix seconds from which ``every`` counts. A run that was due at or before
    ``since`` is of no interest: it is when the schedule was made or last resumed. ``timezone``
    is what ``cron`` and ``window`` are told in. ``osds`` selects as ``round start --osds`` does.
    """

    name: str
    profile: str
    every: Optional[int] = None
    cron: Optional[str] = None
    window: Optional[Window] = None
    timezone: str = "UTC"
    osds: Optional[str] = None
    missed: Missed = Missed.ONCE
    paused: bool = False
    anchor: float = 0.0
    since: float = 0.0


@dataclass(frozen=True)
class Pending:
    """A run that is due and has not started. Times are unix seconds.

    It starts within [``start``, ``until``), not before ``retry_at``; ``tries`` were refused.
    ``reasons`` are why it has not started yet; empty where nobody has tried.
    """

    due: float
    start: float
    until: float
    retry_at: float
    tries: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScheduleState:
    """How far a schedule is; what a mgr that takes over must know.

    Runs due at or before ``seen`` (unix seconds) have been taken care of. ``given_up`` says why
    the newest run did not start in its time, ``given_up_since`` since when none has (both None
    once one has started). ``problem`` is why its times cannot be told.
    """

    seen: float = 0.0
    pending: Optional[Pending] = None
    last_round: Optional[int] = None
    given_up: Optional[str] = None
    given_up_since: Optional[float] = None
    problem: Optional[str] = None


@dataclass(frozen=True)
class Start:
    """A round to be started now.

    ``token`` is the same whenever this very run is started, also by another mgr: a store that
    has a round of that token has started it already.
    """

    schedule: Schedule
    due: float
    token: str


@dataclass(frozen=True)
class Report:
    """Something about a schedule that an operator should hear of.

    ``code`` is ``missed`` (a run was made up or left out), ``given-up`` (it could not start in
    its time) or ``problem`` (its times cannot be told).
    """

    schedule: str
    code: str
    message: str


@dataclass(frozen=True)
class Turn:
    """What one step of the scheduler says: at most one round to start, and the new states."""

    states: dict[str, ScheduleState]
    start: Optional[Start] = None
    reports: tuple[Report, ...] = ()
