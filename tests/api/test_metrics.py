"""The metrics of a whole watch: of now, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from asked import asking
from fakes.cluster import FakeCluster
from fakes.metered import Metered
from lookout import Lookout, hosts
from perf_bench.answers.metrics import metrics, served
from perf_bench.model.verdict import LaggyNow, LaggyPool, OsdState
from stage import Stage

LAGGY = "active+clean+laggy"


class Scraped:
    """A watch over 12 OSDs, and its metrics."""

    def __init__(self, path: Path) -> None:
        members = hosts(3, 4)
        cluster = FakeCluster(one.osd for one in members)
        self.stage = stage = Stage(path, cluster)
        self.lookout = lookout = Lookout(stage.store_thread, stage.clock, members)
        self.api = asking(
            bench=stage.bench,
            watch=lookout.watch,
            crc=stage.crc,
            care=stage.care,
            cluster=cluster,
            clock=stage.clock,
            store_thread=stage.store_thread,
            release=lambda: "18.2.8 reef",
        )

    def series(self, name: str) -> dict[str, float]:
        """One metric: its values by their labels."""
        found = re.findall(
            rf"^ceph_perf_bench_{name}(?:{{(.*)}})? (.*)$", metrics(self.api), re.MULTILINE
        )
        return {labels: float(value) for labels, value in found}


@pytest.fixture
def scraped(tmp_path: Path) -> Iterator[Scraped]:
    made = Scraped(tmp_path / "main.db")
    yield made
    made.stage.close()


def test_while_the_watch_is_off_nothing_of_when_it_was_on_is_served(scraped: Scraped) -> None:
    lookout = scraped.lookout
    lookout.pgs.states = {LAGGY: 5, "active+clean": 59}
    lookout.passes(600)
    assert scraped.series("osds")['state="ok"'] == 12
    assert scraped.series("laggy_pgs") == {"": 5}
    assert scraped.series("pool_laggy_pgs") == {'pool="rbd"': 5}
    assert len(scraped.series("osd_latency_ratio")) == 12
    assert scraped.series("osd_latency_seconds")
    total = scraped.series("laggy_pg_seconds_total")
    lookout.options = replace(lookout.options, on=False)
    lookout.clock.advance(3600)
    lookout.tick(False)
    assert scraped.series("osds") == {
        'state="ok"': 0,
        'state="suspect"': 0,
        'state="slow"': 0,
        'state="no-data"': 12,
    }
    for name in ("laggy_pgs", "waiting_pgs", "pgs", "pool_laggy_pgs"):
        assert scraped.series(name) == {}
    for name in ("osd_latency_seconds", "osd_latency_ratio", "osd_robust_z"):
        assert scraped.series(name) == {}
    assert set(scraped.series("cohort_judged_osds").values()) == {0}
    assert scraped.series("cohort_minimum_detectable_ratio") == {}
    # What was counted stays counted.
    assert scraped.series("laggy_pg_seconds_total") == total
    # Other questions get the same answer.
    assert lookout.watch.osd_snapshot().verdict(3).state is OsdState.NO_DATA
    assert lookout.watch.laggy_groups()[0] == LaggyNow()
    assert lookout.watch.client_seconds() is None
    assert lookout.watch.explain(3) == []


def test_a_page_over_http_is_no_older_than_some_seconds(scraped: Scraped) -> None:
    def states() -> str:
        return next(line for line in served(scraped.api, True).split("\n") if 'te="ok"}' in line)

    first = states()
    scraped.lookout.passes(600)
    assert states() != first
    now = states()
    scraped.lookout.options = replace(scraped.lookout.options, on=False)
    scraped.lookout.tick(False)
    assert states() == now


def test_a_pool_that_was_deleted_has_no_series_any_more(scraped: Scraped) -> None:
    """Also if no PG of any other pool is ever laggy again."""
    lookout, name = scraped.lookout, "pool_laggy_pg_seconds_total"
    lookout.pgs.states = {LAGGY: 5, "active+clean": 59}
    lookout.passes(60)
    lookout.pgs.states = {"active+clean": 64}
    lookout.passes(300)
    assert scraped.series(name) == {'pool="rbd"': 250}
    lookout.pgs.pool = "data"
    # Of a mgr that has just become active, which may not know all pools yet.
    lookout.pgs.states = {"unknown": 3, "active+clean": 61}
    lookout.passes(300)
    assert scraped.series(name) == {'pool="rbd"': 250}
    lookout.pgs.states = {"active+clean": 64}
    lookout.passes(120)
    assert scraped.series(name) == {}


def test_a_watch_that_fails_at_every_tick_has_not_looked(scraped: Scraped) -> None:
    """The alert for a watch that has stopped goes by this time."""
    lookout = scraped.lookout
    lookout.passes(60)
    lookout.tick(on=True)
    looked = lookout.clock.now()
    name = "watch_tick_timestamp_seconds"
    assert scraped.series(name) == {"": looked}

    def broken() -> NoReturn:
        raise KeyError("osd_map_tree")

    whole = lookout.watch.detectors.collect
    lookout.watch.detectors.collect = broken  # type: ignore[method-assign]
    for _ in range(100):
        lookout.clock.advance(5)
        lookout.tick(on=True)
    assert scraped.series(name) == {"": looked}
    lookout.watch.detectors.collect = whole  # type: ignore[method-assign]
    lookout.tick(on=True)
    assert scraped.series(name) == {"": lookout.clock.now()}


def test_a_watch_that_never_succeeded_has_a_time_all_the_same(scraped: Scraped) -> None:
    lookout = scraped.lookout

    def broken() -> NoReturn:
        raise KeyError("osd_map_tree")

    lookout.watch.detectors.collect = broken  # type: ignore[method-assign]
    first = lookout.clock.now()
    for _ in range(3):
        lookout.tick(on=True)
        lookout.clock.advance(5)
    assert scraped.series("watch_tick_timestamp_seconds") == {"": first}


def test_how_often_each_detector_failed_is_counted_while_the_watch_ticks(scraped: Scraped) -> None:
    """The alert for a detector that fails again and again goes by this."""
    lookout, name = scraped.lookout, "watch_detector_errors_total"
    lookout.passes(60)
    before = scraped.series(name)
    assert {'detector="slow"', 'detector="laggy"'} <= before.keys()
    assert set(before.values()) == {0}

    def broken() -> dict[str, int]:
        raise KeyError("pgs_by_state")

    lookout.pgs.by_state = broken  # type: ignore[method-assign]
    lookout.passes(60)
    assert scraped.series(name) == {**before, 'detector="laggy"': 12}
    assert scraped.series("coverage_looked")['look="laggy_pgs",unit="PG"'] == 0


def test_spans_that_a_busy_mgr_has_no_reports_of_are_counted(scraped: Scraped) -> None:
    """The mgr keeps 100 s of reports; the watch comes once in five minutes."""
    lookout, name = scraped.lookout, "watch_frames_dropped_total"
    lookout.passes(300)
    assert scraped.series(name) == {"": 0}

    def report(seconds: float) -> None:
        for _ in range(round(seconds / 5)):
            lookout.clock.advance(5)
            for pulse in lookout.pulses.values():
                pulse.live(5)
                pulse.report(lookout.counters, lookout.clock.now() - 0.1)

    for _ in range(12):
        report(300)
        lookout.tick()
    # 200 s of every 300 s are lost.
    assert 12 * 12 <= scraped.series(name)[""] <= 12 * 14
    lost = scraped.series(name)
    lookout.options = replace(lookout.options, on=False)
    lookout.tick(False)
    report(3600)
    lookout.options = replace(lookout.options, on=True)
    lookout.tick()
    # That was no busy mgr: the watch was off.
    assert scraped.series(name) == lost


def test_series_of_which_there_are_too_many_say_how_many_there_are_at_most() -> None:
    made = Metered()
    made.pools = [LaggyPool(f"p{number}", 1, 0, 1.0) for number in range(150)]
    made.laggy = LaggyNow(150, 0, 200, 1.0)
    text = made.text()
    assert text.count("\nceph_perf_bench_pool_laggy_pgs{") == 100
    for name in ("pool_laggy_pgs", "pool_laggy_pg_seconds_total"):
        (help_,) = [
            one for one in text.splitlines() if one.startswith(f"# HELP ceph_perf_bench_{name} ")
        ]
        assert "at most 100 pools" in help_
