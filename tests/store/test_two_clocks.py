"""A wrong clock deletes nothing: what is old or in the future must be so by the monitors', too."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Optional

import pytest

from fakes.database import Faults, FilePlace
from latencies import BEGAN, a_row, columns
from nouns import a_plan, a_round, put_round, some_osds
from perf_bench.model.cluster_span import ClusterSpan
from perf_bench.model.finding import Finding, FindingState, Severity, Target
from perf_bench.model.finding_kinds import SLOW_OSD
from perf_bench.model.frame import COMMIT
from perf_bench.model.history import DAY, FIVE_MINUTES, HOUR, SeriesRow, WatchBatch
from perf_bench.model.laggy import Episode
from perf_bench.model.retention import RetentionRules
from perf_bench.model.round import RoundState
from perf_bench.store.sqlite import Store
from perf_bench.store.two_clocks import Times, TwoClocks
from perf_bench.watch.ledger import CLOSED_KEPT, Ledger

YEARS = 20 * 365 * DAY
TABLES = ("series", "cluster_spans", "episodes", "wear", "rounds")
LATENCY = (("", COMMIT, 3, 0.001, 0.01, 0.02),)


class Mons:
    """The monitors' clock."""

    def __init__(self) -> None:
        self.time: Optional[float] = BEGAN

    def now(self) -> Optional[float]:
        return self.time


@pytest.fixture
def mons() -> Mons:
    return Mons()


@pytest.fixture
def store(path: Path, mons: Mons) -> Iterator[Store]:
    made = Store(FilePlace(path, Faults()), "test", TwoClocks(mons.now))
    yield made
    made.close()


def _row(start: int, level: int = FIVE_MINUTES, mean: float = 0.01) -> SeriesRow:
    return a_row(start, {COMMIT: columns([mean])}, level=level)


def _span(start: int, seconds: int = FIVE_MINUTES) -> ClusterSpan:
    return ClusterSpan(start, seconds, 3, LATENCY, (None,) * 6)


def _episode(start: float) -> Episode:
    return Episode(start, start + 60.0, peak=1, laggy_pg_seconds=1.0)


def _fill(store: Store) -> None:
    """A bit of each kind, nothing of it older than it may be."""
    rows = [_row(BEGAN - HOUR), _row(BEGAN - 20 * DAY, HOUR), _row(BEGAN - 300 * DAY, DAY)]
    store.watch.write(
        WatchBatch(
            BEGAN,
            series=rows,
            cluster=[_span(BEGAN - HOUR), _span(BEGAN - 20 * DAY, HOUR)],
            episodes=[_episode(BEGAN - 80 * DAY)],
        )
    )
    for key in "abc":  # some rounds are kept whatever their age
        draft = a_round(a_plan([[0]]), key=key, created_at=BEGAN - HOUR)
        made = put_round(store, draft, ())
        ended = a_round(
            a_plan([[0]]),
            RoundState.FAILED,
            id=made.id,
            key=key,
            created_at=BEGAN - HOUR,
            verdict=None,
        )
        store.end_round(ended, ())


def _work(store: Store, now: float) -> None:
    """What a mgr does whose clock says ``now``."""
    for _ in range(3):
        store.watch.write(WatchBatch(now, episodes=[_episode(now)], settled=now))
    store.add_round(a_round(a_plan([[0]]), key=f"x{now}", created_at=now), some_osds(1))
    while store.retention.tend(RetentionRules(days=10), now).more:
        pass


def _rows(path: Path, table: str) -> set[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return set(db.execute(f"SELECT * FROM {table}"))  # noqa: S608


@pytest.mark.parametrize("off", [-YEARS, -3 * DAY, -HOUR, 0.0, HOUR, 60 * DAY, YEARS])
def test_nothing_goes_while_the_clock_of_a_mgr_is_wrong(
    store: Store, path: Path, off: float
) -> None:
    _fill(store)
    before = {table: _rows(path, table) for table in TABLES}
    _work(store, BEGAN + off)
    assert {table: before[table] - _rows(path, table) for table in TABLES} == {
        table: set() for table in TABLES
    }


@pytest.mark.parametrize("off", [-YEARS, YEARS])
def test_what_the_monitors_say_too_is_done(
    store: Store, path: Path, mons: Mons, off: float
) -> None:
    _fill(store)
    before = {table: _rows(path, table) for table in TABLES}
    mons.time = BEGAN + off
    _work(store, BEGAN + off)
    kept = {table: len(before[table] & _rows(path, table)) for table in TABLES}
    if off > 0:  # the newest round of a profile stays
        assert kept == {"series": 0, "cluster_spans": 0, "episodes": 0, "wear": 0, "rounds": 1}
    else:  # an episode, a booking and a round in the future go when they are old
        assert kept == {"series": 0, "cluster_spans": 0, "episodes": 1, "wear": 3, "rounds": 3}


def test_hours_and_days_of_which_nothing_else_is_left_stay(store: Store) -> None:
    """The clock is days behind, so that new rows are within spans that were rolled up long ago."""
    old = int((BEGAN - 50 * DAY) // DAY * DAY)
    recent = int((BEGAN - 5 * DAY) // HOUR * HOUR)
    store.watch.write(
        WatchBatch(
            BEGAN,
            series=[_row(old, DAY, 0.1), _row(recent, HOUR, 0.2)],
            cluster=[_span(recent, HOUR)],
        )
    )
    for start in (old, recent):
        now = start + 600.0
        rows, spans = [_row(start), _row(start, HOUR)], [_span(start)]
        store.watch.write(WatchBatch(now, series=rows[: 1 + (start == old)], cluster=spans))
    (day,) = store.watch.series(0, COMMIT, DAY, old, old + DAY)
    (hour,) = store.watch.series(0, COMMIT, HOUR, recent, recent + HOUR)
    assert day.mean == pytest.approx(0.1, rel=0.01)
    assert hour.mean == pytest.approx(0.2, rel=0.01)
    (span,) = store.watch.cluster_spans(HOUR, recent, recent + HOUR)
    assert span.seconds == HOUR


def test_both_times() -> None:
    assert TwoClocks(lambda: 5.0).times(7.0) == Times(5.0, 7.0)
    assert TwoClocks(lambda: 9.0).times(7.0) == Times(7.0, 9.0)
    assert TwoClocks().times(7.0) == Times(7.0, 7.0)


def _closed(number: int, closed_at: float) -> Finding:
    return Finding(
        number,
        SLOW_OSD.code,
        Severity.WARNING,
        Target("osd", str(number)),
        "osd is slow",
        {},
        closed_at - 60,
        closed_at,
        FindingState.CLOSED,
        closed_at=closed_at,
    )


def _forget(store: Store, now: float) -> list[int]:
    """What a mgr does whose clock says ``now``; returns the findings that are stored then."""
    ledger = Ledger()
    ledger.load(*store.watch.findings(), now)
    ledger.update(now, [])
    found, forgotten = ledger.take_unsaved(now)
    store.watch.write(WatchBatch(now, findings=found, forgotten=forgotten))
    return [one.id for one in store.watch.findings()[0]]


def test_no_finding_goes_while_the_clock_of_a_mgr_is_ahead(store: Store, mons: Mons) -> None:
    stored = [_closed(1, BEGAN - 89 * DAY), _closed(2, BEGAN - DAY)]
    store.watch.write(WatchBatch(BEGAN, findings=stored))
    assert _forget(store, BEGAN + YEARS) == [1, 2]
    mons.time = BEGAN + 2 * DAY
    assert _forget(store, BEGAN + 2 * DAY) == [2]


def test_of_too_many_findings_the_oldest_go(store: Store) -> None:
    stored = [_closed(n, BEGAN - DAY + n) for n in range(1, CLOSED_KEPT + 4)]
    store.watch.write(WatchBatch(BEGAN, findings=stored))
    assert _forget(store, BEGAN) == list(range(4, CLOSED_KEPT + 4))


@pytest.mark.parametrize("behind", [2 * HOUR, 30 * HOUR, 50 * HOUR])
def test_a_clock_that_was_behind_for_a_while_leaves_no_gap(
    store: Store, mons: Mons, behind: int
) -> None:
    end = BEGAN + 3 * DAY
    change = BEGAN + 2 * DAY + 12 * HOUR + 600
    for at in range(BEGAN + FIVE_MINUTES, end + 1, FIVE_MINUTES):
        mons.time = float(at)
        # For twenty minutes another mgr is active, whose clock is behind.
        now = at - behind if change <= at < change + 1200 else at
        start = (now // FIVE_MINUTES - 1) * FIVE_MINUTES
        for _ in range(2):
            store.watch.write(
                WatchBatch(
                    now,
                    series=[_row(start)],
                    cluster=[_span(start)],
                    settled=float(start + FIVE_MINUTES),
                )
            )
    days = {point.start for point in store.watch.series(0, COMMIT, DAY, BEGAN, end)}
    hours = {point.start for point in store.watch.series(0, COMMIT, HOUR, BEGAN, end)}
    spans = {span.start for span in store.watch.cluster_spans(HOUR, BEGAN, end)}
    assert days == set(range(BEGAN, end, DAY))
    assert hours == spans == set(range(BEGAN, end, HOUR))
