"""Lengths of time as people write them: "90s", "15m", "6h", "1d", "2w"."""

from __future__ import annotations

import re

from ..errors import InvalidValue

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_DURATION = re.compile(r"^(\d{1,9})\s*([smhdw])$", re.ASCII)


def parse_duration(text: str, field: str) -> int:
    """Seconds, at least 1; raises InvalidValue that names ``field``."""
    match = _DURATION.match(text.strip().lower())
    seconds = int(match.group(1)) * _UNITS[match.group(2)] if match else 0
    if not seconds:
        raise InvalidValue(
            f"'{text}' is not a length of time: give a number with s, m, h, d or w, as 90s or 1d",
            field=field,
        )
    return seconds
