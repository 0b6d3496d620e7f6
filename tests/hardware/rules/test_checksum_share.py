"""Who is hot with checksums, and who is slow at them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Optional

import pytest

from evidence import checked
from perf_bench.hardware.rules.checksum_claims import ChecksumEvidence, checksum_claims
from perf_bench.hardware.rules.checksum_rates import Rate, slow_rates
from perf_bench.hardware.rules.checksum_share import Hotspots
from perf_bench.model.checksum import ChecksumAnswer, CounterWindow
from perf_bench.model.counter_trend import DAY
from perf_bench.model.finding import Claim

THEN, FRAME = 1_700_000_100.0, 15.0
HOSTS = {osd: f"host-{osd // 4}" for osd in range(12)}
CLASSES = dict.fromkeys(HOSTS, "ssd")
GROUND = ChecksumEvidence(HOSTS, dict.fromkeys(HOSTS, 16))


class Course:
    """Shares of OSDs, window after window; those that are not named do 3 %."""

    def __init__(self, classes: Mapping[int, str] = CLASSES) -> None:
        self.hotspots = Hotspots()
        self.now = THEN
        self.classes = classes
        self.judged = True

    def goes(self, frames: int, **shares: float) -> None:
        for _ in range(frames):
            begin, self.now = self.now, self.now + FRAME
            windows = {
                osd: [CounterWindow(begin, self.now, shares.get(f"osd{osd}", 0.03), self.judged)]
                for osd in self.classes
            }
            self.hotspots.step(windows, self.classes, self.now)

    def claims(self) -> list[Claim]:
        return checked(checksum_claims(self.hotspots, [], GROUND, self.now))

    def said(self) -> list[tuple[str, str]]:
        return [(claim.target.kind, claim.target.id) for claim in self.claims()]


def test_the_burst_of_the_field() -> None:
    course = Course()
    course.goes(20)
    assert course.said() == []
    course.goes(1, osd3=0.43)
    assert course.said() == []  # 15 s
    course.goes(1, osd3=0.40)
    (claim,) = course.claims()
    assert claim.message == (
        "osd.3 (host-0) spent 43 % of the time of its 16 op threads on checksums of reads, for "
        "30 s; its peers 3 % (a lower bound: other checksums are not counted)"
    )
    assert claim.since == THEN + 20 * FRAME
    course.goes(39)
    assert course.said() == [("osd", "3")]  # for ten minutes after it
    course.goes(2)
    assert course.said() == []
    spot = course.hotspots.histories[3]
    assert [(burst.seconds, burst.peak) for burst in spot.bursts] == [(30.0, 0.43)]
    assert spot.peak == (0.43, THEN + 21 * FRAME)
    hourly = spot.hourly(course.now)
    assert (max(one or 0 for one in hourly), hourly[0]) == (0.43, None)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({"osd3": 0.19}, []),
        ({f"osd{n}": 0.3 for n in range(8)}, []),  # all work: no OSD stands out of its class
        ({"osd0": 0.3, "osd1": 0.3}, [("host", "host-0")]),
        ({"osd0": 0.3, "osd4": 0.3}, [("osd", "0"), ("osd", "4")]),
    ],
)
def test_who_is_accused(shares: dict[str, float], said: list[tuple[str, str]]) -> None:
    course = Course()
    course.goes(4, **shares)
    assert course.said() == said


def test_another_share_is_hot_from_the_next_window_on() -> None:
    course = Course()
    course.goes(4, osd3=0.12)
    assert course.said() == []
    course.hotspots.threshold = 0.1
    course.goes(2, osd3=0.12)
    assert course.said() == [("osd", "3")]
    course.hotspots.threshold = 0.01
    course.goes(2, osd4=0.08)  # its peers do 3 %: not three times as much
    assert course.said() == [("osd", "3")]
    course.hotspots.threshold = 0.13
    course.goes(1)
    assert course.said() == []


def test_a_class_that_is_hot_for_minutes() -> None:
    course = Course()
    shares = {f"osd{n}": 0.3 for n in range(10)}
    course.goes(20, **shares)
    assert course.said() == []
    course.goes(2, **shares)
    (claim,) = course.claims()
    assert (claim.target.kind, claim.target.id) == ("cohort", "ssd")
    assert "most OSDs of class ssd spend 30 % or more" in claim.message
    course.goes(1)
    assert course.said() == []


def test_a_class_is_told_with_its_own_share() -> None:
    """Others, which are idle, say nothing of it."""
    course = Course({osd: "ssd" if osd < 4 else "hdd" for osd in HOSTS})
    course.goes(22, **{f"osd{n}": 0.3 for n in range(4)})
    (claim,) = course.claims()
    assert "most OSDs of class ssd spend 30 % or more" in claim.message
    assert claim.evidence["median_share"] == 0.3


@pytest.mark.parametrize(
    ("hot", "osds", "told"),
    [(1, 2, False), (2, 2, True), (2, 4, False), (3, 4, True), (2, 5, False), (3, 5, True)],
)
def test_a_class_is_hot_if_more_than_half_of_its_osds_are(hot: int, osds: int, told: bool) -> None:
    course = Course(dict.fromkeys(range(osds), "ssd"))
    course.goes(22, **{f"osd{n}": 0.3 for n in range(hot)})
    assert (("cohort", "ssd") in course.said()) is told


@pytest.mark.parametrize(("hot", "host"), [(1, False), (3, False), (4, True), (8, True)])
def test_a_host_is_told_if_half_of_its_osds_are_hot(hot: int, host: bool) -> None:
    """Eight OSDs; those of other hosts are idle."""
    hosts = {osd: f"host-{osd // 8}" for osd in range(32)}
    course = Course(dict.fromkeys(hosts, "ssd"))
    course.goes(4, **{f"osd{n}": 0.3 for n in range(hot)})
    claims = checksum_claims(course.hotspots, [], ChecksumEvidence(hosts, {}), course.now)
    found = [(claim.target.kind, claim.target.id) for claim in claims]
    assert found == ([("host", "host-0")] if host else [("osd", str(n)) for n in range(hot)])


@pytest.mark.parametrize(("age", "peers"), [(0.0, 0.3), (299.0, 0.3), (300.0, None), (4e3, None)])
def test_who_has_not_told_for_five_minutes_is_no_peer(age: float, peers: Optional[float]) -> None:
    hotspots = Hotspots()
    classes = {1: "ssd", 2: "ssd"}
    hotspots.step({2: [CounterWindow(THEN - FRAME, THEN, 0.3, judged=True)]}, classes, THEN)
    now = THEN + age
    hotspots.step({1: [CounterWindow(now - FRAME, now, 0.1, judged=True)]}, classes, now)
    assert hotspots.histories[1].peers == (peers and pytest.approx(peers))
    hotspots.restore({"bursts": {"3": [[THEN, THEN + 30, 30.0, 0.4]]}}, now)  # without a window
    hotspots.step({}, {**classes, 3: "ssd"}, now)
    assert hotspots.histories[1].peers == (peers and pytest.approx(peers))


def test_shares_are_told_to_a_hundredth_of_a_percent() -> None:
    course = Course()
    course.goes(22, **{f"osd{n}": 0.234567 for n in range(12)})
    (claim,) = course.claims()
    assert claim.evidence["median_share"] == 0.2346
    alone = Course({0: "ssd"})
    alone.goes(2, osd0=0.765432)
    assert alone.claims()[0].evidence["peak_share"] == 0.7654


def test_a_host_is_told_with_the_highest_share_of_its_osds() -> None:
    course = Course()
    course.goes(4, osd0=0.3, osd1=0.42)
    (claim,) = course.claims()
    assert claim.message.startswith(
        "2 OSDs of host host-0 spent up to 42 % of their op threads' time on checksums of reads "
        "(osd.0 and osd.1)"
    )


def test_peers_are_told_as_they_are() -> None:
    course = Course()
    course.goes(4, osd0=0.95, **{f"osd{n}": 0.314 for n in range(1, 12)})
    (claim,) = [one for one in course.claims() if one.target.kind == "osd"]
    assert "its peers 31 %" in claim.message


def test_another_class_is_no_peer() -> None:
    course = Course({osd: "hdd" if osd < 2 else "ssd" for osd in HOSTS})
    course.goes(4, osd0=0.3, osd1=0.25)
    assert course.said() == []
    assert course.hotspots.histories[0].peers == pytest.approx(0.25)


def test_our_own_reads_accuse_nobody_and_an_osd_alone_has_no_peers() -> None:
    course = Course()
    course.judged = False
    course.goes(4, osd3=0.9)
    assert course.said() == []
    alone = Course({0: "ssd"})
    alone.goes(2, osd0=0.9)
    assert alone.said() == [("osd", "0")]
    alone.goes(30, osd0=0.9)
    assert alone.said() == [("osd", "0")]  # and is no class, however long it lasts
    assert "its peers ?" in alone.claims()[0].message


def test_over_a_failover_and_out_of_the_cluster() -> None:
    course = Course()
    course.goes(2, osd3=0.43)
    saved = course.hotspots.save(course.now)
    other = Course()
    other.now = course.now
    other.hotspots.restore(saved, other.now)
    other.goes(1)
    assert other.said() == [("osd", "3")]
    assert other.hotspots.histories[3].peak == (0.43, course.now)
    other.classes = {osd: "ssd" for osd in HOSTS if osd != 3}
    other.goes(1)
    assert 3 not in other.hotspots.histories


@pytest.mark.parametrize("ahead", [0.0, 60.0, 7200.0, 25 * 365 * DAY])
@pytest.mark.parametrize(("quiet", "told"), [(0, 40), (20, 20), (40, 0)])
def test_bursts_of_a_mgr_whose_clock_was_ahead_end_too(quiet: int, told: int, ahead: float) -> None:
    """Also one that had been over for a while: it does not begin anew at the failover."""
    course = Course()
    course.goes(2, osd5=0.43)
    course.goes(100)
    course.goes(2, osd3=0.43)
    course.goes(quiet)
    other = Course()
    other.now = course.now - ahead
    other.hotspots.restore(json.loads(json.dumps(course.hotspots.save(course.now))), other.now)
    for _ in range(told and told - 1):
        other.goes(1)
        assert other.said() == [("osd", "3")]
    other.goes(1)
    assert other.said() == []
    histories, end = other.hotspots.histories, THEN + 104 * FRAME - ahead
    assert histories[3].peak == (0.43, end)
    assert [(b.begin, b.end) for b in histories[3].bursts] == [(end - 2 * FRAME, end)]
    assert histories[5].bursts[0].end == end - 102 * FRAME


def test_bursts_that_an_older_version_saved_end_too() -> None:
    course, ahead = _bursts(0), 7200.0
    saved = course.hotspots.save(course.now)
    other = Hotspots()
    other.restore({"bursts": saved["bursts"]}, course.now - ahead)
    assert [burst.end for burst in other.histories[3].bursts] == [course.now - ahead]


@pytest.mark.parametrize(
    ("later", "share", "peak"),
    [
        (60.0, 0.39, 0.4),
        (60.0, 0.4, 0.4),
        (60.0, 0.41, 0.41),
        (DAY, 0.1, 0.4),
        (DAY + 1, 0.1, 0.1),
    ],
)
def test_a_peak_is_the_highest_of_the_last_day(later: float, share: float, peak: float) -> None:
    hotspots = Hotspots()
    for at, one in ((THEN, 0.4), (THEN + later, share)):
        hotspots.step({3: [CounterWindow(at - FRAME, at, one, judged=True)]}, {3: "ssd"}, at)
    found = THEN if peak == 0.4 and share < peak else THEN + later
    assert hotspots.histories[3].peak == (peak, found)


@pytest.mark.parametrize(
    ("pause", "seconds"),
    [(0.0, [60.0]), (585.0, [60.0]), (599.0, [60.0]), (600.0, [30.0, 30.0]), (4e3, [30.0, 30.0])],
)
def test_bursts_with_ten_minutes_between_them_are_two(pause: float, seconds: list[float]) -> None:
    course = Course()
    course.goes(2, osd3=0.43)
    course.now += pause
    course.goes(2, osd3=0.43)
    assert [burst.seconds for burst in course.hotspots.histories[3].bursts] == seconds


def _bursts(*begins: float) -> Course:
    """Bursts of osd.3, of 15 s each, that begin so many seconds after ``THEN``."""
    course = Course({3: "ssd"})
    for begin in begins:
        course.now = THEN + begin
        course.goes(1, osd3=0.43)
    return course


@pytest.mark.parametrize(
    ("begins", "kept"),
    [
        ((0, 1000, 2000), 3),
        ((0, 1000, DAY - 1), 3),
        ((0, 1000, DAY), 2),  # the first has ended a day before this one does
        ((0, 1000, DAY + 1), 2),
        ([1000 * n for n in range(20)], 20),
        ([1000 * n for n in range(25)], 20),
    ],
)
def test_the_newest_bursts_of_a_day_are_kept(begins: Sequence[float], kept: int) -> None:
    bursts = _bursts(*begins).hotspots.histories[3].bursts
    assert [burst.begin - THEN for burst in bursts] == list(begins)[-kept:]


@pytest.mark.parametrize(("later", "saved"), [(0.0, True), (DAY - 1, True), (DAY, False)])
def test_bursts_of_yesterday_are_not_saved(later: float, saved: bool) -> None:
    course = _bursts(0)
    assert ("3" in course.hotspots.save(course.now + later)["bursts"]) is saved


def test_the_last_hour_has_sixty_minutes_also_when_the_clock_was_set_back() -> None:
    hotspots = Hotspots()
    first = THEN // 60 * 60
    for minute, share in ((0, 0.4), (1, 0.2), (1, 0.1), (59, 0.3), (58, 0.25)):
        end = first + 60 * minute + 30
        window = CounterWindow(end - FRAME, end, share, judged=True)
        hotspots.step({3: [window]}, {3: "ssd"}, end)
    hourly = hotspots.histories[3].hourly(first + 59 * 60 + 45)
    assert [(place, one) for place, one in enumerate(hourly) if one is not None] == [
        (0, 0.4), (1, 0.2), (58, 0.25), (59, 0.3),
    ]  # fmt: skip
    assert len(hourly) == 60
    assert hotspots.histories[3].hourly(first + 60 * 60)[0] == 0.2


# --- rates -----------------------------------------------------------------------------------


def _rate(*rates: float, work: int = 64 << 20) -> Rate:
    """An OSD that was asked once a minute, with this rate in bytes/s between."""
    found, at, seconds, done = Rate(), THEN, 0.0, 0
    found.take(ChecksumAnswer(0, at, seconds, done))
    for rate in rates:
        at, seconds, done = at + 60, seconds + work / rate, done + work
        found.take(ChecksumAnswer(0, at, seconds, done))
    return found


@pytest.mark.parametrize(
    ("rates", "work", "now", "sure"),
    [
        ([], 64, None, None),
        ([2e9], 64, 2e9, None),
        ([2e9, 0.9e9, 2.5e9], 64, 2e9, 2e9),
        ([*[1e9] * 3, *[2e9] * 3], 64, 2e9, 2e9),  # the newest five
        ([*[1e9] * 3, *[2e9] * 2], 64, 1e9, 1e9),
        ([2e9, 2e9, 2e9], 4, None, None),  # under 16 MiB between
        ([2e9] * 12, 4, 2e9, 2e9),  # which adds up
        ([2e9], 16, 2e9, None),
        ([64e9] * 3, 64, None, None),  # 1 ms each: the clock is too coarse for that
        ([64e9] * 4, 64, 64e9, None),
    ],
)
def test_rates(rates: Sequence[float], work: int, now: float, sure: float) -> None:
    rate = _rate(*rates, work=work << 20)
    assert rate.now(THEN + 900) == (now and pytest.approx(now))
    assert rate.sure(THEN + 900) == (sure and pytest.approx(sure))
    assert rate.now(THEN + 7200) is None


def test_an_osd_that_started_anew() -> None:
    rate = _rate(2e9)
    rate.take(ChecksumAnswer(0, THEN + 200, 0.001, 1000))
    rate.take(ChecksumAnswer(0, THEN + 260, 0.033 + 0.001, (64 << 20) + 1000))
    assert [round(one / 1e9, 1) for _, one in rate.readings] == [2.0, 2.0]


def test_an_osd_that_started_anew_and_took_longer_for_less() -> None:
    """A slower start than before: its seconds have grown, its bytes have not."""
    rate = _rate(2e9)
    rate.take(ChecksumAnswer(0, THEN + 200, 0.5, 1000))
    rate.take(ChecksumAnswer(0, THEN + 260, 0.5 + (64 << 20) / 1e9, (64 << 20) + 1000))
    assert [round(one / 1e9, 1) for _, one in rate.readings] == [2.0, 1.0]


@pytest.mark.parametrize(("age", "known"), [(3599.5, True), (3600.0, False), (3600.5, False)])
def test_a_reading_counts_for_an_hour(age: float, known: bool) -> None:
    assert (_rate(2e9).now(THEN + 60 + age) is not None) is known


def _slow(rates: Sequence[float], cpus: Sequence[str]) -> list[tuple[str, object]]:
    by_osd = {osd: _rate(*[rates[osd]] * 3) for osd in HOSTS}
    names = {f"host-{n}": cpu for n, cpu in enumerate(cpus)}
    return [(one.host, one.osd) for one in slow_rates(by_osd, HOSTS, names, THEN + 200)]


@pytest.mark.parametrize(("readings", "slow"), [(2, []), (3, [("host-2", None)])])
def test_a_host_is_slow_by_three_readings(readings: int, slow: list[tuple[str, object]]) -> None:
    by_osd = {
        osd: _rate(*[0.5e9 if osd >= 8 else 2e9] * (readings if osd >= 8 else 3)) for osd in HOSTS
    }
    cpus = {f"host-{n}": "X" for n in range(3)}
    found = slow_rates(by_osd, HOSTS, cpus, THEN + 200)
    assert [(one.host, one.osd) for one in found] == slow
    for one in found:
        assert (one.rate, one.peers) == pytest.approx((0.5e9, 2e9))


@pytest.mark.parametrize(
    ("rates", "cpus", "slow"),
    [
        ([2e9] * 12, "XXX", []),
        ([2e9] * 8 + [0.6e9] * 4, "XXX", [("host-2", None)]),
        ([2e9] * 8 + [0.6e9] * 4, "XXY", []),  # another processor may be slower
        ([2e9] * 8 + [0.9e9] * 4, "XXX", []),
        ([2e9] * 11 + [0.6e9], "XXX", [("host-2", 11)]),
        ([2e9] * 8 + [0.2e9] + [0.6e9] * 3, "XXX", [("host-2", None)]),  # named once
    ],
)
def test_who_is_slow(rates: list[float], cpus: str, slow: list[tuple[str, object]]) -> None:
    assert _slow(rates, list(cpus)) == slow


def test_slow_and_hot_are_one_claim() -> None:
    course = Course()
    course.goes(4, osd11=0.5)
    rates = {osd: _rate(*[2e9 if osd < 11 else 0.5e9] * 3) for osd in HOSTS}
    slow = slow_rates(rates, HOSTS, {}, THEN + 200)
    (claim,) = checked(checksum_claims(course.hotspots, slow, GROUND, course.now))
    assert "spent 50 %" in claim.message
    assert "computes checksums at 0.5 GB/s, its peers 2 of the same host" in claim.message
    assert claim.evidence["bytes_per_second"] == 500_000_000
