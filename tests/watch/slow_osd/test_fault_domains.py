"""The widest true cause is named, once: device, host, enclosure, rack, cohort."""

from __future__ import annotations

from dataclasses import replace

import pytest

from farm import HOUR, MINUTE, SEGMENT, Farm, roster, settled, slower
from perf_bench.errors import InvalidValue
from perf_bench.model.finding import Mark, Roster, Severity
from perf_bench.model.finding_kinds import SLOW_ENCLOSURE, SLOW_HOST, SLOW_OSD
from perf_bench.model.verdict import OsdState
from perf_bench.watch.slow_osd.thresholds import Thresholds


def host(number: int, each: int) -> set[int]:
    return set(range(number * each, (number + 1) * each))


@pytest.mark.parametrize(
    ("hosts", "each", "ratio"),
    [
        (6, 12, 1.6),  # the host is its OSDs' own reference
        (6, 4, 1.8),  # the cohort is
        (5, 3, 2.0),
        (30, 12, 1.6),
    ],
)
def test_a_slow_host_is_one_claim(hosts: int, each: int, ratio: float) -> None:
    """Without a past: 1.5 times as slow as the other hosts is enough."""
    farm = Farm(roster(hosts, each)).run(5 * SEGMENT)
    farm.run(4 * SEGMENT + 1, slower(host(1, each), ratio))
    assert farm.named == {"host host-1"}
    (claim,) = farm.detector.claims()
    assert claim.code == SLOW_HOST.code
    assert claim.evidence["osds"] == sorted(host(1, each))
    verdict = farm.detector.verdicts()[each]
    assert (verdict.state, verdict.path) == (OsdState.SUSPECT, "host")
    assert "together with its host" in farm.detector.explain(each)[0]


@pytest.mark.parametrize(("away", "named"), [(12, set()), (11, {"osd.23"}), (6, {"host host-1"})])
@pytest.mark.parametrize("ratio", [1.6, 5.0])
def test_a_slow_host_that_was_taken_out_is_slow_no_more(
    away: int, named: set[str], ratio: float
) -> None:
    """With half of its OSDs it is still judged, and is as slow as before; one left is no host."""
    farm = settled(roster(6, 12), 5 * SEGMENT).run(4 * SEGMENT + 1, slower(host(1, 12), ratio))
    assert farm.named == {"host host-1"}
    farm.idle = frozenset(range(12, 12 + away))
    farm.marks = dict.fromkeys(farm.idle, int(Mark.DOWN))
    assert farm.run(2 * HOUR + SEGMENT + 1).named == named


def test_another_generation_of_hosts_is_no_fault() -> None:
    """Two of eight at 1.35 since ever: statistics cannot tell hardware from a common fault."""
    farm = Farm(roster(8, 12), fault=slower(host(0, 12) | host(1, 12), 1.35)).run(9 * HOUR)
    assert farm.named == set()


@pytest.mark.parametrize(
    ("others", "ratio", "named"),
    [
        ({1, 2}, 1.58, set()),  # of the other generation, and a little slower than it
        ({1, 2}, 2.0, {"host host-0"}),
        ({1}, 1.58, {"host host-0"}),  # two are no generation
        (set(), 1.58, {"host host-0"}),
    ],
)
def test_a_host_of_another_generation_is_judged_by_it(
    others: set[int], ratio: float, named: set[str]
) -> None:
    older = {osd for number in others for osd in host(number, 8)}
    fault = lambda at, osd: ratio if osd < 8 else 1.4 if osd in older else 1.0  # noqa: E731
    farm = Farm(roster(12, 8), noise=0.05, fault=fault)
    assert farm.run(9 * SEGMENT).named == named


def test_a_slow_osd_of_a_slow_host_is_named_beside_it() -> None:
    """On the real trace: 16 sick hosts, and two drives in each that are sicker still."""
    farm = settled(roster(6, 12), 5 * SEGMENT)
    farm.run(
        6 * SEGMENT, lambda at, osd: (2.4 if 12 <= osd < 24 else 1) * (1.5 if osd == 13 else 1)
    )
    assert farm.named == {"host host-1", "osd.13"}


@pytest.mark.parametrize(("hosts", "each"), [(3, 2), (4, 3), (6, 12)])
def test_a_host_that_stalls_is_named_in_minutes(hosts: int, each: int) -> None:
    farm = Farm(roster(hosts, each), noise=0.2).run(10 * MINUTE)
    farm.fault = slower(host(1, each), 12)
    assert farm.until({"host host-1"}, 6 * MINUTE)
    farm.fault = slower(set(), 1)
    assert farm.until(set(), 10 * MINUTE)


def test_half_a_host_is_not_the_host() -> None:
    farm = Farm(roster(8, 4)).run(5 * SEGMENT).run(5 * SEGMENT, slower({4, 5}, 2))
    assert farm.named == {"osd.4", "osd.5"}


def test_a_rack_is_named_for_its_hosts() -> None:
    farm = settled(roster(12, 8, racks=4), 5 * SEGMENT)
    rack = set(range(24, 48))  # hosts 3 to 5
    assert farm.run(5 * SEGMENT, slower(rack, 1.8)).named == {"rack rack-1"}
    (claim,) = farm.detector.claims()
    assert claim.code == SLOW_ENCLOSURE.code


def test_a_rack_is_not_named_for_one_of_its_hosts() -> None:
    farm = settled(roster(12, 8, racks=4), 5 * SEGMENT)
    assert farm.run(5 * SEGMENT, slower(host(3, 8), 1.8)).named == {"host host-3"}


def test_an_enclosure_across_hosts_is_one_claim() -> None:
    """Each of 6 enclosures holds half of the OSDs of two hosts."""
    members = tuple(
        replace(member, enclosure=f"E{member.osd // 24}-{member.osd % 2}")
        for member in roster(6, 12).members
    )
    farm = Farm(Roster(members)).run(5 * SEGMENT)
    sick = {member.osd for member in members if member.enclosure == "E1-0"}
    assert farm.run(5 * SEGMENT, slower(sick, 1.8)).named == {"enclosure E1-0"}
    (claim,) = farm.detector.claims()
    assert claim.code == SLOW_ENCLOSURE.code


def test_osds_of_one_device_are_one_claim() -> None:
    members = tuple(
        replace(member, device=f"nvme{member.osd // 2}") for member in roster(6, 12).members
    )
    farm = Farm(Roster(members)).run(5 * SEGMENT).run(5 * SEGMENT, slower({14, 15}, 1.8))
    (claim,) = farm.detector.claims()
    assert (claim.code, str(claim.target)) == (SLOW_OSD.code, "osd.14")
    assert claim.evidence["device"] == "nvme7"
    assert claim.evidence["osds"] == [14, 15]


def test_a_whole_cohort_that_slows_down_accuses_nobody() -> None:
    farm = settled(roster(6, 12), 7 * HOUR).run(2 * HOUR, lambda at, osd: 3.0)
    assert farm.named == set()


def test_many_hosts_at_once_are_one_claim() -> None:
    """A third of the hosts, all at the same time: no storm of findings."""
    sick = {osd for host_ in range(4) for osd in host(host_, 8)}
    farm = Farm(roster(12, 8)).run(7 * HOUR).run(5 * SEGMENT, slower(sick, 1.4))
    assert farm.named == {"cohort hdd"}
    (claim,) = farm.detector.claims()
    assert (claim.severity, claim.evidence["members"]) == (Severity.INFO, 32)


def test_two_cohorts_are_never_compared() -> None:
    """Flash and disks in the same hosts, ten times apart."""
    members = tuple(
        replace(member, cohort="ssd" if member.osd % 3 == 0 else "hdd")
        for member in roster(6, 9).members
    )
    farm = Farm(Roster(members), fault=lambda at, osd: 0.1 if osd % 3 == 0 else 1.0)
    assert farm.run(3 * HOUR).named == set()
    assert [report.members for report in farm.detector.cohorts()] == [36, 18]


def test_a_quieter_cohort_shows_smaller_slowdowns() -> None:
    reports: dict[float, float] = {}
    for noise in (0.05, 0.6):
        farm = Farm(roster(6, 12), noise=noise).run(5 * SEGMENT)
        (report,) = farm.detector.cohorts()
        assert report.judged == 72
        reports[noise] = report.minimum_detectable_ratio or 0.0
    assert reports[0.05] == pytest.approx(1.25)
    assert reports[0.6] > 1.3


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ("acute_ratio", "not KEY=VALUE"),
        ("speed=3", "not KEY=VALUE"),
        ("acute_ratio=fast", "a number"),
        ("acute_ratio=nan", "a number"),
        ("acute_ratio=-1", "at least 0"),
        ("acute_ratio=0.5", "at least 1"),
    ],
)
def test_a_wrong_setting_is_refused_in_a_sentence(pair: str, sentence: str) -> None:
    with pytest.raises(InvalidValue, match=sentence):
        Thresholds.of([pair])


def test_settings_from_pairs() -> None:
    chosen = Thresholds.of(["acute_ratio=3", "burst_episodes=6"])
    assert (chosen.acute_ratio, chosen.burst_episodes) == (3.0, 6)
    assert Thresholds.of([]) == Thresholds()


def test_a_rack_is_no_slower_because_its_fast_hosts_are_idle() -> None:
    """Two of its five hosts are older: without two of the others they are the most."""
    farm = Farm(roster(15, 12, racks=3), fault=slower(range(24), 1.4)).run(7 * HOUR)
    assert farm.named == set()
    farm.idle = frozenset(range(36, 60))
    assert farm.run(2 * HOUR).named == set()
