"""From rounds to a health check: a profile that became slower is told of, and let go of again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lookout import Lookout, hosts
from past import LEVELS, Disks
from perf_bench.model.finding import FindingState

pytestmark = pytest.mark.usefixtures("quick")

CODE = "PERF_BENCH_REGRESSION"


class Mgr(Disks):
    """A mgr with bench and watch over one database."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.lookout = Lookout(
            self.store_thread, self.clock, hosts(6, 4), regressions=self.bench.regressions
        )

    def lives(self, *levels: float) -> None:
        """Rounds with these rates, then a look of the watch."""
        for level in levels:
            self.measures(level)
        self.looks()

    def looks(self) -> None:
        """Let the store thread finish its work, then tick the watch."""
        for _ in range(2):  # at the first it may only have begun to read
            self.settle()
            self.lookout.passes(5.0)

    def replaced(self, path: Path) -> Mgr:
        """Another mgr becomes active; this one had no time for anything."""
        self.crash()
        successor = Mgr(path)
        successor.clock.advance(self.clock.now() - successor.clock.now())
        successor.looks()
        return successor

    @property
    def health(self) -> dict[str, str]:
        """By code the first detail line."""
        return {code: c["detail"][0] for code, c in self.lookout.notifier.checks.items()}

    def findings(self) -> list[Any]:
        return list(self.lookout.watch.findings())


@pytest.fixture
def mgr(path: Path) -> Iterator[Mgr]:
    made = Mgr(path)
    yield made
    made.close()


def test_three_slow_rounds_are_a_regression_two_are_none(mgr: Mgr) -> None:
    mgr.lives(*LEVELS[:9])
    assert mgr.health == {}
    mgr.lives(LEVELS[9])
    assert mgr.health[CODE].startswith("osd-throughput is 20.0 % slower since round 8: ")
    check = mgr.lookout.notifier.checks[CODE]
    assert (check["summary"], check["count"]) == ("1 profile slower than before", 1)
    (finding,) = mgr.findings()
    assert (finding.target.kind, finding.target.id) == ("profile", "osd-throughput")
    assert finding.evidence["since_round"] == 8
    assert any(CODE in line for _, line in mgr.lookout.notifier.lines)
    (stored,), _ = mgr.store_thread.call(lambda store: store.watch.findings())
    assert stored.id == finding.id


def test_it_is_over_when_rounds_are_as_before(mgr: Mgr) -> None:
    mgr.lives(*LEVELS)
    assert CODE in mgr.health
    mgr.lives(1.0, 1.01, 0.99)
    assert mgr.health == {}
    (finding,) = mgr.findings()
    assert finding.state is FindingState.CLOSED
    assert "cleared: osd-throughput" in mgr.lookout.notifier.lines[-1][1]


def test_a_baseline_says_what_is_accepted(mgr: Mgr) -> None:
    mgr.lives(*LEVELS)
    mgr.api.comparisons.set_baseline(9)
    mgr.looks()
    assert mgr.health == {}
    mgr.api.comparisons.set_baseline(2)
    mgr.looks()
    assert CODE in mgr.health


def test_it_outlives_its_mgr(mgr: Mgr, path: Path) -> None:
    mgr.lives(*LEVELS)
    (before,) = mgr.findings()
    successor = mgr.replaced(path)
    (after,) = successor.findings()
    assert (after.id, after.first_seen, after.state) == (
        before.id,
        before.first_seen,
        FindingState.OPEN,
    )
    assert CODE in successor.health
    successor.close()


def test_a_finding_of_before_is_kept_until_the_past_was_read(mgr: Mgr) -> None:
    mgr.lives(*LEVELS)
    other = Lookout(mgr.store_thread, mgr.clock, hosts(6, 4))  # whose bench has not woken up
    other.passes(600.0)
    assert CODE in other.notifier.checks
    other.regressions.look_again("osd-throughput")
    other.judge()
    other.passes(5.0)
    assert CODE in other.notifier.checks
