"""Schedules from what a user typed."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Optional

from ...errors import InvalidValue, NotNow
from ...model.profile import profile_named
from ...model.schedule import Missed, Schedule, ScheduleRequest
from ...model.selection import Selection
from .cron import parse_cron
from .next_run import next_run, parse_every
from .timezones import UTC, zone
from .windows import parse_window

# Each is a round now and then, of which one runs at a time: more is a mistake in a script.
MAX_SCHEDULES = 100
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}", re.ASCII)


def make_schedule(request: ScheduleRequest, there: Collection[str], now: float) -> Schedule:
    """Check a request; ``there`` are the names that exist. Raises InvalidValue, NotFound, NotNow.

    Whether its OSDs exist is not asked: they may come and go until it runs.
    """
    _check_name(request.name, there)
    profile_named(request.profile)
    if request.osds is not None:
        Selection.parse(request.osds)
    if (request.every is None) == (request.cron is None):
        raise InvalidValue(
            "give either --every, as 1d, or --cron, as '0 3 * * 6'",
            field="every" if request.cron is None else "cron",
        )
    if request.cron is not None:
        parse_cron(request.cron)
    at = _second(now)
    schedule = Schedule(
        name=request.name,
        profile=request.profile,
        every=None if request.every is None else parse_every(request.every),
        cron=None if request.cron is None else " ".join(request.cron.split()),
        window=None if request.window is None else parse_window(request.window),
        timezone=UTC if request.timezone is None else request.timezone,
        osds=request.osds,
        missed=_missed(request.missed),
        anchor=at,
        since=at,
    )
    zone(schedule.timezone)
    next_run(schedule, at)
    return schedule


def _check_name(name: str, there: Collection[str]) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidValue(
            f"'{name}' is no name for a schedule: up to 63 letters, digits, '.', '_' and '-', "
            "the first a letter or a digit",
            field="name",
        )
    if name in there:
        raise InvalidValue(
            f"there is a schedule '{name}': remove it first with "
            f"'ceph perf-bench schedule rm {name}'",
            field="name",
        )
    if len(there) >= MAX_SCHEDULES:
        raise NotNow(f"there are {len(there)} schedules, and no more than that are kept")


def _missed(word: Optional[str]) -> Missed:
    try:
        return Missed.ONCE if word is None else Missed(word)
    except ValueError:
        words = ", ".join(missed.value for missed in Missed)
        raise InvalidValue(f"--missed {word}: one of {words} is needed", field="missed") from None


def pause(schedule: Schedule) -> Schedule:
    """It starts nothing until it is resumed."""
    return replace(schedule, paused=True)


def resume(schedule: Schedule, now: float) -> Schedule:
    """It runs again from now on; what would have run while it was paused is not made up for."""
    if not schedule.paused:
        return schedule
    return replace(schedule, paused=False, since=_second(now))


def _second(now: float) -> float:
    """Round down. An anchor later than ``now`` would be printed as the first run and never run."""
    return float(math.floor(now))
