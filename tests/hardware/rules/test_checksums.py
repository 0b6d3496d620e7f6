"""Who is hot with checksums, and whom that is told of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

import pytest

from evidence import checked
from nouns import an_osd
from perf_bench.hardware.rules.checksums import (
    Hotspots,
    checksum_claims,
    rate_between,
)
from perf_bench.model.finding import Claim
from perf_bench.model.frame import Watched
from perf_bench.model.hardware import HOT_SHARE, Share

THEN, FRAME, MIB = 1_700_000_100.0, 15.0, 1 << 20


class Course:
    """Shares of OSDs, four on each host, window after window; those not named do 3 %."""

    def __init__(self, classes: Optional[Mapping[int, str]] = None, on_host: int = 4) -> None:
        classes = classes or dict.fromkeys(range(12), "ssd")
        self.osds = {
            osd: an_osd(osd, f"host-{osd // on_host}", device_class=name)
            for osd, name in classes.items()
        }
        self.members = [
            Watched(one.id, one.name, one.host, "ssd", rack=f"rack-{one.id // 8}")
            for one in self.osds.values()
        ]
        self.hotspots = Hotspots()
        self.threshold = HOT_SHARE
        self.now = THEN

    def goes(self, frames: int, **shares: float) -> None:
        for _ in range(frames):
            begin, self.now = self.now, self.now + FRAME
            new = {
                osd: Share(begin, self.now, shares.get(f"osd{osd}", 0.03), 16) for osd in self.osds
            }
            self.hotspots = self.hotspots.after(new, self.osds, self.threshold, self.now)

    def claims(self) -> list[Claim]:
        return checked(checksum_claims(self.hotspots, self.osds, self.members, self.now))

    def told(self) -> list[tuple[str, str]]:
        return [(claim.target.kind, claim.target.id) for claim in self.claims()]


def test_the_burst_of_the_field() -> None:
    course = Course()
    course.goes(20)
    assert course.told() == []
    course.goes(1, osd3=0.43)
    assert course.told() == []  # 15 s
    course.goes(1, osd3=0.40)
    (claim,) = course.claims()
    assert claim.message == (
        "osd.3 (host-0) spent 43 % of the time of its 16 op threads on checksums of reads, for "
        "30 s; its peers 3 % (a lower bound: other checksums are not counted)"
    )
    assert claim.since == THEN + 20 * FRAME
    assert claim.evidence["op_threads"] == 16
    course.goes(39)
    assert course.told() == [("osd", "3")]  # for ten minutes after it
    course.goes(1)
    assert course.told() == []


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ({"osd3": 0.19}, []),
        ({"osd3": 0.2}, [("osd", "3")]),
        ({f"osd{n}": 0.3 for n in range(8)}, []),  # all work: no OSD stands out of its class
        ({"osd0": 0.3, "osd4": 0.3}, [("osd", "0"), ("osd", "4")]),
        ({f"osd{n}": 0.3 for n in range(2)}, [("osd", "0"), ("osd", "1")]),
        ({f"osd{n}": 0.3 for n in range(3)}, [("host", "host-0")]),
    ],
)
def test_who_is_accused(shares: dict[str, float], told: list[tuple[str, str]]) -> None:
    course = Course()
    course.goes(4, **shares)
    assert course.told() == told


def test_a_unit_is_told_with_the_highest_share_of_its_osds() -> None:
    course = Course()
    course.goes(4, osd0=0.3, osd1=0.41, osd2=0.25)
    (claim,) = course.claims()
    assert claim.message == (
        "3 OSDs of host host-0 spent up to 41 % of their op threads' time on checksums of reads "
        "(osd.0, osd.1 and osd.2): look at the clocks and the load of the cores (a lower bound: "
        "other checksums are not counted)"
    )
    assert claim.evidence["osds"] == [0, 1, 2]


@pytest.mark.parametrize("middle", [0.1, 0.11])
def test_less_than_three_times_the_peers_is_not_hot(middle: float) -> None:
    course = Course()
    course.threshold = 0.1
    shares = {f"osd{n}": middle for n in range(12)}
    course.goes(4, **{**shares, "osd3": 3 * middle - 0.001})
    assert ("osd", "3") not in course.told()
    course.goes(4, **{**shares, "osd3": 3 * middle + 0.001})
    assert ("osd", "3") in course.told()


def test_another_share_is_hot_from_the_next_window_on() -> None:
    course = Course()
    course.goes(4, osd3=0.12)
    assert course.told() == []
    course.threshold = 0.1
    course.goes(2, osd3=0.12)
    assert course.told() == [("osd", "3")]
    course.threshold = 0.13
    course.goes(1)
    assert course.told() == []


def test_a_class_that_is_hot_for_minutes() -> None:
    course = Course()
    shares = {f"osd{n}": 0.3 for n in range(10)}
    course.goes(20, **shares)
    assert course.told() == []
    course.goes(2, **shares)
    (claim,) = course.claims()
    assert (claim.target.kind, claim.target.id) == ("cohort", "ssd")
    assert "most OSDs of class ssd spend 30 % or more" in claim.message
    assert claim.evidence["median_share"] == 0.3
    course.goes(1)
    assert course.told() == []


@pytest.mark.parametrize(
    ("hot", "osds", "told"),
    [(1, 2, False), (2, 2, True), (2, 4, False), (3, 4, True), (2, 5, False), (3, 5, True)],
)
def test_a_class_is_hot_if_more_than_half_of_its_osds_are(hot: int, osds: int, told: bool) -> None:
    course = Course(dict.fromkeys(range(osds), "ssd"))
    course.goes(22, **{f"osd{n}": 0.3 for n in range(hot)})
    assert (("cohort", "ssd") in course.told()) is told


def test_another_class_is_no_peer() -> None:
    course = Course({osd: "ssd" if osd < 4 else "hdd" for osd in range(12)})
    course.goes(4, osd0=0.08, osd1=0.08, osd2=0.08, osd3=0.25)
    assert course.told() == [("osd", "3")]
    course.goes(2, osd0=0.1, osd1=0.1, osd2=0.1, osd3=0.25)
    assert course.hotspots.peers[3] == pytest.approx(0.1)


@pytest.mark.parametrize(("age", "peers"), [(0.0, 0.3), (299.0, 0.3), (300.0, None), (4e3, None)])
def test_who_has_not_told_for_five_minutes_is_no_peer(age: float, peers: Optional[float]) -> None:
    osds = {osd: an_osd(osd, "host-0", device_class="ssd") for osd in (1, 2)}
    old = {2: Share(THEN - FRAME, THEN, 0.3, 16)}
    hotspots = Hotspots().after(old, osds, HOT_SHARE, THEN)
    now = THEN + age
    new = {1: Share(now - FRAME, now, 0.1, 16)}
    assert hotspots.after(new, osds, HOT_SHARE, now).peers.get(1) == peers


@pytest.mark.parametrize("pause", [38, 39])
def test_ten_minutes_without_a_hot_window_end_a_burst(pause: int) -> None:
    course = Course()
    course.goes(2, osd3=0.3)
    course.goes(pause)
    course.goes(1, osd3=0.3)
    assert [one.seconds for one in course.hotspots.hot.values()] == [45.0 if pause == 38 else 15.0]


def test_a_clock_that_is_set_back_ends_bursts_and_peers() -> None:
    course = Course()
    course.goes(4, osd3=0.3)
    course.now -= 86_400
    course.goes(1)
    assert course.told() == []
    assert course.hotspots.fresh(0, course.now) is not None


def test_osds_that_go_are_forgotten() -> None:
    course = Course()
    course.goes(4, osd3=0.3)
    course.hotspots = course.hotspots.without({3})
    assert course.told() == []
    del course.osds[5]
    course.goes(1)
    assert 5 not in course.hotspots.shares


# --- rates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("work", "seconds", "rate"),
    [
        (16 * MIB - 1, 0.01, None),
        (16 * MIB, 0.01, 1600 * MIB),
        (64 * MIB, 0.0039, None),
        (64 * MIB, 0.004, 16_000 * MIB),
    ],
)
def test_a_rate_needs_16_mib_and_4_ms(work: int, seconds: float, rate: Optional[float]) -> None:
    assert rate_between(seconds, work) == rate
