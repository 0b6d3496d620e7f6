"""A failing disk that its OSD and its SMART data tell of is one disk."""

from __future__ import annotations

from typing import Optional

import pytest

from perf_bench.hardware.rules.errors import media_claims
from perf_bench.model.hardware import EIO, MEDIA, CounterTrend, Errors, OsdsOnDrive

THEN = 1_700_000_000.0
GROWN = CounterTrend.first(0, THEN).read(3, THEN + 3600)


def failing(osd: int, enclosure: Optional[str]) -> list[Errors]:
    """A disk that reads badly, as its OSD and its SMART data tell it (ChecksumMonitor)."""
    disk, on = f"sd{'abcd'[osd]}", OsdsOnDrive((osd,))
    return [
        Errors("host-0", EIO, GROWN, f"osd.{osd}", on, disk, None, enclosure, osd),
        Errors("host-0", MEDIA, GROWN, disk, on, disk, None, enclosure, osd),
    ]


@pytest.mark.parametrize("enclosure", [None, "0x1"])
def test_two_failing_disks_are_two_although_osds_and_disks_count(enclosure: Optional[str]) -> None:
    errors = [*failing(0, enclosure), *failing(1, enclosure)]
    found = media_claims(errors, THEN + 3600)
    assert [str(claim.target) for claim in found] == ["osd.0", "osd.1"]
