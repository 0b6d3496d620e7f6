"""Rules exactly at their limits: what is in common, units, levels, and what is kept of them."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Optional

import pytest

from farm import DAWN, MINUTE, Farm, roster
from perf_bench.model.frame import COMMIT, Mark
from perf_bench.watch.detect.slow_osd import attribution, fault_domains
from perf_bench.watch.detect.slow_osd.attribution import (
    GENERATION,
    Attribution,
    Cause,
    SlowEvidence,
)
from perf_bench.watch.detect.slow_osd.channel import ChannelState, MinuteView, _median
from perf_bench.watch.detect.slow_osd.cohort_channel import CohortChannel
from perf_bench.watch.detect.slow_osd.common_cause import NONE, Common, Folded, common_cause
from perf_bench.watch.detect.slow_osd.detector import SlowDetector
from perf_bench.watch.detect.slow_osd.fault_domains import FaultDomains
from perf_bench.watch.detect.slow_osd.persistence import (
    Facts,
    Flag,
    burst_flag_of,
    flag_of,
    flag_state,
)
from perf_bench.watch.detect.slow_osd.sentences import explain
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology
from perf_bench.watch.detect.slow_osd.windows import Residuals, Segment, Slope

NAN = math.nan
LIMITS = Thresholds()
FACTS = Facts(1.0, 9.0, 1.0, 0.0, 11)
DAY = 86400.0


def cohort(hosts: int = 10, each: int = 12, *, racks: int = 0) -> Cohort:
    return Topology(roster(hosts, each, racks=racks), LIMITS.group_members).cohorts[0]


def column(made: Cohort, position: int, hosts: Sequence[int], each: int = 12) -> list[int]:
    return [made.place[each * host + position] for host in hosts]


def a_segment(excess: Sequence[float], groups: int = 1, centre: float = 0.0) -> Segment:
    ops = [1e12] * len(excess)
    return Segment(0.0, excess, [0.0] * groups, centre, ops, frozenset(), False, [excess])


# --- what is in common -----------------------------------------------------------------------


def test_a_position_counts_that_has_half_as_many_again_as_usual() -> None:
    """32 of 120 are slow, 2.7 of each ten: four and more are half as many again."""
    made = cohort()
    hosts = {0: range(10), 1: range(10), 2: range(5), 3: range(5, 9), 4: range(3)}
    slow = [place for position, on in hosts.items() for place in column(made, position, on)]
    found = common_cause(made, slow, LIMITS)
    assert found.positions == ("number 1", "number 2", "number 3", "number 4")
    assert len(found.places) == 29


@pytest.mark.parametrize(("single", "common"), [(0, True), (6, True), (7, False)])
def test_hosts_with_several_have_half_of_all_that_are_slow(single: int, common: bool) -> None:
    """Three hosts have two each, the others one, all at positions of their own."""
    made = cohort(24)
    osds = [(host, 2 * host + step) for host in range(3) for step in range(2)]
    osds += [(3 + at, (6 + at) % 12) for at in range(single)]
    slow = [made.place[12 * host + position] for host, position in osds]
    loose = replace(LIMITS, common_chance=1.0)
    found = common_cause(made, slow, loose)
    assert found.hosts == (("host-0", "host-1", "host-2") if common else ())


@pytest.mark.parametrize(("slow", "left_out"), [(2, False), (3, True)])
def test_a_host_with_exactly_six_tenths_has_its_own_cause(slow: int, left_out: bool) -> None:
    made = cohort(12, 5)
    host = [made.place[osd] for osd in range(slow)]
    found = common_cause(made, [*column(made, 1, range(4, 12), each=5), *host], LIMITS)
    assert (made.place[1] in found.places) is not left_out
    assert found.positions == ("number 2",)


@pytest.mark.parametrize(("days", "known"), [(0.0, True), (7.0, True), (7.001, False)])
def test_positions_are_known_for_a_week(days: float, known: bool) -> None:
    rule = Folded(hold=15, young=30)
    rule.note(DAWN, Common(frozenset(), ("number 4",), ()))
    assert rule.known(DAWN + days * DAY, LIMITS) == (["number 4"] if known else [])
    rule.note(DAWN + DAY, Common(frozenset(), ("number 4",), ()))
    assert rule.known(DAWN + 8 * DAY, LIMITS) == ["number 4"]


@pytest.mark.parametrize(("days", "known"), [(7.0, True), (7.00001, False)])
def test_a_young_flag_counts_for_a_week(days: float, known: bool) -> None:
    made, rule = cohort(), Folded(hold=15, young=30)
    rule.in_turn(DAWN, {3: Flag(DAWN, FACTS, 1.0, 4, 4)}, made, LIMITS)
    rule.in_turn(DAWN + days * DAY, {}, made, LIMITS)
    assert (3 in rule._brief) is known


def test_the_state_of_folds_is_kept_and_moved_to_another_list_of_members() -> None:
    made, rule, again = cohort(), Folded(hold=15, young=30), Folded(hold=15, young=30)
    places = column(made, 3, range(5))
    rule.update(DAWN, {3: Flag(DAWN, FACTS, 1.0, 4, 4)}, made, common_cause(made, places, LIMITS))
    rule.in_turn(DAWN, {3: Flag(DAWN, FACTS, 1.0, 4, 4)}, made, LIMITS)
    again.restore(json.loads(json.dumps(rule.save())))
    for one in (rule, again):
        assert one.seen == {3: 4}
        assert set(one.members(made)) == {3, 15, 27, 39, 51}
        assert one.known(DAWN, LIMITS) == ["number 4"]
    left = Topology(replace(roster(10, 12), members=roster(10, 12).members[12:]), 6).cohorts[0]
    again.adopt(made, left)
    assert again.seen == {}
    assert again.common.places == {left.place[osd] for osd in (15, 27, 39, 51)}
    assert again.common.positions == ("number 4",)


def test_a_fold_without_flags_has_nothing_in_common() -> None:
    made, rule = cohort(), Folded(hold=15, young=30)
    common = common_cause(made, column(made, 3, range(5)), LIMITS)
    rule.update(DAWN, {3: Flag(DAWN, FACTS, 1.0, 4, 4)}, made, common)
    rule.update(DAWN + 60, {}, made, NONE)
    assert (rule.seen, rule.common) == ({}, NONE)
    assert rule.known(DAWN + 60, LIMITS) == ["number 4"]


# --- levels of a cohort ----------------------------------------------------------------------


@pytest.mark.parametrize("base", [-4.6, 0.0, 2.0])
@pytest.mark.parametrize(("ratio", "slower"), [(1.49, False), (1.51, True)])
def test_a_cohort_is_slower_than_ever_against_its_own_level(
    base: float, ratio: float, slower: bool
) -> None:
    """Latencies of 10 ms are -4.6."""
    channel = CohortChannel(cohort(2), LIMITS)
    for _ in range(24):
        channel._learn_level(base)
    channel._learn_level(base + math.log(ratio))
    assert channel.slower_than_ever is slower


def test_of_segments_without_data_nothing_is_usual() -> None:
    channel = CohortChannel(cohort(2), LIMITS)
    rows = [(NAN, 0.2), (NAN, 0.4), (NAN, 0.6), (0.8, 0.8), (0.6, NAN), (0.4, NAN), (0.2, NAN)]
    found: list[tuple[float, ...]] = []
    for first, second in rows:
        excess = [0.0] * 24
        excess[3], excess[7] = first, second
        usual, _ = channel._long_view(a_segment(excess, 2))
        found.append((usual[3], usual[7]) if usual else ())
    assert found[:3] == [()] * 3
    assert found[3] == pytest.approx((NAN, 0.4), nan_ok=True)  # one of four
    assert found[6] == pytest.approx((0.4, 0.4))


# --- units -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("each", "named"), [(2, False), (3, True)])
def test_a_rack_of_hosts_with_exactly_six_tenths(each: int, named: bool) -> None:
    made = cohort(6, 5, racks=2)
    rack = next(unit for unit in made.units if unit.kind == "rack")
    slow = {made.place[5 * host + osd] for host in range(3) for osd in range(each)}
    assert attribution._mostly(made, rack, slow, LIMITS) is named


def test_units_that_are_gone_are_forgotten_and_others_kept() -> None:
    domains, before = FaultDomains(LIMITS), cohort(4, 3)
    for at, unit in enumerate(before.units):
        domains.past[unit.key].learn(0.1 * at)
        domains.generation[unit.key] = FACTS
    hits = {unit.key: FACTS for unit in before.units}
    for _ in range(3):
        domains.acute.step(0.0, hits, lambda _: None, 0.1)
        domains.sustained.step(0.0, hits, lambda _: None, 0.1)
    domains.adopt(cohort(3, 3))
    left = {("host", f"host-{at}") for at in range(3)}
    for kept in (domains.past, domains.generation, domains.acute.flags, domains.sustained.flags):
        assert set(kept) == left


def test_the_past_of_units_is_kept_over_a_failover() -> None:
    domains, again = FaultDomains(LIMITS), FaultDomains(LIMITS)
    lengths = {("host", "a"): 3, ("host", "b"): 25, ("rack", "r"): 50, ("host", "c"): 24}
    for number, (key, length) in enumerate(lengths.items()):
        for at in range(length):
            domains.past[key].learn(0.1 * number + 0.001 * at)
    domains.generation = {("host", "c"): FACTS}
    again.restore(json.loads(json.dumps(domains.save())), DAWN)
    assert again.generation == {("host", "c"): FACTS}
    assert list(again.past) == list(lengths)
    for key in lengths:
        assert list(again.past[key].open) == pytest.approx(list(domains.past[key].open), abs=1e-3)
        assert list(again.past[key].slots) == pytest.approx(list(domains.past[key].slots), abs=1e-3)


@pytest.mark.parametrize(
    ("hosts", "found"),
    [([], set()), ([0], {"rack-0"}), ([0, 2], {"rack-0", "rack-1"}), ([0, 1], {"rack-0"})],
)
def test_a_rack_is_mostly_of_hosts_that_have_half_of_it(
    hosts: Sequence[int], found: set[str]
) -> None:
    made = cohort(6, 4, racks=3)
    keys = [("host", f"host-{host}") for host in hosts]
    racks = {key for key in fault_domains._mostly_of(made, keys) if key[0] == "rack"}
    assert racks == {("rack", name) for name in found}


@pytest.mark.parametrize(
    ("before", "now", "flagged"),
    [
        (0.0, math.log(1.21), True),
        (0.0, math.log(1.19), False),
        (-0.5, -0.5 + math.log(1.21), True),  # faster than the others, and slower than itself
        (0.1, 0.1 + math.log(1.19), False),
    ],
)
def test_a_host_against_what_it_was(before: float, now: float, flagged: bool) -> None:
    domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(6, 4), LIMITS)
    channel.segment_scale = 0.03
    for number in range(27):
        level = before if number < 24 else now
        domains.segment(channel, a_segment([level] * 4 + [0.0] * 20))
    assert set(domains.sustained.flags) == ({("host", "host-0")} if flagged else set())
    if flagged:
        facts = domains.sustained.flags["host", "host-0"].facts
        assert facts.excess == pytest.approx(now - before, abs=1e-3)
        assert (facts.level, facts.peers) == pytest.approx((now, before), abs=1e-3)


@pytest.mark.parametrize(("hosts", "named"), [((0,), False), ((0, 1), False), ((0, 1, 2), True)])
def test_a_rack_against_its_past_is_as_slow_as_its_middle_host(
    hosts: Sequence[int], named: bool
) -> None:
    """Of four hosts the lower of the two middle ones counts."""
    domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(16, 4, racks=4), LIMITS)
    channel.segment_scale = 0.03
    groups = len(channel.cohort.groups)
    for number in range(27):
        slow = hosts if number >= 24 else ()
        excess = [math.log(1.4) if place // 4 in slow else 0.0 for place in range(64)]
        domains.segment(channel, a_segment(excess, groups))
    assert (("rack", "rack-0") in domains.sustained.flags) is named
    assert {key for key in domains.sustained.flags if key[0] == "host"} == {
        ("host", f"host-{host}") for host in hosts
    }


@pytest.mark.parametrize("path", ["minute", "segment"])
def test_a_host_that_was_always_slow_is_no_generation_of_two(path: str) -> None:
    for slow, generation in ((2, False), (3, True)):
        domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(12, 4), LIMITS)
        channel.minute_scale = channel.segment_scale = 0.03
        excess = [1.0 if place < 4 * slow else 0.0 for place in range(48)]
        for number in range(3):
            if path == "segment":
                domains.segment(channel, replace(a_segment(excess), start=900.0 * number))
            else:
                found = Residuals(excess, [0.0], 0.0, 48)
                domains.minute(channel, 60.0 * number, found, math.log(2), 6.0)
        flags = domains.sustained.flags if path == "segment" else domains.acute.flags
        assert bool(flags) is not generation


def test_a_generation_is_slow_since_the_first_data() -> None:
    layout = Topology(roster(10, 4), LIMITS.group_members)
    state = ChannelState(COMMIT, layout, LIMITS)
    (channel,) = state.cohort_channels.values()
    channel.born = DAWN
    for host, excess in enumerate((0.5, 0.9, 0.7)):
        facts = replace(FACTS, excess=excess)
        channel.units.generation["host", f"host-{host}"] = facts
    channel.units.generation["rack", "elsewhere"] = FACTS
    (cause,) = attribution._common_causes([state], layout.cohorts[0])
    assert (cause.kind, cause.since, cause.slow) == (GENERATION, DAWN, tuple(range(12)))
    assert cause.common.hosts == ("host-0", "host-1", "host-2")
    assert cause.worst.flag.facts.excess == 0.7
    assert cause.worst.flag.share == 1.0


def test_of_several_channels_the_one_with_most_osds_speaks() -> None:
    layout = Topology(roster(10, 4), LIMITS.group_members)
    states = []
    for channel, hosts in (("commit", 3), ("read", 5), ("queue", 4)):
        state = ChannelState(channel, layout, LIMITS)
        (lane,) = state.cohort_channels.values()
        lane.born = DAWN
        lane.units.generation = {("host", f"host-{at}"): FACTS for at in range(hosts)}
        states.append(state)
    (cause,) = attribution._common_causes(states, layout.cohorts[0])
    assert (cause.worst.channel, len(cause.slow)) == ("read", 20)


# --- attribution -----------------------------------------------------------------------------


def ground(path: str = "sustained", excess: float = 1.0) -> SlowEvidence:
    return SlowEvidence(path, COMMIT, Flag(0.0, replace(FACTS, excess=excess), excess, 3, 3))


@pytest.mark.parametrize(
    ("lasting", "fitful", "kinds"),
    [
        (3, 3, {"": 0, "bursts": 0}),  # of 48 a twentieth, rounded up
        (4, 3, {"": 4, "bursts": 0}),
        (3, 4, {"": 0, "bursts": 4}),
        (4, 4, {"": 4, "bursts": 4}),
    ],
)
def test_bursts_are_counted_apart(lasting: int, fitful: int, kinds: Mapping[str, int]) -> None:
    made, result = cohort(4), Attribution()
    osds = {13 * number % 48: [ground()] for number in range(lasting)}
    osds.update({(13 * number + 5) % 48: [ground("intermittent")] for number in range(fitful)})
    attribution._judge_cohort(made, osds, {}, LIMITS, result)
    together = {cause.kind: len(cause.slow) for cause in result.causes if cause.osd is None}
    assert together == {kind: count for kind, count in kinds.items() if count}
    assert len(result.accused) == lasting + fitful - sum(kinds.values())
    assert len(result.part_of) == sum(kinds.values())


def test_many_together_are_as_slow_as_their_middle_one() -> None:
    made, result = cohort(4), Attribution()
    excesses = (0.2, 0.9, 0.4, 0.6, 0.3)
    osds = {13 * at % 48: [ground(excess=excess)] for at, excess in enumerate(excesses)}
    attribution._judge_cohort(made, osds, {}, LIMITS, result)
    (cause,) = result.causes
    assert cause.worst.flag.facts.excess == 0.4
    assert cause.slow == tuple(sorted(osds))


def test_a_unit_is_told_with_all_of_its_osds() -> None:
    made, result = cohort(4), Attribution()
    units = {("host", "host-1"): [replace(ground(excess=0.5), channel="read")]}
    osds = {40: [ground()], 13: [ground(excess=0.4)], 41: [ground()]}
    attribution._judge_cohort(made, osds, units, LIMITS, result)
    cause = result.causes[0]
    assert cause.unit is not None
    assert (cause.unit.key, cause.slow) == (("host", "host-1"), tuple(range(12, 24)))
    assert set(result.part_of) == set(range(12, 24))
    # osd.13 was compared with the other OSDs of its host: it is slow beside that.
    assert set(result.accused) == {13, 40, 41}


def test_osds_that_their_host_explains_are_not_told_and_all_others_are() -> None:
    """Hosts of four: the cohort is the reference."""
    made, result = cohort(30, 4), Attribution()
    units = {("host", "host-1"): [ground(excess=0.5)]}
    osds = {40: [ground()], 5: [ground(excess=0.5)], 6: [ground(excess=0.6)], 41: [ground()]}
    attribution._judge_cohort(made, osds, units, LIMITS, result)
    assert set(result.accused) == {40, 41}
    assert set(result.part_of) == {4, 5, 6, 7}


# --- several cohorts, and large ones -----------------------------------------------------------


@pytest.mark.parametrize("osd", [3, 15])
def test_who_is_excluded_is_of_its_own_cohort(osd: int) -> None:
    members = tuple(
        replace(one, cohort="ssd" if one.osd >= 12 else "hdd") for one in roster(2, 12).members
    )
    layout = Topology(replace(roster(2, 12), members=members), LIMITS.group_members)
    state = ChannelState(COMMIT, layout, LIMITS)
    seen: dict[str, Segment] = {}

    def note(name: str, view: Segment, _past: object) -> None:
        seen[name] = view

    for name, lane in state.cohort_channels.items():
        lane.segment = partial(note, name)  # type: ignore[method-assign]
    for number in range(10):
        marks = {layout.place[osd]: int(Mark.RECOVERING)}
        view = MinuteView(DAWN + 60.0 * number, 60.0, [NAN] * 24, marks)
        state.minute(view, [1.0] * 24, [100.0] * 24, 1)
    state.segment(DAWN)
    assert {name: set(view.excluded) for name, view in seen.items()} == {
        "hdd": {3} if osd == 3 else set(),
        "ssd": {3} if osd == 15 else set(),
    }
    assert [len(view.excess) for view in seen.values()] == [12, 12]


@pytest.mark.parametrize("size", [10, 999, 1000, 1999, 2000, 3500, 12_000])
def test_small_and_large_cohorts_learn_the_same_of_load(size: int) -> None:
    slope = Slope(6.0, 1.5)
    load = [math.sin(1.0 + place) for place in range(size)]
    slope.learn([0.4 * more for more in load], load, 1.0)
    assert slope.squares == pytest.approx(0.5, rel=0.1)
    assert slope.products == pytest.approx(0.4 * slope.squares)


# --- flags -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("calm", "bursts"), [(0, 0), (3, 0), (0, 17)])
def test_flags_are_kept_over_a_failover(calm: int, bursts: int) -> None:
    flag = Flag(5.0, FACTS, 2.0, 7, 9, calm, 65.0, bursts)
    state = json.loads(json.dumps(flag_state(flag)))
    assert (burst_flag_of if bursts else flag_of)(state) == flag
    assert Flag(5.0, FACTS, 2.0, 7, 9) == Flag(5.0, FACTS, 2.0, 7, 9, 0, 0.0, 0)


# --- no data ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mark", "minutes", "said"),
    [
        (Mark.DOWN, 100, "down or out (see 'ceph osd tree')"),
        (Mark.STALE, 100, "no reports come to the mgr any more (see the OSD's log)"),
        (
            Mark.BENCHED,
            100,
            (
                "a round measures it, or did a minute ago "
                "(wait until a minute after the end of the round)"
            ),
        ),
        (
            Mark(0),
            100,
            "fewer than 32 operations in each of the last minutes",
        ),
        (
            Mark(0),
            4,
            "its cohort has had under 5 minutes with data (wait)",
        ),
    ],
)
def test_why_an_osd_cannot_be_judged(mark: Mark, minutes: int, said: str) -> None:
    detector = SlowDetector(LIMITS)
    layout = detector.layout = Topology(roster(2, 12), LIMITS.group_members)
    detector.now = DAWN
    state = detector.channel_states[COMMIT] = ChannelState(COMMIT, layout, LIMITS)
    (lane,) = state.cohort_channels.values()
    lane.minutes = minutes
    detector.marks = {7: int(mark)}
    state.newest = array("f", [NAN] * 24)
    found: Optional[str] = explain(detector, 7)[0]
    assert found == f"osd.7 cannot be judged: {said}."


@pytest.mark.parametrize(
    ("values", "middle"),
    [
        ([3.0], 3.0),
        ([1.0, 4.0], 2.5),
        ([9.0, 1.0, 4.0], 4.0),
        ([9.0, 1.0, 2.0, 4.0], 3.0),
        ([NAN, 9.0, 1.0, NAN, 2.0, 4.0, 5.0, 7.0], 4.5),
        ([NAN], NAN),
        ([], NAN),
    ],
)
def test_the_middle_of_what_is_known(values: Sequence[float], middle: float) -> None:
    assert _median(values) == pytest.approx(middle, nan_ok=True)


@pytest.mark.parametrize(
    ("ratio", "bands"),
    [(1.09, 0), (1.11, 1), (1.19, 1), (1.21, 2), (1.49, 2), (1.51, 3), (1.99, 3), (2.01, 4),
     (2.99, 4), (3.01, 5), (4.99, 5), (5.01, 6), (9.99, 6), (10.01, 7), (99.0, 7)],
)  # fmt: skip
def test_risk_by_how_slow_it_is(ratio: float, bands: int) -> None:
    state = ChannelState(COMMIT, Topology(roster(2, 12), LIMITS.group_members), LIMITS)
    state._score([math.log(ratio)] + [0.0] * 23)
    assert list(state.risk) == [0.25 * bands] + [0.0] * 23


@pytest.mark.parametrize(("scale", "flagged"), [(0.06, True), (0.1, False), (0.3, False)])
def test_a_host_against_its_past_is_surely_slower(scale: float, flagged: bool) -> None:
    """At 1.25 (ln 0.223): the median of four OSDs has 0.625 of their spread; z 5.9, 3.6 and 1.2."""
    domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(6, 4), LIMITS)
    channel.segment_scale = scale
    for number in range(27):
        level = 0.0 if number < 24 else math.log(1.25)
        domains.segment(channel, a_segment([level] * 4 + [0.0] * 20))
    assert bool(domains.sustained.flags) is flagged


@pytest.mark.parametrize(("known", "level"), [((), 0.3), ((0,), 0.3), ((0, 1), 0.5)])
def test_a_rack_is_compared_by_its_hosts_if_several_have_a_past(
    known: Sequence[int], level: float
) -> None:
    domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(6, 4, racks=3), LIMITS)
    channel.segment_scale = 0.03
    rack, hosts = ("rack", "rack-0"), [("host", f"host-{at}") for at in range(2)]
    for key in (rack, *(hosts[at] for at in known)):
        for _ in range(24):
            domains.past[key].learn(0.0)
    above: dict[tuple[str, str], float] = {}
    units = [{hosts[0]: (0.9, 4), hosts[1]: (0.5, 4)}, {rack: (0.3, 8)}]
    for some in units:
        domains._against_past(channel, a_segment([0.0] * 24), some, 5.0, {}, above)
    assert above[rack] == pytest.approx(level)


@pytest.mark.parametrize(("count", "named"), [(2, False), (3, True), (4, True)])
def test_a_host_of_which_most_osds_are_slow_is_told_without_a_flag_of_its_own(
    count: int, named: bool
) -> None:
    made, result = cohort(30, 4), Attribution()
    osds = {4 + at: [ground(excess=0.4 + at / 10)] for at in range(count)}
    attribution._judge_cohort(made, osds, {}, LIMITS, result)
    if not named:
        assert set(result.accused) == set(osds)
        return
    (cause,) = result.causes
    assert cause.unit is not None
    assert (cause.unit.key, cause.slow) == (("host", "host-1"), (4, 5, 6, 7))
    assert (cause.worst.path, cause.worst.flag.facts.excess) == (
        "share", 0.5 if count == 3 else pytest.approx(0.6),
    )  # fmt: skip
    assert result.accused == {}


@pytest.mark.parametrize(("count", "racks"), [(2, 0), (3, 1), (4, 1)])
def test_a_rack_of_which_most_hosts_are_slow_replaces_them(count: int, racks: int) -> None:
    made, result = cohort(12, 4, racks=3), Attribution()
    units = {("host", f"host-{at}"): [ground(excess=0.5 + at / 10)] for at in range(count)}
    attribution._judge_cohort(made, {}, units, LIMITS, result)
    kinds = [cause.unit.kind for cause in result.causes if cause.unit]
    assert kinds == (["rack"] if racks else ["host"] * count)
    if racks:
        assert result.causes[0].worst.path == "share"
        assert result.causes[0].slow == tuple(range(16))


def test_an_osd_is_explained_by_what_all_have_in_common() -> None:
    made = cohort()
    own = Cause(made, [ground(excess=9.0)], osd=3, slow=(3,))
    assert not attribution._more_than(own, Cause(made, [ground()], slow=(3, 4)), LIMITS)


def test_an_osd_that_is_told_has_data() -> None:
    farm = Farm(roster(2, 12), noise=0.05).run(70 * MINUTE)
    farm.run(8 * MINUTE, lambda at, osd: 3.0 if osd == 7 else 1.0)
    farm.detector.channel_states[COMMIT].last_data[7] = NAN
    assert farm.detector.no_data(7) is None
    (look,) = farm.detector.looks()
    assert look.gaps == ()


def test_work_that_waits_is_done_before_the_roster_changes() -> None:
    detector = SlowDetector(LIMITS)
    detector._adopt(roster(2, 12))
    done: list[int] = []
    for piece in range(5):
        detector._jobs.append((10**9, partial(done.append, piece)))
    detector._adopt(roster(2, 12))  # an equal one
    assert done == []
    detector._adopt(roster(2, 13))
    assert done == list(range(5))


@pytest.mark.parametrize(
    ("hours", "slots", "known"),
    [(5.0, 2, False), (5.0, 3, True), (4.0, 2, True), (4.0, 1, False), (6.0, 3, True)],
)
def test_a_baseline_needs_whole_slots_of_two_hours(hours: float, slots: int, known: bool) -> None:
    limits = replace(LIMITS, small_hours=hours)
    state = ChannelState(COMMIT, Topology(roster(1, 3), 6), limits)
    state.slots = [array("b", [1, 2, 3]) for _ in range(slots)]
    (lane,) = state.cohort_channels.values()
    lane.born = 0.0
    state._learn_base(lane, DAWN)
    assert bool(lane.base) is known
