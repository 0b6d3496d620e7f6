"""Settings and the journal, as orders to the monitors of three releases."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

import pytest

from fakes.ceph import MgrWorld
from perf_bench.errors import NotFound, NotNow

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.mons import Mons
    from perf_bench.ceph.settings import MonSettings


@pytest.fixture
def mons(mgr: MgrModule) -> Mons:
    from perf_bench.ceph.client import open_client
    from perf_bench.ceph.mons import Mons

    return Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))


@pytest.fixture
def settings(mons: Mons) -> MonSettings:
    from perf_bench.ceph.settings import MonSettings

    return MonSettings(mons)


@pytest.mark.parametrize(
    ("what", "was", "want"),
    [
        ("flag/noscrub", "unset", "set"),
        ("balancer", None, "off"),
        ("pool/1/pg_autoscale_mode", "on", "off"),
        ("config/osd/osd_bench_duration", None, "60"),
    ],
)
def test_there_and_back(
    what: str, was: Optional[str], want: str, settings: MonSettings, world: MgrWorld
) -> None:
    config, flags = dict(world.config), world.osd_map["flags_set"]
    assert settings.read(what) == was
    settings.set(what, want)
    assert settings.read(what) == want
    settings.set(what, was)
    assert settings.read(what) == was
    assert world.config == config
    assert sorted(world.osd_map["flags_set"]) == sorted(flags)


@pytest.mark.parametrize(("value", "state"), [("true", "on"), ("false", "off")])
def test_a_balancer_that_somebody_has_set(
    value: str, state: str, settings: MonSettings, world: MgrWorld
) -> None:
    world.config["mgr", "mgr/balancer/active"] = value
    assert settings.read("balancer") == state


def test_what_there_is_not(settings: MonSettings) -> None:
    with pytest.raises(NotFound, match="no pool 7"):
        settings.read("pool/7/pg_autoscale_mode")
    with pytest.raises(NotFound, match="no setting 'colour'"):
        settings.read("colour")
    with pytest.raises(NotFound, match="no setting 'colour'"):
        settings.set("colour", "red")


def test_pools_that_the_autoscaler_would_change(settings: MonSettings, world: MgrWorld) -> None:
    assert settings.moving_pools() == []
    world.moving = {1}
    assert settings.moving_pools() == [1]
    world.osd_map["pools"][0]["pg_autoscale_mode"] = "warn"
    assert settings.moving_pools() == []


def test_the_journal(mons: Mons, world: MgrWorld) -> None:
    from perf_bench.ceph.settings import JOURNAL, MonJournal

    journal = MonJournal(mons)
    assert journal.load() is None
    journal.save({"holder": "a", "changes": []})
    assert journal.load() == {"holder": "a", "changes": []}
    journal.save(None)
    assert journal.load() is None
    assert world.keys == {}
    world.keys[JOURNAL] = "{"
    with pytest.raises(NotNow, match="put that back by hand"):
        journal.load()
