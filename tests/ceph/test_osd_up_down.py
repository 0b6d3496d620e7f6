"""Who is down and since when, from the maps of three releases."""

# Our modules that know Ceph can be imported only while its Python modules are in place.
# ruff: noqa: PLC0415

from __future__ import annotations

import errno
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import pytest

from fakes.ceph import MgrWorld, inventory_in
from fakes.clock import FakeClock
from perf_bench.errors import CommandFailed

if TYPE_CHECKING:
    from mgr_module import MgrModule

    from perf_bench.ceph.mons import Mons
    from perf_bench.ceph.osd_up_down import MgrDownTimes

STAMP = "2026-11-21T02:44:34.114418+0000"
AT = 1795229074.114418


class Place:
    """A mgr that looks, three OSDs, and monitors that know when some maps were made."""

    def __init__(self, mgr: MgrModule, world: MgrWorld) -> None:
        from perf_bench.ceph.osd_map import OsdMapReader
        from perf_bench.ceph.osd_up_down import MgrDownTimes

        self.clock = FakeClock()
        self.world = world
        self.maps: Mapping[int, str] = {}
        self.asked: list[int] = []
        self.silent = False
        maps, mons = OsdMapReader(mgr), cast("Mons", self)
        inventory = inventory_in(mgr, self.clock, maps)
        self.falls: MgrDownTimes = MgrDownTimes(maps, inventory, mons, self.clock)

    def command(self, prefix: str, **arguments: Any) -> bytes:
        assert prefix == "osd dump"
        epoch = arguments["epoch"]
        self.asked.append(epoch)
        if self.silent:
            raise CommandFailed(errno.ETIMEDOUT, "no answer")
        if epoch not in self.maps:
            raise CommandFailed(errno.ENOENT, "there is no map for epoch")
        return f"epoch {epoch}\ncreated {STAMP}x\nmodified {self.maps[epoch]}\n".encode()

    def down_since(self, **epochs: int) -> None:
        """Down before anybody looks, by ``osd_N`` since which epoch; up before."""
        entries = {f"osd_{entry['osd']}": entry for entry in self.world.osd_map["osds"]}
        for name, epoch in epochs.items():
            entries[name].update(up_from=1, down_at=epoch)
            self.world.set_down(entries[name]["osd"])


@pytest.fixture
def place(mgr: MgrModule, world: MgrWorld) -> Place:
    return Place(mgr, world)


def test_what_falls_while_it_looks_fell_then(place: Place) -> None:
    assert place.falls.fell() == {}
    # as of an OSD whose peers' connections were refused: none of this fall
    place.world.osd_map["osd_xinfo"][1]["down_stamp"] = "0.000000"
    place.world.set_down(1)
    at = place.clock.now()
    assert place.falls.fell() == {1: at}
    place.clock.advance(60.0)
    place.world.set_down(2)
    assert place.falls.fell() == {1: at, 2: at + 60.0}
    assert place.asked == []


def test_what_is_down_before_is_known_by_its_map(place: Place) -> None:
    place.maps = {40: STAMP}
    place.down_since(osd_0=40, osd_1=40, osd_2=3)
    assert place.falls.fell() == {0: AT, 1: AT, 2: -math.inf}
    assert place.falls.fell() == {0: AT, 1: AT, 2: -math.inf}
    assert place.asked == [40, 3]  # each once


def test_one_that_was_never_up_did_not_fall(place: Place) -> None:
    place.down_since(osd_0=40)
    place.world.osd_map["osds"][0]["up_from"] = 0
    assert place.falls.fell() == {}


def test_monitors_that_do_not_answer_are_asked_again_later(place: Place) -> None:
    """As after a failover for the same reason for which the OSDs went down."""
    place.maps = {40: STAMP, 39: STAMP}
    place.down_since(osd_0=40, osd_1=39)
    place.silent = True
    assert place.falls.fell() == {0: -math.inf, 1: -math.inf}
    place.falls.fell()
    assert place.asked == [40]  # each question takes its time limit
    place.silent = False
    place.clock.advance(60.0)
    assert place.falls.fell() == {0: AT, 1: AT}
    place.clock.advance(60.0)
    place.falls.fell()
    assert place.asked == [40, 40, 39]


def test_what_falls_before_the_monitors_answer_fell_then(place: Place) -> None:
    """Not when it had fallen before it came up again."""
    place.maps = {40: STAMP}
    place.down_since(osd_0=40)
    place.silent = True
    place.falls.fell()
    place.silent = False
    place.world.set_up(0)
    assert place.falls.fell() == {}
    place.world.set_down(0)
    at = place.clock.now()
    place.falls.fell()
    place.clock.advance(60.0)
    assert place.falls.fell() == {0: at}
    assert place.asked == [40]
