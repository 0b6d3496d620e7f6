"""Schedules of rounds, and their states."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Optional


class Missed(str, Enum):
    """What to do about runs that were due while no mgr was active: run once, or skip."""

    ONCE = "once"
    SKIP = "skip"


@dataclass(frozen=True)
class Window:
    """The hours of a day within which rounds may run, in minutes since local midnight.

    ``end`` is exclusive; an end not after ``start`` is on the next day.
    """

    start: int
    end: int

    @property
    def minutes(self) -> int:
        """Its length in minutes of local time."""
        return (self.end - self.start) % 1440 or 1440

    def __str__(self) -> str:
        return f"{_clock(self.start)}-{_clock(self.end)}"


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


@dataclass(frozen=True)
class ScheduleRequest:
    """The arguments of ``schedule add`` as typed."""

    name: str
    profile: str
    every: Optional[str] = None
    cron: Optional[str] = None
    window: Optional[str] = None
    timezone: Optional[str] = None
    osds: Optional[str] = None
    missed: Optional[str] = None
    may_raise: bool = True


@dataclass(frozen=True)
class Schedule:
    """A scheduled round; either ``every`` (seconds) or ``cron`` (five fields) is set.

    ``every`` counts from ``anchor`` (unix seconds). ``since`` is when the schedule was made or last
    resumed; earlier runs are ignored. ``timezone`` applies to ``cron`` and ``window``. ``osds`` is
    an expression as in ``round start --osds``, ``may_raise`` is that of its rounds' requests.
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
    may_raise: bool = True


@dataclass(frozen=True)
class Pending:
    """A run that is due and has not started. Times are unix seconds.

    It starts within [``start``, ``until``), not before ``retry_at``; ``tries`` attempts were
    refused, for ``reasons``, which is empty before the first attempt.
    """

    due: float
    start: float
    until: float
    retry_at: float
    tries: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScheduleState:
    """The state of a schedule, saved for a failover.

    Runs due at or before ``seen`` (unix seconds) are done. ``given_up``
    says why the newest run did not start within its window, ``given_up_since`` since when none has;
    both are None once a run has started. ``problem`` says why its times cannot be computed.
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

    ``token`` is the same for every attempt to start this run, also by another mgr: if the store has
    a round with that token, the run has been started.
    """

    schedule: Schedule
    due: float
    token: str


@dataclass(frozen=True)
class Report:
    """A message about a schedule for the operator.

    ``code`` is ``missed`` (a missed run was run late or skipped), ``given-up`` (a run could not
    start within its window) or ``problem`` (its times cannot be computed).
    """

    schedule: str
    code: str
    message: str


@dataclass(frozen=True)
class Turn:
    """The result of one step of the scheduler: at most one round to start, and new states."""

    states: dict[str, ScheduleState]
    start: Optional[Start] = None
    reports: tuple[Report, ...] = ()
