"""OSDs of different hosts that are slow together are one cause, and never accused one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Callable

import pytest

from farm import HOUR, MINUTE, SEGMENT, Farm, OfSome, both, of_some, once, roster, settled, slower
from perf_bench.model.finding import Roster, Severity
from perf_bench.model.finding_kinds import SLOW_ENCLOSURE
from perf_bench.model.verdict import OsdState
from perf_bench.watch.slow_osd.detector import SlowDetector
from perf_bench.watch.slow_osd.peers import Cohort
from perf_bench.watch.slow_osd.rules import Bursts, Episodes, Facts, Fold
from perf_bench.watch.slow_osd.thresholds import Thresholds

EACH = 12


def fitful(osds: Iterable[int], every: int, ratio: float = 4.0, begin: int = 0) -> OfSome:
    """Bursts of 30 s, each OSD's at its own times."""
    chosen = {osd: 37 * osd % every for osd in osds}
    return of_some(
        chosen,
        lambda frame, osd: ratio if frame >= begin and (frame + chosen[osd]) % every < 2 else 1.0,
    )


def warned(farm: Farm) -> set[str]:
    return {
        f"{claim.target.kind} {claim.target.id}"
        for claim in farm.detector.claims()
        if claim.severity is not Severity.INFO
    }


def test_bursts_of_the_same_positions_are_one_info() -> None:
    """From the fourth hour on, two positions of four of eight hosts; and one drive of its own."""
    shared = [host * EACH + position for host in range(4) for position in (2, 5)]
    farm = Farm(roster(8, EACH), noise=0.05)
    farm.fault = fitful([*shared, 90], 15 * MINUTE, begin=4 * HOUR)
    for _ in range(11):
        farm.run(HOUR)
        assert warned(farm) <= {"osd 90"}
    assert farm.named == {"osd.90", "cohort hdd positions"}
    (claim,) = (claim for claim in farm.detector.claims() if claim.target.kind == "cohort")
    assert claim.code == SLOW_ENCLOSURE.code
    assert claim.severity is Severity.INFO
    assert claim.evidence["positions"] == ["number 3", "number 6"]
    assert claim.evidence["osds"] == shared
    assert "the same positions (number 3 and number 6)" in claim.message
    assert "8 of the 96 OSDs" in claim.message
    assert "are slower than their peers, typically" in claim.message
    verdict = farm.detector.verdicts()[shared[0]]
    assert (verdict.state, verdict.path) == (OsdState.SUSPECT, "cohort")


def test_many_bursts_at_one_position_are_seen_among_all_drives_that_have_two() -> None:
    """Ten hosts of twelve; a fleet in which it counts is in docs/benchmarks.md."""
    watched = roster(10, EACH).members
    cohort = Cohort("hdd", watched, {one.osd: at for at, one in enumerate(watched)}, 12.0)
    bursts, fold = Bursts(cohort, Thresholds()), Fold()
    shared = [host * EACH + 3 for host in range(5)]
    facts = Facts(1.0, 0.0, 0.0, 11, 0.5)
    for osd in range(10 * EACH):
        times = 30 if osd in shared else 2
        bursts.episodes[osd] = Episodes(facts, [40 * at for at in range(times)])
    bursts.judge(10 * HOUR, 600, fold)
    position = cohort.position_of[cohort.place[3]]
    assert set(bursts.flags) == set(shared)
    assert list(fold.known) == [position]


def test_bursts_of_independent_drives_are_named_each() -> None:
    farm = Farm(roster(10, EACH), noise=0.05)
    osds = [host * EACH + host for host in range(0, 10, 2)]
    farm.run(10 * HOUR, fitful(osds, 10 * MINUTE))
    assert farm.named == {f"osd.{osd}" for osd in osds}


def test_many_with_bursts_do_not_hide_one_that_is_always_slow() -> None:
    """More than a twentieth of the cohort, at positions of their own."""
    farm = Farm(roster(10, EACH), noise=0.05)
    osds = [host * EACH + (host + 3 * turn) % EACH for host in range(10) for turn in range(1)]
    bursts, slow = fitful(osds, 10 * MINUTE), slower({100}, 1.6)
    farm.run(10 * HOUR, both(bursts, slow))
    assert farm.named == {"osd.100", "cohort hdd bursts"}


@pytest.mark.parametrize(
    ("count", "named"), [(3, {"osd.3", "osd.15", "osd.27"}), (5, {"cohort hdd positions"})]
)
def test_a_job_that_begins_at_one_position_is_one_info(count: int, named: set[str]) -> None:
    farm = settled(roster(10, EACH), 3 * HOUR, noise=0.05)
    farm.run(6 * MINUTE, slower({host * EACH + 3 for host in range(count)}, 3))
    assert farm.named == named
    assert warned(farm) == {
        name.replace("osd.", "osd ") for name in named if name.startswith("osd")
    }


def test_what_is_seen_later_takes_in_what_was_named_before() -> None:
    farm = settled(roster(10, EACH), 3 * HOUR, noise=0.05)
    farm.run(6 * MINUTE, slower({3, 15}, 3))
    assert farm.named == {"osd.3", "osd.15"}
    everyone = {host * EACH + 3 for host in range(5)}
    farm.run(6 * MINUTE, slower(everyone, 3))
    assert farm.named == {"cohort hdd positions"}
    (claim,) = farm.detector.claims()
    assert claim.evidence["osds"] == sorted(everyone)
    farm.run(2 * HOUR, slower(set(), 1))
    assert farm.named == set()
    # the position is known: three of the same are enough now
    farm.run(6 * MINUTE, slower({27, 39, 51}, 3))
    assert farm.named == {"cohort hdd positions"}


def test_what_stays_slow_after_the_others_is_named() -> None:
    farm = settled(roster(10, EACH), 3 * HOUR, noise=0.05)
    farm.run(10 * MINUTE, slower({host * EACH + 3 for host in range(5)}, 3))
    assert warned(farm) == set()
    farm.run(2 * HOUR, slower({3}, 3))
    assert warned(farm) == {"osd 3"}


def test_a_job_of_half_a_night_names_nobody_but_whoever_stays_slow_after_it() -> None:
    """Five drives of one position for four hours, three nights long, and one of them for good."""
    farm = settled(roster(10, EACH), 4 * HOUR, noise=0.05)
    job = slower({host * EACH + 3 for host in range(5)}, 1.6)
    for _ in range(3):
        for _ in range(4):
            farm.run(HOUR, job)
            assert farm.named == {"cohort hdd positions"}
        farm.run(2 * HOUR, slower(set(), 1))
    farm.run(4 * HOUR, job)
    farm.run(3 * HOUR, slower({3}, 1.6))
    assert warned(farm) == {"osd 3"}


@pytest.mark.parametrize(("since", "common"), [(0, False), (4 * HOUR, True)])
def test_lasting_slowness_needs_a_begin_in_common(since: int, common: bool) -> None:
    """Drives that were always slow are named each, also at one position."""
    osds = {host * EACH + 3 for host in range(5)}
    farm = settled(roster(10, EACH), since, noise=0.05)
    farm.run(5 * SEGMENT + 1, slower(osds, 1.5))
    assert farm.named == ({"cohort hdd positions"} if common else {f"osd.{osd}" for osd in osds})


def failover(farm: Farm) -> None:
    state = json.loads(json.dumps(farm.detector.save(), allow_nan=False))
    farm.detector = SlowDetector(farm.settings)
    farm.detector.restore(state, farm.start + farm.at * 15)


def acute() -> Farm:
    farm = settled(roster(10, EACH), 3 * HOUR, noise=0.05)
    return farm.run(6 * MINUTE, slower({host * EACH + 3 for host in range(5)}, 3))


def sustained() -> Farm:
    farm = settled(roster(10, EACH), 4 * HOUR, noise=0.05)
    return farm.run(5 * SEGMENT + 1, slower({host * EACH + 3 for host in range(5)}, 1.5))


def bursts() -> Farm:
    farm = Farm(roster(10, EACH), noise=0.05)
    return farm.run(9 * HOUR, fitful([host * EACH + 3 for host in range(5)], 10 * MINUTE))


def hosts() -> Farm:
    return Farm(roster(10, EACH), noise=0.05).run(3 * HOUR, slower(set(range(3 * EACH)), 2))


@pytest.mark.parametrize("cause", [acute, sustained, bursts, hosts])
def test_a_failover_changes_nothing(cause: Callable[[], Farm]) -> None:
    farm = once(cause)
    claims = farm.detector.claims()
    assert len(claims) == 1
    failover(farm)
    assert farm.detector.claims() == claims
    farm.run(2 * MINUTE)
    assert warned(farm) == set()
    assert len(farm.named) == 1


def test_a_new_roster_keeps_what_is_in_common() -> None:
    farm = once(acute)
    members = farm.roster.members[:-1]
    farm.roster = Roster(tuple(replace(member) for member in members))
    farm.run(MINUTE)
    assert farm.named == {"cohort hdd positions"}


OLDER = slower(set(range(3 * EACH)), 2.4)


def older() -> Farm:
    return Farm(roster(10, EACH), noise=0.05).run(3 * HOUR, OLDER)


def test_two_hosts_as_slow_as_each_other_are_no_generation() -> None:
    farm = Farm(roster(10, EACH), noise=0.05).run(3 * HOUR, slower(set(range(2 * EACH)), 2.4))
    assert farm.named == {"host host-0", "host host-1"}


def test_a_host_between_the_others_and_a_generation_is_no_fault() -> None:
    farm = Farm(roster(10, EACH), noise=0.05)
    farm.run(3 * HOUR, both(OLDER, slower(set(range(36, 48)), 1.7)))
    assert farm.named == {"cohort hdd hosts"}


def test_a_host_slower_than_a_generation_is_named() -> None:
    farm = Farm(roster(10, EACH), noise=0.05)
    farm.run(3 * HOUR, both(slower(set(range(3 * EACH)), 1.6), slower(set(range(36, 48)), 2.6)))
    assert warned(farm) == {"host host-3"}


def test_drives_of_a_generation_are_still_found() -> None:
    farm = Farm(roster(10, EACH), noise=0.05)
    farm.run(2 * HOUR, both(OLDER, slower({5}, 1.5)))
    assert farm.named == {"cohort hdd hosts", "osd.5"}


def test_a_host_that_becomes_as_slow_as_a_generation_is_named() -> None:
    farm = once(older)
    farm.run(5 * SEGMENT + 1, slower(set(range(4 * EACH)), 2.4))
    assert warned(farm) == {"host host-3"}


@pytest.mark.parametrize(("count", "each"), [(3, True), (4, False)])
def test_more_than_three_hosts_at_once_have_a_cause_in_common(count: int, each: bool) -> None:
    farm = settled(roster(20, EACH), 3 * HOUR, noise=0.05)
    farm.run(4 * SEGMENT + 1, slower(set(range(count * EACH)), 1.7))
    want = {f"host host-{host}" for host in range(count)} if each else {"cohort hdd"}
    assert farm.named == want


@pytest.mark.parametrize(("more", "named"), [(1.5, False), (2.5, True)])
def test_a_host_of_a_generation_is_acute_against_its_own_past(more: float, named: bool) -> None:
    farm = once(older)
    farm.run(6 * MINUTE, both(OLDER, slower(set(range(EACH)), more)))
    assert ("host host-0" in warned(farm)) == named


def test_a_job_of_each_day_names_nobody_and_a_lasting_fault_at_its_position_later() -> None:
    farm = once(acute)
    farm.run(2 * HOUR, slower(set(), 1))
    farm.run(20 * MINUTE, slower({63}, 3))  # number 4 of host 5: the first of the next job
    assert warned(farm) == set()
    assert farm.detector.verdicts()[63].state is OsdState.SUSPECT
    farm.run(3 * SEGMENT)
    assert warned(farm) == {"osd 63"}


@pytest.mark.parametrize(("ratio", "named"), [(1.45, set()), (1.6, {"host host-3"})])
def test_above_a_generation_a_host_is_judged_by_the_same_ratio(
    ratio: float, named: set[str]
) -> None:
    farm = Farm(roster(10, EACH), noise=0.02)
    older, slow = slower(set(range(4 * EACH)), 2.4), slower(set(range(36, 48)), ratio)
    for _ in range(3 * 60):
        farm.run(MINUTE, both(older, slow))
        assert warned(farm) <= named
    assert warned(farm) == named


@pytest.mark.parametrize(
    ("hosts", "named"),
    [([0, 1, 4], set()), ([0, 1], {"rack rack-0"}), ([0], {"host host-0"})],
)
def test_a_rack_of_hosts_of_a_generation_is_no_fault(hosts: list[int], named: set[str]) -> None:
    """Rack 0 has hosts 0 and 1; three are a generation, two are none, one is not the rack."""
    farm = Farm(roster(10, EACH, racks=5), noise=0.05)
    osds = {host * EACH + position for host in hosts for position in range(EACH)}
    for _ in range(3 * 60):
        farm.run(MINUTE, slower(osds, 4.0))
        assert warned(farm) <= named
    assert warned(farm) == named
