"""When schedules run: windows of the day, time zones, and cron's five fields by Vixie's rules."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Optional
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..errors import InvalidValue
from ..model.phrases import parse_duration
from ..model.plan import Schedule, Window

_DAY = timedelta(days=1)
# Minutes of a window, and between two times; a scheduler may be busy for some minutes.
MIN_WINDOW = 10
_TIME = r"([01]?\d|2[0-3]|24):([0-5]\d)"
_WINDOW = re.compile(rf"^{_TIME} *- *{_TIME}$", re.ASCII)


def parse_window(text: str) -> Window:
    """Parse "01:00-05:00" or, across midnight, "22:00-04:00". Raises InvalidValue."""
    match = _WINDOW.match(text.strip().replace("\u2013", "-"))  # a dash of word processors
    start, end = _minutes(match, 1), _minutes(match, 3)
    if match is None or start >= 1440 or end > 1440:
        why = "is not a window: give two times of day, as 01:00-05:00 or 22:00-04:00"
        raise InvalidValue(f"'{text}' {why}", field="window")
    window = Window(start, end)
    if start == end or window.minutes < MIN_WINDOW:
        why = f"is shorter than {MIN_WINDOW} minutes: leave it out for any time of day"
        raise InvalidValue(f"the window {text} {why}", field="window")
    return window


def _minutes(match: Optional[re.Match[str]], group: int) -> int:
    return 60 * int(match[group]) + int(match[group + 1]) if match else 0


def open_at(window: Window, moment: float, where: tzinfo) -> Optional[tuple[float, float]]:
    """Begin and end (unix seconds) of the window that contains ``moment``; None outside."""
    begin, end = coming(window, moment, where)
    return (begin, end) if begin <= moment else None


def coming(window: Window, moment: float, where: tzinfo) -> tuple[float, float]:
    """Begin and end of the window that contains ``moment``, or else of the next one."""
    return _on(window, _day(window, moment, where), where)


def _day(window: Window, moment: float, where: tzinfo) -> date:
    """The day on which that window begins."""
    day = local(moment, where).date() - _DAY
    while _on(window, day, where)[1] <= moment:
        day += _DAY
    return day


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
    """The zone of that name. UTC is always available; others are the host's tzdata's.

    Raises InvalidValue for a name that this host does not know.
    """
    plain = name.strip()
    if plain.upper() == UTC:
        return timezone.utc
    try:
        return ZoneInfo("" if plain.startswith(_OF_A_HOST) else plain)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError for the name of a folder
        raise InvalidValue(
            f"'{name}' is not a time zone of the mgr's host: give UTC or a name such as "
            "Europe/Berlin (those are of its package tzdata)",
            field="timezone",
        ) from None


def local(moment: float, where: tzinfo) -> datetime:
    """The local time at an instant (unix seconds), without a zone."""
    return datetime.fromtimestamp(moment, tz=where).replace(tzinfo=None)


def instant(shown: datetime, where: tzinfo) -> float:
    """The instant (unix seconds) of a local time; the first one of a time that comes twice.

    A time that is skipped when clocks go forward comes as much later.
    """
    return shown.replace(tzinfo=where, fold=0).timestamp()


MIN_EVERY = 600
MAX_EVERY = 366 * 86400


def parse_every(text: str) -> int:
    """Parse "90m", "6h", "1d" or "2w" into seconds. Raises InvalidValue under ten minutes."""
    seconds = parse_duration(text, "every")
    if not MIN_EVERY <= seconds <= MAX_EVERY:
        raise InvalidValue(f"--every {text} is not within 10m to 366d", field="every")
    return seconds


@lru_cache(maxsize=1024)  # a scheduler asks the same every few seconds, for weeks
def next_run(schedule: Schedule, after: float) -> float:
    """The first run later than ``after``, both unix seconds.

    ``every`` counts seconds from the anchor, independent of clock changes; ``cron`` is local time,
    where a time that is skipped or repeated is one run. A run that is due outside the window waits
    until it opens. Raises InvalidValue as ``zone`` does.
    """
    where = zone(schedule.timezone)
    window = schedule.window
    if window is None:
        return _next_due(schedule, after, where)
    day = _day(window, after, where)
    if _on(window, day, where)[0] > after:
        # A run that was due since the window closed waits for it, too.
        after = math.nextafter(_on(window, day - _DAY, where)[1], -math.inf)
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


# A 29th of February on a given weekday comes once in 28 years, or in 40 across the year 2100.
_FAR = timedelta(days=366 * 41)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_PART = re.compile(r"^(?:(\*)|(\w+)(?:-(\w+))?)(?:/(\d{1,4}))?$", re.ASCII)


def _numbers(
    text: str, name: str, low: int, high: int, names: Sequence[str] = ()
) -> frozenset[int]:
    """The numbers of one field; ``names`` stand for numbers from ``low`` on."""

    def number(word: str) -> int:
        if word.lower() in names:
            return low + names.index(word.lower())
        return int(word) if word.isdigit() and len(word) <= 4 else -1

    found: set[int] = set()
    for part in text.split(","):
        match = _PART.match(part)
        star, first, last, step = match.groups() if match else ("", "", "", "0")
        begin = low if star else number(first)
        # "5/15" is from 5 on; without a step it is 5 alone.
        end = number(last) if last else high if star or step else begin
        if low <= end < begin <= high:
            both = f"{first}-{high},{low}-{last}"
            raise InvalidValue(f"--cron: '{part}' counts down: give {both}", field="cron")
        if not low <= begin <= end <= high or (step and int(step) == 0):
            words = f" or {names[0]} to {names[-1]}" if names else ""
            raise InvalidValue(
                f"--cron: '{part}' is not a valid {name}: give {low} to "
                f"{high}{words}, lists (1,2), ranges (1-5) or steps (*/2)",
                field="cron",
            )
        found.update(range(begin, end + 1, int(step or 1)))
    return frozenset(found)


# The nicknames of crontab(5). "@reboot" is left out, since it is no time.
_NICKNAMES = {
    **dict.fromkeys(("@yearly", "@annually"), "0 0 1 1 *"),
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    **dict.fromkeys(("@daily", "@midnight"), "0 0 * * *"),
    "@hourly": "0 * * * *",
}
_FIELDS: tuple[tuple[str, int, int, Sequence[str]], ...] = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 7, _WEEKDAYS),  # Sunday is 0 and 7
)


@dataclass(frozen=True)
class Cron:
    """The times of a day, and on which days.

    ``either_day``: both kinds of days are restricted, and one must match.
    """

    clock: tuple[time, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool

    def on(self, day: date) -> bool:
        """Whether it runs on that day."""
        if day.month not in self.months:
            return False
        by_month = day.day in self.days
        by_week = day.isoweekday() % 7 in self.weekdays
        return by_month or by_week if self.either_day else by_month and by_week

    def times(self, start: datetime) -> Iterator[datetime]:
        """The local times from ``start`` on; ends if none comes for 41 years."""
        day, last = start.date(), start.date()
        while day - last < _FAR:
            if self.on(day):
                last = day
                shown = (datetime.combine(day, at) for at in self.clock)
                yield from (one for one in shown if one >= start)
            day += _DAY


@lru_cache(maxsize=256)
def parse_cron(text: str) -> Cron:
    """Parse five fields, or a nickname as "@weekly". Raises InvalidValue that names the bad field.

    Also raises it for a time that never comes (31 February) or comes more often than every ten
    minutes.
    """
    words = _NICKNAMES.get(text.strip().lower(), text).split()
    if len(words) != len(_FIELDS):
        raise InvalidValue(
            f"--cron: '{text}' has {len(words)} of 5 fields: minute, hour, day of the "
            "month, month, day of the week, as '0 3 * * 6'",
            field="cron",
        )
    minutes, hours, days, months, weekdays = (
        _numbers(word, *field) for field, word in zip(_FIELDS, words)
    )
    clock = sorted(60 * hour + minute for hour in hours for minute in minutes)
    pace = min(later - one for one, later in zip(clock, [*clock[1:], clock[0] + 1440]))
    if pace < MIN_WINDOW:
        why = f"{pace} min apart, but a round may start only every {MIN_WINDOW} min"
        raise InvalidValue(f"--cron: its times are {why}", field="cron")
    cron = Cron(
        clock=tuple(time(*divmod(minute, 60)) for minute in clock),
        days=days,
        months=months,
        weekdays=frozenset(day % 7 for day in weekdays),
        # By Vixie's rule a field that begins with "*", as "*/2", is not restricted.
        either_day=not words[2].startswith("*") and not words[4].startswith("*"),
    )
    if next(cron.times(datetime(2000, 1, 1)), None) is None:  # noqa: DTZ001 - a clock on a wall
        why = "never comes: no such day of the month is in these months"
        raise InvalidValue(f"--cron: '{text}' {why}", field="cron")
    return cron
