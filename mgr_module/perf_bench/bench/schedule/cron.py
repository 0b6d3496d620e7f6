"""Parse times in cron's five fields, by the rules of Vixie's cron: ``0 3 * * 6``, ``@weekly``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from ...errors import InvalidValue

MIN_MINUTES = 10
# A 29th of February on a given weekday comes once in 28 years, or in 40 across the year 2100.
_FAR = timedelta(days=366 * 41)
_DAY = timedelta(days=1)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
# The nicknames of crontab(5). "@reboot" is left out, since it is no time.
_NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_PART = re.compile(r"^(?:(\*)|(\w+)(?:-(\w+))?)(?:/(\d{1,4}))?$", re.ASCII)


@dataclass(frozen=True)
class _Field:
    """The range of one field. ``names`` stand for numbers from ``low`` on.

    ``start_over`` is the number after ``high``.
    """

    name: str
    low: int
    high: int
    start_over: int
    names: tuple[str, ...] = ()

    def parse(self, text: str) -> frozenset[int]:
        numbers: set[int] = set()
        for part in text.split(","):
            match = _PART.match(part)
            if match is None:
                raise self._refused(part)
            numbers |= self._range(part, match)
        return frozenset(numbers)

    def _range(self, part: str, match: re.Match[str]) -> set[int]:
        star, first, last, step = match.groups()
        if star:
            low, high = self.low, self.high
        else:
            low = self._number(part, first)
            # "5/15" is from 5 on; without a step it is 5 alone.
            high = self._number(part, last) if last else self.high if step else low
        if step and int(step) == 0:
            raise self._refused(part)
        if low > high:
            raise InvalidValue(
                f"--cron: '{part}' of the {self.name} counts down: write it as two ranges, up to "
                f"{self.high} and from {self.start_over} on",
                field="cron",
            )
        return set(range(low, high + 1, int(step or 1)))

    def _number(self, part: str, word: str) -> int:
        if word.lower() in self.names:
            return self.low + self.names.index(word.lower())
        if not word.isdigit() or len(word) > 4 or not self.low <= int(word) <= self.high:
            raise self._refused(part)
        return int(word)

    def _refused(self, part: str) -> InvalidValue:
        names = f" or {self.names[0]} to {self.names[-1]}" if self.names else ""
        return InvalidValue(
            f"--cron: '{part}' is not a valid {self.name}: give {self.low} to "
            f"{self.high}{names}, lists (1,2), ranges (1-5) or steps (*/2)",
            field="cron",
        )


_FIELDS = (
    _Field("minute", 0, 59, 0),
    _Field("hour", 0, 23, 0),
    _Field("day of the month", 1, 31, 1),
    _Field("month", 1, 12, 1, tuple(_MONTHS)),
    _Field("day of the week", 0, 7, 1, tuple(_WEEKDAYS)),  # Sunday is 0 and 7
)


@dataclass(frozen=True)
class Cron:
    """The parsed fields. ``either_day``: both kinds of days are restricted, and one must match."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
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
                for shown in self._of(day):
                    if shown >= start:
                        yield shown
            day += _DAY

    def _of(self, day: date) -> Iterator[datetime]:
        for hour in self.hours:
            for minute in self.minutes:
                yield datetime.combine(day, time(hour, minute))


def fields_of(text: str) -> str:
    """The five fields with a blank between them; those of a nickname as ``@weekly``.

    Raises InvalidValue for another nickname.
    """
    # Editors and chats make a dash of a hyphen.
    plain = " ".join(text.replace("\u2013", "-").split())
    if not plain.startswith("@"):
        return plain
    fields = _NICKNAMES.get(plain.lower())
    if fields is None:
        what = "is a start of a host, not a time" if plain.lower() == "@reboot" else "is not a time"
        raise InvalidValue(
            f"--cron: '{plain}' {what}: give one of {', '.join(_NICKNAMES)}, or five fields, as "
            "'0 3 * * 6'",
            field="cron",
        )
    return fields


@lru_cache(maxsize=256)
def parse_cron(text: str) -> Cron:
    """Parse five fields or a nickname. Raises InvalidValue that names the bad field.

    Also raises it for a time that never comes (31 February) or comes more often than every ten
    minutes.
    """
    words = fields_of(text).split()
    if len(words) != len(_FIELDS):
        raise InvalidValue(
            f"--cron: '{text}' has {len(words)} fields of 5: minute, hour, day of the "
            "month, month, day of the week, as '0 3 * * 6'",
            field="cron",
        )
    minutes, hours, days, months, weekdays = (
        field.parse(word) for field, word in zip(_FIELDS, words)
    )
    cron = Cron(
        minutes=tuple(sorted(minutes)),
        hours=tuple(sorted(hours)),
        days=days,
        months=months,
        weekdays=frozenset(day % 7 for day in weekdays),
        # By Vixie's rule a field that begins with "*", as "*/2", is not restricted.
        either_day=not words[2].startswith("*") and not words[4].startswith("*"),
    )
    _check_pace(cron)
    if next(cron.times(datetime(2000, 1, 1)), None) is None:  # noqa: DTZ001 - a clock on a wall
        raise InvalidValue(
            f"--cron: '{text}' never comes: no such day of the month is in these months",
            field="cron",
        )
    return cron


def _check_pace(cron: Cron) -> None:
    gaps = [after - before for before, after in zip(cron.minutes, cron.minutes[1:])]
    if any((hour + 1) % 24 in cron.hours for hour in cron.hours):
        gaps.append(60 + cron.minutes[0] - cron.minutes[-1])
    if gaps and min(gaps) < MIN_MINUTES:
        raise InvalidValue(
            f"--cron: its times are {min(gaps)} min apart, but a round may start only "
            f"every {MIN_MINUTES} min",
            field="cron",
        )
