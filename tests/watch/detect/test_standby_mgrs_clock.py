"""A clock that is set neither hides what standby mgrs have nor makes it older."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from perf_bench.model.cluster import MgrBuild
from perf_bench.model.detector import WatchTick
from perf_bench.watch.detect.standby_mgrs import PERSISTENCE_SECONDS, StandbyMgrDetector

T = 1_700_000_000.0
ACTIVE = MgrBuild("x", True, "1.0+a")
SAME = MgrBuild("y", False, "1.0+a")
NONE = MgrBuild("y", False, None)


class Mgrs:
    """A map of mgrs that is changed at will, the detector that reads it, and a clock to set."""

    def __init__(self, *mgrs: MgrBuild) -> None:
        self.mgrs: Sequence[MgrBuild] = mgrs
        self.detector = StandbyMgrDetector(self)
        self.now, self.offset = T, 0.0

    def builds(self) -> Sequence[MgrBuild]:
        return self.mgrs

    def passes(self, seconds: float, step: float = 0.0) -> int:
        self.now += step
        self.offset += step
        for _ in range(int(seconds / 5)):
            self.now += 5.0
            self.detector.tick(WatchTick(self.now, on=False, offset=self.offset))
        return len(self.detector.claims())


def test_set_back_by_hours_it_still_looks_once_a_minute() -> None:
    mgrs = Mgrs(ACTIVE, NONE)
    assert mgrs.passes(PERSISTENCE_SECONDS + 60.0) == 1
    mgrs.mgrs = (ACTIVE, SAME)
    assert mgrs.passes(65.0, step=-6 * 3600.0) == 0
    mgrs.mgrs = (ACTIVE, NONE)
    assert mgrs.passes(PERSISTENCE_SECONDS + 65.0) == 1


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_what_differs_for_two_minutes_does_so_whatever_the_clock_says(step: float) -> None:
    mgrs = Mgrs(ACTIVE, NONE)
    assert mgrs.passes(60.0) == 0
    assert mgrs.passes(60.0, step) == 0
    assert mgrs.passes(PERSISTENCE_SECONDS - 60.0) == 1
