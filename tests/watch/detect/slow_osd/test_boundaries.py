"""Each rule just below, at and just above its limit, with one window more and one less."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Optional

import pytest

from farm import DAWN, MINUTE, Farm, roster, slower
from perf_bench.model.frame import COMMIT, QUEUE, READ, Frame, Mark, Roster, Watched
from perf_bench.watch.detect.slow_osd import attribution
from perf_bench.watch.detect.slow_osd.attribution import Cause, SlowEvidence
from perf_bench.watch.detect.slow_osd.bursts import Bursts
from perf_bench.watch.detect.slow_osd.channel import _SLOTS, ChannelState, MinuteView
from perf_bench.watch.detect.slow_osd.cohort_channel import CohortChannel
from perf_bench.watch.detect.slow_osd.detector import SlowDetector
from perf_bench.watch.detect.slow_osd.fault_domains import FaultDomains, RollingBaseline
from perf_bench.watch.detect.slow_osd.packing import NOTHING, STEP, coarse
from perf_bench.watch.detect.slow_osd.persistence import Facts, Flag, MOfNRule
from perf_bench.watch.detect.slow_osd.reasons import no_data_reason
from perf_bench.watch.detect.slow_osd.sentences import _rule_sentences
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology, Unit
from perf_bench.watch.detect.slow_osd.verdicts import worst_now
from perf_bench.watch.detect.slow_osd.windows import Minute, Residuals, Segment

NAN = math.nan
LIMITS = Thresholds()
HAIR = 1e-6
FACTS = Facts(1.0, 9.0, 1.0, 0.0, 11)


def topology(hosts: int, each: int, *, racks: int = 0) -> Topology:
    return Topology(roster(hosts, each, racks=racks), LIMITS.group_members)


def cohort(hosts: int = 2, each: int = 12, *, racks: int = 0) -> Cohort:
    return topology(hosts, each, racks=racks).cohorts[0]


def a_flag(excess: float = 1.0, *, since: float = 0.0, z: float = 9.0, hits: int = 3) -> Flag:
    return Flag(since, replace(FACTS, excess=excess, z=z), excess, hits, hits)


def quiet(scale: float, size: int = 24) -> list[float]:
    """Excesses with the median 0, also without any one of them, and this robust deviation."""
    return [(place % 3 - 1) * scale / 1.4826 for place in range(size)]


def a_segment(
    excess: Sequence[float],
    *,
    groups: int = 2,
    excluded: frozenset[int] = frozenset(),
    minutes: Optional[Sequence[Sequence[float]]] = None,
    ops: float = 1e12,
) -> Segment:
    minutes = minutes if minutes is not None else [excess]
    effects = [0.0] * groups
    return Segment(0.0, excess, effects, 0.0, [ops] * len(excess), excluded, False, minutes)


@pytest.mark.parametrize("members", [(0,), (1, 2, 3), (0, 2), (0, 4), (0, 1, 3), (0, 1, 2, 5)])
def test_a_unit_picks_its_members(members: tuple[int, ...]) -> None:
    """Adjacent or not."""
    figures = [10.0 + place for place in range(8)]
    picked = Unit("host", "host-0", members).pick(figures)
    assert list(picked) == [10.0 + place for place in members]


@pytest.mark.parametrize(("waiting", "done"), [(40, 10), (41, 11), (1, 1)])
def test_each_frame_does_a_quarter_of_the_work_that_waits(waiting: int, done: int) -> None:
    """However large each piece is."""
    detector = SlowDetector(LIMITS)
    pieces: list[int] = []
    for piece in range(waiting):
        detector._jobs.append((10**9, partial(pieces.append, piece)))
    detector._work()
    assert pieces == list(range(done))


def test_osds_of_one_device_are_no_reference_for_each_other() -> None:
    """However many share it, those of the host are."""
    members = [
        replace(member, device=f"{member.host}/nvme{member.osd % 2}")
        for member in roster(3, 2 * LIMITS.group_members).members
    ]
    made = Topology(Roster(tuple(members)), LIMITS.group_members).cohorts[0]
    assert [group.end - group.start for group in made.groups] == [2 * LIMITS.group_members] * 3


# acute


def a_minute(number: int, excess: Sequence[float], ops: float = 1e12, **marks: int) -> Minute:
    level = [math.log(0.01) + own for own in excess]
    by_place = {int(name[1:]): mark for name, mark in marks.items()}
    return Minute(DAWN + 60.0 * number, level, [ops] * len(level), [0.0] * len(level), by_place)


def acute_after(
    ratio: float, scale: float, *, minutes: int, warm: bool = True, ops: float = 1e12, **marks: int
) -> Optional[int]:
    """The minute in which OSD 7 of 24 is flagged; None for never."""
    channel = CohortChannel(cohort(), LIMITS)
    channel.minutes = 100 if warm else 20
    for number in range(minutes):
        excess = quiet(scale)
        excess[7] = math.log(ratio)
        channel.minute(a_minute(number, excess, ops, **marks), 1)
        if 7 in channel.acute.flags:
            return number + 1
    return None


@pytest.mark.parametrize(
    ("ratio", "scale", "after"),
    [
        (1.99, 0.03, None),
        (2.01, 0.03, 8),  # between the limits: 8 of 10
        (2.09, 0.03, 8),
        (2.11, 0.03, 4),  # the mean of 4
        (2.39, 0.03, 4),
        (2.41, 0.03, 3),  # 3 of 5
        (2.41, 0.14, 3),  # z 6.3
        (2.41, 0.152, None),  # z 5.8
        (9.9, 0.5, None),  # z 4.6
        (10.1, 0.5, 8),  # extreme: z 3 is enough in 8 of 10
        (10.1, 0.75, 8),  # z 3.1
        (10.1, 0.8, None),  # z 2.9
    ],
)
def test_acute_needs_a_ratio_and_a_z(ratio: float, scale: float, after: Optional[int]) -> None:
    assert acute_after(ratio, scale, minutes=12) == after


@pytest.mark.parametrize(("ratio", "after"), [(2.03, None), (2.06, 8)])
def test_an_excess_counts_less_the_fewer_operations_it_is_of(
    ratio: float, after: Optional[int]
) -> None:
    """Of 1,000 operations by 32 parts in 1,032: 2.03 becomes 1.99, and 2.06 becomes 2.01."""
    assert acute_after(ratio, 0.03, minutes=12, ops=1000.0) == after


@pytest.mark.parametrize(
    ("minutes", "ratio", "flagged"),  # H slow, c as its peers
    [
        ("HHccH", 3.0, True),  # 3 of 5
        ("HHcccH", 3.0, False),
        ("HHHHccHHHH", 2.05, True),  # 8 of 10
        ("HHHHcccHHHH", 2.05, False),
        ("HHHH", 2.11, True),  # the mean of 4, from the first hit on
        ("HHH", 2.11, False),
        ("HHHcHHH", 2.11, False),
        ("HHHHcccHHHH", 2.09, False),
    ],
)
def test_acute_minutes_need_not_be_adjacent(minutes: str, ratio: float, flagged: bool) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    channel.minutes = 100
    for number, minute in enumerate(minutes):
        excess = quiet(0.03)
        excess[7] = math.log(ratio) if minute == "H" else 0.0
        channel.minute(a_minute(number, excess), 1)
    assert (7 in channel.acute.flags) is flagged


@pytest.mark.parametrize(("ratio", "after"), [(2.99, None), (3.01, 3)])
def test_in_the_first_hour_the_excess_is_twice_as_large(ratio: float, after: Optional[int]) -> None:
    assert acute_after(ratio, 0.03, minutes=12, warm=False) == after


@pytest.mark.parametrize(("scale", "after"), [(0.18, 3), (0.2, None)])  # z 6.5 and 5.8
def test_in_the_first_hour_the_z_is_as_large(scale: float, after: Optional[int]) -> None:
    assert acute_after(3.2, scale, minutes=12, warm=False) == after


@pytest.mark.parametrize(
    ("ratio", "scale", "after"),
    [(2.41, 0.105, 3), (2.41, 0.115, None)],  # z 8.4 and 7.6
)
def test_an_excluded_osd_needs_a_larger_z(ratio: float, scale: float, after: Optional[int]) -> None:
    assert acute_after(ratio, scale, minutes=12, p7=int(Mark.RECOVERING)) == after
    assert acute_after(ratio, scale, minutes=12) == 3


def test_an_excluded_osd_needs_that_z_however_slow_it_is() -> None:
    assert acute_after(10.1, 0.5, minutes=12, p7=int(Mark.RECOVERING)) is None


@pytest.mark.parametrize(("minutes", "cold"), [(59, True), (60, True), (61, False)])
def test_the_first_hour_is_cold(minutes: int, cold: bool) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    channel.minutes = minutes
    assert channel.cold is cold


@pytest.mark.parametrize("ops", [32.0, 100.0, 400.0, 1e6])
def test_few_operations_shrink_the_excess_and_its_z(ops: float) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    excess = quiet(0.05)
    excess[7] = 1.0
    view = a_minute(0, excess, ops)
    found = channel.minute(view, 1)
    facts = channel._acute_facts(view, found, 7)
    assert facts.excess == pytest.approx(found.excess[7] * ops / (ops + 32))
    error = math.sqrt(channel.minute_scale**2 + 1 / ops)
    assert facts.z == pytest.approx(facts.excess / error)
    assert facts.level - facts.peers == pytest.approx(found.excess[7])


@pytest.mark.parametrize("scale", [0.05, 0.2])
def test_load_is_learned_from_members_within_three_deviations(scale: float) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    bounds: list[float] = []
    channel.slope.learn = lambda excess, load, bound: bounds.append(bound)  # type: ignore[method-assign]
    channel.minute(a_minute(0, quiet(scale)), 1)
    assert bounds == [pytest.approx(3 * scale, rel=0.2)]


@pytest.mark.parametrize(("flagged", "held"), [(0, 0), (1, 1), (12, 12), (13, 0)])
def test_at_most_half_of_a_cohort_is_no_reference(flagged: int, held: int) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    channel.acute.flags = {osd: a_flag() for osd in range(flagged)}
    assert len(channel._held()) == held
    assert len(channel._of_references(quiet(0.05), frozenset({23}))) == 23 - held


def test_in_a_small_cohort_all_stay_references() -> None:
    channel = CohortChannel(cohort(1, 5), LIMITS)
    channel.acute.flags = {0: a_flag()}
    assert channel._held() == frozenset()
    larger = CohortChannel(cohort(1, 6), LIMITS)
    larger.sustained.flags = {0: a_flag()}
    assert larger._held() == {0}


def test_a_gap_ends_acute_windows_and_keeps_flags() -> None:
    rule: MOfNRule[int] = MOfNRule(3, 5, 5)
    for start in range(3):
        hits = {1: FACTS} if start < 2 else {}
        rule.step(60.0 * start, {2: FACTS, **hits}, lambda _: 0.0, 0.1)
    assert (set(rule.recent), set(rule.flags)) == ({1, 2}, {2})
    rule.forget_unfinished()
    assert (set(rule.recent), set(rule.flags)) == ({2}, {2})


def test_a_rule_without_a_mean_keeps_no_values() -> None:
    rule: MOfNRule[int] = MOfNRule(3, 5, 5)
    rule.step(0.0, {1: FACTS}, lambda _: 0.0, 0.1)
    assert rule.save(int) == [[1, 1, 1, 0.0, None, [], [0.0]]]


# sustained


def sustained_hit(excess: float, scale: float, *, tests: int = 1, **view: Any) -> Optional[Facts]:
    channel = CohortChannel(cohort(), LIMITS)
    channel.segment_scale, channel.tests = scale, tests
    figures = quiet(scale)
    figures[7] = excess
    return channel._sustained_hits(a_segment(figures, **view)).get(7)


@pytest.mark.parametrize(
    ("excess", "scale", "hit"),
    [
        (math.log(1.2) - HAIR, 0.02, False),
        (math.log(1.2), 0.02, True),
        (math.log(1.2) + HAIR, 0.02, True),
        (0.5, 0.1 + HAIR, False),
        (0.5, 0.1 - HAIR, True),
    ],
)
def test_sustained_needs_1_2_times_and_z_5(excess: float, scale: float, hit: bool) -> None:
    assert (sustained_hit(excess, scale) is not None) is hit


@pytest.mark.parametrize(("tests", "hit"), [(1, True), (2, False)])
def test_two_channels_need_a_larger_z(tests: int, hit: bool) -> None:
    assert (sustained_hit(0.506, 0.1, tests=tests) is not None) is hit


@pytest.mark.parametrize(
    ("excess", "scale", "hit"),
    [
        (math.log(2) - HAIR, 0.02, False),
        (math.log(2), 0.02, True),
        (math.log(2) + HAIR, 0.02, True),
        (0.8, 0.1 + 1e-5, False),
        (0.8, 0.1 - 1e-5, True),
    ],
)
def test_an_excluded_osd_needs_twice_and_z_8(excess: float, scale: float, hit: bool) -> None:
    assert (sustained_hit(excess, scale, excluded=frozenset({7})) is not None) is hit


@pytest.mark.parametrize(("high", "hit"), [(11, False), (12, True)])  # of 16: 75 %
def test_most_minutes_of_a_segment_must_be_slow(high: int, hit: bool) -> None:
    minutes = [[0.5 if number < high else 0.09] * 24 for number in range(16)]
    assert (sustained_hit(0.5, 0.02, minutes=minutes) is not None) is hit


@pytest.mark.parametrize(("ops", "hit"), [(900.0, False), (1600.0, True)])
def test_few_operations_in_a_segment_make_z_smaller(ops: float, hit: bool) -> None:
    """A standard error of 1/30 or 1/40 beside a scale of 0.02."""
    assert (sustained_hit(0.18 + 0.01, 0.02, ops=ops) is not None) is hit


@pytest.mark.parametrize(
    ("windows", "flagged"), [("HH", False), ("HHH", True), ("HHccH", False), ("HHcH", True)]
)
def test_three_of_four_segments(windows: str, flagged: bool) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    for number, window in enumerate(windows):
        excess = quiet(0.02)
        excess[7] = 0.3 if window == "H" else 0.0
        channel.segment(replace(a_segment(excess), start=900.0 * number), lambda _: None)
    assert (7 in channel.sustained.flags) is flagged


@pytest.mark.parametrize(("rows", "now", "found"), [(5, 0.099, False), (6, 0.3, True)])
def test_the_long_median_needs_the_osd_to_be_slow_now(rows: int, now: float, found: bool) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    hits: dict[int, Facts] = {}
    for row in range(rows):
        excess = quiet(0.02)
        excess[7] = now if row == rows - 1 else 0.5
        hits = channel._long_hits(a_segment(excess))
    assert (7 in hits) is found


@pytest.mark.parametrize(("rows", "found"), [(5, False), (6, True)])
def test_from_six_segments_on_single_minutes_do_not_matter(rows: int, found: bool) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    hits: dict[int, Facts] = {}
    for _ in range(rows):
        excess = quiet(0.02)
        excess[7] = 0.5
        minutes = [[0.5 if number % 2 else 0.0] * 24 for number in range(14)]
        hits = channel._long_hits(a_segment(excess, minutes=minutes))
    assert (7 in hits) is found


def test_the_long_median_forgets_after_twelve_segments() -> None:
    channel = CohortChannel(cohort(), LIMITS)
    for row in range(20):
        excess = quiet(0.02)
        excess[7] = 0.5 if row < 10 else 0.0
        channel._long_hits(a_segment(excess))
    assert len(channel._rows) == 12
    assert channel._rows[0][7] == round(0.5 / STEP)
    assert channel._rows[-1][7] == 0


def test_a_level_that_is_slower_than_ever_is_not_learned() -> None:
    channel = CohortChannel(cohort(), LIMITS)
    for _ in range(24 * 3):
        channel._learn_level(0.0)
    before = list(channel._level_past.slots)
    for _ in range(48):
        channel._learn_level(math.log(1.5) - 0.01)
        assert not channel.slower_than_ever
    channel._level_past.slots, channel._level_past.open = array("f", before), array("f")
    for _ in range(100):
        channel._learn_level(math.log(1.5) + 0.01)
        assert channel.slower_than_ever
    assert list(channel._level_past.slots) == before


@pytest.mark.parametrize(
    ("scale", "ratio"), [(0.02, 1.2), (0.036, 1.2), (0.1, math.exp(0.5)), (0.2, math.exp(1.0))]
)
def test_the_smallest_slowdown_that_is_found(scale: float, ratio: float) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    assert channel.detectable() is None
    channel.segment_scale = scale
    assert channel.detectable() == pytest.approx(ratio, rel=1e-3)


# small cohorts


def small_hit(own: float, base: float, scale: float, *, excluded: bool = False) -> bool:
    channel = CohortChannel(cohort(1, 3), LIMITS)
    channel.base = {0: 0.0, 1: base, 2: 0.0}
    channel.segment_scale = scale
    excess = [0.0, own + base, 0.0]
    view = a_segment(excess, groups=1, excluded=frozenset({1} if excluded else ()))
    return 1 in channel._small_hits(view)


@pytest.mark.parametrize(
    ("own", "base", "scale", "excluded", "hit"),
    [
        (math.log(1.3) - HAIR, 0.0, 0.02, False, False),
        (math.log(1.3) + HAIR, 0.0, 0.02, False, True),
        # against its peers it must be 1.2 times as slow too
        (0.4, math.log(1.2) - 0.4 - HAIR, 0.02, False, False),
        (0.4, math.log(1.2) - 0.4 + HAIR, 0.02, False, True),
        (0.5, 0.0, 0.1 + 1e-5, False, False),
        (0.5, 0.0, 0.1 - 1e-5, False, True),
        (0.8, 0.0, 0.1 + 1e-5, True, False),
        (0.8, 0.0, 0.1 - 1e-5, True, True),
    ],
)
def test_a_small_cohort_at_its_limits(
    own: float, base: float, scale: float, excluded: bool, hit: bool
) -> None:
    assert small_hit(own, base, scale, excluded=excluded) is hit


@pytest.mark.parametrize(("osds", "small"), [(2, True), (5, True), (6, False)])
def test_up_to_five_osds_are_a_small_cohort(osds: int, small: bool) -> None:
    assert CohortChannel(cohort(1, osds), LIMITS).small is small


def a_channel(hosts: int = 1, each: int = 3, channel: str = COMMIT) -> ChannelState:
    return ChannelState(channel, topology(hosts, each), LIMITS)


def only(state: ChannelState) -> CohortChannel:
    (found,) = state.cohort_channels.values()
    return found


@pytest.mark.parametrize(
    ("hours", "slots", "known"),
    [(48.0, 3, True), (47.9, 3, False), (48.0, 2, False), (60.0, 24, True)],
)
def test_a_baseline_needs_48_hours_and_6_hours_of_data(
    hours: float, slots: int, known: bool
) -> None:
    state = a_channel()
    state.slots = [array("b", [1, 2, 3]) for _ in range(slots)]
    only(state).born = DAWN
    state._learn_base(only(state), DAWN + hours * 3600)
    assert only(state).base == (pytest.approx({0: STEP, 1: 2 * STEP, 2: 3 * STEP}) if known else {})


def test_a_baseline_is_of_48_hours() -> None:
    """13 slots of two hours at one level and 11 at another: the longer time counts."""
    state = a_channel()
    state.slots = [array("b", [0, 0, 0])] * 13 + [array("b", [0, 25, 0])] * 11
    only(state).born = 0.0
    state._learn_base(only(state), 1e6)
    assert only(state).base[1] == 0.0


def test_slots_of_48_hours_are_kept() -> None:
    state = a_channel()
    for _ in range(_SLOTS + 3):
        state.segments = [coarse([0.0] * 3)] * 8
        state.close_slot(DAWN)
    assert len(state.slots) == _SLOTS


def test_a_slow_osd_is_not_learned_as_usual() -> None:
    state = a_channel()
    only(state).sustained.flags = {1: a_flag()}
    state.segments = [coarse([0.0, 0.5, 0.1]) for _ in range(8)]
    state.close_slot(0.0)
    assert state.slots[-1].tolist() == [0, NOTHING, round(0.1 / STEP)]
    assert state.segments == []


@pytest.mark.parametrize(
    ("own", "watched"),
    [(0.09, False), (0.1, True)],  # ln 1.1 is 0.095; z 5 of the floor is 0.1
)
def test_watched_are_those_with_1_1_times_and_z_5_over_a_day(own: float, watched: bool) -> None:
    state = a_channel(2, 12)
    row = coarse([0.0] * 24)
    row[7] = round(own / STEP)
    state.slots = [row for _ in range(12)]
    state._watch(only(state))
    assert (7 in only(state).watched) is watched
    state.slots = [row for _ in range(11)]
    state._watch(only(state))
    assert only(state).watched == {}


def test_a_watched_osd_says_how_slow_it_was_in_a_day() -> None:
    state = a_channel(2, 12)
    only(state).watched = {7: math.log(1.15)}
    said = _rule_sentences(state, only(state), 7)
    assert said == ["commit: 1.15 times its peers over 24 h."]
    assert _rule_sentences(state, only(state), 8) == []


def test_watched_needs_five_times_the_floor() -> None:
    state = a_channel(2, 12)
    limits = replace(LIMITS, segment_floor=0.05)
    state._set = limits
    row = coarse([0.0] * 24)
    row[7] = round(0.2 / STEP)
    state.slots = [row for _ in range(12)]
    state._watch(only(state))
    assert only(state).watched == {}


def test_risk_is_severity_times_hours_and_halves_in_a_day() -> None:
    state = a_channel()
    state._score([0.0, math.log(1.6), math.log(12)])
    assert list(state.risk) == pytest.approx([0.0, 0.25 * 3, 0.25 * 7])
    for _ in range(4 * 24):
        state._score([0.0, 0.0, 0.0])
    assert list(state.risk) == pytest.approx([0.0, 0.375, 0.875], rel=1e-3)


def test_the_largest_excess_is_kept() -> None:
    state = a_channel()
    for own in (0.3, 0.5, 0.2, 0.09):
        state._score([0.0, own, NAN])
    assert math.isnan(state.max_excess[0])
    assert state.max_excess[1] == pytest.approx(0.5)


@pytest.mark.parametrize(("minutes", "judged"), [(7, False), (8, True)])
def test_a_segment_needs_eight_minutes(minutes: int, judged: bool) -> None:
    state = a_channel(2, 12)
    state._minutes = [array("f", quiet(0.05)) for _ in range(minutes)]
    only(state).segment_scale = NAN
    state._effects = {name: [[0.0, 0.0]] for name in state.cohort_channels}
    state._centres = {name: [0.0] for name in state.cohort_channels}
    state.segment(0.0)
    assert bool(state.segments) is judged


def test_an_osd_has_the_median_of_its_minutes() -> None:
    minutes = [array("f", [own]) for own in (4.0, 1.0, 3.0, 9.0)]
    state = a_channel(1, 3)
    assert (state._medians(minutes), state._medians(minutes[:3])) == ([3.5], [3.0])


@pytest.mark.parametrize(("times", "out"), [(5, False), (6, True)])  # of 10 minutes
def test_excluded_from_a_segment_is_who_was_in_most_minutes(times: int, out: bool) -> None:
    state = a_channel(2, 12)
    seen: list[Segment] = []
    only(state).segment = lambda view, past: seen.append(view)  # type: ignore[method-assign]
    state._minutes = [array("f", quiet(0.05)) for _ in range(10)]
    state._excluded = {7: times}
    state._resting = {name: begun + times for name, begun in state._resting.items()}
    state.segment(0.0)
    assert seen[0].excluded == ({7} if out else set())
    assert seen[0].resting is out


def test_an_osd_that_is_added_begins_without_a_past() -> None:
    """Wherever it comes in the order; the others keep theirs."""
    state = a_channel(2, 12)
    state.newest = array("f", [0.5] * 24)
    state.slots = [coarse([0.5] * 24) for _ in range(12)]
    state._score([0.5] * 24)
    state.last_data = array("d", [DAWN] * 24)
    old = roster(2, 12).members
    new = [replace(old[0], osd=99, name="osd.99"), replace(old[-1], osd=100, name="osd.100")]
    state.adopt(Topology(Roster((*old, *new)), LIMITS.group_members))
    for osd in (99, 100):
        at = state.layout.place[osd]
        assert (state.now(osd), state.past(osd), state.risk[at]) == (None, None, 0.0)
        assert math.isnan(state.last_data[at])
        assert math.isnan(state.max_excess[at])
    for osd in (0, 11, 12, 23):
        assert (state.now(osd), state.past(osd)) == (0.5, 0.5)
        assert state.risk[state.layout.place[osd]] == 0.75


# the queue's floor


@pytest.mark.parametrize("idle", [False, True])
def test_in_the_queue_a_millisecond_is_added_for_minutes_and_bursts(idle: bool) -> None:
    state = a_channel(2, 12, QUEUE)
    given: list[Sequence[float]] = []
    (bursts,) = state.bursts.values()
    bursts.frame = lambda start, latency, *_: given.append(latency)  # type: ignore[method-assign]
    latency = [0.0001] * 24
    if idle:
        latency[3] = NAN
    state.frame(0.0, 15.0, latency, [100.0] * 24, [0.0] * 24, {})
    assert given[0][0] == pytest.approx(0.0011)
    assert state.sums[0] == pytest.approx(0.11)
    assert math.isnan(given[0][3]) is idle


# bursts


def bursts_of(size: int = 12) -> Bursts:
    made = Bursts(cohort(1, size), LIMITS)
    made.threshold = math.log(2)
    return made


def no_load(group: Any) -> list[float]:
    return [0.0] * 12


def burst(made: Bursts, ratio: float = 3.0, ops: float = 1e12, load: Any = no_load) -> None:
    latency = [0.01] * 12
    latency[5] *= ratio
    made.frame(15.0 * made.frames, latency, [ops] * 12, load, ())


def calm(made: Bursts, frames: int) -> None:
    for _ in range(frames):
        burst(made, 1.0)


def episodes(made: Bursts) -> int:
    return made.episodes[5].count if 5 in made.episodes else 0


@pytest.mark.parametrize(("frames", "count"), [(38, 1), (39, 2)])  # the second in frame 39 or 40
def test_bursts_within_ten_minutes_count_once(frames: int, count: int) -> None:
    made = bursts_of()
    burst(made)
    calm(made, frames)
    burst(made)
    assert episodes(made) == count


def test_a_drive_without_a_group_of_its_own_is_compared_with_the_whole_cohort() -> None:
    """Three hosts with one OSD each are slow together: among themselves they would be alike."""
    members = [Watched(osd, f"osd.{osd}", f"host-{max(0, osd - 11)}", "hdd") for osd in range(15)]
    (made,) = Topology(Roster(tuple(members)), LIMITS.group_members).cohorts
    assert [group.wide for group in made.groups] == [False, True]
    rule = Bursts(made, LIMITS)
    rule.threshold = math.log(2)
    latency = [0.03 if member.osd >= 12 else 0.01 for member in made.members]
    rule.frame(0.0, latency, [1e12] * 15, lambda group: [0.0] * 12, ())
    assert set(rule.episodes) == {12, 13, 14}


def test_a_host_without_data_hides_no_bursts_of_the_next_one() -> None:
    rule = Bursts(cohort(2, 12), LIMITS)
    rule.threshold = math.log(2)
    latency = [NAN] * 12 + [0.01] * 12
    latency[17] = 0.03
    rule.frame(0.0, latency, [1e12] * 24, no_load, ())
    assert set(rule.episodes) == {17}


@pytest.mark.parametrize(("apart", "count"), [(3, 1), (4, 3)])  # for 20 minutes and for 25
def test_a_burst_ends_after_a_calm_minute(apart: int, count: int) -> None:
    made = bursts_of()
    for _ in range(20):
        burst(made)
        calm(made, apart)
    assert episodes(made) == count


@pytest.mark.parametrize(("ratio", "counted"), [(1.99, False), (2.01, True)])
def test_a_burst_exceeds_the_threshold(ratio: float, counted: bool) -> None:
    made = bursts_of()
    burst(made, ratio)
    assert bool(episodes(made)) is counted


@pytest.mark.parametrize(("size", "peers"), [(11, 5.5), (12, 6.0)])
def test_a_burst_is_compared_with_the_median_of_the_others(size: int, peers: float) -> None:
    made = Bursts(cohort(1, size), LIMITS)
    made.threshold = math.log(2)
    latency = [float(1 + place) for place in range(size)]
    latency[-1] = 1000.0
    made.frame(0.0, latency, [1e12] * size, lambda group: [0.0] * size, ())
    (found,) = made.episodes.values()
    assert found.facts.excess == pytest.approx(math.log(1000 / peers))
    assert found.facts.peers == pytest.approx(math.log(peers))
    assert found.facts.members == size - 1


def test_load_can_explain_a_burst_and_never_makes_one() -> None:
    for explained, ratio, counted in ((0.5, 3.0, False), (-0.5, 1.9, False), (0.0, 3.0, True)):
        made = bursts_of()
        burst(made, ratio, load=lambda group, more=explained: [more] * 12)
        assert bool(episodes(made)) is counted


@pytest.mark.parametrize(
    ("ops", "counted"), [(200.0, False), (300.0, False), (330.0, True), (400.0, True)]
)
def test_a_frame_of_few_operations_needs_a_larger_ratio(ops: float, counted: bool) -> None:
    """Three standard errors of 2 / sqrt(ops): 0.42 or 0.30, beside ln 2 = 0.69 of ln 2.8 = 1.03."""
    made = bursts_of()
    burst(made, 2.8, ops)
    assert bool(episodes(made)) is counted


@pytest.mark.parametrize(("ratio", "counted"), [(1.9, False), (2.1, True)])
def test_a_frame_of_unknown_operations_counts_as_it_is(ratio: float, counted: bool) -> None:
    made = bursts_of()
    burst(made, ratio, 0.0)
    assert bool(episodes(made)) is counted


@pytest.mark.parametrize(
    ("by_hour", "flagged"),
    [
        ({0: 9, 1: 9}, True),
        ({0: 18}, False),  # all in one hour
        ({0: 8, 1: 9}, False),  # Anscombe's z 5.8
    ],
)
def test_enough_bursts_in_two_hours_or_more(by_hour: dict[int, int], flagged: bool) -> None:
    made = bursts_of()
    burst(made)
    made.frames = 480
    made.episodes[5].by_hour = by_hour
    made.judge(1000.0)
    assert (5 in made.flags) is flagged
    if flagged:
        assert (made.flags[5].since, made.flags[5].bursts) == (0.0, 18)


def test_a_flag_of_bursts_keeps_its_since() -> None:
    made = bursts_of()
    burst(made)
    made.episodes[5].by_hour = {0: 9, 1: 9}
    made.judge(1000.0)
    made.episodes[5].first = 777.0
    made.judge(2000.0)
    assert made.flags[5].since == 0.0


@pytest.mark.parametrize(
    ("hours", "count", "held"), [(24.0, 3, True), (24.1, 3, False), (24.1, 4, True)]
)
def test_a_flag_of_bursts_is_held_for_a_day(hours: float, count: int, held: bool) -> None:
    made = bursts_of()
    burst(made)
    made.episodes[5].by_hour = {0: 9, 1: 9}
    made.judge(0.0)
    made.episodes[5].by_hour = {0: count}
    made.judge(hours * 3600)
    assert (5 in made.flags) is held


@pytest.mark.parametrize(("hour", "left"), [(23, 9), (24, 4), (25, 0)])
def test_bursts_are_forgotten_after_24_hours(hour: int, left: int) -> None:
    made = bursts_of()
    burst(made)
    made.episodes[5].by_hour = {0: 5, 1: 4}
    made.episodes[5].frames = 18
    made._forget(hour)
    assert episodes(made) == left
    if left:
        assert made.episodes[5].frames == 2 * left


def test_the_counts_behind_the_threshold_are_halved_once_a_day() -> None:
    made = bursts_of()
    made._seen = 5760
    made._counts[0][5] = 100
    made._calibrate()
    assert (made._seen, made._counts[0][5]) == (2880, 50)
    made._calibrate()
    assert (made._seen, made._counts[0][5]) == (2880, 50)


@pytest.mark.parametrize(("seen", "known"), [(959, False), (960, True)])
def test_the_threshold_is_known_after_four_hours(seen: int, known: bool) -> None:
    made = Bursts(cohort(1, 12), LIMITS)
    made._seen = seen
    made._calibrate()
    assert made.threshold == (math.log(2) if known else math.inf)


def test_the_threshold_follows_the_frames_from_its_least_on() -> None:
    """The lowest candidate is that of which the margin makes the least threshold."""
    made = bursts_of()
    made._seen = 2000
    assert math.log(made._least) * LIMITS.burst_margin == pytest.approx(math.log(2))
    made._counts[0] = array("H", [2000] * 12)
    made._calibrate()
    assert made.threshold == pytest.approx(math.log(2) * 1.15)
    for counts in made._counts:
        counts[:] = array("H", [2000] * 12)
    made._calibrate()
    assert made.threshold == pytest.approx(math.log(2) * 1.15**12)


@pytest.mark.parametrize(
    ("members", "frames", "raised"),
    [(5, 3, False), (6, 3, True), (6, 2, False)],  # of 12; once in a thousand is 2 of 2,000
)
def test_the_threshold_rises_where_half_of_the_members_exceed_it(
    members: int, frames: int, raised: bool
) -> None:
    made = bursts_of()
    made._seen = 2000
    for rung in made._counts[:4]:
        for place in range(members):
            rung[place] = frames
    made._calibrate()
    assert (made.threshold > math.log(2)) is raised


def test_on_the_fifth_day_hourly_bursts_are_still_found() -> None:
    """What is usual is of days, so the slow drive's own frames must not become usual."""
    made = Bursts(cohort(1, 12), LIMITS)
    for hour in range(24 * 5):
        for at in range(240):
            burst(made, 3.0 if at in {0, 1} and hour >= 4 else 1.0)
            if at % 60 == 59:
                made.judge(15.0 * made.frames)
    assert 5 in made.flags
    assert made.flags[5].bursts in {23, 24}


# attribution


def ground(excess: float = 1.0, *, since: float = 0.0, z: float = 9.0) -> SlowEvidence:
    return SlowEvidence("sustained", COMMIT, a_flag(excess, since=since, z=z))


def test_a_cause_began_with_its_first_evidence_and_is_as_slow_as_its_worst() -> None:
    cause = Cause(cohort(), [ground(0.5, since=50.0), ground(0.9, since=90.0)], osd=1)
    assert (cause.since, cause.worst.flag.facts.excess) == (50.0, 0.9)


@pytest.mark.parametrize(
    ("size", "slow", "each"), [(48, 3, True), (48, 4, False), (24, 2, True), (24, 3, False)]
)
def test_at_most_a_twentieth_of_a_cohort_is_named_one_by_one(
    size: int, slow: int, each: bool
) -> None:
    """Rounded up: 3 of 48, and 2 of 24."""
    made = cohort(size // 12, 12)
    result = attribution.Attribution()
    osds = {13 * number % size: [ground()] for number in range(slow)}
    attribution._judge_cohort(made, osds, {}, LIMITS, result)
    assert bool(result.accused) is each
    assert len(result.causes) == (slow if each else 1)


@pytest.mark.parametrize(
    ("second", "named"),
    [(2, False), (4, False), (5, True)],  # of 8 OSDs of the other host
)
def test_a_rack_of_two_hosts_needs_both(second: int, named: bool) -> None:
    made = cohort(4, 8, racks=2)
    rack = next(unit for unit in made.units if unit.kind == "rack")
    first = [made.place[osd] for osd in range(8)]
    slow = {*first, *(made.place[osd] for osd in range(8, 8 + second))}
    assert attribution._mostly(made, rack, slow, LIMITS) is named


@pytest.mark.parametrize(("count", "named"), [(2, False), (3, True)])
def test_a_host_of_four_needs_three_slow_osds(count: int, named: bool) -> None:
    made = cohort(4, 4)
    unit = next(unit for unit in made.units if unit.kind == "host")
    assert attribution._mostly(made, unit, set(unit.members[:count]), LIMITS) is named


@pytest.mark.parametrize(("count", "named"), [(5, False), (6, True)])
def test_a_host_of_ten_needs_six_slow_osds(count: int, named: bool) -> None:
    made = cohort(4, 10)
    unit = next(unit for unit in made.units if unit.kind == "host")
    assert attribution._mostly(made, unit, set(unit.members[:count]), LIMITS) is named


@pytest.mark.parametrize(("kind", "each"), [("host", 14), ("rack", 12)])
def test_an_osd_compared_within_the_unit_is_named_beside_it(kind: str, each: int) -> None:
    """Its group is a host: as wide as the unit, or a part of it."""
    made = cohort(6, each, racks=2)
    unit = next(unit for unit in made.units if unit.kind == kind)
    wider = Cause(made, [ground(2.0)], unit=unit, slow=(0, 1, 2, 3))
    cause = Cause(made, [ground(0.5)], osd=made.members[unit.members[0]].osd, slow=(1,))
    assert attribution._more_than(cause, wider, LIMITS)
    other = next(each for each in made.units if each.kind == kind and each.id != unit.id)
    elsewhere = Cause(made, [ground(0.5)], osd=made.members[other.members[0]].osd, slow=(1,))
    assert not attribution._more_than(elsewhere, wider, LIMITS)


@pytest.mark.parametrize(("hits", "windows", "share"), [(0, 0, 0.0), (0, 4, 0.0), (3, 4, 0.75)])
def test_the_share_of_windows(hits: int, windows: int, share: float) -> None:
    assert Flag(0.0, FACTS, 1.0, hits, windows).share == share


def test_a_unit_is_as_slow_as_its_median_part() -> None:
    made = cohort(4, 3)
    unit = next(unit for unit in made.units if unit.id == "host-0")
    osds = {osd: [ground(excess, since=10.0 * osd)] for osd, excess in enumerate((0.4, 0.7, 2.0))}
    (found,) = attribution._shared_grounds(unit, osds, {}, made)
    assert found.flag.facts.excess == 0.7
    assert found.flag.since == 10.0
    assert found.path == attribution.SHARE


@pytest.mark.parametrize(("shared", "both"), [(2, True), (3, False)])  # of 4
def test_a_cause_mostly_inside_a_wider_one_is_left_out(shared: int, both: bool) -> None:
    made = cohort()
    unit = Unit("host", "a", (0, 1))
    wide = Cause(made, [ground()], unit=unit, slow=tuple(range(8)))
    inside = Cause(made, [ground()], unit=unit, slow=tuple(range(8 - shared, 12 - shared)))
    assert attribution._widest([inside, wide]) == ([wide, inside] if both else [wide])


@pytest.mark.parametrize(
    ("own", "z", "more"),
    [
        (0.4 + math.log(1.2) + HAIR, 40.0, True),
        (0.4 + math.log(1.2) - HAIR, 40.0, False),  # surely more, but not 1.2 times
        (0.8, 10.0 + HAIR, True),
        (0.8, 10.0 - 1e-3, False),  # half of the excess is its own: z 5 is not reached
    ],
)
def test_an_osd_is_named_beside_its_unit_if_surely_slower(own: float, z: float, more: bool) -> None:
    made = cohort(6, 4)  # the cohort is the reference
    unit = next(unit for unit in made.units if unit.id == "host-0")
    wider = Cause(made, [ground(0.4)], unit=unit, slow=(0, 1, 2, 3))
    cause = Cause(made, [ground(own, z=z)], osd=1, slow=(1,))
    assert attribution._more_than(cause, wider, LIMITS) is more


@pytest.mark.parametrize(("offset", "one"), [(1799.0, True), (1800.0, True), (1800.25, False)])
def test_units_within_half_an_hour_began_at_once(offset: float, one: bool) -> None:
    made = cohort()
    causes = [Cause(made, [ground(since=since)]) for since in (0.0, offset)]
    assert (attribution._at_once(causes[0], causes) == 2) is one


@pytest.mark.parametrize(("hits", "of_bursts"), [(10, True), (11, False)])
def test_an_acute_flag_of_ten_minutes_may_be_a_burst(hits: int, of_bursts: bool) -> None:
    made = bursts_of()
    made.folded.seen = {5: 1}
    assert attribution._is_burst(5, a_flag(hits=hits), made) is of_bursts
    assert not attribution._is_burst(6, a_flag(hits=hits), made)


@pytest.mark.parametrize(("hits", "paths"), [(10, ["sustained"]), (11, ["acute", "sustained"])])
def test_bursts_with_a_common_cause_are_no_evidence_of_acute_slowness(
    hits: int, paths: list[str]
) -> None:
    state = a_channel(2, 12)
    state.bursts[state.layout.cohorts[0].name].folded.seen = {5: 1}
    only(state).acute.flags = {5: a_flag(hits=hits)}
    only(state).sustained.flags = {5: a_flag()}
    found = attribution._osd_grounds([state], state.layout.cohorts[0])
    assert [evidence.path for evidence in found[5]] == paths


# hosts, racks


def host_segment(level: float, *, missing: int = 0, noise: float = 0.03) -> Segment:
    """Six hosts of four in one group; the first is slower by ``level``, some without data."""
    excess = quiet(noise, 24)
    for place in range(4):
        excess[place] = NAN if place < missing else excess[place] + level
    return a_segment(excess, groups=1)


def judged(domains: FaultDomains, channel: CohortChannel, view: Segment, times: int) -> None:
    channel.segment_scale = 0.03
    for _ in range(times):
        domains.segment(channel, view)


@pytest.mark.parametrize(("ratio", "flagged"), [(1.48, False), (1.53, True)])
def test_a_host_against_the_others(ratio: float, flagged: bool) -> None:
    domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(6, 4), LIMITS)
    judged(domains, channel, host_segment(math.log(ratio)), 2)
    assert not domains.sustained.flags
    judged(domains, channel, host_segment(math.log(ratio)), 1)
    assert set(domains.sustained.flags) == ({("host", "host-0")} if flagged else set())
    assert all(flag.facts.members == 5 for flag in domains.sustained.flags.values())


@pytest.mark.parametrize("members", [4, 5, 9])
def test_a_host_is_as_sure_as_the_median_of_its_osds(members: int) -> None:
    """1.25 times the members' spread over the root of their number."""
    channel = CohortChannel(cohort(6, members), LIMITS)
    channel.segment_scale = 0.4
    view = a_segment([0.0] * (6 * members), groups=len(channel.cohort.groups))
    hits: dict[tuple[str, str], Facts] = {}
    units = {("host", f"host-{at}"): (1.0 if at == 0 else 0.0, members) for at in range(6)}
    FaultDomains(LIMITS)._against_others(channel, view, units, 1.0, hits)
    assert hits["host", "host-0"].z == pytest.approx(math.sqrt(members) / (1.25 * 0.4))


@pytest.mark.parametrize("all_of_them", [-2.0, -0.3, 0.0, 0.3, 2.0])
@pytest.mark.parametrize("slow", [1, LIMITS.generation_units, LIMITS.generation_units + 1])
def test_hosts_are_judged_by_what_they_differ(slow: int, all_of_them: float) -> None:
    """More than so many as slow as each other are a generation, wherever all hosts are."""
    channel = CohortChannel(cohort(14, 4), LIMITS)
    view = a_segment([0.0] * 56, groups=len(channel.cohort.groups))
    levels = [all_of_them + (1.0 if at < slow else 0.0) for at in range(14)]
    units = {("host", f"host-{at}"): (level, 4) for at, level in enumerate(levels)}
    domains, hits = FaultDomains(LIMITS), dict[tuple[str, str], Facts]()
    domains._against_others(channel, view, units, 1.0, hits)
    found = domains.generation if slow > LIMITS.generation_units else hits
    assert set(found) == {("host", f"host-{at}") for at in range(slow)}
    assert len(domains.generation) + len(hits) == slow


@pytest.mark.parametrize(
    ("before", "scale", "named"),
    [
        (0.0, 0.03, True),
        (0.5, 0.03, False),  # 1.65 times as slow before, so it is not twice as slow now
        (None, 0.03, True),
        (None, 0.204, True),  # z 6.2
        (None, 0.216, False),  # z 5.8
    ],
)
def test_an_acute_host_is_slower_than_the_others_and_than_it_was(
    before: Optional[float], scale: float, named: bool
) -> None:
    """At 2.2 times the others."""
    channel = CohortChannel(cohort(6, 4), LIMITS)
    channel.minute_scale = scale
    domains = FaultDomains(LIMITS)
    if before is not None:
        domains.past["host", "host-0"].learn(before)
    excess = [math.log(2.2) if place < 4 else 0.0 for place in range(24)]
    for number in range(3):
        found = Residuals(excess, [0.0], 0.0, 24)
        domains.minute(channel, 60.0 * number, found, math.log(2), 6.0)
    assert bool(domains.acute.flags) is named
    assert all(flag.facts.members == 5 for flag in domains.acute.flags.values())


@pytest.mark.parametrize(("ratio", "flagged"), [(1.17, False), (1.23, True)])
@pytest.mark.parametrize(("before", "known"), [(19, False), (20, True), (300, True)])
def test_a_host_against_its_own_past(ratio: float, flagged: bool, before: int, known: bool) -> None:
    domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(6, 4), LIMITS)
    judged(domains, channel, host_segment(0.0, noise=0.02), before)
    judged(domains, channel, host_segment(math.log(ratio), noise=0.02), 3)
    assert bool(domains.sustained.flags) is (flagged and known)
    assert all(flag.facts.members == 5 for flag in domains.sustained.flags.values())


def test_a_host_does_not_learn_while_it_is_slow() -> None:
    domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(6, 4), LIMITS)
    judged(domains, channel, host_segment(0.0), 24)
    judged(domains, channel, host_segment(math.log(1.6)), 24 * 8)
    past = domains.past["host", "host-0"]
    assert (len(past.slots), len(past.open)) == (1, 0)
    assert set(domains.sustained.flags) == {("host", "host-0")}
    assert len(domains.past["host", "host-1"].slots) == 9


@pytest.mark.parametrize(("missing", "judged_too"), [(2, True), (3, False)])
def test_a_host_is_judged_by_half_of_its_osds_and_two(missing: int, judged_too: bool) -> None:
    domains, channel = FaultDomains(LIMITS), CohortChannel(cohort(6, 4), LIMITS)
    judged(domains, channel, host_segment(1.0, missing=missing), 3)
    assert bool(domains.sustained.flags) is judged_too


def test_a_host_with_data_of_less_than_half_of_its_osds_is_not_judged() -> None:
    channel = CohortChannel(cohort(4, 5), LIMITS)
    domains = FaultDomains(LIMITS)
    for with_data, flagged in ((2, False), (3, True)):
        excess = quiet(0.03, 20)
        for place in range(5):
            excess[place] = 1.0 if place < with_data else NAN
        judged(domains, channel, a_segment(excess, groups=1), 3)
        assert bool(domains.sustained.flags) is flagged


@pytest.mark.parametrize(("values", "usual"), [(19, None), (20, 1.0), (24, 1.0)])
def test_the_usual_value_is_known_after_five_hours(values: int, usual: Optional[float]) -> None:
    past = RollingBaseline()
    assert past.so_far is None
    for _ in range(values):
        past.learn(1.0)
    assert past.usual == usual
    assert past.so_far == 1.0
    assert (len(past.slots), len(past.open)) == ((1, 0) if values == 24 else (0, values))


def test_the_usual_value_is_of_a_week() -> None:
    past = RollingBaseline()
    for day in range(30):
        for _ in range(96):
            past.learn(float(day))
    assert len(past.slots) == 28
    assert past.usual == pytest.approx(26.0, abs=0.51)


# the detector's clock


def frame_at(members: Roster, start: float, marks: Optional[list[int]] = None) -> Frame:
    size = len(members.members)
    latency, ops = {COMMIT: [0.01] * size}, {COMMIT: [100.0] * size}
    return Frame(start, start + 15, members, latency, ops, [NAN] * size, marks or [0] * size)


@pytest.mark.parametrize(("ops", "seen"), [(7.9, False), (8.0, True)])
@pytest.mark.parametrize("idle", [False, True])
def test_a_burst_needs_a_frames_share_of_32_operations_a_minute(
    ops: float, seen: bool, idle: bool
) -> None:
    """Whether all others have data or one of them has none."""
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    detector.step(frame_at(members, DAWN))
    given: list[Sequence[float]] = []
    (bursts,) = detector.channel_states[COMMIT].bursts.values()
    bursts.frame = lambda start, latency, *_: given.append(latency)  # type: ignore[method-assign]
    counts = [100.0] * 24
    counts[7] = ops
    latency = [0.01] * 24
    if idle:
        latency[3] = NAN
    frame = replace(frame_at(members, DAWN + 15), ops={COMMIT: counts}, latency={COMMIT: latency})
    detector.step(frame)
    assert (not math.isnan(given[0][7])) is seen


@pytest.mark.parametrize(("frames", "minutes"), [(1, 0), (2, 1), (4, 1)])
def test_a_minute_needs_half_of_its_frames(frames: int, minutes: int) -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    for number in range(frames):
        detector.step(frame_at(members, DAWN + 15 * number))
    detector.step(frame_at(members, DAWN + 60))
    assert only(detector.channel_states[COMMIT]).minutes == minutes


def test_each_minute_needs_half_of_its_frames_of_its_own() -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    for number in (0, 1, 2, 3, 5, 8, 9, 12):  # four, one and two frames of a minute
        detector.step(frame_at(members, DAWN + 15 * number))
    assert only(detector.channel_states[COMMIT]).minutes == 2


def test_a_minute_in_which_nobody_did_anything_is_none() -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    for number in range(9):
        frame = frame_at(members, DAWN + 15 * number)
        if number >= 4:
            frame = replace(frame, ops={COMMIT: [0.0] * 24}, latency={COMMIT: [NAN] * 24})
        else:  # one OSD is idle
            frame = replace(frame, ops={COMMIT: [0.0] + [100.0] * 23})
        detector.step(frame)
    assert only(detector.channel_states[COMMIT]).minutes == 1


def test_a_cohort_that_appears_is_watched_beside_the_others() -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    for number in range(8):
        detector.step(frame_at(members, DAWN + 15 * number))
    new = tuple(replace(one, osd=one.osd + 100, cohort="ssd") for one in members.members)
    larger = Roster((*members.members, *new))
    for number in range(8, 17):
        detector.step(frame_at(larger, DAWN + 15 * number))
    minutes = {
        name: channel.minutes
        for name, channel in detector.channel_states[COMMIT].cohort_channels.items()
    }
    assert minutes == {"hdd": 4, "ssd": 2}


def test_the_load_of_a_minute_is_the_mean_of_its_frames() -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    views: list[MinuteView] = []
    for number, load in enumerate((1.0, 2.0, 2.0, 1.0)):
        if number == 1:
            state = detector.channel_states[COMMIT]
            state.minute = lambda view, *_: views.append(view)  # type: ignore[method-assign]
        detector.step(replace(frame_at(members, DAWN + 15 * number), load=[load] * 24))
    assert [list(view._load) for view in views] == [[1.5] * 24]


def test_a_clock_that_is_set_back_closes_the_quarter_of_an_hour() -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    for number in range(40):
        detector.step(frame_at(members, DAWN + 15 * number))
    closed: list[float] = []
    detector.channel_states[COMMIT].segment = lambda start: closed.append(start)  # type: ignore[method-assign]  # noqa: PLW0108
    detector.step(frame_at(members, DAWN - 7200))
    assert closed == [DAWN // 900 * 900]


def test_marks_of_a_minute_add_up() -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    for number, mark in enumerate((Mark.RECOVERING, Mark.SCRUBBING, Mark(0))):
        marks = [0] * 24
        marks[7] = int(mark)
        detector.step(frame_at(members, DAWN + 15 * number, marks))
    assert detector._marks == {7: int(Mark.RECOVERING | Mark.SCRUBBING)}
    assert detector.marks == {}


def test_of_two_cohorts_the_slower_speaks_for_the_host() -> None:
    members = tuple(
        replace(member, cohort="ssd" if member.osd % 2 else "hdd")
        for member in roster(5, 8).members
    )
    farm = Farm(Roster(members), noise=0.05).run(70 * MINUTE)
    for hdd, ssd in ((4, 8), (8, 4)):
        fault = lambda at, osd, odd=ssd, even=hdd: (odd if osd % 2 else even) if osd < 8 else 1.0  # noqa: E731
        farm.run(6 * MINUTE, fault)
        (claim,) = farm.detector.claims()
        assert str(claim.target) == "host host-0" or claim.target.id == "host-0"
        assert claim.evidence["ratio"] == pytest.approx(8, rel=0.2)
        farm.run(20 * MINUTE, slower(set(), 1))
        assert farm.named == set()


@pytest.mark.parametrize("behind", [0.0, 300.0])
def test_a_mgr_whose_clock_is_behind_goes_on_at_once(behind: float) -> None:
    farm = Farm(roster(2, 12)).run(10 * MINUTE)
    state = json.loads(json.dumps(farm.detector.save()))
    detector = SlowDetector(LIMITS)
    now = farm.start + 15 * farm.at - behind
    detector.restore(state, now)
    assert detector.now == now
    before = only(detector.channel_states[COMMIT]).minutes
    for number in range(8):
        detector.step(frame_at(farm.roster, now + 15 * number))
    assert only(detector.channel_states[COMMIT]).minutes >= before + 1


@pytest.mark.parametrize(("gap", "kept"), [(585.0, True), (600.0, False), (-0.5, True)])
def test_a_gap_of_ten_minutes_drops_unfinished_windows(gap: float, kept: bool) -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    for number in range(5):
        detector.step(frame_at(members, DAWN + 15 * number))
    channel = only(detector.channel_states[COMMIT])
    channel.acute.step(DAWN, {7: FACTS}, lambda _: None, 0.1)
    detector.step(frame_at(members, DAWN + 75 + gap))
    assert (7 in channel.acute.recent) is kept


# properties


@pytest.mark.parametrize("path", ["minute", "segment"])
def test_more_latency_never_makes_an_osd_less_suspect(path: str) -> None:
    found = []
    for step in range(60):
        ratio = 1.0 + 0.05 * step
        if path == "minute":
            found.append(acute_after(ratio, 0.08, minutes=10) or 99)
        else:
            hit = sustained_hit(math.log(ratio), 0.08)
            found.append(-round(hit.z) if hit else 99)
    assert found == sorted(found, reverse=True)


def test_the_order_of_osds_does_not_matter() -> None:
    """The same cluster, with its OSDs listed the other way round."""
    farm = Farm(roster(4, 12), noise=0.05, channels=(COMMIT, READ))
    other = SlowDetector(LIMITS)
    turned = Roster(tuple(reversed(farm.roster.members)))
    farm.fault = lambda at, osd: 4.0 if osd == 7 else 1.6 if 24 <= osd < 36 else 1.0
    for _ in range(90 * MINUTE):
        frame = farm.frame()
        farm.detector.step(frame)
        other.step(
            Frame(
                frame.start,
                frame.end,
                turned,
                {name: list(reversed(own)) for name, own in frame.latency.items()},
                {name: list(reversed(own)) for name, own in frame.ops.items()},
                list(reversed(frame.load)),
                list(reversed(frame.marks)),
            )
        )
    key = lambda claim: str(claim.target)  # noqa: E731
    assert farm.named == {"osd.7", "host host-2"}
    ours, theirs = sorted(farm.detector.claims(), key=key), sorted(other.claims(), key=key)
    assert [str(claim.target) for claim in ours] == [str(claim.target) for claim in theirs]
    for one, two in zip(ours, theirs):
        assert one.since == two.since
        assert one.evidence["ratio"] == pytest.approx(two.evidence["ratio"], rel=1e-3)


def test_an_osd_is_silent_after_a_quarter_of_an_hour() -> None:
    detector, members = SlowDetector(LIMITS), roster(2, 12)
    for number in range(40):
        detector.step(frame_at(members, DAWN + 15 * number))
    state = detector.channel_states[COMMIT]
    last = state.last_data[state.layout.place[7]]
    for later, seen in ((900.0, True), (901.0, False)):
        detector.now = last + later
        assert (worst_now(detector, state.layout.cohorts[0], 7) is not None) is seen


def test_saved_and_read_back_in_between_it_decides_the_same() -> None:
    """A slow OSD beside one with bursts, with a failover every 105 minutes."""

    def fault(at: int, osd: int) -> float:
        if osd == 30 and at > 4 * 240:
            return 1.5
        if osd == 5 and at % 40 < 2:
            return 4.0
        return 1.0

    one, two = (Farm(roster(3, 12), noise=0.05, fault=fault) for _ in range(2))
    for step in range(7 * 4):
        one.run(15 * MINUTE)
        two.run(15 * MINUTE)
        if step % 7 == 6:
            state = json.loads(json.dumps(two.detector.save(), allow_nan=False))
            two.detector = SlowDetector(LIMITS)
            two.detector.restore(state, two.start + 15 * two.at)
    assert one.named >= {"osd.30"}
    assert two.named == one.named


# groups, causes in common, reasons


@pytest.mark.parametrize(("each", "wide"), [(5, True), (6, False)])
def test_six_osds_of_a_host_are_their_own_reference(each: int, wide: bool) -> None:
    made = cohort(4, each)
    assert {group.wide for group in made.groups} == {wide}
    assert len(made.groups) == (1 if wide else 4)


@pytest.mark.parametrize(
    ("usual", "folded"), [(0.49, True), (0.5, False), (0.51, False), (None, False)]
)
def test_what_was_half_as_slow_before_has_not_begun(usual: Optional[float], folded: bool) -> None:
    channel = CohortChannel(cohort(10), LIMITS)
    slow = [channel.cohort.place[12 * host + 3] for host in range(5)]
    for number in range(3):
        excess = quiet(0.02, 120)
        for place in slow:
            excess[place] = 0.4
        view = replace(a_segment(excess, groups=10), start=900.0 * number)
        channel.segment(view, lambda _: None if usual is None else usual * 0.4)
    assert len(channel.sustained.flags) == 5
    assert bool(channel.sustained_folded.seen) is folded


def test_a_fold_ends_with_its_flags() -> None:
    channel = CohortChannel(cohort(10), LIMITS)
    channel.acute_folded.seen = {3: 5}
    channel._fold_minute(0.0, [0.0] * 120, ())
    assert channel.acute_folded.seen == {}


@pytest.mark.parametrize("size", [12, 18])
def test_one_quiet_minute_of_few_osds_does_not_make_the_rule_sharper(size: int) -> None:
    channel = CohortChannel(cohort(1, size), LIMITS)
    for number in range(20):
        channel.minute(a_minute(number, quiet(0.2, size)), 1)
    assert channel.minute_scale == pytest.approx(0.2, rel=0.05)
    channel.minute(a_minute(20, quiet(0.03, size)), 1)
    assert channel.minute_scale > 0.15
    channel.minute(a_minute(21, quiet(0.6, size)), 1)
    assert channel.minute_scale == pytest.approx(0.6, rel=0.05)


@pytest.mark.parametrize(("marked", "out"), [(5, False), (6, True)])  # of 10 minutes
def test_minutes_with_a_mark_are_counted(marked: int, out: bool) -> None:
    state = a_channel(2, 12)
    seen: list[Segment] = []
    only(state).segment = lambda view, past: seen.append(view)  # type: ignore[method-assign]
    for number in range(10):
        marks = {7: int(Mark.RECOVERING)} if number < marked else {}
        view = MinuteView(DAWN + 60.0 * number, 60.0, [NAN] * 24, marks)
        state.minute(view, [1.0] * 24, [100.0] * 24, 1)
    state.segment(DAWN)
    assert seen[0].excluded == ({7} if out else set())


@pytest.mark.parametrize(("osds", "code"), [(1, "alone"), (2, "cold")])
def test_an_osd_without_peers_is_alone(osds: int, code: str) -> None:
    state = a_channel(1, osds)
    found = no_data_reason(LIMITS, {COMMIT: state}, state.layout.cohorts[0], 0)
    assert found.code == code


@pytest.mark.parametrize(
    ("marks", "code"),
    [
        (Mark(0), "idle"),
        (Mark.SCRUBBING | Mark.RESTARTED | Mark.RECOVERING, "idle"),
        (Mark.BENCHED | Mark.SCRUBBING, "benched"),
        (Mark.BENCHED | Mark.STALE, "silent"),
        (Mark.STALE | Mark.DOWN, "down"),
        (Mark.DISTURBED, "idle"),
    ],
)
def test_why_an_osd_has_no_data_is_said_by_its_gravest_mark(marks: Mark, code: str) -> None:
    state = a_channel(1, 6)
    only(state).minutes = 100
    found = no_data_reason(LIMITS, {COMMIT: state}, state.layout.cohorts[0], int(marks))
    assert found.code == code


def test_all_osds_of_a_cohort_are_no_unit() -> None:
    """There is nothing to compare it with."""
    assert cohort(1, 12).units == ()
    assert [unit.key for unit in cohort(2, 12).units] == [("host", "host-0"), ("host", "host-1")]


@pytest.mark.parametrize(("minutes", "code"), [(4, "cold"), (5, "idle")])
def test_five_minutes_with_data_are_needed(minutes: int, code: str) -> None:
    state = a_channel(1, 6)
    only(state).minutes = minutes
    assert no_data_reason(LIMITS, {COMMIT: state}, state.layout.cohorts[0], 0).code == code
