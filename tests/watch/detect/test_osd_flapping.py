"""OSDs that go down and come back again and again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Optional

import pytest

from evidence import checked
from perf_bench.model.cluster import OsdEpochs, UpDownChanges
from perf_bench.model.finding import Claim, Watched, WatchTick
from perf_bench.model.finding_kinds import OSD_FLAPPING
from perf_bench.watch.detect.osd_flapping import LEAST, OsdFlappingDetector

T = 1_700_000_000.0
HOUR = 3600.0


class Map:
    """An OSD map that counts epochs, as the monitors do."""

    def __init__(self) -> None:
        self.epoch = 100
        self.osds = dict.fromkeys(range(12), OsdEpochs(10, 0))

    def goes_down(self, osd: int) -> None:
        self.epoch += 1
        self.osds[osd] = self.osds[osd]._replace(down_at=self.epoch)

    def comes_up(self, osd: int) -> None:
        self.epoch += 1
        self.osds[osd] = self.osds[osd]._replace(up_from=self.epoch)

    def changes(self, since: Optional[int]) -> Optional[UpDownChanges]:
        if since == self.epoch:
            return None
        after = self.epoch if since is None else since
        return UpDownChanges(
            self.epoch, {osd: one for osd, one in self.osds.items() if max(one) > after}
        )


class Place:
    """Three hosts of four OSDs, two OSDs a drive, hosts 0 and 1 on one enclosure's first half."""

    def __init__(self, members: Optional[Sequence[Watched]] = None) -> None:
        self.map = Map()
        self.now, self.offset = T, 0.0
        self.members = members or [
            Watched(
                osd,
                f"osd.{osd}",
                f"host-{osd // 4}",
                "hdd",
                device=f"host-{osd // 4}/sd{osd % 4 // 2}",
            )
            for osd in range(12)
        ]
        self.detector = OsdFlappingDetector(self.map)
        self.passes(0)

    def passes(self, seconds: float, step: float = 0.0) -> list[Claim]:
        self.now += seconds + step
        self.offset += step
        self.detector.tick(WatchTick(self.now, members=self.members, offset=self.offset))
        return checked(self.detector.claims())

    def flap(self, *osds: int, times: int = 1, seconds: float = 60.0) -> list[Claim]:
        for _ in range(times):
            for osd in osds:
                self.map.goes_down(osd)
            self.passes(5)
            for osd in osds:
                self.map.comes_up(osd)
            self.passes(5)
            self.passes(seconds)
        return self.detector.claims()


@pytest.fixture
def place() -> Place:
    return Place()


def test_the_third_return_is_told_with_times(place: Place) -> None:
    assert place.flap(5) == []
    assert place.flap(5) == []
    (claim,) = place.flap(5)
    assert claim.key == (OSD_FLAPPING.code, "osd", "5")
    assert claim.message == (
        "osd.5 on host-1 went down and came back 3 times in 6 h, last at 2023-11-14 "
        "22:15 UTC; "
        "of the other 3 OSDs on its host none did"
    )
    assert claim.since == T + 5
    assert claim.evidence["times"] == [
        {"down": T + 5, "up": T + 10},
        {"down": T + 75, "up": T + 80},
        {"down": T + 145, "up": T + 150},
    ]


def test_a_neighbour_that_came_back_once_is_named(place: Place) -> None:
    place.flap(6)
    claims = place.flap(5, seconds=600, times=3)
    assert "of the other 3 OSDs on its host osd.6 did so too" in claims[0].message


def test_a_return_between_two_looks_counts(place: Place) -> None:
    for _ in range(3):
        place.map.goes_down(5)
        place.map.comes_up(5)
        place.passes(5)
    (claim,) = place.detector.claims()
    assert claim.evidence["times"][0] == {"down": T + 5, "up": T + 5}


@pytest.mark.parametrize(("gap", "flaps"), [(3 * HOUR - 20, True), (3 * HOUR + 20, False)])
def test_three_within_six_hours(place: Place, gap: float, flaps: bool) -> None:
    place.flap(5, seconds=gap - 10)
    place.flap(5, seconds=gap - 10)
    place.map.goes_down(5)
    place.map.comes_up(5)
    assert bool(place.passes(0)) is flaps


def test_it_ends_six_hours_after_the_first_of_the_last_three(place: Place) -> None:
    for _ in range(3):
        place.flap(5)
    assert place.passes(6 * HOUR - 205)
    assert place.passes(10) == []


def test_a_new_osd_and_one_that_stays_down_are_no_flapping(place: Place) -> None:
    for _ in range(4):
        place.map.goes_down(5)
        assert place.passes(60) == []
    place.map.osds[6] = OsdEpochs(0, 0)
    place.map.comes_up(6)
    place.passes(5)
    assert place.detector.explain(6) == []


@pytest.mark.parametrize("times", [3])
def test_osds_of_a_host_that_flap_together_are_one_finding_on_the_host(
    place: Place, times: int
) -> None:
    claims = place.flap(4, 5, 6, 7, times=times)
    (claim,) = claims
    assert claim.target.kind == "host"
    assert claim.message.startswith(
        f"4 of the 4 OSDs of host host-1 went down and came back, up to {times} times in 6 h"
    )


def test_a_host_that_loses_its_osds_in_turn_is_one_finding(place: Place) -> None:
    """As one without memory does."""
    for _ in range(3):
        for osd in (4, 5, 6):
            place.flap(osd, seconds=300)
    assert [claim.target.id for claim in place.detector.claims()] == ["host-1"]


def test_another_mgr_goes_on_with_what_was_counted(place: Place) -> None:
    place.flap(5)
    place.flap(5)
    saved = json.loads(json.dumps(place.detector.save()))
    place.map.goes_down(5)
    place.map.comes_up(5)  # while no mgr looks
    place.detector = OsdFlappingDetector(place.map)
    place.detector.restore(saved, place.now)
    (claim,) = place.passes(30)
    assert claim.evidence["flaps"] == 3


@pytest.mark.parametrize("another_mgr", [False, True])
@pytest.mark.parametrize(("away", "counted"), [(6 * HOUR, True), (6 * HOUR + 1, False)])
def test_what_came_back_while_nobody_looked_for_long_is_not_of_now(
    place: Place, another_mgr: bool, away: float, counted: bool
) -> None:
    """As an upgrade while the watch was off, or no mgr had the module."""
    place.map.goes_down(6)
    place.passes(5)
    for osd in (5, 6):
        place.map.goes_down(osd)
        place.map.comes_up(osd)
    if another_mgr:
        saved = json.loads(json.dumps(place.detector.save()))
        place.detector = OsdFlappingDetector(place.map)
        place.detector.restore(saved, place.now + away)
    place.passes(away)
    told = [labels["ceph_daemon"] for labels, _ in place.detector.metrics()[0].samples]
    assert told == (["osd.5", "osd.6"] if counted else [])
    assert bool(place.detector.explain(5)) is counted
    assert not place.detector.save()["down"]
    (claim,) = place.flap(5, times=LEAST)  # what comes back from now on counts
    assert claim.evidence["flaps"] == LEAST + counted


def test_a_state_that_comes_late_is_added(place: Place) -> None:
    place.flap(5)
    place.flap(5)
    saved = json.loads(json.dumps(place.detector.save()))
    place.detector = OsdFlappingDetector(place.map)
    place.passes(5)
    place.flap(5)
    place.detector.restore(saved, place.now)
    (claim,) = place.passes(5)
    assert [one["up"] for one in claim.evidence["times"]] == [T + 10, T + 80, T + 155]


@pytest.mark.parametrize(
    "damage",
    [
        {"epoch": "x"},
        {"returns": [[5, [["x", 1]]]]},
        {"returns": 3},
    ],
)
def test_a_damaged_state_is_refused_and_nothing_of_it_taken(place: Place, damage: dict) -> None:  # type: ignore[type-arg]
    place.flap(5)
    saved = place.detector.save()
    fresh = OsdFlappingDetector(place.map)
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        fresh.restore({**saved, **damage}, place.now)
    assert fresh.save() == OsdFlappingDetector(place.map).save()


def test_an_osd_that_was_removed_is_forgotten(place: Place) -> None:
    for _ in range(3):
        place.flap(5)
    place.members = [member for member in place.members if member.osd != 5]
    assert place.passes(5) == []
    assert place.detector.metrics()[0].samples == []


def test_metrics_have_those_that_came_back(place: Place) -> None:
    place.flap(5)
    (gauge,) = place.detector.metrics()
    assert gauge.samples == [({"ceph_daemon": "osd.5"}, 1.0)]
    assert place.detector.explain(5) == [
        "It went down and came back 1 time in 6 h, last at 2023-11-14 22:13 UTC."
    ]


@pytest.mark.parametrize("format_", [1])
def test_a_state_of_any_other_format_is_left(place: Place, format_: object) -> None:
    place.flap(5, times=2)
    other = Place()
    other.detector.restore({**place.detector.save(), "format": format_}, place.now)
    assert other.detector.explain(5) == []


@pytest.mark.parametrize("days", [-2])
def test_a_clock_that_is_set_makes_no_return_older_or_younger(place: Place, days: int) -> None:
    place.flap(5, times=3)
    place.map.goes_down(6)
    (before,) = place.passes(HOUR)
    (claim,) = place.passes(5, step=days * 24 * HOUR)
    moved = [(one["down"], one["up"]) for one in claim.evidence["times"]]
    at = place.now - HOUR - 5 - 60  # of the last return
    assert moved == [(at - 145, at - 140), (at - 75, at - 70), (at - 5, at)]
    (after,) = place.passes(5, step=-days * 24 * HOUR)
    assert after.evidence["times"] == before.evidence["times"]
    place.map.comes_up(6)
    place.passes(5)
    assert not place.detector.save()["down"]
    assert place.passes(5 * HOUR - 215) != []
    assert place.passes(1) == []


def test_before_the_map_is_read_all_osds_are_a_gap() -> None:
    place = Place()
    fresh = OsdFlappingDetector(place.map)
    (look,) = fresh.looks()
    assert [(gap.code, gap.count) for gap in look.gaps] == [("unread", 0)]
    fresh.tick(WatchTick(T, members=place.members))
    (look,) = fresh.looks()
    assert (look.total, look.gaps) == (12, ())


def test_the_new_osd_of_a_removed_one_has_its_own_times(place: Place) -> None:
    """A drive that was replaced: its OSD was down for a week, was purged, and its ID is used again.

    (The monitors forget the epochs of an OSD that is purged.)
    """
    place.map.goes_down(5)
    place.passes(5)
    place.passes(168 * HOUR)
    place.map.osds[5] = OsdEpochs(0, 0)
    place.map.comes_up(5)
    place.passes(60)
    began = place.now
    (claim,) = place.flap(5, times=LEAST)
    assert claim.since > began
    assert claim.evidence["times"][0]["down"] > began
