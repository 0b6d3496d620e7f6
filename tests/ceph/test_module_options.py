"""The module's options at ceph-mgr and the monitors."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from fakes.ceph import MgrWorld
from perf_bench.model.admission import GuardRules, ModuleOption, Rules
from perf_bench.model.cluster import BUILD_OPTION

if TYPE_CHECKING:
    from mgr_module import MgrModule


@pytest.fixture
def options(mgr: MgrModule, monkeypatch: pytest.MonkeyPatch) -> Sequence[ModuleOption]:
    from perf_bench.ceph.options import module_options
    from perf_bench.ceph.options import options as defined

    # as ceph-mgr itself adds it, without a description
    of_ceph_mgr = {"name": "log_level", "type": "str", "default": "", "runtime": True}
    monkeypatch.setattr(type(mgr), "MODULE_OPTIONS", [*defined(), of_ceph_mgr])
    return module_options(mgr)


def test_all_but_the_mark_of_the_build(options: Sequence[ModuleOption]) -> None:
    found = {one.name: one for one in options}
    assert {BUILD_OPTION, "log_level"}.isdisjoint(found)
    assert (found["watch_tick_seconds"].min, found["watch_tick_seconds"].max) == (1, 60)
    assert [one.name for one in found.values() if not one.at_once] == ["detector"]
    assert all(one.help for one in found.values())
    health = {name for name, one in found.items() if one.group == "health"}
    assert health == {name for name in found if name.startswith("warn_")}


@pytest.mark.usefixtures("options")
def test_what_decides_whether_a_round_starts_and_goes_on(mgr: MgrModule, world: MgrWorld) -> None:
    from perf_bench.ceph.options import MgrOptions

    assert MgrOptions(mgr).care() == Rules()
    changed = {
        "admission_tolerate": "OSD_DOWN",
        "admission_client_percent": 30,
        "admission_window": "01:00-05:00",
        "admission_timezone": "Europe/Berlin",
        "admission_wear_gib_per_day": 7,
        "admission_flap_seconds": 8,
        "admission_map_changes": 50,
        "quiesce": False,
        "guard": False,
        "guard_laggy_pgs": 1,
        "guard_slow_ops": 2,
        "guard_osds_down": 3,
        "guard_client_times": 4,
    }
    world.module_options.update(((mgr.module_name, name), one) for name, one in changed.items())
    guard = GuardRules(on=False, laggy_pgs=1, slow_ops=2, osds_down=3, client_times=4, maps_met=125)
    assert MgrOptions(mgr).care() == Rules(
        ("OSD_DOWN",), 0.3, "01:00-05:00", "Europe/Berlin", 7 << 30, 8.0, 50, False, guard
    )
