"""Who is hot with checksums, and whom that is told of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

import pytest

from evidence import checked
from nouns import an_osd
from perf_bench.hardware.rules.checksums import (
    Hot,
    checksum_claims,
    hot_after,
    peers_of,
    rate_between,
)
from perf_bench.model.finding import Claim, Watched
from perf_bench.model.hardware import HOT_SHARE, Share

THEN, FRAME, MIB = 1_700_000_100.0, 15.0, 1 << 20


class Course:
    """Shares of OSDs, four on each host, window after window; those not named do 3 %."""

    def __init__(self, classes: Optional[Mapping[int, str]] = None) -> None:
        classes = classes or dict.fromkeys(range(12), "ssd")
        self.osds = {
            osd: an_osd(osd, f"host-{osd // 4}", device_class=name) for osd, name in classes.items()
        }
        self.members = [
            Watched(one.id, one.name, one.host, "ssd", rack=f"rack-{one.id // 8}")
            for one in self.osds.values()
        ]
        self.shares: dict[int, Share] = {}
        self.hot: dict[int, Optional[Hot]] = {}
        self.threshold = HOT_SHARE
        self.now = THEN

    def goes(self, frames: int, **shares: float) -> None:
        for _ in range(frames):
            begin, self.now = self.now, self.now + FRAME
            for osd in self.osds:
                new = Share(begin, self.now, shares.get(f"osd{osd}", 0.03), 16)
                self.shares[osd] = new
                self.hot[osd] = hot_after(self.hot.get(osd), new, self.threshold)

    def claims(self) -> list[Claim]:
        told = ((osd, one) for osd, one in self.hot.items() if one)
        hot = {osd: one for osd, one in told if one.is_told(self.threshold, self.now)}
        return checked(checksum_claims(hot, self.shares, self.osds, self.members))

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
        "osd.3 (host-0) spent up to 43 % of the time of its 16 op threads on checksums of reads, "
        "for 30 s; its peers 3 % (a lower bound: other checksums are not counted)"
    )
    assert claim.since == THEN + 20 * FRAME
    assert claim.evidence["op_threads"] == 16
    course.goes(39)
    assert course.told() == [("osd", "3")]  # for ten minutes after it
    course.goes(1)
    assert course.told() == []


def test_who_is_accused() -> None:
    cases: list[tuple[dict[str, float], list[tuple[str, str]]]] = [
        ({"osd3": 0.19}, []),
        ({"osd3": 0.2}, [("osd", "3")]),
        ({f"osd{n}": 0.3 for n in range(12)}, []),  # all work, for a minute
        ({"osd0": 0.3, "osd4": 0.3}, [("osd", "0"), ("osd", "4")]),
        ({f"osd{n}": 0.3 for n in range(2)}, [("osd", "0"), ("osd", "1")]),
        ({f"osd{n}": 0.3 for n in range(3)}, [("host", "host-0")]),
    ]
    for shares, told in cases:
        course = Course()
        course.goes(4, **shares)
        assert course.told() == told


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
    course = Course({osd: "ssd" if osd < 12 else "hdd" for osd in range(24)})
    shares = {f"osd{n}": 0.3 for n in range(10)}
    course.goes(19, **shares)
    assert course.told() == []
    course.goes(1, **shares)
    (claim,) = course.claims()
    assert (claim.target.kind, claim.target.id) == ("cohort", "ssd")
    assert (
        "most OSDs of class ssd spent up to 30 % of the time of their 16 op threads"
        in claim.message
    )


def test_peers_are_the_others_of_its_class() -> None:
    osds = {osd: an_osd(osd, device_class="ssd" if osd < 3 else "hdd") for osd in range(4)}
    assert peers_of({0: 0.1, 1: 0.2, 2: 0.4, 3: 0.5}, osds) == pytest.approx(
        {0: 0.3, 1: 0.25, 2: 0.15}
    )


def test_ten_minutes_without_a_hot_window_end_a_burst() -> None:
    for pause in [38, 39]:
        course = Course()
        course.goes(2, osd3=0.3)
        course.goes(pause)
        course.goes(1, osd3=0.3)
        assert [one.seconds for one in course.hot.values() if one] == [
            45.0 if pause == 38 else 15.0
        ]


def test_a_clock_that_is_set_back_ends_bursts() -> None:
    course = Course()
    course.goes(4, osd3=0.3)
    course.now -= 86_400
    course.goes(1)
    assert course.told() == []


# --- rates -----------------------------------------------------------------------------------


def test_a_rate_needs_16_mib_and_4_ms() -> None:
    cases: list[tuple[int, float, Optional[float]]] = [
        (16 * MIB - 1, 0.01, None),
        (16 * MIB, 0.01, 1600 * MIB),
        (64 * MIB, 0.0039, None),
        (64 * MIB, 0.004, 16_000 * MIB),
    ]
    for work, seconds, rate in cases:
        assert rate_between(seconds, work) == rate


def test_an_osd_that_was_hot_and_tells_no_more_is_told_for_ten_minutes() -> None:
    course = Course()
    course.goes(4, osd3=0.3)
    del course.shares[3]  # it is too old to be compared
    (claim,) = course.claims()
    assert (claim.target.id, claim.evidence["op_threads"]) == ("3", 16)
    assert "its peers ?" in claim.message


def test_an_osd_that_was_made_a_moment_ago_is_nobodys_peer_yet() -> None:
    course = Course()
    course.goes(4, osd3=0.3)
    course.members.append(Watched(77, "osd.77", "host-0", "ssd"))
    assert course.told() == [("osd", "3")]
