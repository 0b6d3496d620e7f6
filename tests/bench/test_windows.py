"""Windows and time zones as they are typed, and hosts without time zone data."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from perf_bench.bench.times import parse_window, zone
from perf_bench.errors import InvalidValue
from perf_bench.model.plan import Window


def test_windows() -> None:
    for text, window, minutes in [
        ("01:00-05:00", Window(60, 300), 240),
        ("22:00-04:30", Window(1320, 270), 390),
        ("00:00-24:00", Window(0, 1440), 1440),
        ("20:00-24:00", Window(1200, 1440), 240),
        ("20:00-00:00", Window(1200, 0), 240),
        ("00:00-00:10", Window(0, 10), 10),
        ("01:00 \u2013 05:00", Window(60, 300), 240),
    ]:
        parsed = parse_window(text)
        assert (parsed, parsed.minutes) == (window, minutes)
        assert str(parsed) == text.replace(" \u2013 ", "-")


def test_windows_refused() -> None:
    for text, sentence in [
        ("01:00-01:00", "the window 01:00-01:00 is shorter than 10 minutes: leave it out"),
        ("01:00-01:09", "the window 01:00-01:09 is shorter than 10 minutes"),
        *(
            (text, f"'{text}' is not a window: give two times of day, as 01:00-05:00 or 22:00")
            for text in (
                *("", "1-5", "01:00", "01:00-25:00", "24:00-05:00", "01:60-05:00"),
                *("01:00-24:01", "01:00-05:00 UTC", "\u06601:00-05:00"),
            )
        ),
    ]:
        with pytest.raises(InvalidValue) as caught:
            parse_window(text)
        assert str(caught.value).startswith(sentence)
        assert caught.value.field == "window"


def test_zones() -> None:
    for name, hours in [("UTC", 0), ("Europe/Berlin", 1), ("America/New_York", -5)]:
        winter = datetime.fromtimestamp(0, tz=zone(name))
        assert winter.utcoffset() == timedelta(hours=hours)


def test_zones_refused() -> None:
    for name in [
        "",
        "Mars/Olympus",
        "Europe",
        "../etc/passwd",
        "/etc/localtime",
        "CET\0",
        "x" * 5000,
        "utc?",
        # in tzdata's folder, but another on each machine
        "localtime",
        "posixrules",
        "right/Europe/Berlin",
    ]:
        with pytest.raises(InvalidValue) as caught:
            zone(name)
        assert str(caught.value) == (
            f"'{name}' is not a time zone of the mgr's host: give UTC or a name such as "
            "Europe/Berlin (those are of its package tzdata)"
        )
        assert caught.value.field == "timezone"


@pytest.fixture
def no_tzdata() -> Iterator[None]:
    """A container without the package: nothing on the path."""
    before = zoneinfo.TZPATH
    zoneinfo.reset_tzpath(to=[])
    zoneinfo.ZoneInfo.clear_cache()
    zone.cache_clear()
    yield
    zoneinfo.reset_tzpath(to=before)
    zone.cache_clear()


@pytest.mark.usefixtures("no_tzdata")
def test_a_host_without_zones() -> None:
    with pytest.raises(InvalidValue, match="package tzdata"):
        zone("Europe/Berlin")
    assert zone("UTC") is timezone.utc  # is always there
