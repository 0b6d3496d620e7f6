"""Parse durations ("90s", "15m", "6h", "1d", "2w") and print them."""

from __future__ import annotations

import re

from ..errors import InvalidValue

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
# Longer ones are mistakes, and times so far away have no date.
_LONGEST_YEARS = 100
_DURATION = re.compile(r"^(\d+)\s*([smhdw])$", re.ASCII)
# More digits are too long in any unit.
_MOST_DIGITS = 12


def parse_duration(text: str, field: str) -> int:
    """Parse a duration: 1 second to 100 years. Raises InvalidValue with ``field``."""
    match = _DURATION.match(text.strip().lower())
    digits = match.group(1).lstrip("0")[:_MOST_DIGITS] if match else ""
    seconds = int(digits) * _UNITS[match.group(2)] if match and digits else 0
    if not seconds:
        raise InvalidValue(
            f"'{text}' is not a duration: give a whole number of 1 or more with s, m, "
            "h, d or w, as 90s or 1d",
            field=field,
        )
    if seconds > _LONGEST_YEARS * 366 * _UNITS["d"]:
        raise InvalidValue(
            f"'{text}' is longer than {_LONGEST_YEARS} years",
            field=field,
        )
    return seconds


def duration_text(seconds: float) -> str:
    """Print seconds as "14 s", "3 min 20 s" or "2 h 05 min"."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 100:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
