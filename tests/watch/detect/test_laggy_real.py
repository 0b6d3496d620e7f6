"""Two OSDs stopped on a real cluster, one after the other, as a mgr saw it (laggy_frozen.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fakes.clock import FakeClock
from fakes.senses import FakeOsdHealth, FakePgs
from perf_bench.model.finding import WatchTick
from perf_bench.watch.detect.laggy_pgs import LaggyPgDetector

# An OSD reports every 5 s, later where the mgr has stretched that: two reports missed.
SILENT_SECONDS = 12.0
# When fewer of the others report, it is the mgr that does not hear.
OTHERS_REPORT = 0.5


class Reporters:
    """Tells who is stale from the sequence numbers of reports, as the collector does from bins."""

    def __init__(self) -> None:
        self._moved: dict[int, tuple[int, float]] = {}

    def step(self, at: float, reports: Mapping[int, int]) -> frozenset[int]:
        """Take the newest numbers by OSD; returns the stale ones. ``at`` is unix seconds."""
        before = self._moved
        self._moved = {
            osd: before[osd] if osd in before and before[osd][0] == number else (number, at)
            for osd, number in reports.items()
        }
        # By the newest that moved and not by the clock: where reports are read once a minute,
        # all of them stand still between two reads.
        newest = max((moved for _, moved in self._moved.values()), default=at)
        stale = frozenset(
            osd for osd, (_, moved) in self._moved.items() if newest - moved >= SILENT_SECONDS
        )
        return stale if len(stale) <= (1 - OTHERS_REPORT) * len(reports) else frozenset()


TICKS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("laggy_frozen.json").read_text(encoding="utf-8")
)["ticks"]

# Seconds at which which OSD was stopped and went on.
FROZEN = {"osd.2": (75.2, 115.2), "osd.0": (197.3, 257.3)}


@dataclass
class Seen:
    """What was claimed after each tick, by its seconds, and the detector at the end."""

    claimed: dict[float, list[str]]
    detector: LaggyPgDetector


@pytest.fixture(params=["with reports", "by counts alone"])
def seen(request: pytest.FixtureRequest) -> Seen:
    pgs, health, clock, reporters = FakePgs(), FakeOsdHealth(), FakeClock(), Reporters()
    detector = LaggyPgDetector(pgs, health, clock)
    claimed = {}
    for tick in TICKS:
        reports = {int(osd): number for osd, number in tick["reports"].items()}
        stale = reporters.step(tick["at"], reports)
        pgs.states = tick["by_state"]
        pgs.by_pool = lambda pools=tick["by_pool"]: pools  # type: ignore[method-assign,misc]
        pgs.osds = {int(osd): states for osd, states in tick["by_osd"].items()}
        health.slow = {int(osd): count for osd, count in tick["slow_ops"].items()}
        clock.advance(5)
        detector.tick(WatchTick(tick["at"], stale=stale if request.param == "with reports" else ()))
        claimed[tick["at"]] = [str(claim.target) for claim in detector.claims()]
    return Seen(claimed, detector)


def test_each_is_named_while_it_hangs_and_nobody_else_ever(seen: Seen) -> None:
    for osd, (stopped, went_on) in FROZEN.items():
        at = [tick for tick, names in seen.claimed.items() if osd in names]
        # A lease of 16 s, a report of 5 s, 15 s of persistence; and 30 s without any at the end.
        assert stopped + 30 < min(at) < stopped + 40
        assert went_on < max(at) < went_on + 40
    assert {tuple(names) for names in seen.claimed.values()} == {(), ("osd.2",), ("osd.0",)}


def test_the_episodes(seen: Seen) -> None:
    newest, oldest = seen.detector.episodes()
    for episode, osd, peak in ((oldest, 2, 29), (newest, 0, 19)):
        (suspect,) = episode.suspects
        assert (suspect.osd, suspect.part, episode.peak) == (osd, 1.0, peak)
        assert not episode.stuck
        assert set(episode.pools) == {"two-copies", "three-copies"}


def test_slow_ops_were_reported_by_the_victims_only(seen: Seen) -> None:
    # Which is why they accuse nobody.
    second = [tick for tick in TICKS if FROZEN["osd.0"][0] < tick["at"]]
    assert {osd for tick in second for osd in tick["slow_ops"]} == {"1", "2", "3"}
