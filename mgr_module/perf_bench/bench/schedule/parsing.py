"""Parse and check a user's request for a schedule."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Optional

from ...errors import InvalidValue, NotNow
from ...model.arguments import not_one_of
from ...model.profile import check_options, profile_named
from ...model.schedule import Missed, Schedule, ScheduleRequest
from ...model.selection import Selection
from .cron import fields_of, parse_cron
from .next_run import next_run, parse_every
from .timezones import UTC, zone
from .windows import parse_window

# Only one round runs at a time, so more schedules than this are a mistake in a script.
MAX_SCHEDULES = 100
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}", re.ASCII)


def make_schedule(request: ScheduleRequest, existing: Collection[str], now: float) -> Schedule:
    """Check a request; ``existing`` has the names in use. Raises InvalidValue, NotFound, NotNow.

    It is not checked whether its OSDs exist, because that may change until it runs.
    """
    _check_name(request.name, existing)
    profile = profile_named(request.profile)
    if request.osds is not None:
        Selection.parse(request.osds)
        check_options(profile, ["osds"])
    if (request.every is None) == (request.cron is None):
        raise InvalidValue(
            "give either --every, as 1d, or --cron, as '0 3 * * 6'",
            field="every" if request.cron is None else "cron",
        )
    if request.cron is not None:
        parse_cron(request.cron)
    since = _second(now)
    schedule = Schedule(
        name=request.name,
        profile=request.profile,
        every=None if request.every is None else parse_every(request.every),
        cron=None if request.cron is None else fields_of(request.cron),
        window=None if request.window is None else parse_window(request.window),
        timezone=UTC if request.timezone is None else str(zone(request.timezone)),
        osds=request.osds,
        missed=_missed(request.missed),
        anchor=since,
        since=since,
        may_raise=request.may_raise,
    )
    next_run(schedule, since)
    return schedule


def _check_name(name: str, existing: Collection[str]) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidValue(
            f"'{name}' is not a name of a schedule: use up to 63 letters, digits, '.', "
            "'_' and '-', the first a letter or a digit",
            field="name",
        )
    if name in existing:
        raise InvalidValue(
            f"there is already a schedule '{name}': remove it first with 'ceph "
            f"perf-bench schedule rm {name}'",
            field="name",
        )
    if len(existing) >= MAX_SCHEDULES:
        raise NotNow(f"there are already {len(existing)} schedules, which is the limit")


def _missed(word: Optional[str]) -> Missed:
    try:
        return Missed.ONCE if word is None else Missed(word)
    except ValueError:
        raise not_one_of("missed", word, [missed.value for missed in Missed]) from None


def pause(schedule: Schedule) -> Schedule:
    """The schedule paused: it starts no rounds."""
    return replace(schedule, paused=True)


def resume(schedule: Schedule, now: float) -> Schedule:
    """The schedule resumed from now on; runs that were due while it was paused are skipped."""
    if not schedule.paused:
        return schedule
    return replace(schedule, paused=False, since=_second(now))


def _second(now: float) -> float:
    """Round down: an anchor later than ``now`` would be shown as the first run but not run."""
    return float(math.floor(now))
