"""What the figures of minutes, segments, units and bursts are made of, each against a table."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Optional

import pytest

from farm import DAWN, MINUTE, Farm, roster
from perf_bench.errors import InvalidValue
from perf_bench.model.finding import Severity
from perf_bench.model.frame import COMMIT, Mark, Roster
from perf_bench.model.verdict import OsdState
from perf_bench.watch.detect.slow_osd import attribution, fault_domains
from perf_bench.watch.detect.slow_osd.attribution import Cause, SlowEvidence
from perf_bench.watch.detect.slow_osd.bursts import Bursts
from perf_bench.watch.detect.slow_osd.channel import ChannelState, MinuteView, _middle
from perf_bench.watch.detect.slow_osd.cohort_channel import CohortChannel
from perf_bench.watch.detect.slow_osd.common_cause import Common
from perf_bench.watch.detect.slow_osd.fault_domains import FaultDomains
from perf_bench.watch.detect.slow_osd.packing import NOTHING, coarse
from perf_bench.watch.detect.slow_osd.persistence import Facts, Flag, MOfNRule
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology, Unit
from perf_bench.watch.detect.slow_osd.windows import (
    Minute,
    Residuals,
    Segment,
    Slope,
    excluded_places,
    load_against,
)
from perf_bench.watch.detect.slow_osd.wording import claim

NAN = math.nan
LIMITS = Thresholds()
FACTS = Facts(1.0, 9.0, 1.0, 0.0, 11)


def cohort(hosts: int = 2, each: int = 12, *, racks: int = 0) -> Cohort:
    return Topology(roster(hosts, each, racks=racks), LIMITS.group_members).cohorts[0]


def a_channel(hosts: int = 2, each: int = 12) -> ChannelState:
    layout = Topology(roster(hosts, each), LIMITS.group_members)
    return ChannelState(COMMIT, layout, LIMITS)


def in_threes(size: float, members: int = 24) -> list[float]:
    """-size, 0, size and so on: the median is 0, and the median of the sizes is ``size``."""
    return [(place % 3 - 1) * size for place in range(members)]


def a_segment(
    excess: Sequence[float], load: Sequence[float] = (), groups: int = 2, start: float = 0.0
) -> Segment:
    ops = [1e12] * len(excess)
    minutes = [list(excess)]
    return Segment(start, excess, [0.0] * groups, 0.0, ops, frozenset(), False, minutes, load)


# --- load ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rates", "found"),
    [
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),  # nobody has any
        ([1e6, 2e6, 4e6], [-math.log(2), 0.0, math.log(2)]),
        ([1e6, NAN, 4e6, 2e6], [-math.log(2), 0.0, math.log(2), 0.0]),
        ([NAN, NAN], [0.0, 0.0]),
        ([0.0, 1e6, 1e6], [-math.log(1e6), 0.0, 0.0]),
    ],
)
def test_load_against_the_usual_one(rates: Sequence[float], found: Sequence[float]) -> None:
    assert load_against(rates) == pytest.approx(found, abs=1e-5)


@pytest.mark.parametrize(
    ("own", "more", "left"),
    [
        (0.5, 0.4, 0.3),  # slope 0.5: load explains 0.2
        (0.1, 0.4, -0.1),
        (0.5, 1.6, -0.3),
        (0.5, -0.4, 0.5),  # slower with less load: none of it is explained
        (-0.5, -0.4, -0.3),
        (-0.1, -0.4, 0.0),  # faster with less load: not slower than the others by that
        (0.5, 0.0, 0.5),
        (-0.5, 0.0, -0.5),
    ],
)
def test_what_load_explains_is_taken_out(own: float, more: float, left: float) -> None:
    slope = Slope(6.0, 1.5)
    slope.products, slope.squares = 500.0, 999.0
    assert slope.without_load([own], [more]) == [pytest.approx(left)]


@pytest.mark.parametrize(("hours", "left"), [(6, 0.5), (12, 0.25), (24, 0.0625)])
def test_what_was_learned_of_load_halves_in_six_hours(hours: int, left: float) -> None:
    slope = Slope(6.0, 1.5)
    slope.products, slope.squares = 10.0, 20.0
    for _ in range(60 * hours):
        slope.learn([], [], 1.0)
    assert (slope.products, slope.squares) == pytest.approx((10.0 * left, 20.0 * left))


@pytest.mark.parametrize(
    ("noise", "lasting", "chosen"),
    [
        (0.30, 0.04, "without the brief load"),  # 0.30 is less than 0.95 of 0.34
        (0.60, 0.02, "without load"),  # 0.60 is not less than 0.95 of 0.62
    ],
)
def test_load_is_taken_out_as_far_as_it_makes_members_alike(
    noise: float, lasting: float, chosen: str
) -> None:
    """Latency follows what comes and goes (2.0), and not the lasting difference in load."""
    channel = CohortChannel(cohort(), LIMITS)
    always, brief = in_threes(-lasting), in_threes(2.0)
    for _ in range(3):
        channel._more_alike(a_segment(in_threes(noise), always))
    excess = [own - more for own, more in zip(in_threes(noise), always)]
    view = a_segment(excess, [more + own for more, own in zip(always, brief)])
    found = channel._more_alike(view)
    if chosen == "without load":
        assert found is view
    else:
        assert found.excess == pytest.approx(in_threes(noise))


def test_load_that_explains_nothing_is_not_taken_out() -> None:
    channel = CohortChannel(cohort(), LIMITS)
    found = channel._more_alike(a_segment(in_threes(-0.5), in_threes(0.6)))
    assert found.excess == pytest.approx(in_threes(0.1))
    view = a_segment(in_threes(0.1), in_threes(0.6))
    assert channel._more_alike(view).excess == pytest.approx(in_threes(0.1))


# --- marks -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mark", "out"),
    [
        (Mark.RESTARTED, True),
        (Mark.NEW, True),
        (Mark.RECOVERING, True),
        (Mark.REWEIGHTED, True),
        (Mark.DISTURBED, True),
        (Mark.SCRUBBING, True),
        (Mark.DOWN, False),  # it has no figures
        (Mark.BENCHED, False),
        (Mark.STALE, False),
    ],
)
def test_marks_of_osds_that_are_no_reference(mark: Mark, out: bool) -> None:
    assert excluded_places({3: int(mark)}, 20, 0.3) == (frozenset({3} if out else ()), False)


@pytest.mark.parametrize(
    ("recovering", "scrubbing", "out", "resting"),
    [
        (0, 6, 6, False),  # of 20: 30 %
        (0, 7, 0, False),  # so many that it is normal
        (2, 4, 6, False),
        (2, 5, 2, False),
        (6, 0, 6, False),
        (7, 0, 7, True),
        (7, 13, 7, True),
    ],
)
def test_how_many_may_be_no_reference(
    recovering: int, scrubbing: int, out: int, resting: bool
) -> None:
    marks = {place: int(Mark.RECOVERING) for place in range(recovering)}
    marks |= {19 - place: int(Mark.SCRUBBING) for place in range(scrubbing)}
    found, rests = excluded_places(marks, 20, 0.3)
    assert (len(found), rests) == (out, resting)
    assert found >= frozenset(range(recovering))


# --- minutes and segments --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "ops", "seen"),
    [(15.0, 7.9, False), (15.0, 8.0, True), (20.0, 10.6, False), (20.0, 10.7, True)],
)
@pytest.mark.parametrize("idle", [False, True])
def test_the_operations_that_a_frame_needs(
    seconds: float, ops: float, seen: bool, idle: bool
) -> None:
    """32 a minute, whether all others have data or one has none."""
    state = a_channel()
    given: list[Sequence[float]] = []
    (bursts,) = state.bursts.values()
    bursts.frame = lambda start, latency, *_: given.append(latency)  # type: ignore[method-assign]
    latency, counts = [0.01] * 24, [100.0] * 24
    counts[7] = ops
    if idle:
        latency[3] = NAN
    state.frame(DAWN, seconds, latency, counts, [NAN] * 24, {})
    assert (not math.isnan(given[0][7])) is seen


@pytest.mark.parametrize(
    ("seconds", "ops", "seen"),
    [
        (60.0, 31.9, False),
        (60.0, 32.0, True),
        (50.0, 26.6, False),
        (50.0, 26.7, True),
        (90.0, 32.0, True),  # no more than a minute's
    ],
)
def test_the_operations_that_a_minute_needs(seconds: float, ops: float, seen: bool) -> None:
    state = a_channel()
    counts = [100.0] * 24
    counts[7] = ops
    view = MinuteView(DAWN, seconds, [NAN] * 24, {})
    state.minute(view, [0.01 * own for own in counts], counts, 1)
    assert (not math.isnan(state.newest[7])) is seen
    assert math.isnan(state.last_data[7]) is not seen


def test_without_a_minute_the_newest_segment_or_slot_tells() -> None:
    state = a_channel()
    assert state.now(7) is None
    state.slots = [coarse([own] * 24) for own in (0.2, 0.4)]
    assert state.now(7) == pytest.approx(0.4)
    state.segments = [coarse([own] * 24) for own in (0.6, 0.8, 1.0)]
    assert state.now(7) == pytest.approx(1.0)
    state.newest = array("f", [0.5] * 24)
    assert state.now(7) == 0.5


@pytest.mark.parametrize(
    ("steps", "usual"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], 5),
        ([8, 7, 6, 5, 4, 3, 2, 1], 5),
        ([1, 9, NOTHING, 4], 4),
        ([3], 3),
        ([NOTHING, NOTHING], NOTHING),
    ],
)
def test_what_is_usual_in_a_slot(steps: Sequence[int], usual: int) -> None:
    assert _middle(steps) == usual


@pytest.mark.parametrize("age", [0.0, 600.0, 5400.0])
def test_how_old_the_newest_data_are_is_kept_over_a_failover(age: float) -> None:
    state, other = a_channel(), a_channel()
    state.last_data = array("d", [DAWN - age] * 24)
    other.restore(state.save(DAWN), DAWN, DAWN)
    assert list(other.last_data) == [DAWN - age] * 24


def test_an_osd_that_is_added_has_no_segments_in_the_long_median() -> None:
    channel = CohortChannel(cohort(), LIMITS)
    excess = [0.1 * place for place in range(24)]
    channel._rows, channel._load_rows = [coarse(excess)], [coarse(excess)]
    old = roster(2, 12).members
    new = replace(old[3], osd=99, name="osd.99")
    layout = Topology(replace(roster(2, 12), members=(*old, new)), LIMITS.group_members)
    channel.adopt(layout.cohorts[0])
    for row in (channel._rows[0], channel._load_rows[0]):
        assert row[channel.cohort.place[99]] == NOTHING
        assert [row[channel.cohort.place[osd]] for osd in (0, 1, 23)] == [0, 5, 115]


@pytest.mark.parametrize(("slow", "found"), [("HHHc", True), ("HHcH", True), ("HHcc", False)])
def test_of_two_middle_segments_the_lower_counts(slow: str, found: bool) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    usual: Sequence[float] = ()
    for row in slow:
        assert list(usual) == []  # four are needed
        excess = in_threes(0.02)
        excess[7] = 0.5 if row == "H" else 0.0
        usual, _ = channel._long_view(a_segment(excess))
    assert usual[7] == pytest.approx(0.5 if found else 0.0)


def test_on_the_first_day_an_acute_flag_needs_five_minutes() -> None:
    channel = CohortChannel(cohort(), LIMITS)
    after: Optional[int] = None
    for number in range(8):
        level = in_threes(0.02)
        level[7] = math.log(5)
        view = Minute(DAWN + 60.0 * number, level, [1e12] * 24, [0.0] * 24, {})
        channel.minute(view, 1)
        if 7 in channel.acute.flags and after is None:
            after = number + 1
    assert after == LIMITS.cold_minutes


@pytest.mark.parametrize(("hosts", "each", "peers"), [(2, 12, 11), (4, 4, 15)])
def test_how_many_peers_an_osd_has(hosts: int, each: int, peers: int) -> None:
    """Those of its host, or of its cohort where hosts are small."""
    assert CohortChannel(cohort(hosts, each), LIMITS)._peers(7) == peers


@pytest.mark.parametrize(
    ("later", "scale"), [(60.0, 0.1 * 1.4826 / math.sqrt(2)), (120.0, NAN), (0.0, NAN)]
)
def test_a_few_members_are_as_inexact_as_they_change(later: float, scale: float) -> None:
    channel = CohortChannel(cohort(1, 3), LIMITS)
    channel.last, channel.excess = DAWN, [0.0, 0.5, -0.5]
    found = channel._change(DAWN + later, [0.1, 0.6, -0.6])
    assert found == pytest.approx(scale, nan_ok=True)
    assert math.isnan(channel._change(DAWN + 60, [0.1, 0.6]))  # other members


# --- bursts ----------------------------------------------------------------------------------


def frames(made: Bursts, count: int, latency: Sequence[float], load: Any = None) -> None:
    none = load or (lambda group: [0.0] * 12)
    for _ in range(count):
        made.frame(15.0 * made.frames, latency, [1e12] * len(latency), none, ())


def test_the_threshold_is_known_after_960_frames() -> None:
    made = Bursts(cohort(1, 12), LIMITS)
    for count, known in ((959, False), (1, True)):
        frames(made, count, [0.01] * 12)
        made.judge(15.0 * made.frames)
        assert (made.threshold < math.inf) is known


@pytest.mark.parametrize("rungs", [1, 4, 8])
def test_the_threshold_is_a_tenth_above_what_half_of_the_members_exceed(rungs: int) -> None:
    made = Bursts(cohort(1, 12), LIMITS)
    made._seen = 2000
    for counts in made._counts[:rungs]:
        for place in range(6):
            counts[place] = 3
    made._calibrate()
    least, above = math.log(2), LIMITS.burst_margin * made._rungs[rungs]
    assert made.threshold == pytest.approx(max(least, above))


def test_of_calm_frames_the_load_is_not_asked() -> None:
    made = Bursts(cohort(1, 12), LIMITS)
    asked: list[object] = []

    def load(group: object) -> list[float]:
        asked.append(group)
        return [0.0] * 12

    frames(made, 3, [0.01] * 11 + [0.018], load)
    assert asked == []
    frames(made, 2, [0.01] * 11 + [0.03], load)
    assert len(asked) == 2


def test_a_burst_is_compared_with_its_own_host() -> None:
    """The other host is four times as slow."""
    made = Bursts(cohort(2, 12), LIMITS)
    made.threshold = math.log(2)
    latency = [0.01] * 12 + [0.04] * 12
    latency[5], latency[17] = 0.03, 0.12
    frames(made, 1, latency)
    assert set(made.episodes) == {5, 17}
    for osd, peers in ((5, 0.01), (17, 0.04)):
        assert made.episodes[osd].facts.peers == pytest.approx(math.log(peers))
        assert made.episodes[osd].facts.members == 11


def test_the_first_burst_is_of_the_first_hour() -> None:
    made = Bursts(cohort(1, 12), LIMITS)
    made.threshold = math.log(2)
    frames(made, 238, [0.01] * 12)
    frames(made, 1, [0.01] * 11 + [0.03])
    found = made.episodes[11]
    assert (found.by_hour, found.frames, found.first) == ({0: 1}, 1, 15.0 * 238)


# --- hosts and racks -------------------------------------------------------------------------


@pytest.mark.parametrize(("hosts", "judged"), [(2, False), (3, True), (4, True)])
@pytest.mark.parametrize("path", ["minute", "segment"])
def test_three_hosts_are_needed_to_compare_them(hosts: int, judged: bool, path: str) -> None:
    channel, domains = CohortChannel(cohort(hosts, 4), LIMITS), FaultDomains(LIMITS)
    channel.minute_scale = channel.segment_scale = 0.03
    excess = [1.0 if place < 4 else 0.0 for place in range(4 * hosts)]
    for number in range(3):
        view = a_segment(excess, groups=1, start=900.0 * number)
        if path == "segment":
            domains.segment(channel, view)
        else:
            found = channel.minute(
                Minute(60.0 * number, excess, [1e12] * len(excess), [0.0] * len(excess), {}), 1
            )
            domains.minute(channel, 60.0 * number, found, math.log(2), 6.0)
    flags = domains.sustained.flags if path == "segment" else domains.acute.flags
    assert set(flags) == ({("host", "host-0")} if judged else set())


@pytest.mark.parametrize("usual", [-1.0, 0.0, 0.5])
def test_the_figures_of_a_unit(usual: float) -> None:
    found = fault_domains._facts(usual + 0.4, usual, 0.05, -4.0, 5)
    assert (found.excess, found.z) == pytest.approx((0.4, 8.0))
    assert (found.level, found.peers) == pytest.approx((usual - 3.6, usual - 4.0))
    assert (found.members, found.load) == (5, 0.0)


@pytest.mark.parametrize("usual", [-1.0, 0.0, 0.5])
def test_a_unit_is_calm_against_the_others_or_its_past(usual: float) -> None:
    effects = {"host": {("host", f"h{at}"): (usual + (at == 0), 4) for at in range(5)}}
    value = fault_domains._value(effects, {("host", "h1"): 0.7})
    assert value(("host", "h0")) == pytest.approx(1.0)
    assert value(("host", "h1")) == 0.7
    assert value(("host", "h2")) == pytest.approx(0.0)
    assert value(("rack", "r0")) is None


@pytest.mark.parametrize(
    ("units", "slow", "found"),
    [
        (10, 1, False),
        (10, 2, True),  # two at the least
        (29, 2, True),
        (30, 2, False),  # a tenth
        (30, 3, True),
        (30, 9, True),
    ],
)
def test_a_tenth_of_the_hosts_is_another_generation(units: int, slow: int, found: bool) -> None:
    level = math.log(1.4)
    effects = [level] * slow + [0.0] * (units - slow)
    assert FaultDomains(LIMITS)._other_generation(effects) == (level if found else 0.0)


@pytest.mark.parametrize(("ratio", "found"), [(1.19, False), (1.21, True), (1.49, True)])
def test_a_generation_is_slower_than_others_and_no_fault(ratio: float, found: bool) -> None:
    effects = [math.log(ratio)] * 3 + [0.0] * 9
    assert bool(FaultDomains(LIMITS)._other_generation(effects)) is found
    assert FaultDomains(LIMITS)._other_generation([math.log(1.51)] * 3 + [0.0] * 9) == 0.0


@pytest.mark.parametrize(("sick", "named"), [(2, False), (3, True)])
def test_a_rack_of_five_hosts_needs_three(sick: int, named: bool) -> None:
    """In the others half of the OSDs are slow."""
    made = cohort(10, 8, racks=2)
    rack = next(unit for unit in made.units if unit.kind == "rack")
    slow = {
        made.place[8 * host + osd] for host in range(5) for osd in range(8 if host < sick else 4)
    }
    assert attribution._mostly(made, rack, slow, LIMITS) is named


@pytest.mark.parametrize("enclosures", [False, True])
def test_a_rack_is_slow_only_if_its_hosts_and_its_enclosures_are(enclosures: bool) -> None:
    """All of its four hosts are slow; two of them have an OSD in each of two enclosures."""
    shelves = {0: "shelf-0", 8: "shelf-0", 1: "shelf-1", 9: "shelf-1"}
    members = [
        replace(one, enclosure=shelves.get(one.osd)) for one in roster(8, 8, racks=2).members
    ]
    made = Topology(Roster(tuple(members)), LIMITS.group_members).cohorts[0]
    rack = next(unit for unit in made.units if unit.key == ("rack", "rack-0"))
    parts = Counter(made.units[at].kind for at in rack.parts)
    assert parts == {"host": 4, "enclosure": 2}
    slow = {made.place[osd] for osd in range(32) if enclosures or osd not in shelves}
    assert attribution._mostly(made, rack, slow, LIMITS) is enclosures


def test_no_unit_is_a_part_of_itself() -> None:
    units = cohort(8, 4, racks=2).units
    assert [unit.kind for unit in units if unit.parts] == ["rack", "rack"]
    assert not [at for at, unit in enumerate(units) if at in unit.parts]


def test_what_is_known_of_load_halves_in_six_hours() -> None:
    assert CohortChannel(cohort(), LIMITS).slope._keep ** 360 == pytest.approx(0.5)


def ground(excess: float = 1.0, *, since: float = 0.0) -> SlowEvidence:
    flag = Flag(since, replace(FACTS, excess=excess), excess, 3, 3)
    return SlowEvidence("sustained", COMMIT, flag)


@pytest.mark.parametrize("shared", [0, 1, 2])
def test_a_cause_that_shares_half_with_a_wider_one_is_told(shared: int) -> None:
    made, unit = cohort(), Unit("host", "a", (0, 1))
    wide = Cause(made, [ground()], unit=unit, slow=tuple(range(8)))
    beside = Cause(made, [ground()], unit=unit, slow=tuple(range(8 - shared, 12 - shared)))
    inside = Cause(made, [ground()], unit=unit, slow=(1, 2, 3))
    last = Cause(made, [ground()], unit=unit, slow=(20, 21))
    assert attribution._widest([inside, beside, last, wide]) == [wide, beside, last]


@pytest.mark.parametrize(
    ("hosts", "slow", "apart", "causes"),
    [
        (14, 2, 0.0, 2),
        (14, 3, 0.0, 3),  # at once, but few
        (14, 4, 0.0, 1),  # at once
        (14, 4, 7200.0, 4),  # each at another time
        (14, 5, 7200.0, 1),  # of 14 hosts more than 30 %
        (40, 12, 7200.0, 12),
        (40, 13, 7200.0, 1),
        (100, 5, 0.0, 5),  # a twentieth
        (100, 6, 0.0, 1),
    ],
)
def test_many_hosts_that_are_slow_have_one_cause(
    hosts: int, slow: int, apart: float, causes: int
) -> None:
    made = cohort(hosts, 4)
    found = [
        Cause(made, [ground(since=number * apart)], unit=unit, slow=(number,))
        for number, unit in enumerate(made.units[:slow])
    ]
    single = Cause(made, [ground()], osd=99, slow=(99,))
    told = attribution._few(made, [*found, single], LIMITS)
    assert single in told
    assert len(told) == causes + 1


def test_racks_that_are_slow_are_counted_among_racks() -> None:
    """Three of four are many, although a cluster of four racks has 24 hosts."""
    made = cohort(24, 4, racks=4)
    racks = [unit for unit in made.units if unit.kind == "rack"]
    assert len(racks) == 4
    found = [
        Cause(made, [ground(since=number * 7200.0)], unit=unit, slow=(number,))
        for number, unit in enumerate(racks[:3])
    ]
    assert len(attribution._few(made, found, LIMITS)) == 1
    assert attribution._few(made, found[:2], LIMITS) == found[:2]


def test_some_of_many_hosts_that_began_at_once_have_one_cause() -> None:
    made = cohort(20, 4)
    found = [
        Cause(made, [ground(since=0.0 if number < 4 else 9e4)], unit=unit, slow=(number,))
        for number, unit in enumerate(made.units[:5])
    ]
    told = attribution._few(made, found, LIMITS)
    assert told[0] is found[4]
    assert told[1].slow == (0, 1, 2, 3)


# --- what is told ----------------------------------------------------------------------------


def test_figures_are_rounded() -> None:
    farm = Farm(roster(2, 12), noise=0.08).run(70 * MINUTE)
    farm.run(8 * MINUTE, lambda at, osd: 3.0 if osd == 7 else 1.0)
    verdicts = farm.detector.verdicts()
    for osd in range(24):
        one = verdicts[osd]
        assert one.robust_z == round(one.robust_z or 0.0, 2) != 0
        assert one.ratio == round(one.ratio or 0.0, 3) != 0
    (claim,) = farm.detector.claims()
    for name, digits in (("robust_z", 2), ("ratio", 3), ("max_ratio", 3)):
        assert claim.evidence[name] == round(claim.evidence[name], digits)
    assert verdicts[7].state is OsdState.SLOW
    assert verdicts[7].robust_z == claim.evidence["robust_z"]
    (report,) = farm.detector.cohorts()
    least = report.minimum_detectable_ratio or 0.0
    assert least == round(least, 3) != 0
    (said,) = [line for line in farm.detector.explain(3) if "in the last minute" in line]
    assert f"(robust z {verdicts[3].robust_z:.1f})" in said


@pytest.mark.parametrize(
    ("kind", "severity"),
    [("", Severity.WARNING), ("positions", Severity.WARNING), ("hosts", Severity.INFO)],
)
def test_a_generation_is_no_warning_however_slow_all_are(kind: str, severity: Severity) -> None:
    farm = Farm(roster(2, 12), noise=0.05).run(3 * MINUTE)
    state = farm.detector.channel_states[COMMIT]
    (made,) = state.layout.cohorts
    state.cohort_channels[made.name].slower_than_ever = True
    common = Common(frozenset({0, 1}), ("sda",), ("host-0",))
    cause = Cause(made, [ground()], slow=(0, 1), kind=kind, common=common)
    farm.detector.judgement.causes = [cause]
    (told,) = farm.detector.claims()
    assert told.severity is severity


def test_the_only_peer_is_not_counted() -> None:
    cause = Cause(cohort(1, 2), [ground()], osd=1, slow=(1,))
    flag = replace(cause.grounds[0].flag, facts=replace(FACTS, members=1))
    cause.grounds = [replace(cause.grounds[0], flag=flag)]
    channel = CohortChannel(cause.cohort, LIMITS)
    assert "as slow as its 1 peer (" in claim_of(cause, channel)
    cause.grounds = [ground()]
    assert "as slow as its 11 peers" in claim_of(cause, channel)


def claim_of(cause: Cause, channel: CohortChannel) -> str:
    return claim(cause, channel).message


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        ("acute_need=x", "acute_need wants a whole number of at least 0, not 'x'"),
        ("acute_need=2.5", "acute_need wants a whole number of at least 0, not '2.5'"),
        ("acute_z=x", "acute_z wants a number of at least 0, not 'x'"),
        ("acute_z=-1", "acute_z wants a number of at least 0, not '-1'"),
        ("acute_need=0", "acute_need must be at least 1, not 0"),
    ],
)
def test_a_threshold_that_is_none_is_refused(pair: str, why: str) -> None:
    with pytest.raises(InvalidValue, match=why):
        Thresholds.of([pair])


@pytest.mark.parametrize(
    ("levels", "level"),
    [
        ((0.1, 0.2, 0.3, 0.4), 0.2),  # the lower of the two middle hosts
        ((0.4, 0.1), 0.1),
        ((0.1, 0.3, 0.9), 0.3),
    ],
)
def test_a_rack_is_as_slow_as_its_middle_host(levels: Sequence[float], level: float) -> None:
    """Hosts of four OSDs in two racks; in the other rack all are alike."""
    made = cohort(2 * len(levels), 4, racks=2)
    excess = [own for own in levels for _ in range(4)] + [0.0] * (4 * len(levels))
    found = fault_domains._effects(made, excess, [0.0] * len(made.groups))
    assert found["rack"] == {
        ("rack", "rack-0"): (pytest.approx(level), 4 * len(levels)),
        ("rack", "rack-1"): (0.0, 4 * len(levels)),
    }
    assert [own for own, _ in found["host"].values()] == [*levels, *[0.0] * len(levels)]


@pytest.mark.parametrize(
    ("scale", "named"), [(0.11, True), (0.14, False), (0.18, False)]
)  # z 5.9, 4.6 and 3.6 of what it is slower than the generation, 12 to 7 of all
@pytest.mark.parametrize("base", [-2.0, 0.0, 0.5])
def test_beside_a_generation_a_host_is_surely_slower_than_that(
    scale: float, named: bool, base: float
) -> None:
    """Two of 20 hosts at 1.4, one at twice that."""
    channel, domains = CohortChannel(cohort(20, 4), LIMITS), FaultDomains(LIMITS)
    channel.segment_scale = scale * 2 / 1.25
    levels = [math.log(1.4)] * 2 + [math.log(1.4) + 0.65] + [0.0] * 17
    levels = [base + level for level in levels]
    view = a_segment([own for own in levels for _ in range(4)], groups=1)
    units = {("host", f"host-{at}"): (own, 4) for at, own in enumerate(levels)}
    hits: dict[tuple[str, str], Facts] = {}
    domains._against_others(channel, view, units, 5.0, hits)
    assert set(hits) == ({("host", "host-2")} if named else set())


@pytest.mark.parametrize(("level", "hit"), [(math.log(2), True), (math.log(2) - 1e-6, False)])
def test_an_acute_host_is_at_the_ratio_or_above(level: float, hit: bool) -> None:
    channel, domains = CohortChannel(cohort(6, 4), LIMITS), FaultDomains(LIMITS)
    channel.minute_scale = 0.03
    excess = [level] * 4 + [0.0] * 20
    for number in range(3):
        found = Residuals(excess, [0.0], 0.0, 24)
        domains.minute(channel, 60.0 * number, found, math.log(2), 6.0)
    assert bool(domains.acute.flags) is hit


def test_a_flag_counts_its_hits_and_windows() -> None:
    rule: MOfNRule[int] = MOfNRule(3, 5, 5)
    for number, hit in enumerate("HHHcHHc"):
        rule.step(60.0 * number, {1: FACTS} if hit == "H" else {}, lambda _: 0.5, 0.1)
    flag = rule.flags[1]
    assert (flag.since, flag.hits, flag.windows, flag.last_data) == (0.0, 5, 7, 360.0)


def test_a_generation_was_slow_all_the_time() -> None:
    farm = Farm(roster(10, 12), noise=0.05)
    farm.run(90 * MINUTE, lambda at, osd: 2.4 if osd < 36 else 1.0)
    (claim,) = farm.detector.claims()
    assert claim.evidence["share_of_time"] == 1.0
    assert claim.evidence["hosts"] == ["host-0", "host-1", "host-2"]


@pytest.mark.parametrize(("windows", "folded"), [(30, True), (31, False)])
def test_half_an_hour_a_flag_is_young(windows: int, folded: bool) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    flag = Flag(0.0, FACTS, 1.0, windows, windows)
    common = Common(frozenset({3}), ("number 4",), ())
    channel.acute_folded.update(0.0, {3: flag}, channel.cohort, common)
    assert (3 in channel.acute_folded.seen) is folded


@pytest.mark.parametrize(
    ("ratio", "minutes"), [(1.6, None), (1.51, None), (1.49, 5), (1.4, 5), (1.0, 5)]
)
def test_an_acute_flag_is_over_after_five_minutes_below_1_5(
    ratio: float, minutes: Optional[int]
) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    channel.minutes = 100
    over: Optional[int] = None
    for number in range(23):
        level = in_threes(0.02)
        level[7] = math.log(3.0 if number < 3 else ratio)
        channel.minute(Minute(60.0 * number, level, [1e12] * 24, [0.0] * 24, {}), 1)
        if number >= 3 and 7 not in channel.acute.flags and over is None:
            over = number - 2
    assert over == minutes


@pytest.mark.parametrize(("ratio", "segments"), [(1.15, None), (1.11, None), (1.09, 4), (1.0, 4)])
def test_a_lasting_flag_is_over_after_four_segments_below_1_1(
    ratio: float, segments: Optional[int]
) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    over: Optional[int] = None
    for number in range(15):
        excess = in_threes(0.01)
        excess[7] = math.log(1.3 if number < 3 else ratio)
        channel.segment(a_segment(excess, start=900.0 * number), lambda _: None)
        if number >= 3 and 7 not in channel.sustained.flags and over is None:
            over = number - 2
    assert over == segments


@pytest.mark.parametrize(("ratio", "segments"), [(1.15, None), (1.11, None), (1.09, 4), (1.0, 4)])
def test_a_lasting_flag_of_a_host_is_over_after_four_segments_below_1_1(
    ratio: float, segments: Optional[int]
) -> None:
    channel, domains = CohortChannel(cohort(6, 4), LIMITS), FaultDomains(LIMITS)
    channel.segment_scale = 0.02
    over: Optional[int] = None
    for number in range(15):
        level = math.log(2.0 if number < 3 else ratio)
        excess = [level] * 4 + [0.0] * 20
        domains.segment(channel, a_segment(excess, groups=1, start=900.0 * number))
        if number >= 3 and not domains.sustained.flags and over is None:
            over = number - 2
    assert over == segments


def test_what_is_saved_is_exact_enough() -> None:
    state, other = a_channel(), a_channel()
    state._score([math.log(1.15)] * 24)
    state.newest = array("f", [0.46] * 24)
    other.restore(state.save(DAWN), DAWN, DAWN)
    assert list(other.risk) == [0.25] * 24
    assert other.newest[0] == pytest.approx(0.46)
    assert other.max_excess[0] == pytest.approx(math.log(1.15), abs=0.01)
    (lane,), (again,) = state.cohort_channels.values(), other.cohort_channels.values()
    lane.base, lane.minute_scale, lane.born = {3: 0.1235}, 0.123456, DAWN
    again.restore(lane.save(), DAWN)
    assert (again.base, again.minute_scale, again.born) == ({3: 0.123}, 0.123456, DAWN)


def test_causes_of_hosts_and_racks_are_counted_apart() -> None:
    """Three of each that began at once: a fourth would make them one."""
    made = cohort(28, 4, racks=14)
    units = [unit for kind in ("host", "rack") for unit in made.units if unit.kind == kind]
    found = [
        Cause(made, [ground()], unit=unit, slow=(number,))
        for number, unit in enumerate([*units[:3], *units[-3:]])
    ]
    assert {cause.unit.kind for cause in found if cause.unit} == {"host", "rack"}
    assert attribution._few(made, found, LIMITS) == found


def test_bursts_of_an_osd_that_is_gone_are_forgotten() -> None:
    made = Bursts(cohort(1, 12), LIMITS)
    made.threshold = math.log(2)
    frames(made, 1, [0.01] * 10 + [0.03] * 2)
    made.flags = {10: ground().flag, 11: ground().flag}
    made._counts[0][11] = 7
    left = Topology(replace(roster(1, 12), members=roster(1, 12).members[1:11]), 6).cohorts[0]
    made.adopt(left)
    assert (set(made.episodes), set(made.flags)) == ({10}, {10})
    made.adopt(cohort(1, 12))
    assert made._counts[0][11] == 0
