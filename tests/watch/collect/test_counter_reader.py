"""How the points of an OSD's counters are matched: those of one report have its stamp."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import pytest

from fakes.counters import COMMITS, READS, FakeCounters
from perf_bench.model.cluster import CounterPoint
from perf_bench.watch.collect.frames import CounterReader, DeltaStrip, ReadCursor

STAMPS = range(1, 101, 5)


def report(counters: FakeCounters, at: int, *names: str) -> None:
    """Counters that grow faster and faster, so that no report can be taken for another."""
    counters.report(0, float(at), {name: (float(at * at), at) for name in names})


def strip_of(counters: FakeCounters) -> DeltaStrip:
    cursor = ReadCursor(0, 0.0)
    cursor.plan = {"commit": COMMITS, "read": READS}
    (strip,) = CounterReader(counters).read([cursor], 0, 100.0)
    return strip


def test_a_report_that_arrives_between_two_counters_is_left_for_the_next_read() -> None:
    class Busy(FakeCounters):
        def raw(self, osd: int, name: str) -> Sequence[CounterPoint]:
            found = super().raw(osd, name)
            if name == COMMITS:
                report(self, 101, COMMITS, READS)
            return found

    counters = Busy()
    for at in STAMPS:
        report(counters, at, COMMITS, READS)
    strip = strip_of(counters)
    assert len(strip.sums("commit")) == 5
    assert strip.sums("read") == strip.sums("commit")
    assert strip.numbers("read") == strip.numbers("commit")


def test_a_counter_with_fewer_points_is_known_where_it_has_some() -> None:
    counters = FakeCounters()
    for at in STAMPS:
        report(counters, at, COMMITS, *([READS] if at > 70 else []))
    strip = strip_of(counters)
    (*early, (last,)), (*_, (whole,)) = strip.sums("read"), strip.sums("commit")
    assert last == whole
    assert early == [pytest.approx([nan], nan_ok=True)] * 4
