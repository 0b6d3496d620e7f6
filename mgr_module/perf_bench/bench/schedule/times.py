"""Windows: the hours of a day within which rounds may run."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Optional
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from ...errors import InvalidValue, NotNow
from ...model.arguments import parse_duration
from ...model.schedule import Schedule, Window
from .cron import parse_cron

# Minutes; a scheduler that is busy for some minutes could miss a shorter window.
MIN_WINDOW = 10
_TIME = r"([01]?\d|2[0-3]|24):([0-5]\d)"
_WINDOW = re.compile(rf"^{_TIME} *[-\u2013] *{_TIME}$", re.ASCII)


def parse_window(text: str) -> Window:
    """Parse "01:00-05:00" or, across midnight, "22:00-04:00". Raises InvalidValue."""
    match = _WINDOW.match(text.strip())
    start, end = _minutes(match, 1), _minutes(match, 3)
    if match is None or start >= 1440 or end > 1440:
        raise InvalidValue(
            (f"'{text}' is not a window: give two times of day, as 01:00-05:00 or 22:00-04:00"),
            field="window",
        )
    window = Window(start, end)
    if start == end:
        raise InvalidValue(
            f"the window {text} has no length: leave it out for any time of day",
            field="window",
        )
    if window.minutes < MIN_WINDOW:
        raise InvalidValue(
            f"the window {text} is shorter than {MIN_WINDOW} minutes",
            field="window",
        )
    return window


def _minutes(match: Optional[re.Match[str]], group: int) -> int:
    return 60 * int(match[group]) + int(match[group + 1]) if match else 0


def open_at(window: Window, moment: float, where: tzinfo) -> Optional[tuple[float, float]]:
    """Begin and end (unix seconds) of the window that contains ``moment``; None outside."""
    begin, end = coming(window, moment, where)
    return (begin, end) if begin <= moment else None


def coming(window: Window, moment: float, where: tzinfo) -> tuple[float, float]:
    """Begin and end of the window that contains ``moment``, or else of the next one."""
    day = local(moment, where).date() - timedelta(days=1)
    while True:
        begin, end = _on(window, day, where)
        if end > moment:
            return begin, end
        day += timedelta(days=1)


def closed_since(window: Window, moment: float, where: tzinfo) -> float:
    """The last end of the window at or before ``moment``."""
    day = local(moment, where).date()
    while True:
        _, end = _on(window, day, where)
        if end <= moment:
            return end
        day -= timedelta(days=1)


def _on(window: Window, day: date, where: tzinfo) -> tuple[float, float]:
    """The window that begins on that day; a clock change makes it longer or shorter."""
    begin = datetime(day.year, day.month, day.day) + timedelta(minutes=window.start)  # noqa: DTZ001 - local time
    first = instant(begin, where)
    last = instant(begin + timedelta(minutes=window.minutes), where)
    # A window that clocks skip entirely begins at the change, with its full length.
    return first, last if last > first else first + 60.0 * window.minutes


UTC = "UTC"


# In tzdata's folder, but not the same on each host: the next active mgr may be on another.
_OF_A_HOST = ("localtime", "posixrules", "posix/", "right/")


@lru_cache(maxsize=64)
def zone(name: str) -> tzinfo:
    """The zone of that name in any case. UTC is always available; others are the host's tzdata's.

    Raises InvalidValue for an unknown name, NotNow if the host has no tzdata.
    """
    plain = name.strip()
    if plain.upper() == UTC:
        return timezone.utc
    if plain.lower().startswith(_OF_A_HOST):
        raise InvalidValue(
            f"the zone '{plain}' differs from host to host, and another mgr may become the active "
            "one: give UTC or a name such as Europe/Berlin",
            field="timezone",
        )
    try:
        return ZoneInfo(plain)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError for the name of a folder
        pass
    alike = [known for known in available_timezones() if known.lower() == plain.lower()]
    if alike:
        return ZoneInfo(alike[0])
    if not _host_has_zones():
        raise NotNow(
            f"the host of the active mgr has no time zone data, so '{name}' is unknown "
            "there: install the package 'tzdata', or use UTC"
        )
    raise InvalidValue(
        f"'{name}' is not a time zone: give UTC or a name such as Europe/Berlin",
        field="timezone",
    )


def _host_has_zones() -> bool:
    try:
        ZoneInfo("Europe/London")
    except ZoneInfoNotFoundError:
        return False
    return True


def local(moment: float, where: tzinfo) -> datetime:
    """The local time at an instant (unix seconds), without a zone."""
    return datetime.fromtimestamp(moment, tz=where).replace(tzinfo=None)


def instant(shown: datetime, where: tzinfo) -> float:
    """The instant (unix seconds) of a local time.

    For a time that is repeated when clocks go back, it is the first instant. For a time that is
    skipped when clocks go forward, it is the instant of the change.
    """
    first = shown.replace(tzinfo=where, fold=0).timestamp()
    if local(first, where) == shown.replace(fold=0):
        return first
    # A skipped time: with the old offset its instant is after the change, with the new one before.
    return _change(shown.replace(tzinfo=where, fold=1).timestamp(), first, where)


def _change(before: float, after: float, where: tzinfo) -> float:
    """The second at which the offset between two instants changes."""
    low, high = round(before), round(after)
    offset = _offset(high, where)
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(middle, where) == offset:
            high = middle
        else:
            low = middle
    return float(high)


def _offset(moment: float, where: tzinfo) -> timedelta:
    return datetime.fromtimestamp(moment, tz=where).utcoffset() or timedelta()


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
