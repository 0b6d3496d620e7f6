"""Who puts settings back when no mgr of ours does."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from fakes.ceph import RELEASES, MgrWorld, installed

JOURNAL = "mgr/perf_bench/quiesce"


@pytest.fixture(params=RELEASES)
def world(request: pytest.FixtureRequest) -> MgrWorld:
    """A cluster in which a round has set noscrub, and whose mgr is gone."""
    made = MgrWorld.captured(request.param)
    made.mon_command({"prefix": "osd set", "key": "noscrub"})
    made.keys[JOURNAL] = json.dumps(_journal(time.time() + 3600))
    return made


@pytest.fixture
def heir(world: MgrWorld) -> Iterator[ModuleType]:
    with installed(world):
        from perf_bench import heir

        yield heir


def _journal(until: float) -> dict[str, Any]:
    change = {"what": "flag/noscrub", "was": "unset", "want": "set", "at": 0.0, "made": True}
    return {"holder": "token", "since": 0.0, "until": until, "changes": [change]}


def _looks(heir: ModuleType) -> bool:
    mons = heir.Mons(lambda: heir.open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
    try:
        return bool(heir._look(mons))
    finally:
        mons.close()


def _held(world: MgrWorld) -> bool:
    return "noscrub" in world.osd_map["flags_set"]


def test_a_mgr_that_will_do_it_is_left_to_do_it(heir: ModuleType, world: MgrWorld) -> None:
    assert not _looks(heir)
    assert _held(world)


def test_where_the_module_is_disabled_all_is_put_back(heir: ModuleType, world: MgrWorld) -> None:
    world.data["mgr_map"]["modules"].remove("perf_bench")
    assert _looks(heir)
    assert not _held(world)
    assert world.keys == {}


def test_when_its_time_is_up_all_is_put_back(heir: ModuleType, world: MgrWorld) -> None:
    world.keys[JOURNAL] = json.dumps(_journal(time.time() - 1))
    assert _looks(heir)
    assert not _held(world)


def test_nothing_is_left_to_do_without_a_journal(heir: ModuleType, world: MgrWorld) -> None:
    world.keys.clear()
    assert _looks(heir)
    assert _held(world)  # an operator's own


def test_its_process_is_let_go(heir: ModuleType) -> None:
    process = heir.Heir("mgr.x", "", "")
    process.dismiss()
    assert process._process.poll() is not None
