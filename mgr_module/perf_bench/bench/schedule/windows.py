"""Windows: the hours of a day within which rounds may run."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, tzinfo
from typing import Optional

from ...errors import InvalidValue
from ...model.schedule import Window
from .timezones import instant, local

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
