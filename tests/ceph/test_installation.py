"""Which mgr has which build, and the mark of the active one at the monitors."""

# ruff: noqa: PLC0415

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from fakes.ceph import MgrWorld
from fakes.clock import FakeClock
from perf_bench.model.cluster import BUILD_OPTION, MARK_KEY, MgrBuild, mgr_builds
from perf_bench.version import VERSION

if TYPE_CHECKING:
    from mgr_module import MgrModule


def module(build: str = "", error: str = "", name: str = "perf_bench") -> dict[str, Any]:
    """A module as a mgr map has it."""
    options = {BUILD_OPTION: {"name": BUILD_OPTION, "default_value": build}} if build else {}
    row = {"name": name, "can_run": not error, "error_string": error}
    return {**row, "module_options": options}


def test_the_map_tells_the_build_of_each(world: MgrWorld, mgr: MgrModule) -> None:
    from perf_bench.ceph.mons import MapOfMgrs

    others = [module(name="dashboard")]
    world.data["mgr_map"].update(
        available_modules=[*others, module("1+a")],
        standbys=[
            {"name": "z", "available_modules": [module("1+b", "no yaml")]},
            {"name": "y", "available_modules": others},
            {"name": "w", "available_modules": [module()]},
        ],
    )
    assert MapOfMgrs(mgr).builds() == [
        MgrBuild("x", True, "1+a"),
        MgrBuild("w", False, "of a version before 0.1.0"),
        MgrBuild("y", False, None),
        MgrBuild("z", False, "1+b", "no yaml"),
    ]


def test_without_an_active_mgr_there_are_standbys() -> None:
    standbys = [{"name": "y", "available_modules": [module("1+a")]}]
    found = mgr_builds({"active_name": "", "available_modules": [], "standbys": standbys})
    assert found == [MgrBuild("y", False, "1+a")]


def test_the_module_tells_its_build_as_a_default(mgr: MgrModule) -> None:
    from perf_bench.ceph.options import options

    (option,) = [one for one in options() if one["name"] == BUILD_OPTION]
    assert option["default"] == VERSION


def test_the_mark_is_written_when_the_build_is_another(world: MgrWorld) -> None:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import InstallationMark, Mons

    clock = FakeClock()
    mons = Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))

    def active() -> InstallationMark:
        return InstallationMark(mons, clock, logging.getLogger())

    mark = active()
    world.mon_refuses["config-key set"] = (-13, b"", "access denied")
    mark.tick()
    assert MARK_KEY not in world.keys
    world.mon_refuses.clear()
    mark.tick()  # not at once
    assert MARK_KEY not in world.keys
    clock.advance(60)
    mark.tick()
    written = json.loads(world.keys[MARK_KEY])
    assert written == {"build": VERSION, "since": round(clock.now())}
    clock.advance(1000)
    active().tick()
    assert json.loads(world.keys[MARK_KEY]) == written
    for text in ('{"build": "0.0.9"}', "not JSON", "[]"):
        world.keys[MARK_KEY] = text
        active().tick()
        assert json.loads(world.keys[MARK_KEY])["build"] == VERSION
