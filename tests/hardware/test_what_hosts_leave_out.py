"""What hosts and the orchestrator do not tell, or tell twice."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

import pytest

from factory import document, shelf
from fakes.cluster import FakeCluster
from nouns import an_osd
from perf_bench.hardware.enclosures import condition
from perf_bench.hardware.orchestrator_facts import OrchestratorFacts
from stage import Stage
from told_hosts import HOUR, THEN, Hosts


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db", FakeCluster([an_osd(n, f"host-{n}") for n in range(3)]))
    yield made
    made.close()


class NodeProxy:
    """Host 0 has a fan of the same name in two systems; one of them has failed."""

    def facts(self) -> Sequence[Mapping[str, Any]]:
        return [{"hostname": f"host-{n}"} for n in range(3)]

    def hardware(self) -> Mapping[str, Any]:
        def fan(health: str) -> Mapping[str, Any]:
            return {"0": {"name": "Fan1", "status": {"health": health, "state": "Enabled"}}}

        fans = {"System.1": fan("OK"), "System.2": fan("Critical")}
        return {"host-0": {"sn": "X", "status": {"fans": fans}}}


def test_parts_of_one_name_in_two_systems(stage: Stage) -> None:
    log = logging.getLogger("test.orchestrator")
    periodic = OrchestratorFacts(NodeProxy(), stage.hosts, stage.cluster, stage.clock, log)
    stage.clock.advance(121)
    periodic.tick()
    assert sorted(stage.hosts.known()) == ["host-0", "host-1", "host-2"]
    (server,) = stage.hosts.known()["host-0"].facts.enclosures or ()
    assert sorted(one.status or "" for one in server.elements) == ["OK", "critical"]


def _accused(*smart: Mapping[str, Optional[int]]) -> list[str]:
    """Who is, after a host told the media errors of its disks, hour by hour."""
    block = [{"device": name, "serial": name.upper()} for name in ("sda", "sdb")]
    osds = [{"id": 0, "device": "sda"}, {"id": 1, "device": "sdb"}]
    host = Hosts([an_osd(n, "host-0") for n in range(2)])
    for hour, counts in enumerate(smart):
        told = [
            {"device": name, "media_errors": count}
            for name, count in counts.items()
            if count is not None
        ]
        host.now = THEN + hour * HOUR
        host.tells(document(osds=osds, block=block, smart=told), at=host.now)
    return [str(one.target) for one in host.claims()]


def test_a_bad_disk_that_does_not_answer_is_no_good_one() -> None:
    first, worse = {"sda": 0, "sdb": 0}, {"sda": 0, "sdb": 5}
    assert _accused(first, worse) == ["osd.1"]
    # smartctl gave up on sdb after its time limit, as it does for disks that hang.
    assert _accused(first, worse, {"sda": 0, "sdb": None}) == ["osd.1"]
    # It answers again, with more errors than it had before.
    assert _accused(first, first, {"sda": 0, "sdb": None}, {"sda": 0, "sdb": 40}) == ["osd.1"]


def test_a_disk_that_does_not_answer_was_not_looked_at(stage: Stage) -> None:
    told = document(
        osds=[{"id": 0, "device": "sdb"}],
        block=[{"device": name, "serial": name.upper()} for name in ("sda", "sdb")],
        smart=[{"device": "sda", "media_errors": 0}],
    )
    stage.hosts.take("host-0", json.dumps(told), stage.cluster.osds())
    (look,) = [one for one in stage.crc.looks() if one.name == "media_errors"]
    named = [host for gap in look.gaps for host in gap.units]
    assert "host-0" in named


def test_parts_that_nobody_asked_for_were_not_looked_at(stage: Stage) -> None:
    """sg_ses is not installed: nothing is known of fans and power supplies."""
    whole = shelf({0: "sda"})
    del whole["elements"]
    facts = document("host-0", enclosures=[whole])
    stage.hosts.take("host-0", json.dumps(facts), stage.cluster.osds())
    (look,) = [one for one in stage.inventory.looks() if one.name == "enclosures"]
    told = {host: gap.code for gap in look.gaps for host in gap.units}
    assert "host-0" in told


def test_an_enclosure_of_which_nothing_is_known_any_more_is_not_ok(stage: Stage) -> None:
    fan = {"type": "fan", "name": "fan 1", "status": "critical"}
    facts = document("host-0", enclosures=[shelf({0: "sda"}, elements=[fan])])
    stage.hosts.take("host-0", json.dumps(facts), stage.cluster.osds())

    def state() -> str:
        view = stage.inventory.view(0.0)
        (found,) = view.enclosures
        return condition(view, found)[0]

    assert state() == "degraded"
    stage.clock.advance(3 * 86400)  # the host has fallen silent
    assert state() == "unknown"
