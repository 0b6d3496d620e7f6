"""Who puts settings back when no mgr of ours does."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import io
import json
import os
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
def helper(world: MgrWorld) -> Iterator[ModuleType]:
    with installed(world):
        from perf_bench.programs import restore_settings

        yield restore_settings


def _journal(until: float) -> dict[str, Any]:
    change = {"what": "flag/noscrub", "was": "unset", "want": "set", "at": 0.0, "made": True}
    return {"holder": "token", "since": 0.0, "until": until, "changes": [change]}


def _looks(helper: ModuleType, seconds: float = 3600.0) -> bool:
    """Whether the helper is done after one look; ``seconds`` are left of the round's time."""
    mons = helper.Mons(lambda: helper.open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
    try:
        authority = helper.Succession(mons, time.monotonic() + seconds)
        return bool(helper.is_done(helper.helper_quiesce(mons, authority, "token")))
    finally:
        mons.close()


def _held(world: MgrWorld) -> bool:
    return "noscrub" in world.osd_map["flags_set"]


def test_a_mgr_that_will_do_it_is_left_to_do_it(helper: ModuleType, world: MgrWorld) -> None:
    assert not _looks(helper)
    assert _held(world)


def test_where_the_module_is_disabled_all_is_put_back(helper: ModuleType, world: MgrWorld) -> None:
    world.data["mgr_map"]["modules"].remove("perf_bench")
    assert _looks(helper)
    assert not _held(world)
    assert world.keys == {}


def test_where_the_active_mgr_lacks_the_module_all_is_put_back(
    helper: ModuleType, world: MgrWorld
) -> None:
    """It is enabled, and its folder is not on the host of the mgr that took over."""
    world.loadable.remove("perf_bench")
    assert _looks(helper)
    assert not _held(world)


def test_while_no_mgr_is_active_all_is_put_back(helper: ModuleType, world: MgrWorld) -> None:
    world.data["mgr_map"]["available"] = False
    assert _looks(helper)
    assert not _held(world)


def test_when_its_time_is_up_all_is_put_back(helper: ModuleType, world: MgrWorld) -> None:
    assert _looks(helper, seconds=0.0)
    assert not _held(world)


def test_the_time_of_day_says_nothing(helper: ModuleType, world: MgrWorld) -> None:
    world.keys[JOURNAL] = json.dumps(_journal(time.time() - 86400))
    assert not _looks(helper)
    assert _held(world)


def test_nothing_is_left_to_do_without_a_journal(helper: ModuleType, world: MgrWorld) -> None:
    world.keys.clear()
    assert _looks(helper)
    assert _held(world)  # an operator's own


def test_a_journal_that_cannot_be_read_ends_nothing(helper: ModuleType, world: MgrWorld) -> None:
    world.data["mgr_map"]["modules"].remove("perf_bench")
    world.keys[f"{JOURNAL}/1.000001"] = "{"
    assert not _looks(helper)
    assert not _held(world)  # what could be read is put back


def test_it_goes_on_whatever_a_look_raises(
    helper: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def look(_quiesce: object) -> bool:
        looks.append(1)
        if len(looks) < 4:
            raise (KeyError("x"), RecursionError("y"), OSError("z"))[len(looks) - 1]
        return True

    monkeypatch.setattr(helper, "is_done", look)
    monkeypatch.setattr(helper, "_EVERY", 0.0)
    monkeypatch.setattr(helper.sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert helper.main("mgr.x", "", "", "3600", "token") == 0
    assert len(looks) == 4


def test_it_looks_again_until_all_is_put_back(
    helper: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = [False, False, True]
    monkeypatch.setattr(helper, "is_done", lambda _quiesce: looks.pop(0))
    monkeypatch.setattr(helper, "_EVERY", 0.0)
    monkeypatch.setattr(helper.sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert helper.main("mgr.x", "", "", "3600", "token") == 0
    assert looks == []


def test_a_mgr_of_before_an_upgrade_names_no_round(
    helper: ModuleType, world: MgrWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are replaced under a mgr that runs: it starts the new program in the old way."""
    world.data["mgr_map"]["modules"].remove("perf_bench")
    monkeypatch.setattr(helper.sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert helper.main("mgr.x", "", "[v2:127.0.0.1:1/0]", "3600") == 0
    assert not _held(world)


def test_it_has_a_session_of_its_own(helper: ModuleType) -> None:
    """What ends the mgr's process group does not end it."""
    from perf_bench.ceph.restore_helper import RestoreHelperProcess

    process = RestoreHelperProcess("mgr.x", "", "", 60.0, "token")
    try:
        assert os.getsid(process._process.pid) == process._process.pid
    finally:
        process.dismiss()


def test_its_process_is_let_go(helper: ModuleType) -> None:
    from perf_bench.ceph.restore_helper import RestoreHelperProcess

    process = RestoreHelperProcess("mgr.x", "", "", 60.0, "token")
    process.dismiss()
    assert process._process.poll() is not None
