"""The hours of a day within which rounds may run."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, tzinfo
from typing import Optional

from ...errors import InvalidValue
from ...model.schedule import Window
from .timezones import instant, local

# A shorter one a scheduler that is busy for some minutes never meets.
MIN_WINDOW = 10
_TIME = r"([01]\d|2[0-3]|24):([0-5]\d)"
_WINDOW = re.compile(rf"^{_TIME}-{_TIME}$", re.ASCII)


def parse_window(text: str) -> Window:
    """A window from "01:00-05:00" or, across midnight, "22:00-04:00"; raises InvalidValue."""
    match = _WINDOW.match(text.strip())
    start, end = _minutes(match, 1), _minutes(match, 3)
    if match is None or start >= 1440 or end > 1440:
        raise InvalidValue(
            f"'{text}' is not a window: give two times of day, as 01:00-05:00 or 22:00-04:00",
            field="window",
        )
    window = Window(start, end)
    if start == end:
        raise InvalidValue(
            f"the window {text} begins when it ends: leave it out for any time of day",
            field="window",
        )
    if window.minutes < MIN_WINDOW:
        raise InvalidValue(
            f"the window {text} is shorter than {MIN_WINDOW} minutes", field="window"
        )
    return window


def _minutes(match: Optional[re.Match[str]], group: int) -> int:
    return 60 * int(match[group]) + int(match[group + 1]) if match else 0


def open_at(window: Window, at: float, where: tzinfo) -> Optional[tuple[float, float]]:
    """From when to when (unix seconds) the window is open that holds ``at``; None outside."""
    begin, end = coming(window, at, where)
    return (begin, end) if begin <= at else None


def coming(window: Window, at: float, where: tzinfo) -> tuple[float, float]:
    """From when to when the window is open that holds ``at``, or else the next one."""
    day = local(at, where).date() - timedelta(days=1)
    while True:
        begin, end = _on(window, day, where)
        if end > at:
            return begin, end
        day += timedelta(days=1)


def closed_since(window: Window, at: float, where: tzinfo) -> float:
    """When the window closed last, at or before ``at``."""
    day = local(at, where).date()
    while True:
        _, end = _on(window, day, where)
        if end <= at:
            return end
        day -= timedelta(days=1)


def _on(window: Window, day: date, where: tzinfo) -> tuple[float, float]:
    """The window that begins on that day. Clocks that change make it longer or shorter."""
    begin = datetime(day.year, day.month, day.day) + timedelta(minutes=window.start)  # noqa: DTZ001 - a clock on a wall
    first = instant(begin, where)
    last = instant(begin + timedelta(minutes=window.minutes), where)
    # Clocks that jump over it whole leave nothing of it: it begins then, as long as ever.
    return first, last if last > first else first + 60.0 * window.minutes
