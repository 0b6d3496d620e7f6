"""Alerts, flapping OSDs and standby mgrs at the limits of their rules, and over failovers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import pytest

from perf_bench.model.cluster import MgrBuild, OsdEpochs, UpDownChanges
from perf_bench.model.detector import WatchTick
from perf_bench.model.frame import Watched
from perf_bench.model.verdict import CephAlert
from perf_bench.watch.detect.ceph_alerts import blamed
from perf_bench.watch.detect.osd_flapping import OsdFlappingDetector, Return
from perf_bench.watch.detect.standby_mgrs import StandbyMgrDetector

T = 1_700_000_000.0
SLOW, PING = "BLUESTORE_SLOW_OP_ALERT", "OSD_SLOW_PING_TIME_BACK"


def watched(osd: int, host: str = "h", **more: Any) -> Watched:
    return Watched(osd, f"osd.{osd}", host, "hdd", **more)


# --- flapping --------------------------------------------------------------------------------


class Epochs:
    """What the map of OSDs tells of one epoch."""

    def __init__(self) -> None:
        self.found: Optional[UpDownChanges] = None

    def changes(self, since: Optional[int]) -> Optional[UpDownChanges]:
        return self.found


def flapping(
    epochs: Sequence[Optional[tuple[int, int, int]]], *, first: Optional[int] = 10
) -> OsdFlappingDetector:
    """A look every 5 s; each finds an epoch in which OSD 1 was up since and down at."""
    source = Epochs()
    made = OsdFlappingDetector(source)
    if first is not None:
        source.found = UpDownChanges(first, {})
        made.tick(WatchTick(T - 5, members=[watched(1)]))
    for number, found in enumerate(epochs):
        source.found = found and UpDownChanges(found[0], {1: OsdEpochs(*found[1:])})
        made.urgent = False
        made.tick(WatchTick(T + 5 * number, members=[watched(1)]))
    return made


@pytest.mark.parametrize(
    ("epochs", "returns", "urgent"),
    [
        ([(11, 11, 0)], [], False),  # a new one
        ([(11, 5, 11)], [], False),  # down
        ([(12, 12, 11)], [Return(T, T)], True),  # both between two looks
        ([(11, 5, 11), (12, 12, 11)], [Return(T, T + 5)], True),
        ([(11, 5, 11), None, (12, 12, 11)], [Return(T, T + 10)], True),
        ([(11, 5, 11), (12, 5, 11), (13, 13, 11)], [Return(T, T + 10)], True),
        ([(12, 12, 9)], [Return(None, T)], True),  # when it went down nobody saw
        ([(11, 10, 9)], [], False),  # before the last look
        ([(11, 10, 10)], [], False),
        ([(12, 12, 11), (12, 12, 11)], [Return(T, T)], False),
    ],
)
def test_when_an_osd_came_back(
    epochs: Sequence[Optional[tuple[int, int, int]]], returns: Sequence[Return], urgent: bool
) -> None:
    made = flapping(epochs)
    assert list(made._returns.get(1, ())) == returns
    assert bool(made.urgent) is urgent


def test_what_another_mgr_counted_comes_before_what_this_one_saw() -> None:
    before = flapping([(11, 5, 11), (12, 12, 11), (13, 12, 13)])
    state = json.loads(json.dumps(before.save()))
    now = flapping([(14, 14, 13)])
    now.restore(state, T + 60)
    assert list(now._returns[1]) == [Return(T, T + 5), Return(T, T)]
    # It has read the map before: epoch and OSDs that are down are its own.
    assert (now._epoch, now._down) == (14, {})
    fresh = OsdFlappingDetector(Epochs())
    fresh.restore(state, T + 2)
    assert (fresh._epoch, fresh._down) == (13, {1: T + 10})


def test_a_finding_begins_when_its_first_return_went_down_or_came_up() -> None:
    for down, since in ((T - 9.0, T - 9.0), (None, T)):
        made = flapping([])
        made._add(1, [Return(down, T), Return(T + 1, T + 2), Return(T + 3, T + 4)])
        (claim,) = made.claims()
        assert (claim.since, claim.evidence["flaps"], claim.evidence["osds"]) == (since, 3, [1])


# --- alerts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "lines", "osds"),
    [
        ({1: 1, 2: 1}, 1, (1, 2)),  # one pair
        ({1: 2, 2: 1, 3: 1}, 2, (1,)),
        ({1: 2, 2: 2, 3: 1, 4: 1}, 3, (1, 2, 3, 4)),  # no OSD is in all
        ({1: 3, 2: 3, 3: 1}, 3, (1, 2)),
        ({2: 3, 1: 1}, 2, (2,)),
        ({}, 0, ()),
    ],
)
def test_slow_pings_are_of_the_osds_in_all_pairs(
    pairs: Mapping[int, int], lines: int, osds: Sequence[int]
) -> None:
    assert blamed(CephAlert(PING, "", dict(pairs), lines=lines)) == osds
    assert blamed(CephAlert(SLOW, "", dict(pairs), lines=lines)) == tuple(sorted(pairs))


# --- standby mgrs ----------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "told"), [(599.0, []), (600.0, ["y"]), (660.0, ["y"])])
def test_a_standby_mgr_that_differs_is_told_after_ten_minutes(
    seconds: float, told: Sequence[str]
) -> None:
    mgrs = [MgrBuild("x", True, "1"), MgrBuild("y", False, "2"), MgrBuild("z", False, "1")]

    class Source:
        def builds(self) -> Sequence[MgrBuild]:
            return mgrs

    made = StandbyMgrDetector(Source())
    for at in (T, T + seconds):
        made.tick(WatchTick(at, members=[]))
    assert [claim.target.id for claim in made.claims()] == told
    assert {claim.since for claim in made.claims()} == {T for _ in told}
    assert made.looks()[0].total == 2
