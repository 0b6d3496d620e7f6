"""Time zones, and conversion between local times and instants."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from ...errors import InvalidValue, NotNow

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
