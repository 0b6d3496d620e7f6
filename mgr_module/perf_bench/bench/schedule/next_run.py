"""Compute the next runs of a schedule."""

from __future__ import annotations

import math
from datetime import tzinfo
from functools import lru_cache

from ...errors import InvalidValue
from ...model.duration import parse_duration
from ...model.schedule import Schedule
from .cron import parse_cron
from .timezones import instant, local, zone
from .windows import closed_since, coming

MIN_EVERY = 600
MAX_EVERY = 366 * 86400


def parse_every(text: str) -> int:
    """Parse "90m", "6h", "1d" or "2w" into seconds. Raises InvalidValue under ten minutes."""
    seconds = parse_duration(text, "every")
    if not MIN_EVERY <= seconds <= MAX_EVERY:
        raise InvalidValue(
            f"--every {text} is not within 10m to 366d",
            field="every",
        )
    return seconds


@lru_cache(maxsize=1024)  # a scheduler asks the same every few seconds, for weeks
def next_run(schedule: Schedule, after: float) -> float:
    """The first run later than ``after``, both unix seconds.

    ``every`` counts seconds from the anchor, independent of clock changes; ``cron`` is local time,
    where a time that is skipped or repeated is one run. A run that is due outside the window waits
    until it opens. Raises InvalidValue or NotNow as ``zone`` does.
    """
    where = zone(schedule.timezone)
    window = schedule.window
    if window is None:
        return _next_due(schedule, after, where)
    begin, _ = coming(window, after, where)
    if begin > after:  # a run that was due since the window closed waits for it, too
        after = math.nextafter(closed_since(window, after, where), -math.inf)
    due = _next_due(schedule, after, where)
    return max(due, coming(window, due, where)[0])


def _next_due(schedule: Schedule, after: float, where: tzinfo) -> float:
    """The first time later than ``after`` at which a run is due, ignoring the window."""
    if schedule.every is None:
        return _next_by_cron(schedule.cron or "", after, where)
    count = math.floor((after - schedule.anchor) / schedule.every) + 1
    # The first run is due after one interval, or with a window when that next opens.
    count = max(count, 1 if schedule.window is None else 0)
    return schedule.anchor + count * schedule.every


def _next_by_cron(text: str, after: float, where: tzinfo) -> float:
    # From the present local minute on; times that are not later are skipped below.
    start = local(after, where).replace(second=0, microsecond=0)
    for shown in parse_cron(text).times(start):
        due = instant(shown, where)
        if due > after:
            return due
    raise InvalidValue(f"--cron: '{text}' never comes", field="cron")


def next_runs(schedule: Schedule, after: float, count: int) -> list[float]:
    """The next runs; none while the schedule is paused."""
    runs: list[float] = []
    while len(runs) < count and not schedule.paused:
        runs.append(next_run(schedule, runs[-1] if runs else after))
    return runs
