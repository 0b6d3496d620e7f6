"""Standby mgrs without the module, or with other files of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evidence import checked
from perf_bench.model.cluster import MgrBuild
from perf_bench.model.finding import Claim, Finding, Severity, Target, WatchTick
from perf_bench.model.finding_kinds import STANDBY_MGR
from perf_bench.watch.detect.standby_mgrs import StandbyMgrDetector
from perf_bench.watch.findings import Ledger

T = 1_700_000_000.0
LASTS = STANDBY_MGR.raise_after
ACTIVE = MgrBuild("x", True, "1.0+a")
SAME = MgrBuild("y", False, "1.0+a")
OTHER = MgrBuild("y", False, "0.9+b")
NONE = MgrBuild("y", False, None)
BROKEN = MgrBuild("y", False, "1.0+a", "No module named 'yaml'")


class Mgrs:
    """A map of mgrs that is changed at will, and the detector that reads it."""

    def __init__(self, *mgrs: MgrBuild) -> None:
        self.mgrs: Sequence[MgrBuild] = mgrs
        self.detector = StandbyMgrDetector(self)
        self.ledger = Ledger()
        self.now, self.offset = T, 0.0

    def builds(self) -> Sequence[MgrBuild]:
        return self.mgrs

    def passes(self, seconds: float, step: float = 0.0) -> list[Finding]:
        """Let time pass, after the clock was set by ``step``; returns what is open then."""
        self.now += step
        self.offset += step
        end = self.now + seconds
        while self.now < end:
            self.now += 5.0
            self.detector.tick(WatchTick(self.now, on=False, offset=self.offset))
            self.ledger.update(self.now, checked(self.detector.claims()))
        return self.ledger.findings()

    def claims(self) -> list[Claim]:
        return checked(self.detector.claims())


@pytest.mark.parametrize(
    ("standby", "message"),
    [
        (OTHER, "mgr.y has 0.9+b; the active mgr.x has 1.0+a"),
        (NONE, "mgr.y does not have this module; the active mgr.x has 1.0+a"),
        (
            BROKEN,
            "mgr.y cannot run this module (No module named 'yaml'); the active mgr.x has 1.0+a",
        ),
    ],
)
def test_what_differs_for_ten_minutes_is_told(standby: MgrBuild, message: str) -> None:
    mgrs = Mgrs(ACTIVE, standby)
    assert mgrs.passes(LASTS) == []
    (found,) = mgrs.passes(5.0)
    assert found.message == message
    assert (found.severity, found.target) == (Severity.WARNING, Target("mgr", "y"))
    assert found.first_seen == T + 5.0


@pytest.mark.parametrize(
    "mgrs",
    [
        (ACTIVE, SAME),
        (OTHER,),  # between two active mgrs
        (MgrBuild("x", True, None), SAME),  # the map is of before
    ],
)
def test_what_is_as_it_should_be_is_not_told(mgrs: Sequence[MgrBuild]) -> None:
    assert Mgrs(*mgrs).passes(2 * LASTS) == []


def test_an_upgrade_from_host_to_host_is_not_told() -> None:
    mgrs = Mgrs(ACTIVE, OTHER)
    mgrs.passes(LASTS - 60)
    mgrs.mgrs = (MgrBuild("x", True, "1.1+c"), OTHER._replace(build="1.0+a"))
    assert mgrs.passes(LASTS - 60) == []


def test_it_is_over_as_soon_as_it_is_mended() -> None:
    mgrs = Mgrs(ACTIVE, NONE)
    (found,) = mgrs.passes(LASTS + 5.0)
    assert not mgrs.detector.knows(found)
    mgrs.mgrs = (ACTIVE, SAME)
    assert mgrs.passes(60.0) == []
    assert mgrs.detector.knows(found)


RESTORED = Finding(1, STANDBY_MGR.code, Severity.WARNING, Target("mgr", "y"), "", {}, T, T)


@pytest.mark.parametrize(
    "before",
    [
        (OTHER,),  # no mgr is active yet
        (MgrBuild("x", True, None), OTHER),  # the map is of before this mgr became active
    ],
)
def test_a_restored_finding_waits_until_the_active_mgr_is_known(
    before: Sequence[MgrBuild],
) -> None:
    mgrs = Mgrs(*before)
    assert not mgrs.detector.looks()[0].complete
    mgrs.passes(5.0)
    assert not mgrs.detector.knows(RESTORED)
    mgrs.mgrs = (ACTIVE, OTHER)
    mgrs.passes(60.0)
    assert not mgrs.detector.knows(RESTORED)
    mgrs.mgrs = (ACTIVE, SAME)
    mgrs.passes(60.0)
    assert mgrs.detector.knows(RESTORED)
    (look,) = mgrs.detector.looks()
    assert (look.total, look.looked, look.complete) == (1, 1, True)


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_what_differs_for_two_minutes_does_so_whatever_the_clock_says(step: float) -> None:
    mgrs = Mgrs(ACTIVE, NONE)
    assert mgrs.passes(60.0) == []
    assert mgrs.passes(60.0, step) == []
    assert mgrs.passes(LASTS - 60.0)
