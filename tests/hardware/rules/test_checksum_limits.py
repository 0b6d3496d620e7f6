"""The time and the rates of checksums just below, at and just above their limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Optional

import pytest

from evidence import checked
from perf_bench.hardware.rules.checksum_claims import ChecksumEvidence, checksum_claims
from perf_bench.hardware.rules.checksum_rates import (
    Rate,
    Slow,
    against,
    host_peers,
    host_rates,
    slow_rates,
)
from perf_bench.hardware.rules.checksum_share import Burst, Hotspots, OsdHistory
from perf_bench.model.checksum import ChecksumAnswer, CounterWindow
from perf_bench.model.finding import Claim

THEN = 1_700_000_000.0
MIB = 1 << 20


# --- rates -----------------------------------------------------------------------------------


def read(*rates: float) -> Rate:
    """An OSD with these readings in bytes/s."""
    found = Rate(ChecksumAnswer(0, THEN, 1.0, 1))
    found.readings.extend((THEN, rate) for rate in rates)
    return found


@pytest.mark.parametrize(
    ("work", "seconds", "readings"),
    [
        (16 * MIB - 1, 0.01, 0),
        (16 * MIB, 0.01, 1),
        (16 * MIB + 1, 0.01, 1),
        (64 * MIB, 0.0039, 0),
        (64 * MIB, 0.004, 1),
        (64 * MIB, 0.0041, 1),
    ],
)
def test_a_reading_needs_16_mib_and_4_ms(work: int, seconds: float, readings: int) -> None:
    rate = Rate()
    rate.take(ChecksumAnswer(0, THEN, 0.0, 0))
    rate.take(ChecksumAnswer(0, THEN + 60, seconds, work))
    assert list(rate.readings) == [(THEN + 60, work / seconds)] * readings


@pytest.mark.parametrize(("seconds", "done"), [(0.9, 9 * MIB), (1.1, 7 * MIB)])
def test_an_answer_with_less_than_before_begins_anew(seconds: float, done: int) -> None:
    rate = Rate(ChecksumAnswer(0, THEN, 1.0, 8 * MIB))
    rate.take(ChecksumAnswer(0, THEN + 60, seconds, done))
    assert (rate.last and rate.last.bytes, list(rate.readings)) == (done, [])


@pytest.mark.parametrize("seconds", [1.0, 1.001])
def test_an_answer_with_as_much_as_before_waits_for_more(seconds: float) -> None:
    rate = Rate(ChecksumAnswer(0, THEN, 1.0, 8 * MIB))
    rate.take(ChecksumAnswer(0, THEN + 60, seconds, 8 * MIB))
    rate.take(ChecksumAnswer(0, THEN + 120, 1.02, 28 * MIB))
    ((at, found),) = rate.readings
    assert at == THEN + 120
    assert found == pytest.approx(20 * MIB / 0.02)


@pytest.mark.parametrize(
    ("rates", "others"),
    [
        ({}, {}),
        ({"a": 1.0}, {}),
        ({"a": 1.0, "b": 2.0}, {}),
        ({"a": 1.0, "b": 2.0, "c": 4.0}, {"a": 3.0, "b": 2.5, "c": 1.5}),
        ({"a": 1.0, "b": 2.0, "c": 4.0, "d": 9.0}, {"a": 4.0, "b": 4.0, "c": 2.0, "d": 2.0}),
    ],
)
def test_a_rate_is_compared_with_the_median_of_two_others_or_more(
    rates: Mapping[str, float], others: Mapping[str, float]
) -> None:
    assert against(rates) == pytest.approx(others)


def test_hosts_are_compared_with_those_of_their_processor_if_that_is_known() -> None:
    rates = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 8.0, "e": 16.0}
    assert host_peers(rates, {"a": "X", "b": "X", "c": "X", "d": None, "e": "Y"}) == {
        "a": 3.0, "b": 2.5, "c": 1.5,
    }  # fmt: skip


@pytest.mark.parametrize(("sure", "known"), [(False, {"h": 2.0}), (True, {"h": 3.0})])
def test_the_rate_of_a_host_is_of_its_own_osds(sure: bool, known: Mapping[str, float]) -> None:
    """Of those with three readings, if it has to be sure; osd.9 is on no host that is known."""
    rates = {0: read(3.0, 3.0, 3.0), 1: read(1.0, 1.0), 9: read(7.0, 7.0, 7.0), 2: read()}
    assert host_rates(rates, {0: "h", 1: "h", 2: "h"}, THEN, sure=sure) == known


@pytest.mark.parametrize(("rate", "slow"), [(0.999, True), (1.0, False), (1.001, False)])
@pytest.mark.parametrize("of_hosts", [True, False])
def test_slow_is_less_than_a_third_of_the_others(rate: float, slow: bool, of_hosts: bool) -> None:
    """Of hosts with the same processor, or of OSDs of one host; the others have 3 GB/s."""
    each = {osd: rate if osd == 0 else 3.0 for osd in range(3)}
    hosts = {osd: f"h{osd}" if of_hosts else "h0" for osd in each}
    cpus: dict[str, Optional[str]] = dict.fromkeys(hosts.values(), "X")
    found = slow_rates({osd: read(*[one] * 3) for osd, one in each.items()}, hosts, cpus, THEN)
    assert found == ([Slow("h0", rate, 3.0, None if of_hosts else 0)] if slow else [])


def test_an_osd_of_no_known_host_is_slow_beside_nobody() -> None:
    rates = {osd: read(*[rate] * 3) for osd, rate in enumerate((0.1, 3.0, 3.0, 3.0))}
    assert slow_rates(rates, {1: "h", 2: "h", 3: "h"}, {}, THEN) == []
    assert [one.osd for one in slow_rates(rates, dict.fromkeys(rates, "h"), {}, THEN)] == [0]


# --- claims about checksums ------------------------------------------------------------------


def hot(*osds: int, seconds: float = 45.04, peak: float = 0.51234, now: float = THEN) -> Hotspots:
    """OSDs with bursts that end now; each began a second after the one before."""
    spots = Hotspots()
    for number, osd in enumerate(osds):
        burst = Burst(now - seconds + number, now, seconds, peak + number / 100)
        spots.histories[osd] = OsdHistory(bursts=[Burst(0.0, 1.0, 30.0, 0.4), burst], peers=0.0314)
    return spots


def claimed(
    spots: Hotspots, slow: Sequence[Slow] = (), threads: Optional[Mapping[int, int]] = None
) -> list[Claim]:
    hosts = {0: "a", 1: "a", 2: "b", 3: "b"}
    return checked(checksum_claims(spots, slow, ChecksumEvidence(hosts, threads or {}), THEN))


@pytest.mark.parametrize(
    ("threads", "said"),
    [({}, "its op threads"), ({2: 1}, "its 1 op thread"), ({2: 16}, "its 16 op threads")],
)
def test_what_is_told_of_an_osd_that_is_hot(threads: Mapping[int, int], said: str) -> None:
    (claim,) = claimed(hot(2), threads=threads)
    assert f"osd.2 (b) spent 51 % of the time of {said} on checksums of reads, for 45 s" in (
        claim.message
    )
    evidence = {name: one for name, one in claim.evidence.items() if name != "bound"}
    assert evidence == {
        "peak_share": 0.5123,
        "hot_seconds": 45.0,
        "peers_median": 0.0314,
        "op_threads": threads.get(2),
        "bursts": 2,
    }
    assert "lower bound" in claim.evidence["bound"]
    assert claim.since == THEN - 45.04


def test_what_is_told_of_a_host_that_is_hot() -> None:
    (claim,) = claimed(hot(1, 0))
    assert (claim.evidence["osds"], claim.evidence["peak_share"]) == ([0, 1], 0.5223)
    assert claim.since == THEN - 45.04


@pytest.mark.parametrize(("name", "told"), [("ssd", "ssd"), ("", "all")])
def test_osds_without_a_class_are_told_as_all(name: str, told: str) -> None:
    spots = Hotspots()
    spots.class_shares, spots.hot_classes = {name: 0.41, "hdd": 0.1}, {name: THEN - 300}
    (claim,) = claimed(spots)
    assert (claim.target.kind, claim.target.id, claim.since) == ("cohort", told, THEN - 300)
    assert f"most OSDs of class {told} spend 41 %" in claim.message
    spots.hot_classes = {name: THEN - 299}
    assert claimed(spots) == []


def test_what_is_told_of_a_slow_host_and_a_slow_osd() -> None:
    host, osd = claimed(Hotspots(), [Slow("a", 0.512e9, 2.25e9), Slow("b", 0.3e9, 1.0e9, 3)])
    assert host.message == (
        "the OSDs of host a compute checksums at 0.51 GB/s, its peers 2.2, with the same "
        "processor: its cores are starved, throttled or set differently (cpupower "
        "frequency-info, top)"
    )
    assert host.evidence == {"bytes_per_second": 512_000_000, "rate_peers_median": 2_250_000_000}
    assert (str(host.target), str(osd.target)) == ("a", "osd.3")
    assert "osd.3 (b) computes checksums at 0.3 GB/s, its peers 1 of the same host" in osd.message


def test_slow_and_hot_together_began_with_the_first_of_both() -> None:
    (claim,) = claimed(hot(3), [Slow("b", 1.0, 9.0, 3)])
    assert (claim.since, claim.evidence["bytes_per_second"]) == (THEN - 45.04, 1)
    assert claim.evidence["peak_share"] == 0.5123


@pytest.mark.parametrize(("seconds", "told"), [(29.9, 0), (30.0, 1), (30.1, 1)])
def test_a_burst_is_told_from_half_a_minute_on(seconds: float, told: int) -> None:
    assert len(claimed(hot(2, seconds=seconds))) == told


@pytest.mark.parametrize(("later", "told"), [(599.0, 1), (600.0, 0), (601.0, 0)])
def test_a_burst_is_told_for_ten_minutes_after_its_end(later: float, told: int) -> None:
    assert len(claimed(hot(2, now=THEN - later))) == told


@pytest.mark.parametrize(("share", "bursts"), [(0.1999, 0), (0.2, 1), (0.29999, 1), (0.3, 1)])
@pytest.mark.parametrize("peers", [None, 0.05])
def test_a_window_is_hot_from_a_fifth_on(share: float, bursts: int, peers: Optional[float]) -> None:
    assert _bursts(share, peers) == bursts


@pytest.mark.parametrize(("share", "bursts"), [(0.2999, 0), (0.30001, 1)])
def test_a_window_is_hot_from_three_times_the_peers_on(share: float, bursts: int) -> None:
    assert _bursts(share, 0.1) == bursts


def _bursts(share: float, peers: Optional[float]) -> int:
    """The bursts of osd.0 after a window; two other OSDs do as much as ``peers``."""
    each = {0: share} if peers is None else {0: share, 1: peers, 2: peers}
    windows = {osd: [CounterWindow(THEN, THEN + 15, one)] for osd, one in each.items()}
    spots = Hotspots()
    spots.step(windows, dict.fromkeys(each, "ssd"), THEN + 15)
    return len(spots.histories[0].bursts)


@pytest.mark.parametrize("back", [0.0, 1.0, 60.0])
def test_a_clock_that_is_set_back_takes_neither_peaks_nor_peers_away(back: float) -> None:
    """The newest window, and the peak, are of a moment that has not come yet."""
    spots, now = Hotspots(), THEN + 15 - back
    for shares in ((0.5, 0.04), (0.1, 0.05)):
        windows = {osd: [CounterWindow(THEN, THEN + 15, one)] for osd, one in enumerate(shares)}
        spots.step(windows, {0: "ssd", 1: "ssd"}, now)
    assert spots.histories[0].peers == pytest.approx(0.05)
    later = [CounterWindow(now - 15, now, 0.1)]
    spots.step({0: later}, {0: "ssd", 1: "ssd"}, now)
    assert spots.histories[0].peak == (0.5, THEN + 15)
