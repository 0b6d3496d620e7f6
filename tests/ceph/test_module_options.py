"""The module's options at ceph-mgr and the monitors."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakes.ceph import MgrWorld
from perf_bench.errors import InvalidValue
from perf_bench.model.admission import GuardRules, Rules
from perf_bench.model.cluster import BUILD_OPTION

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.options import MgrModuleOptions


@pytest.fixture
def options(mgr: MgrModule, monkeypatch: pytest.MonkeyPatch) -> MgrModuleOptions:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons
    from perf_bench.ceph.options import options as defined
    from perf_bench.watch.slow_osd.thresholds import Thresholds
    from perf_bench.wiring import module_options

    # as ceph-mgr itself adds it, without a description
    of_ceph_mgr = {"name": "log_level", "type": "str", "default": "", "runtime": True}
    monkeypatch.setattr(type(mgr), "MODULE_OPTIONS", [*defined(), of_ceph_mgr])
    mons = Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
    return module_options(mgr, mons, Thresholds.of(["acute_ratio=3"]))


def test_all_but_the_mark_of_the_build(options: MgrModuleOptions) -> None:
    found = {one.name: one for one in options.all()}
    assert {BUILD_OPTION, "log_level"}.isdisjoint(found)
    assert (found["watch_tick_seconds"].min, found["watch_tick_seconds"].max) == (1, 60)
    assert [one.name for one in found.values() if not one.at_once] == ["detector"]
    assert all(one.help for one in found.values())
    health = {name for name, one in found.items() if one.group == "health"}
    assert health == {name for name in found if name.startswith("warn_")}


def test_the_thresholds_in_effect(options: MgrModuleOptions) -> None:
    found = {one.name: one for one in options.thresholds()}
    assert (found["acute_ratio"].value, found["acute_ratio"].default) == (3.0, 2.4)
    assert found["acute_z"].value == found["acute_z"].default


def test_the_monitors_get_what_is_set(options: MgrModuleOptions, world: MgrWorld) -> None:
    options.set("quiesce", "false")
    assert world.config["mgr", "mgr/perf_bench/quiesce"] == "false"
    options.set("quiesce", None)
    assert ("mgr", "mgr/perf_bench/quiesce") not in world.config


def test_texts_are_checked_by_who_reads_them(options: MgrModuleOptions) -> None:
    rows: list[tuple[str, str, str]] = [
        ("admission_window", "01:00-05:00", "at night"),
        ("admission_timezone", "UTC", "Europe/Nowhere"),
        ("detector", "acute_ratio=3 acute_z=5", "acute_ratio"),
    ]
    for name, good, bad in rows:
        option = next(one for one in options.all() if one.name == name)
        options.check(option, good)
        options.check(option, "")
        with pytest.raises(InvalidValue) as refused:
            options.check(option, bad)
        assert refused.value.field == "value"


def test_what_decides_whether_a_round_starts_and_goes_on(
    options: MgrModuleOptions, mgr: MgrModule, world: MgrWorld
) -> None:
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
