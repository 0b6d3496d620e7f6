"""What is found also while the watch is off, across a failover."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.store_thread import ImpatientStoreThread
from lookout import Lookout
from perf_bench.model.cluster import MgrBuild
from perf_bench.model.finding import FindingState
from perf_bench.watch.detect.standby_mgrs import StandbyMgrDetector


class Builds:
    """One standby mgr lacks the module."""

    def builds(self) -> list[MgrBuild]:
        return [MgrBuild("a", True, "1"), MgrBuild("b", False, None)]


@pytest.fixture
def lookout(store_thread: ImpatientStoreThread) -> Lookout:
    return Lookout(store_thread, detectors=(StandbyMgrDetector(Builds()),))


@pytest.mark.parametrize("on", [True, False])
def test_what_is_found_also_while_the_watch_is_off_outlives_the_mgr(
    lookout: Lookout, on: bool
) -> None:
    lookout.options = replace(lookout.options, on=on)

    def passes(seconds: float) -> None:
        for _ in range(round(seconds / 5)):
            lookout.clock.advance(5)
            lookout.tick(on)

    passes(900)
    assert list(lookout.notifier.checks) == ["PERF_BENCH_STANDBY_MGR"]
    lines = list(lookout.notifier.lines)
    lookout.detectors = (StandbyMgrDetector(Builds()),)
    lookout.watch = lookout.another()
    passes(120)
    assert [one.state for one in lookout.watch.findings()] == [FindingState.OPEN]
    assert lookout.notifier.lines == lines
    assert list(lookout.notifier.checks) == ["PERF_BENCH_STANDBY_MGR"]
