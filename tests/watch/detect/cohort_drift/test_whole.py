"""The whole watch: hours of the store → findings, kept by the mgr that takes over."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fakes.store_thread import ImpatientStoreThread
from latencies import a_row, columns
from lookout import Lookout, hosts
from perf_bench.model.finding import COMMIT, Finding
from perf_bench.model.finding_kinds import COHORT_DRIFT
from perf_bench.model.history import HOUR, LOAD, CohortSetup, SpanRow, WatchBatch
from perf_bench.watch.detect.cohort_drift.detector import CohortDriftDetector
from perf_bench.watch.service import Watch

OSDS = range(12)


class Setups:
    """The CohortSetups port: nothing changes."""

    def setup(self, osds: Sequence[int]) -> CohortSetup:
        return CohortSetup(len(osds))


@pytest.fixture
def lookout(store_thread: ImpatientStoreThread) -> Lookout:
    detector = CohortDriftDetector(store_thread, Setups())
    return Lookout(store_thread, members=hosts(3, 4), detectors=(detector,))


def _hour(start: int, latency: float) -> SpanRow:
    size = len(OSDS)
    own = columns([latency] * size, ops=[36_000] * size, frames=240)
    load = columns([1e6] * size, ops=[None] * size, frames=240)
    return a_row(start, {COMMIT: own, LOAD: load}, level=HOUR, osds=OSDS)


def _past(lookout: Lookout, ratio: float, hours: int = 50) -> None:
    """Twenty days of hours, slower by that ratio in the newest ones."""
    now = int(lookout.clock.now()) // HOUR * HOUR
    rows = [
        _hour(now - back * HOUR, 0.005 * (ratio if back <= hours else 1.0))
        for back in range(1, 20 * 24)
    ]
    lookout.store_thread.call(lambda store: store.watch.write(WatchBatch(at=now, spans=rows)))


def _drifts(watch: Watch) -> list[Finding]:
    return [one for one in watch.findings() if one.code == COHORT_DRIFT.code]


def _settles(lookout: Lookout, seconds: float = 300.0) -> None:
    """Ticks, with the store's thread done with its work after each."""
    lookout.passes(seconds, lambda: lookout.store_thread.call(lambda _: None))


def test_a_cohort_slower_than_its_past_is_a_finding(lookout: Lookout) -> None:
    _past(lookout, 1.6)
    _settles(lookout)
    (found,) = _drifts(lookout.watch)
    assert (found.severity.value, found.target.kind) == ("warning", "cohort")
    assert found.evidence["ratio"] == pytest.approx(1.6, rel=0.01)
    looks = {one.name: one for one in lookout.watch.coverage(0.0)}
    assert looks["drift_hours"].complete
    assert COHORT_DRIFT.code in lookout.notifier.checks


def test_the_mgr_that_takes_over_keeps_it(lookout: Lookout) -> None:
    _past(lookout, 1.6)
    _settles(lookout, 400.0)
    (before,) = _drifts(lookout.watch)
    lookout.leave()
    lookout.detectors = (CohortDriftDetector(lookout.store_thread, Setups()),)
    lookout.watch = lookout.another()
    lookout.watch.recall()
    lookout.passes(5.0)
    assert [one.id for one in _drifts(lookout.watch)] == [before.id]
    _settles(lookout, 1200.0)  # by then it has been judged anew
    (after,) = _drifts(lookout.watch)
    assert (after.id, after.state) == (before.id, before.state)


def test_an_equal_past_is_no_finding(lookout: Lookout) -> None:
    _past(lookout, 1.1)
    _settles(lookout)
    assert _drifts(lookout.watch) == []
