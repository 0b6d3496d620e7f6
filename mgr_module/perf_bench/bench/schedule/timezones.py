"""Clocks on walls: time zones, and the instant at which such a clock shows a time."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ...errors import InvalidValue, NotNow

UTC = "UTC"


@lru_cache(maxsize=64)
def zone(name: str) -> tzinfo:
    """The zone of that name. UTC is always there; any other one comes from the host's tzdata.

    Raises InvalidValue for a name that is none, NotNow where the host has no such data at all.
    """
    if name == UTC:
        return timezone.utc
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # of a folder's name it is an OSError
        pass
    if not _host_has_zones():
        raise NotNow(
            f"the host of the active mgr has no time zone data, so '{name}' means nothing there: "
            "install its package 'tzdata', or use UTC"
        )
    raise InvalidValue(
        f"'{name}' is not a time zone: give UTC or a name such as Europe/Berlin", field="timezone"
    )


def _host_has_zones() -> bool:
    try:
        ZoneInfo("Europe/London")
    except ZoneInfoNotFoundError:
        return False
    return True


def local(at: float, where: tzinfo) -> datetime:
    """What a clock on a wall there shows at an instant (unix seconds); without zone."""
    return datetime.fromtimestamp(at, tz=where).replace(tzinfo=None)


def instant(shown: datetime, where: tzinfo) -> float:
    """The instant (unix seconds) at which a clock on a wall there shows this.

    Of a time that is shown twice, as clocks go back, it is the first. Of one that is never
    shown, as clocks go forward, it is the moment at which they do.
    """
    first = shown.replace(tzinfo=where, fold=0).timestamp()
    if local(first, where) == shown.replace(fold=0):
        return first
    # In the gap: reckoned with the offset before it the instant lies behind the change, and
    # reckoned with the offset after it, before.
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


def _offset(at: float, where: tzinfo) -> timedelta:
    return datetime.fromtimestamp(at, tz=where).utcoffset() or timedelta()
