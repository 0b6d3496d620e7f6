"""Enclosures and paths from the command to the cluster's health."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import golden
from asked import asks, prints
from factory import document, shelf
from fakes.cluster import FakeCluster
from nouns import an_osd
from past import api_of
from perf_bench.answers import command as cli
from perf_bench.answers.api import Api
from perf_bench.model.finding import WatchTick
from perf_bench.model.finding_kinds import CODES
from stage import Stage

A = "0x5000c500a1b2c3d4"
LETTERS = "abcd"
FAN = {"type": "cooling", "name": "fan 1", "status": "noncritical"}


def _facts(lost: bool = False) -> dict[str, Any]:
    """Four OSDs of host-0 in an enclosure, each over two paths."""
    devices = {slot: f"sd{letter}" for slot, letter in enumerate(LETTERS)}
    fan = FAN if lost else {**FAN, "status": "OK"}
    maps = [
        {
            "name": f"mpath{letter}",
            "wwid": f"35000c500{slot:08x}",
            "paths": [
                {"device": f"sd{letter}", "hctl": f"0:0:{slot}:0", "state": "active"},
                {
                    "device": f"sda{letter}",
                    "hctl": f"1:0:{slot}:0",
                    "state": "failed" if lost else "active",
                },
            ],
        }
        for slot, letter in enumerate(LETTERS)
    ]
    return document(
        osds=[{"id": slot, "device": device} for slot, device in devices.items()],
        enclosures=[{**shelf(devices, 6, elements=[fan]), "paths": 2}],
        multipath=maps,
    )


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    hosts = ("host-0",) * 5 + ("host-1",) * 3
    place = {"enclosure": "shelf-of-crush"}
    osds = [an_osd(n, host) for n, host in enumerate(hosts)]
    cluster = FakeCluster([*osds, an_osd(8, "host-1", location=place)])
    made = Stage(tmp_path / "main.db", cluster)
    yield made
    made.close()


def _tells(api: Api, facts: dict[str, Any]) -> None:
    prints(api, "host import", json.dumps(facts), host=facts["host"])


def _prints(api: Api, name: str, words: str, **arguments: Any) -> None:
    golden.printed(name, prints(api, words, **arguments))


def _falls(stage: Stage, *osds: int) -> None:
    stage.falls.down.update(dict.fromkeys(osds, stage.clock.now()))
    stage.cluster.set_down(*osds)


def _codes(stage: Stage) -> list[str]:
    stage.settle()
    stage.clock.advance(6)
    stage.inventory.tick(WatchTick(stage.clock.now()))
    return [claim.code[len("PERF_BENCH_") :] for claim in stage.inventory.claims()]


def test_what_is_printed(stage: Stage, api: Api) -> None:
    _tells(api, _facts(lost=True))
    _falls(stage, 0, 1, 2)
    _prints(api, "enclosure-ls", "enclosure ls")
    _prints(api, "enclosure-show", "enclosure show", id=A)
    _prints(api, "enclosure-show-of-crush", "enclosure show", id="shelf-of-crush")
    _prints(api, "multipath-ls", "multipath ls", limit=3)


def test_a_host_that_is_silent(stage: Stage, api: Api) -> None:
    """What it told two days ago is neither good nor bad now, and it is said why."""
    _tells(api, _facts(lost=True))
    stage.clock.advance(2 * 86400)
    _prints(api, "enclosure-show-silent", "enclosure show", id=A)
    paths = asks(api, "multipath ls")
    assert {one["state"] for one in paths} == {"unknown"}


def test_a_cluster_that_tells_nothing(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "other.db")
    _prints(api_of(stage), "enclosure-ls-new", "enclosure ls")
    _prints(api_of(stage), "multipath-ls-new", "multipath ls")
    stage.close()


@pytest.mark.parametrize("name", ["nope", "\u00e9", "0" * 5000])
def test_an_enclosure_that_is_not_there(name: str, stage: Stage, api: Api) -> None:
    code, out, err = cli.dispatch(api, {"prefix": "perf-bench enclosure show", "id": name})
    assert (code, out) == (-errno.ENOENT, "")
    assert err.startswith("no enclosure '")
    assert err.isprintable()


def test_from_facts_to_health_and_back(stage: Stage, api: Api) -> None:
    assert _codes(stage) == []  # nothing is read yet
    _tells(api, _facts())
    assert _codes(stage) == []
    _tells(api, _facts(lost=True))
    assert _codes(stage) == ["ENCLOSURE_FAULT", "MULTIPATH_DEGRADED"]
    assert {claim.code for claim in stage.inventory.claims()} <= set(CODES)
    _tells(api, _facts())
    assert _codes(stage) == []
    _falls(stage, 0, 1, 2)
    assert _codes(stage) == ["ENCLOSURE_FAULT"]
    assert asks(api, "enclosure show", id=A)["suspects"][0].startswith("3 of its 4 OSDs went")
    stage.falls.down.clear()
    assert _codes(stage) == []
