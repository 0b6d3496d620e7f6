"""OSDs of different hosts that are slow together are one cause, and never accused one by one."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farm import HOUR, MINUTE, SEGMENT, Farm, OfSome, both, of_some, once, roster, settled, slower
from perf_bench.model.finding import Severity
from perf_bench.model.finding_kinds import SLOW_ENCLOSURE
from perf_bench.model.frame import Roster, Watched
from perf_bench.model.verdict import OsdState
from perf_bench.watch.detect.slow_osd.bursts import Bursts, Episodes
from perf_bench.watch.detect.slow_osd.cohort_channel import CohortChannel
from perf_bench.watch.detect.slow_osd.common_cause import (
    NONE,
    Common,
    Folded,
    common_cause,
    poisson_tail,
)
from perf_bench.watch.detect.slow_osd.detector import SlowDetector
from perf_bench.watch.detect.slow_osd.packing import NOTHING
from perf_bench.watch.detect.slow_osd.persistence import Facts, Flag, MOfNRule
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology
from perf_bench.watch.detect.slow_osd.windows import Segment, Slope

LIMITS = Thresholds()
EACH = 12


def cohort(hosts: int = 10, each: int = EACH) -> Cohort:
    return Topology(roster(hosts, each), 6).cohorts[0]


def at(*pairs: tuple[int, int]) -> list[int]:
    """Places by (host, position) of a roster of 12 each, in order of hosts by number."""
    made = cohort()
    return [made.place[host * EACH + position] for host, position in pairs]


def column(position: int, hosts: Iterable[int]) -> list[int]:
    return at(*((host, position) for host in hosts))


def _poisson_tail(count: int, mean: float) -> float:
    """Term by term: slow, and exact also where it is very small."""
    terms = range(count, count + 1000)
    return math.fsum(math.exp(n * math.log(mean) - mean - math.lgamma(n + 1)) for n in terms)


@pytest.mark.parametrize("mean", [1e-9, 0.3, 2.0, 40.0, 199.0])
@pytest.mark.parametrize("count", [0, 1, 5, 60, 250])
def test_the_tail_of_the_poisson_law(mean: float, count: int) -> None:
    want = _poisson_tail(count, mean)
    assert poisson_tail(count, mean) == pytest.approx(want, rel=1e-6, abs=1e-300)


@pytest.mark.parametrize(("count", "chance"), [(0, 1.0), (1, 0.0), (5, 0.0)])
def test_where_none_is_expected_none_comes(count: int, chance: float) -> None:
    assert poisson_tail(count, 0.0) == chance


@pytest.mark.parametrize("count", [522, 540, 560])
def test_the_tail_of_a_large_mean_is_about_right(count: int) -> None:
    assert poisson_tail(count, 500) == pytest.approx(_poisson_tail(count, 500), rel=0.04)


@pytest.mark.parametrize(("count", "common"), [(3, False), (4, True), (5, True)])
def test_four_at_one_position_have_a_cause_in_common(count: int, common: bool) -> None:
    places = column(3, range(count))
    found = common_cause(cohort(), places, LIMITS)
    assert found.places == frozenset(places if common else ())
    assert found.positions == (("number 4",) if common else ())


def test_as_many_at_positions_of_their_own_have_none() -> None:
    assert common_cause(cohort(), at(*((host, host) for host in range(10))), LIMITS) == NONE


def test_a_drive_at_another_position_is_not_part_of_it() -> None:
    places = column(3, range(6))
    found = common_cause(cohort(), [*places, *at((8, 7))], LIMITS)
    assert found.places == frozenset(places)


@pytest.mark.parametrize(("hosts", "common"), [(2, False), (3, True), (4, True)])
def test_several_on_each_of_three_hosts_have_a_cause_in_common(hosts: int, common: bool) -> None:
    places = at(*((host, (5 * host + step) % EACH) for host in range(hosts) for step in range(5)))
    found = common_cause(cohort(), places, LIMITS)
    assert found.places == frozenset(places if common else ())
    assert len(found.hosts) == (hosts if common else 0)


@pytest.mark.parametrize(("slow", "left_out"), [(7, False), (8, True)])
def test_a_host_of_which_most_are_slow_has_its_own_cause(slow: int, left_out: bool) -> None:
    """60 % of 12 are 7.2."""
    host = at(*((9, step) for step in range(slow)))
    found = common_cause(cohort(), [*column(3, range(8)), *host], LIMITS)
    assert found.places.isdisjoint(host) == left_out


@pytest.mark.parametrize(("count", "common"), [(2, False), (3, True)])
def test_at_a_known_position_three_are_enough(count: int, common: bool) -> None:
    found = common_cause(cohort(), column(3, range(count)), LIMITS, ["number 4"])
    assert bool(found.places) == common


@given(st.lists(st.integers(0, 119), max_size=40, unique=True), st.randoms())
def test_the_order_of_osds_does_not_matter(slow: list[int], chance: random.Random) -> None:
    mixed = list(slow)
    chance.shuffle(mixed)
    made = cohort()
    assert common_cause(made, slow, LIMITS) == common_cause(made, mixed, LIMITS)


def test_positions_are_names_of_drives_or_ranks() -> None:
    members = (
        Watched(4, "osd.4", "b", "hdd", device="b/sdc"),
        Watched(1, "a/disk7", "a", "hdd"),
        Watched(9, "osd.9", "b", "hdd"),
        Watched(7, "osd.7", "b", "hdd"),
    )
    made = Topology(Roster(members), 6).cohorts[0]
    names = {member.osd: made.position_of[made.place[member.osd]] for member in members}
    assert names == {4: "sdc", 1: "disk7", 7: "number 2", 9: "number 3"}


# a rule's flags


def flag(windows: int) -> Flag:
    return Flag(0.0, Facts(1.0, 9.0, 1.0, 0.0, 11), 1.0, windows, windows)


@pytest.mark.parametrize(("windows", "folded"), [(29, True), (30, True), (31, False)])
def test_only_a_young_flag_is_folded(windows: int, folded: bool) -> None:
    made = cohort()
    rule = Folded(hold=15, young=30)
    common = common_cause(made, column(3, range(5)), LIMITS)
    rule.update(0.0, {3: flag(windows)}, made, common)
    assert (3 in rule.seen) == folded


@pytest.mark.parametrize(("later", "folded"), [(15, True), (16, False)])
def test_slow_for_long_without_the_others_is_a_cause_of_its_own(later: int, folded: bool) -> None:
    made = cohort()
    rule = Folded(hold=15, young=30)
    rule.update(0.0, {3: flag(5)}, made, common_cause(made, column(3, range(5)), LIMITS))
    rule.update(60.0, {3: flag(5 + later)}, made, NONE)
    assert (3 in rule.seen) == folded


def test_what_was_slow_in_turn_has_a_cause_in_common() -> None:
    made = cohort()
    rule = Folded(hold=15, young=30)
    found = [
        rule.in_turn(3600.0 * host, {host * EACH + 3: flag(4)}, made, LIMITS) for host in range(4)
    ]
    assert [bool(one.places) for one in found] == [False, False, False, True]
    later = 3600.0 * 3 + LIMITS.common_memory_days * 86400
    fifth = {4 * EACH + 3: flag(4)}
    assert rule.in_turn(later - 3600.0 * 3, fifth, made, LIMITS).places
    assert rule.in_turn(later + 1, fifth, made, LIMITS) == NONE  # the others are forgotten


def test_the_first_hit_of_a_sure_one_raises_a_flag() -> None:
    rule: MOfNRule[int] = MOfNRule(3, 4, 4)
    facts = Facts(1.0, 9.0, 1.0, 0.0, 11)
    rule.step(0.0, {1: facts, 2: facts}, lambda _: None, 0.1, sure={2})
    assert set(rule.flags) == {2}


# the detector


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
    assert farm.named == {"osd.90", "cohort hdd bursts"}
    (claim,) = (claim for claim in farm.detector.claims() if claim.target.kind == "cohort")
    assert claim.code == SLOW_ENCLOSURE.code
    assert claim.severity is Severity.INFO
    assert claim.evidence["positions"] == ["number 3", "number 6"]
    assert claim.evidence["osds"] == shared
    assert "the same positions (number 3 and number 6)" in claim.message
    assert "8 of the 96 OSDs" in claim.message
    assert "are slower than their peers in bursts, typically" in claim.message
    verdict = farm.detector.verdicts()[shared[0]]
    assert (verdict.state, verdict.path) == (OsdState.SUSPECT, "cohort")


def test_an_osd_with_many_more_bursts_than_the_others_is_named() -> None:
    farm = Farm(roster(8, EACH), noise=0.05)
    shared = [host * EACH + 2 for host in range(6)]
    slow, fast = fitful(shared[1:], 60 * MINUTE), fitful(shared[:1], 12 * MINUTE)
    farm.run(12 * HOUR, both(slow, fast))
    assert warned(farm) == {"osd 2"}


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


@pytest.mark.parametrize("cause", [acute, sustained, bursts])
def test_a_state_of_the_version_before_is_read(cause: Callable[[], Farm]) -> None:
    farm = once(cause)
    state = json.loads(json.dumps(farm.detector.save()))
    for track in state["tracks"].values():
        for lane in track["lanes"].values():
            del lane["folded"], lane["rows"], lane["loads"], lane["units"]["generation"]
        for one in track["bursts"].values():
            del one["folded"]
    farm.detector = SlowDetector(farm.settings)
    farm.detector.restore(state, farm.start + farm.at * 15)
    farm.run(SEGMENT + 1)
    assert "cohort" in " ".join(farm.named)


def test_a_new_roster_keeps_what_is_in_common() -> None:
    farm = once(acute)
    members = farm.roster.members[1:]
    farm.roster = Roster(tuple(replace(member) for member in members))
    farm.run(MINUTE)
    assert farm.named == {"cohort hdd positions"}


# hosts

OLDER = slower(set(range(3 * EACH)), 2.4)


def older() -> Farm:
    return Farm(roster(10, EACH), noise=0.05).run(3 * HOUR, OLDER)


def test_two_hosts_as_slow_as_each_other_are_no_generation() -> None:
    farm = Farm(roster(10, EACH), noise=0.05).run(3 * HOUR, slower(set(range(2 * EACH)), 2.4))
    assert farm.named == {"host host-0", "host host-1"}


def test_three_hosts_as_slow_as_each_other_are_a_generation() -> None:
    farm = once(older)
    assert farm.named == {"cohort hdd hosts"}
    assert warned(farm) == set()
    (claim,) = farm.detector.claims()
    assert claim.evidence["hosts"] == ["host-0", "host-1", "host-2"]
    assert claim.message.startswith("3 of the 10 hosts of hdd are 2.")


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


# time to detect


@pytest.mark.parametrize(
    ("own", "load", "left"),
    [
        (0.5, 0.4, 0.3),  # load explains a part
        (0.5, -0.4, 0.5),  # slower with less load: nothing is explained
        (-0.5, -0.4, -0.3),
        (-0.1, -0.4, 0.0),  # not above 0
        (-0.1, 0.4, -0.3),
    ],
)
def test_load_explains_but_does_not_accuse(own: float, load: float, left: float) -> None:
    slope = Slope(6.0, 1.5)
    slope.products, slope.squares = 500.0, 999.0
    assert slope.without_load([own], [load]) == [pytest.approx(left)]


@pytest.mark.parametrize(("load", "kept"), [(0.6, False), (0.0, True)])
def test_load_is_taken_out_only_where_that_makes_the_osds_alike(load: float, kept: bool) -> None:
    """What is left of an excess of 0 after a load of 0.6 was taken out is no better."""
    made = cohort(2)
    excess = [(-1) ** place * (load or 0.1) for place in range(24)]
    more = [(-1) ** place * -(load or -0.3) for place in range(24)]
    view = Segment(0.0, excess, [0.0, 0.0], 0.0, [1e6] * 24, frozenset(), False, [excess], more)
    chosen = CohortChannel(made, LIMITS)._more_alike(view)
    assert (chosen is view) == kept
    if not kept:
        assert chosen.excess == [0.0] * 24
        assert chosen.minutes == [[0.0] * 24]


def test_lasting_load_explains_nothing_where_latency_does_not_follow_it() -> None:
    """Load that comes and goes is taken out, a lasting difference is not, nor is a slow OSD's."""
    made = cohort(2)
    channel = CohortChannel(made, LIMITS)
    chance = random.Random(3)  # noqa: S311  # noise
    lasting = [0.15 * (-1) ** place for place in range(24)]
    lasting[7] = 0.6
    true = [0.01 * chance.gauss(0, 1) for _ in range(24)]
    true[7] = math.log(2)
    chosen = None
    for _ in range(12):
        brief = [0.1 * chance.gauss(0, 1) for _ in range(24)]
        load = [now + always for now, always in zip(brief, lasting)]
        excess = [own - always for own, always in zip(true, lasting)]
        view = Segment(0.0, excess, [0.0, 0.0], 0.0, [1e6] * 24, frozenset(), False, [excess], load)
        chosen = channel._more_alike(view)
    assert chosen is not None
    assert chosen.excess[7] == pytest.approx(math.log(2), abs=0.1)
    others = [own for place, own in enumerate(chosen.excess) if place != 7]
    assert max(map(abs, others)) < 0.15


def test_load_is_taken_out_whole_where_latency_follows_the_lasting_part_too() -> None:
    """Only the load that comes and goes taken out is better than none, and worse than all."""
    channel = CohortChannel(cohort(2), LIMITS)
    chance = random.Random(5)  # noqa: S311  # noise
    for _ in range(12):
        load = [0.08 * (-1) ** place + 0.15 * chance.gauss(0, 1) for place in range(24)]
        excess = [0.04 * chance.gauss(0, 1) for _ in range(24)]
        view = Segment(0.0, excess, [0.0, 0.0], 0.0, [1e6] * 24, frozenset(), False, [excess], load)
        assert channel._more_alike(view) is view


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("noise", [0.02, 0.0])
def test_lasting_load_explains_a_drive_as_long_as_the_others_follow_theirs(
    kept: bool, noise: float
) -> None:
    """All have the same load in the long run but one: there is no sign that it does not count."""
    channel = CohortChannel(cohort(2), LIMITS)
    load = [0.0 if kept else 0.2 * (-1) ** place for place in range(24)]
    load[7] = math.log(2)
    # What is left after load was taken out: even where latency follows it.
    excess = [noise * (-1) ** (place // 2) for place in range(24)]
    view = Segment(0.0, excess, [0.0, 0.0], 0.0, [1e6] * 24, frozenset(), False, [excess], load)
    for _ in range(12):
        chosen = channel._more_alike(view)
        assert chosen.excess[7] == excess[7]


def test_a_failover_keeps_the_lasting_load() -> None:
    channel = CohortChannel(cohort(2), LIMITS)
    load = [0.3 * (-1) ** place for place in range(24)]
    view = Segment(0.0, load, [0.0, 0.0], 0.0, [1e6] * 24, frozenset(), False, [load], load)
    for _ in range(14):
        channel._more_alike(view)
    again = CohortChannel(cohort(2), LIMITS)
    again.restore(json.loads(json.dumps(channel.save())), 0.0)
    assert again._load_rows == channel._load_rows
    assert len(again._load_rows) == LIMITS.long_segments
    # Without one OSD, and with a new one.
    members = roster(2, EACH).members
    made = Topology(Roster((*members[1:], replace(members[0], osd=99))), 6).cohorts[0]
    again.adopt(made)
    assert again._load_rows[0][made.place[1]] == channel._load_rows[0][1]
    assert again._load_rows[0][made.place[99]] == NOTHING


def test_much_noise_delays_a_lasting_slowdown_by_two_hours_at_most() -> None:
    """A segment has a z of about 4, so that three of four at 5 hardly happen."""
    quick, slow = (
        Farm(roster(10, EACH), noise=1.0, settings=Thresholds.of(pairs)).run(0)
        for pairs in ([], ["long_need=100"])
    )
    frames = [farm.run(1, slower({7}, 2)).until({"osd.7"}, 4 * HOUR) for farm in (quick, slow)]
    assert frames[0] is not None
    assert frames[0] <= 2 * HOUR
    assert frames[1] is None or frames[1] > 2 * frames[0]


@pytest.mark.parametrize(
    ("segments", "ratio", "found"),
    [(3, 1.45, False), (4, 1.45, True), (4, 1.35, False), (12, 1.35, False)],
)
def test_the_median_of_four_segments_is_enough_from_1_4_on(
    segments: int, ratio: float, found: bool
) -> None:
    channel = CohortChannel(cohort(2), LIMITS)
    channel.segment_scale = 0.05
    hits: dict[int, Facts] = {}
    for _ in range(segments):
        excess = [(-1) ** place * 0.03 for place in range(24)]
        excess[7] = math.log(ratio)
        view = Segment(0.0, excess, [0.0, 0.0], 0.0, [1e6] * 24, frozenset(), False, [excess])
        hits = channel._long_hits(view)
    assert set(hits) == ({7} if found else set())


def test_the_lower_median_counts() -> None:
    """Two of four segments are not enough."""
    channel = CohortChannel(cohort(2), LIMITS)
    channel.segment_scale = 0.05
    hits: dict[int, Facts] = {}
    for ratio in (1.0, 1.0, 2.0, 2.0):
        excess = [(-1) ** place * 0.03 for place in range(24)]
        excess[7] = math.log(ratio)
        view = Segment(0.0, excess, [0.0, 0.0], 0.0, [1e6] * 24, frozenset(), False, [excess])
        hits = channel._long_hits(view)
    assert hits == {}


@pytest.mark.parametrize(("more", "named"), [(1.5, False), (2.5, True)])
def test_a_host_of_a_generation_is_acute_against_its_own_past(more: float, named: bool) -> None:
    farm = once(older)
    farm.run(6 * MINUTE, both(OLDER, slower(set(range(EACH)), more)))
    assert ("host host-0" in warned(farm)) == named


def test_a_job_in_turn_at_one_position_is_one_with_what_is_slow_at_another() -> None:
    """Short jobs of two positions, one drive after the other: only the first are named."""
    farm = settled(roster(10, EACH), 3 * HOUR, noise=0.05)
    turns = [(host, position) for host in range(10) for position in (2, 5)]
    for host, position in turns:
        farm.run(4 * MINUTE, slower({host * EACH + position}, 3)).run(12 * MINUTE, slower(set(), 1))
    assert warned(farm) == set()
    # Three at the one position now, and another at the other: part of the same.
    farm.run(4 * MINUTE, slower({host * EACH + 2 for host in range(3)} | {9 * EACH + 5}, 3))
    assert warned(farm) == set()
    (claim,) = farm.detector.claims()
    assert claim.evidence["positions"] == ["number 3", "number 6"]
    assert 9 * EACH + 5 in claim.evidence["osds"]


def test_two_causes_are_one_with_all_places_and_names() -> None:
    one = Common(frozenset({1, 2}), ("number 10", "number 2"), ("b",))
    other = Common(frozenset({2, 3}), ("number 2", "number 3"), ("a",))
    both = Common(frozenset({1, 2, 3}), ("number 2", "number 3", "number 10"), ("a", "b"))
    assert one.with_(other) == both
    assert one.with_(NONE) == one
    assert NONE.with_(one) == Common(one.places, ("number 2", "number 10"), ("b",))


# the first of a job, and what is left of it


@pytest.mark.parametrize(
    ("position", "windows", "folded"),
    [(3, 3, True), (3, 15, True), (3, 16, False), (4, 3, False)],
)
def test_a_new_flag_at_a_known_position_may_be_the_first_of_a_job(
    position: int, windows: int, folded: bool
) -> None:
    made = cohort()
    rule = Folded(hold=15, young=30)
    known = [made.position_of[3]]
    rule.update(0.0, {position: flag(windows)}, made, NONE, known=known)
    assert (position in rule.seen) is folded


@pytest.mark.parametrize(("later", "folded"), [(15, True), (16, False)])
def test_at_a_known_position_it_is_named_when_nobody_follows(later: int, folded: bool) -> None:
    made = cohort()
    rule = Folded(hold=15, young=30)
    known = [made.position_of[3]]
    for windows in range(5, 5 + later + 1):
        rule.update(0.0, {3: flag(windows)}, made, NONE, known=known)
    assert (3 in rule.seen) is folded


def test_a_job_of_each_day_names_nobody_and_a_lasting_fault_at_its_position_later() -> None:
    farm = once(acute)
    farm.run(2 * HOUR, slower(set(), 1))
    farm.run(20 * MINUTE, slower({63}, 3))  # number 4 of host 5: the first of the next job
    assert warned(farm) == set()
    assert farm.detector.verdicts()[63].state is OsdState.SUSPECT
    farm.run(3 * SEGMENT)
    assert warned(farm) == {"osd 63"}


@pytest.mark.parametrize(("each", "known"), [(1, False), (2, True)])
def test_bursts_show_their_positions_before_they_are_flagged(each: int, known: bool) -> None:
    """Four drives at one position with so many bursts."""
    made = Bursts(cohort(), LIMITS)
    made.threshold = 0.7
    for osd in (3, 15, 27, 39):
        made.episodes[osd] = Episodes(0.0)
        made.episodes[osd].by_hour = {0: each}
    made.judge(0.0)
    assert made.flags == {}
    assert bool(made.folded.known(0.0, LIMITS)) is known


@pytest.mark.parametrize(("count", "spared"), [(24, False), (30, False), (32, True)])
def test_four_times_the_bursts_of_few_is_chance(count: int, spared: bool) -> None:
    """The others have 6: 30 are z 5.97, 32 are z 6.33."""
    made = Bursts(cohort(), LIMITS)
    made.threshold = 0.7
    for osd, bursts_ in {3: count, 15: 18, 27: 6, 39: 6, 51: 6}.items():
        made.episodes[osd] = Episodes(0.0)
        made.episodes[osd].by_hour = {0: 2, 1: bursts_ - 2}
    made.judge(0.0)
    assert set(made.flags) == {3, 15}
    assert (3 in made.folded.seen) is not spared


@pytest.mark.parametrize(("hits", "folded"), [(10, True), (11, False)])
def test_who_had_a_slow_minute_lately_shows_what_brief_flags_share(hits: int, folded: bool) -> None:
    """Bursts at times of their own: the others at the position are not slow in this minute."""
    channel = CohortChannel(cohort(), LIMITS)
    place = channel.cohort.place
    channel.minute_scale = 0.05
    facts = Facts(1.0, 9.0, 1.0, 0.0, 11)
    for osd in (3, 15, 27, 39):
        channel.acute.recent[osd] = 4
    channel.acute.flags[3] = Flag(0.0, facts, 1.0, hits, hits)
    excess = [0.0] * 120
    excess[place[3]] = 1.0
    channel._fold_minute(0.0, excess, ())
    assert (3 in channel.acute_folded.seen) is folded


@pytest.mark.parametrize(("acute", "folded"), [(1.99, True), (2.01, False)])
def test_minutes_as_slow_as_an_explained_quarter_hour_are_explained(
    acute: float, folded: bool
) -> None:
    """Up to 1.2 times more: here of 1.667."""
    channel = CohortChannel(cohort(), LIMITS)
    place = channel.cohort.place
    channel.minute_scale = 0.05
    lasting = math.log(2.0 / 1.2)
    channel.sustained_folded.seen = {3: 4}
    channel.sustained_folded.common = common_cause(channel.cohort, column(3, range(5)), LIMITS)
    channel.sustained.flags[3] = Flag(0.0, Facts(lasting, 9.0, 1.0, 0.0, 11), lasting, 4, 4)
    brief = Facts(math.log(acute), 9.0, 1.0, 0.0, 11)
    channel.acute.flags[3] = Flag(0.0, brief, brief.excess, 20, 20)
    excess = [0.0] * 120
    excess[place[3]] = brief.excess
    channel._fold_minute(0.0, excess, ())
    assert (3 in channel.acute_folded.seen) is folded


@pytest.mark.parametrize("known", [False, True])
def test_what_a_job_did_before_is_no_sign_that_a_drive_was_always_slow(known: bool) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    slow = column(3, range(5))
    if known:
        channel.sustained_folded.note(0.0, common_cause(channel.cohort, slow, LIMITS))
    facts = Facts(0.4, 9.0, 1.0, 0.0, 11)
    channel.sustained.flags = {
        channel.cohort.members[place].osd: Flag(0.0, facts, 0.4, 10, 10) for place in slow
    }
    excess = [0.4 if place in slow else 0.0 for place in range(120)]
    channel._fold_segment(0.0, [(excess, 0.05)], lambda place, own: False)
    assert len(channel.sustained_folded.seen) == (5 if known else 0)


@pytest.mark.parametrize("long", [False, True])
def test_a_flag_of_hours_is_compared_with_the_hours_of_others(long: bool) -> None:
    """In noise one segment shows nothing, the medians of hours do."""
    channel = CohortChannel(cohort(), LIMITS)
    slow = column(3, range(5))
    facts = Facts(0.4, 9.0, 1.0, 0.0, 11)
    channel.sustained.flags = {3: Flag(0.0, facts, 0.4, 1, 1)}
    now = [0.0] * 120
    now[slow[0]] = 0.4
    hours = [0.4 if place in slow else 0.0 for place in range(120)]
    views = [(now, 0.05), (hours, 0.05)]
    channel._fold_segment(0.0, views if long else views[:1], lambda place, own: True)
    assert (3 in channel.sustained_folded.seen) is long


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


def test_a_failover_keeps_the_minutes_of_the_mean() -> None:
    farm = Farm(roster(10, EACH), noise=0.02).run(3 * HOUR)
    farm.run(3 * MINUTE, slower({3}, 2.25))
    failover(farm)
    assert farm.named == set()
    assert farm.run(MINUTE).named == {"osd.3"}
