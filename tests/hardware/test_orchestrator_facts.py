"""The orchestrator's facts, taken over where a host does not tell its own."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from factory import document
from fakes.cluster import FakeCluster
from nouns import an_osd
from perf_bench.hardware.orchestrator_facts import OrchestratorFacts
from perf_bench.model.hardware import facts_of
from stage import Stage


class Cephadm:
    """An orchestrator's data: hosts with a disk each."""

    def __init__(self, *hosts: str) -> None:
        self.hosts: dict[str, dict[str, Any]] = {host: {} for host in hosts}
        self.asked = 0

    def facts(self) -> Sequence[Mapping[str, Any]]:
        self.asked += 1
        return [{"hostname": host, **more} for host, more in self.hosts.items()]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    osds = [an_osd(number, f"host-{number}") for number in range(25)]
    made = Stage(tmp_path / "main.db", FakeCluster(osds))
    yield made
    made.close()


def _looker(stage: Stage, cephadm: Cephadm) -> OrchestratorFacts:
    log = logging.getLogger("test.orchestrator")
    return OrchestratorFacts(cephadm.facts, stage.hosts, stage.cluster, stage.clock, log)


def _sources(stage: Stage) -> dict[str, Any]:
    return {host: one.facts.source for host, one in stage.hosts.known().items()}


def test_facts_are_taken_over_some_a_tick_and_once_an_hour(stage: Stage) -> None:
    cephadm = Cephadm(*[f"host-{number}" for number in range(25)], "a-host-without-osds")
    periodic = _looker(stage, cephadm)
    periodic.tick()
    assert cephadm.asked == 0  # a mgr that has just begun has other things to do
    stage.clock.advance(121)
    taken = []
    for _ in range(4):
        periodic.tick()
        taken.append(len(stage.hosts.known()))
    assert taken == [10, 20, 25, 25]
    assert cephadm.asked == 1
    stage.clock.advance(3600)
    periodic.tick()
    assert cephadm.asked == 2


def test_a_host_that_tells_its_own_is_believed(stage: Stage) -> None:
    osds = stage.cluster.osds()
    stage.hosts.take_facts(facts_of(document("host-0")), osds)
    periodic = _looker(stage, Cephadm("host-0", "host-1"))
    stage.clock.advance(121)
    periodic.tick()
    assert _sources(stage) == {"host-0": None, "host-1": "orchestrator"}
    stage.clock.advance(3 * 86400)  # it has fallen silent
    periodic.tick()
    assert _sources(stage) == {"host-0": "orchestrator", "host-1": "orchestrator"}


def test_facts_that_are_refused_are_said_once(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    cephadm = Cephadm("host-0")
    cephadm.hosts["host-0"]["enclosures"] = {f"0x{number}": {} for number in range(257)}
    periodic = _looker(stage, cephadm)
    for _ in range(2):
        stage.clock.advance(3600)
        periodic.tick()
    assert [one.getMessage().split(": ")[0] for one in caplog.records] == [
        "the orchestrator's facts of host-0"
    ]
    assert _sources(stage) == {}


def test_a_database_that_is_away_loses_none(stage: Stage) -> None:
    periodic = _looker(stage, Cephadm("host-0", "host-1"))
    stage.hosts.known()
    stage.clock.advance(121)
    stage.faults.failing = -1
    periodic.tick()
    assert _sources(stage) == {}
    stage.faults.failing = 0
    periodic.tick()
    assert sorted(_sources(stage)) == ["host-0", "host-1"]
