"""When a schedule runs next."""

from __future__ import annotations

import math
import re
from datetime import tzinfo
from functools import lru_cache

from ...errors import InvalidValue
from ...model.schedule import Schedule
from .cron import parse_cron
from .timezones import instant, local, zone
from .windows import closed_since, coming

MIN_EVERY = 600
MAX_EVERY = 366 * 86400
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_EVERY = re.compile(r"^(\d{1,9})([smhdw])$", re.ASCII)


def parse_every(text: str) -> int:
    """Seconds from "90m", "6h", "1d" or "2w"; raises InvalidValue under ten minutes."""
    match = _EVERY.match(text.strip())
    if match is None:
        raise InvalidValue(
            f"--every '{text}' is not a time: give a number with m, h, d or w, as 30m, 6h or 7d",
            field="every",
        )
    seconds = int(match[1]) * _UNITS[match[2]]
    if not MIN_EVERY <= seconds <= MAX_EVERY:
        raise InvalidValue(f"--every {text} is not within 10m to 366d", field="every")
    return seconds


@lru_cache(maxsize=1024)  # a scheduler asks the same every few seconds, for weeks
def next_run(schedule: Schedule, after: float) -> float:
    """The first run later than ``after``, both unix seconds.

    ``every`` counts seconds from the anchor on, whatever the clocks do; ``cron`` goes by the
    clock on the wall, where a time that is skipped or shown twice is one run. What comes due
    outside the window waits until it opens. Raises InvalidValue or NotNow as ``zone`` does.
    """
    where = zone(schedule.timezone)
    window = schedule.window
    if window is None:
        return _next_due(schedule, after, where)
    begin, _ = coming(window, after, where)
    if begin > after:  # what came due since the window closed waits for it, too
        after = math.nextafter(closed_since(window, after, where), -math.inf)
    due = _next_due(schedule, after, where)
    return max(due, coming(window, due, where)[0])


def _next_due(schedule: Schedule, after: float, where: tzinfo) -> float:
    """The first time later than ``after`` at which a run comes due, whatever the window."""
    if schedule.every is None:
        return _next_by_cron(schedule.cron or "", after, where)
    count = math.floor((after - schedule.anchor) / schedule.every) + 1
    # The first comes after one interval; with a window, when it opens next.
    count = max(count, 1 if schedule.window is None else 0)
    return schedule.anchor + count * schedule.every


def _next_by_cron(text: str, after: float, where: tzinfo) -> float:
    # From the minute that is shown now: what was shown once before is passed over below.
    start = local(after, where).replace(second=0, microsecond=0)
    for shown in parse_cron(text).times(start):
        at = instant(shown, where)
        if at > after:
            return at
    raise InvalidValue(f"--cron: '{text}' never comes", field="cron")


def next_runs(schedule: Schedule, after: float, count: int) -> list[float]:
    """The next runs, for people to look at; none while it is paused."""
    found: list[float] = []
    while len(found) < count and not schedule.paused:
        found.append(next_run(schedule, found[-1] if found else after))
    return found
