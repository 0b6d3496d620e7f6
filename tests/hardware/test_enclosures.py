"""How often enclosures are put together anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import pytest

from factory import document, shelf
from nouns import an_osd
from perf_bench.model.finding import Finding, Severity, Target, WatchTick
from stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "main.db")
    yield made
    made.close()


def _tells(stage: Stage, bad: bool) -> None:
    facts = document("host-0", enclosures=[shelf({0: "sda"}, bad=[0] if bad else [])])
    stage.hosts.take("host-0", json.dumps(facts), stage.cluster.osds())


def _looks(stage: Stage, seconds: float) -> int:
    stage.clock.advance(seconds)
    stage.inventory.tick(WatchTick(stage.clock.now()))
    return len(stage.inventory.claims())


def test_facts_that_come_every_second_do_not_keep_the_mgr_busy(stage: Stage) -> None:
    _tells(stage, bad=False)
    stage.clock.tick = 0.5  # so long takes whatever is timed
    assert _looks(stage, 5) == 0
    _tells(stage, bad=True)
    assert _looks(stage, 5) == 0  # it rests, after half a second of work
    view = stage.inventory.view(0.0)
    assert [bay.slot.status for one in view.enclosures for bay in one.bays] == ["critical"]
    assert _looks(stage, 5) == 1  # somebody has asked, who sees what there is


def test_a_bad_part_is_known_to_be_over_once_the_facts_were_looked_at(stage: Stage) -> None:
    """After a failover: what another mgr found is not told for a quarter of an hour more."""
    target = Target("enclosure", "0x1")

    def restored(code: str, reasons: list[str]) -> Finding:
        evidence = {"reasons": reasons}
        return Finding(1, code, Severity.ERROR, target, "bad", evidence, 0.0, 0.0)

    parts = restored("PERF_BENCH_ENCLOSURE_FAULT", ["parts"])
    assert not stage.inventory.knows(parts)
    _tells(stage, bad=False)
    assert _looks(stage, 5) == 0
    assert stage.inventory.knows(parts)
    # These need what happened before this mgr was active.
    assert not stage.inventory.knows(restored("PERF_BENCH_ENCLOSURE_FAULT", ["fell together"]))
    assert not stage.inventory.knows(restored("PERF_BENCH_ENCLOSURE_FAULT", ["parts", "paths"]))
    assert not stage.inventory.knows(restored("PERF_BENCH_MULTIPATH_DEGRADED", ["parts"]))


def test_facts_are_not_old_any_more_once_the_clock_of_the_mgr_is_right(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mgr whose clock was ahead took all parts for unknown, and so for none that is bad."""
    _tells(stage, bad=True)
    osds = stage.cluster.osds()
    monkeypatch.setattr(stage.cluster, "osds", lambda _max_age=0.0: osds)  # nothing has changed
    stage.clock.set_by(3 * 86400)
    assert _looks(stage, 5) == 0
    stage.clock.set_by(-3 * 86400)
    assert _looks(stage, 5) == 1


def test_osds_that_were_removed_with_their_enclosure_are_not_down(stage: Stage) -> None:
    """A mgr remembers when an OSD went down until it is up again."""
    stage.cluster._osds[9] = an_osd(9, "host-0")  # on a disk in the host itself
    facts = document(
        "host-0",
        osds=[{"id": 0, "device": "sda"}, {"id": 3, "device": "sdb"}],
        enclosures=[shelf({0: "sda", 1: "sdb"})],
    )
    stage.hosts.take("host-0", json.dumps(facts), stage.cluster.osds())
    assert _looks(stage, 1000) == 0
    stage.cluster.set_down(0, 3)
    stage.falls.down = dict.fromkeys((0, 3), stage.clock.now())
    stage.clock.advance(60)
    told = datetime.fromtimestamp(stage.clock.now(), timezone.utc).isoformat()
    gone = {**document("host-0", osds=[], enclosures=[]), "collected_at": told[:19] + "Z"}
    stage.hosts.take("host-0", json.dumps(gone), stage.cluster.osds())
    assert _looks(stage, 1000) == 1  # it lost its power
    for purged in (0, 3):
        del stage.cluster._osds[purged]
    assert _looks(stage, 1000) == 0
