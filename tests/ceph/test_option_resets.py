"""Options that the operator has removed are let go of."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from fakes.ceph import MgrWorld
from fakes.clock import FakeClock

if TYPE_CHECKING:
    from mgr_module import MgrModule


GUARD = ("perf_bench", "guard")


class Look:
    """What looks, with a clock that goes on by itself."""

    def __init__(self, mgr: MgrModule) -> None:
        from perf_bench.ceph.client import open_client
        from perf_bench.ceph.mons import Mons
        from perf_bench.ceph.options import OptionResets

        mons = Mons(lambda: open_client("mgr.x", "", "[v2:127.0.0.1:1/0]", 15))
        self._clock = FakeClock()
        self._defaults = OptionResets(mgr, mons, self._clock, logging.getLogger())

    def tick(self, times: int) -> None:
        for _ in range(times):
            self._clock.advance(10)
            self._defaults.tick()


@pytest.fixture
def look(mgr: MgrModule, monkeypatch: pytest.MonkeyPatch) -> Look:
    options: list[dict[str, Any]] = [{"name": "guard", "default": True}]
    monkeypatch.setattr(type(mgr), "MODULE_OPTIONS", options)
    return Look(mgr)


def _set_at_mons(world: MgrWorld) -> None:
    world.mon_command(
        {"prefix": "config set", "who": "mgr", "name": "mgr/perf_bench/guard", "value": "false"}
    )


def test_what_is_removed_goes_back_to_its_default(
    look: Look, mgr: MgrModule, world: MgrWorld
) -> None:
    world.module_options[GUARD] = False
    look.tick(1)
    assert mgr.get_module_option("guard") is False  # it may be about to be set
    look.tick(1)
    assert mgr.get_module_option("guard") is True


def test_what_is_set_stays(look: Look, mgr: MgrModule, world: MgrWorld) -> None:
    world.module_options[GUARD] = False
    _set_at_mons(world)
    look.tick(4)
    assert mgr.get_module_option("guard") is False


def test_nobody_is_asked_while_all_is_at_its_default(look: Look, world: MgrWorld) -> None:
    look.tick(4)
    assert world.mon_asked == []


def test_mons_that_do_not_answer_remove_nothing(
    look: Look, mgr: MgrModule, world: MgrWorld
) -> None:
    world.module_options[GUARD] = False
    world.reachable = False
    look.tick(4)
    assert mgr.get_module_option("guard") is False
