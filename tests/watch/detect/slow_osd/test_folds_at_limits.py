"""Which flags of a cohort are folded into a cause in common, at the limits of each condition."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from farm import DAWN, MINUTE, Farm, roster
from perf_bench.model.frame import COMMIT, READ
from perf_bench.watch.detect.slow_osd import attribution, cohort_channel
from perf_bench.watch.detect.slow_osd.channel import ChannelState
from perf_bench.watch.detect.slow_osd.cohort_channel import CohortChannel
from perf_bench.watch.detect.slow_osd.common_cause import (
    NONE,
    Common,
    Folded,
    _more_pairs,
    common_cause,
)
from perf_bench.watch.detect.slow_osd.persistence import Facts, Flag
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology
from perf_bench.watch.detect.slow_osd.verdicts import worst_now

LIMITS = Thresholds()
HAIR = 1e-6
EACH = 12
FACTS = Facts(1.0, 9.0, 1.0, 0.0, 11)


def cohort(hosts: int = 2) -> Cohort:
    return Topology(roster(hosts, EACH), LIMITS.group_members).cohorts[0]


def flag(excess: float, *, hits: int = 3, windows: int = 3) -> Flag:
    return Flag(0.0, Facts(excess, 9.0, excess, 0.0, 11), excess, hits, windows)


def column(made: Cohort, hosts: int, position: int = 0) -> list[int]:
    return [made.place[host * EACH + position] for host in range(hosts)]


@pytest.mark.parametrize(
    ("scale", "fifth", "together"),
    [
        (0.02, 0.5 - HAIR, 4),
        (0.02, 0.5 + HAIR, 5),  # half as slow as the others
        (0.3, 0.75 - HAIR, 4),
        (0.3, 0.75 + HAIR, 5),  # 2.5 deviations
    ],
)
def test_who_is_half_as_slow_is_slow_together_with_others(
    scale: float, fifth: float, together: int
) -> None:
    made = cohort(10)
    channel = CohortChannel(made, LIMITS)
    excess = [0.0] * made.size
    places = column(made, 5)
    for place, own in zip(places, (1.0, 1.0, 1.0, 1.0, fifth)):
        excess[place] = own
    flags = {made.members[place].osd: flag(1.0) for place in places[:4]}
    found = channel._together(0.0, flags, Folded(15, 30), excess, scale)
    assert found.places == frozenset(places[:together])


@pytest.mark.parametrize(("hits", "folded"), [(9, True), (10, True), (11, False)])
def test_an_acute_flag_of_ten_minutes_may_be_of_short_bursts(hits: int, folded: bool) -> None:
    """Others at its position were slow in the last minutes, and are not now."""
    made = cohort(10)
    channel = CohortChannel(made, LIMITS)
    channel.minute_scale = 0.02
    osds = [made.members[place].osd for place in column(made, 5)]
    channel.acute.recent = dict.fromkeys(osds, 1)
    channel.acute.flags = {osds[0]: flag(1.0, hits=hits, windows=hits)}
    channel._fold_minute(DAWN, [0.0] * made.size, ())
    assert (osds[0] in channel.acute_folded.seen) is folded


@pytest.mark.parametrize(("more", "folded"), [(-HAIR, True), (HAIR, False)])
def test_lasting_slowness_that_is_explained_explains_an_acute_flag(
    more: float, folded: bool
) -> None:
    """As long as it is not slower than that by another fifth."""
    made = cohort(10)
    channel = CohortChannel(made, LIMITS)
    channel.minute_scale = 0.02
    place = column(made, 1)[0]
    channel.sustained.flags = {0: flag(0.5)}
    channel.sustained_folded.seen = {0: 3}
    channel.sustained_folded.common = Common(frozenset({place}), ("number 1",), ())
    channel.acute.flags = {0: flag(0.5 + math.log(1.2) + more)}
    channel._fold_minute(DAWN, [0.0] * made.size, ())
    assert (0 in channel.acute_folded.seen) is folded


@pytest.mark.parametrize(
    ("windows", "at", "before", "folded"),
    [
        (30, "cause", {}, True),
        (31, "cause", {}, False),
        (31, "cause", {7: 20}, True),
        (15, "known", {}, True),
        (16, "known", {}, False),
        (15, "elsewhere", {}, False),
        (20, "elsewhere", {7: 5}, True),  # 15 windows ago
        (21, "elsewhere", {7: 5}, False),
    ],
)
def test_which_flags_are_folded(
    windows: int, at: str, before: Mapping[int, int], folded: bool
) -> None:
    made = cohort()
    made_of = Common(frozenset({made.place[7]}), ("number 8",), ())
    found = Folded(15, 30)
    found.seen = dict(before)
    known = (made.position_of[made.place[7]],) if at == "known" else ()
    cause = made_of if at == "cause" else NONE
    found.update(0.0, {7: flag(1.0, windows=windows)}, made, cause, known=known)
    assert (7 in found.seen) is folded
    assert (found.common is made_of) is (at == "cause" and folded)


@pytest.mark.parametrize(("count", "common"), [(2, False), (3, False), (4, True)])
def test_three_at_one_of_sixty_positions_are_too_few(count: int, common: bool) -> None:
    """However small the chance is."""
    made = Topology(roster(10, 60), LIMITS.group_members).cohorts[0]
    found = common_cause(made, [made.place[60 * host] for host in range(count)], LIMITS)
    assert bool(found.places) is common


@pytest.mark.parametrize(("counts", "more"), [((2, 2), False), ((3,), True), ((1, 1, 1), False)])
def test_pairs_are_counted_against_chance(counts: tuple[int, ...], more: bool) -> None:
    """Of ten positions with ten OSDs each a pair is at one by a chance of a tenth."""
    sizes = {str(number): 10 for number in range(10)}
    found = {str(number): count for number, count in enumerate(counts)}
    assert _more_pairs(found, sizes, 100, 0.01) is more


def test_of_slow_osds_on_some_hosts_one_that_is_alone_on_its_host_is_another() -> None:
    made = cohort(24)
    hosts = [[made.place[EACH * at + 4 * at + osd] for osd in range(4)] for at in range(3)]
    together = frozenset(place for places in hosts for place in places)
    found = common_cause(made, [*together, made.place[EACH * 3]], LIMITS)
    assert (found.places, found.hosts) == (together, ("host-0", "host-1", "host-2"))


def test_a_generation_is_told_by_its_hosts_and_not_by_their_racks() -> None:
    layout = Topology(roster(6, EACH, racks=3), LIMITS.group_members)
    state = ChannelState(COMMIT, layout, LIMITS)
    (made,) = layout.cohorts
    slow = {("host", "host-1"): 0.9, ("host", "host-2"): 1.0, ("rack", "rack-0"): 0.95}
    facts = {key: Facts(excess, 9.0, excess, 0.0, 5) for key, excess in slow.items()}
    (cause,) = attribution._generation(state, made, facts)
    assert (cause.common.hosts, cause.slow) == (("host-1", "host-2"), tuple(range(12, 36)))
    assert cause.worst.flag.facts.excess == 1.0
    assert not list(attribution._generation(state, made, {("rack", "rack-0"): FACTS}))


@pytest.mark.parametrize(("count", "together"), [(2, 0), (3, 3), (4, 4)])
def test_three_that_are_slow_at_a_known_position_are_slow_together(
    count: int, together: int
) -> None:
    made = cohort(10)
    channel = CohortChannel(made, LIMITS)
    places = column(made, count, position=4)
    folded = Folded(15, 30)
    folded.note(0.0, Common(frozenset(), (made.position_of[places[0]],), ()))
    excess = [1.0 if place in places else 0.0 for place in range(made.size)]
    flags = {made.members[places[0]].osd: flag(1.0)}
    assert len(channel._together(0.0, flags, folded, excess, 0.02).places) == together


@pytest.mark.parametrize("without", ["minutes", "data"])
def test_a_channel_that_knows_nothing_yet_does_not_hide_another(without: str) -> None:
    farm = Farm(roster(2, 12), noise=0.05, channels=(COMMIT, READ)).run(10 * MINUTE)
    first, second = farm.detector.channel_states.values()
    assert farm.detector.layout
    (made,) = farm.detector.layout.cohorts
    if without == "minutes":
        first.cohort_channels[made.name].minutes = LIMITS.cold_minutes - 1
    else:
        first.last_data[7] = DAWN - 1e6
    found = worst_now(farm.detector, made, 7)
    assert (found and found[0]) is second


def test_an_osd_that_is_hardly_slow_does_not_widen_what_is_slow_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[int]] = []

    def cause(_cohort: Cohort, slow: list[int], *_rest: object) -> Common:
        asked.append(slow)
        return NONE

    monkeypatch.setattr(cohort_channel, "common_cause", cause)
    channel = CohortChannel(cohort(4), LIMITS)
    least = math.log(LIMITS.watch_ratio)
    excess = [0.0] * (4 * EACH)
    excess[:4] = [4 * least] * 4
    excess[4] = 0.5 * least
    excess[5:8] = [1.5 * least] * 3  # under half of the slow ones
    flags = dict.fromkeys(range(5), flag(1.0))
    channel._together(0.0, flags, Folded(3.0, 3.0), excess, 0.0)
    assert asked == [[0, 1, 2, 3]] * 2
