"""Each kind of setting, as orders to the monitors of three releases."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Optional

import pytest

from fakes.ceph import RELEASES, MgrWorld, installed
from fakes.clock import FakeClock
from perf_bench.bench.held_kinds import ClusterSettings
from perf_bench.errors import CommandFailed
from perf_bench.model.admission import SettingChange, stored

if TYPE_CHECKING:
    from perf_bench.ceph.mons import Mons

OPTION = "config/osd/osd_bench_duration"
POOL = "pool/1/pg_autoscale_mode"
AFFINITY, REWEIGHT = "osd/1/primary_affinity", "osd/1/reweight"
# A change of each kind: what it was, and what a round makes of it.
CHANGES = [
    SettingChange("flag/noscrub", "unset", "set"),
    SettingChange("balancer", None, "off"),
    SettingChange(POOL, "on", "off"),
    SettingChange(OPTION, None, "60"),
    SettingChange(AFFINITY, "1.0", "0.0"),
]


@pytest.fixture(params=RELEASES)
def world(request: pytest.FixtureRequest) -> Iterator[MgrWorld]:
    made = MgrWorld.captured(request.param)
    with installed(made):
        yield made


@pytest.fixture
def mons(world: MgrWorld) -> Mons:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons

    return Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))


@pytest.fixture
def settings(mons: Mons) -> ClusterSettings:
    return ClusterSettings(mons, FakeClock())


def test_there_and_back(settings: ClusterSettings, world: MgrWorld) -> None:
    config, flags = dict(world.config), world.osd_map["flags_set"]
    for change in CHANGES:
        assert settings.read(change.what) == change.was
        settings.set(change.what, change.want)
        assert settings.read(change.what) == change.want
        settings.set(change.what, change.was)
        assert settings.read(change.what) == change.was
    assert world.config == config
    assert world.balancing
    assert sorted(world.osd_map["flags_set"]) == sorted(flags)


def test_every_kind_says_what_an_operator_types(settings: ClusterSettings, world: MgrWorld) -> None:
    name = next(one["pool_name"] for one in world.osd_map["pools"] if one["pool"] == 1)
    settings.read(POOL)
    assert [settings.commands(change.what, change.was) for change in CHANGES] == [
        ["ceph osd unset noscrub"],
        ["ceph balancer on", "ceph config rm mgr mgr/balancer/active"],
        [f"ceph osd pool set {name} pg_autoscale_mode on"],
        ["ceph config rm osd osd_bench_duration"],
        ["ceph osd primary-affinity 1 1.0"],
    ]


# --- the balancer ------------------------------------------------------------------------------


@pytest.mark.parametrize("recorded", [None, "true"])
def test_the_balancer_itself_is_asked(
    recorded: Optional[str], settings: ClusterSettings, world: MgrWorld
) -> None:
    """The option was removed, and the running balancer has not heard of it: it is off."""
    key = "mgr", "mgr/balancer/active"
    was = "on" if recorded else None
    if recorded:
        world.config[key] = recorded
    assert settings.read("balancer") == was
    settings.set("balancer", "off")
    assert (world.balancing, world.config[key]) == (False, "false")
    world.config.pop(key)
    assert settings.read("balancer") == "off"
    settings.set("balancer", was)
    assert (world.balancing, world.config.get(key)) == (True, recorded)


# --- weights of OSDs ---------------------------------------------------------------------------


@pytest.mark.parametrize("what", [AFFINITY, REWEIGHT])
def test_a_weight_is_put_back_exactly(
    what: str, settings: ClusterSettings, world: MgrWorld
) -> None:
    settings.set(what, "0.3")
    held = settings.read(what)
    assert held == stored(0.3) == "0.29998779296875"
    settings.set(what, "0.0")
    settings.set(what, held)
    assert settings.read(what) == held


def test_what_monitors_refuse_is_raised(settings: ClusterSettings, world: MgrWorld) -> None:
    world.reachable = False
    with pytest.raises(CommandFailed):
        settings.read("balancer")
