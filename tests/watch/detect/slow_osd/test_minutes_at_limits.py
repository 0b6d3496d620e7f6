"""What a cohort makes of minutes and segments: what is added, learned and folded, at its limits."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farm import DAWN, Farm, roster
from perf_bench.model.frame import COMMIT, JUDGED, QUEUE, Roster
from perf_bench.model.statistics import spread
from perf_bench.watch.detect.slow_osd.channel import ChannelState
from perf_bench.watch.detect.slow_osd.cohort_channel import CohortChannel
from perf_bench.watch.detect.slow_osd.packing import NOTHING
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology
from perf_bench.watch.detect.slow_osd.windows import Minute, Residuals, RunningScale, Segment

NAN = math.nan
LIMITS = Thresholds()
HAIR = 1e-6
EACH = 12


def cohort(hosts: int = 2, each: int = EACH) -> Cohort:
    return Topology(roster(hosts, each), LIMITS.group_members).cohorts[0]


def state(hosts: int = 2, each: int = EACH, channel: str = COMMIT) -> ChannelState:
    return ChannelState(channel, Topology(roster(hosts, each), LIMITS.group_members), LIMITS)


def in_threes(size: float, members: int = 24) -> list[float]:
    return [(place % 3 - 1) * size for place in range(members)]


# --- frames ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("latency", "ops", "seconds", "counted", "kept"),
    [
        (0.01, 100.0, 1.0, 100.0, 0.01),
        (0.01, 8.0, 0.08, 8.0, 0.01),
        (0.01, 7.9, 0.079, 7.9, NAN),  # too few for a frame, and added to the minute
        (0.01, 0.0, 0.0, 0.0, NAN),
        (0.01, NAN, 1e4, 1e6, 0.01),
        (0.01, math.inf, 1e4, 1e6, 0.01),
        (0.01, -1.0, 1e4, 1e6, 0.01),
        (NAN, 100.0, 0.0, 0.0, NAN),
        (0.0, 100.0, 0.0, 0.0, NAN),
        (1e-9, 100.0, 0.0, 0.0, NAN),
        (1.1e-9, 100.0, 1.1e-7, 100.0, 1.1e-9),
        (1e9, 100.0, 0.0, 0.0, NAN),
        (9.9e8, 1.0, 9.9e8, 1.0, NAN),
        (-0.01, 100.0, 0.0, 0.0, NAN),
    ],
)
def test_what_a_frame_adds(
    latency: float, ops: float, seconds: float, counted: float, kept: float
) -> None:
    made = state(1, 2)
    found = made._gather_partly([latency, 0.02], [ops, 50.0], 8.0)
    assert found == pytest.approx([kept, 0.02], nan_ok=True)
    sums, counts = made.take_minute()
    assert sums == pytest.approx([seconds, 1.0])
    assert counts == [counted, 50.0]
    assert made.take_minute() == ([0.0, 0.0], [0.0, 0.0])


@given(
    st.lists(st.tuples(st.floats(1e-6, 1e3), st.floats(8.0, 1e6)), min_size=6, max_size=6),
    st.sampled_from([COMMIT, QUEUE]),
)
def test_frames_add_the_same_with_and_without_an_osd_that_is_idle(
    figures: Sequence[tuple[float, float]], channel: str
) -> None:
    """With one without data the others are added one by one."""
    latency, ops = [list(each) for each in zip(*figures)]
    whole, partly = state(1, 6, channel), state(1, 6, channel)
    whole.frame(DAWN, 15.0, latency, ops, [NAN] * 6, {})
    partly.frame(DAWN, 15.0, [*latency[:5], NAN], ops, [NAN] * 6, {})
    for all_of_them, some in zip(whole.take_minute(), partly.take_minute()):
        assert some == pytest.approx([*all_of_them[:5], 0.0])
    floor = 0.001 if channel == QUEUE else 0.0
    whole.frame(DAWN, 15.0, latency, None, [NAN] * 6, {})
    sums, counts = whole.take_minute()
    assert sums == pytest.approx([1e6 * (own + floor) for own in latency])
    assert counts == [1e6] * 6


@pytest.mark.parametrize("channel", JUDGED)
def test_to_waits_in_the_queue_alone_a_millisecond_is_added(channel: str) -> None:
    made = state(1, 2, channel)
    made.frame(DAWN, 15.0, [0.01, 0.01], [100.0, 100.0], [NAN] * 2, {})
    assert made.take_minute()[0] == pytest.approx([1.1 if channel == QUEUE else 1.0] * 2)


def test_the_load_of_an_osd_is_of_its_own_group_and_cohort() -> None:
    members = [*roster(1, 6, cohort="a").members]
    members += [replace(one, osd=one.osd + 6, cohort="b") for one in roster(2, 6).members]
    layout = Topology(Roster(tuple(members)), LIMITS.group_members)
    made = ChannelState(COMMIT, layout, LIMITS)
    first, second = layout.cohorts
    slope = made.cohort_channels["b"].slope
    slope.products, slope.squares = 0.5 * 1001, 1000.0
    load = [1e3] * 6 + [1e6] * 5 + [2e6] + [3e6] * 5 + [12e6]
    found = [made._explained(second, load, group) for group in second.groups]
    assert found[0] == pytest.approx([0.0] * 5 + [0.5 * math.log(2)], abs=1e-5)
    assert found[1] == pytest.approx([0.0] * 5 + [0.5 * math.log(4)], abs=1e-5)
    assert made._explained(first, load, first.groups[0]) == [0.0] * 6


@pytest.mark.parametrize(
    ("minutes", "median"),
    [
        ([0.1] * 8, 0.1),
        ([0.1] * 4 + [0.3] * 4, 0.2),
        ([0.1] * 4 + [0.3] * 5, 0.3),
        ([0.1] * 7 + [NAN] * 8, NAN),
        ([0.1] * 8 + [NAN] * 7, 0.1),
        ([0.1, 0.2, 0.4, 0.8] * 2 + [NAN], 0.3),
        ([NAN] * 9, NAN),
    ],
)
def test_the_median_of_eight_minutes_or_more(minutes: Sequence[float], median: float) -> None:
    rows = [array("f", [own, 0.5]) for own in minutes]
    found = state(1, 2)._medians(rows)
    assert found == pytest.approx([median, 0.5], nan_ok=True)


@pytest.mark.parametrize("excess", [[0.1, NAN, 0.3], [0.1, 0.2, 0.3]])
def test_when_an_osd_had_data_last(excess: Sequence[float]) -> None:
    made = state(1, 3)
    made._note_data([0.0, 0.0, NAN], 60.0)
    made._note_data(excess, 120.0)
    then = [120.0, 120.0 if excess[1] == 0.2 else 60.0, 120.0]
    assert list(made.last_data) == then


def test_all_that_is_known_moves_with_its_osd() -> None:
    """To another roster in another order, with one OSD more and one less."""
    made = state(1, 4)
    made.newest, made.max_excess = (array("f", range(4)) for _ in range(2))
    made.risk, made.last_data = array("f", range(4)), array("d", range(4))
    made.segments, made.slots = ([array("b", range(4))] for _ in range(2))
    members = {one.osd: one for one in roster(1, 6).members}
    new = Roster(tuple(members[osd] for osd in (5, 3, 1, 0)))
    made.adopt(Topology(new, LIMITS.group_members))
    assert made.layout.ids == [0, 1, 3, 5]
    for row in (made.newest, made.max_excess, made.last_data):
        assert list(row) == pytest.approx([0, 1, 3, NAN], nan_ok=True)
    assert list(made.risk) == [0, 1, 3, 0]
    assert [list(row) for row in (*made.segments, *made.slots)] == [[0, 1, 3, NOTHING]] * 2


# --- what is learned -------------------------------------------------------------------------

FIRST, SECOND = spread(in_threes(0.1)), spread(in_threes(0.05))
CHANGED = 1.4826 * 0.05 / math.sqrt(2)


@pytest.mark.parametrize(
    ("size", "scale"),
    [
        (5, CHANGED),
        (6, SECOND),  # and what they change by is less
        (11, SECOND),
        (12, (FIRST + SECOND) / 2),  # not less than in the minutes before
        (23, (FIRST + SECOND) / 2),
        (24, SECOND),
        (36, SECOND),
    ],
)
def test_the_scale_of_a_minute_by_the_size_of_the_cohort(size: int, scale: float) -> None:
    made = cohort(1, size)
    channel = CohortChannel(made, LIMITS)
    for number, each in enumerate((0.1, 0.05)):
        view = Minute(60.0 * number, [0.0] * size, [1e12] * size, [0.0] * size, {})
        found = Residuals(in_threes(each, size), [0.0] * len(made.groups), -4.0, size)
        channel._learn_minute(view, found, frozenset())
    assert channel.minute_scale == pytest.approx(scale, rel=0.02)
    assert (channel.minutes, channel.born, channel.last, channel.centre) == (2, 0.0, 60.0, -4.0)


@pytest.mark.parametrize("size", [23, 24, 36])
def test_the_scale_of_a_segment_by_the_size_of_the_cohort(size: int) -> None:
    made = cohort(1, size)
    channel = CohortChannel(made, LIMITS)
    for each in (0.1, 0.05):
        channel._learn_segment(a_segment(in_threes(each, size)))
    scale = SECOND if size >= 24 else (FIRST + SECOND) / 2
    assert channel.segment_scale == pytest.approx(scale, rel=0.02)


def a_segment(excess: Sequence[float], centre: float = -4.0, *, resting: bool = False) -> Segment:
    some = [1e12] * len(excess)
    effects = [0.25, 0.5]
    return Segment(0.0, excess, effects, centre, some, frozenset(), resting, [excess])


@pytest.mark.parametrize(("minutes", "after"), [(0, 5), (1, 4), (2, 3), (100, 3)])
def test_the_third_minute_is_the_first_that_is_judged(minutes: int, after: int) -> None:
    made = cohort()
    channel = CohortChannel(made, LIMITS)
    channel.minutes = minutes
    level = [math.log(0.01) + own for own in in_threes(0.02)]
    level[7] += math.log(4)
    for number in range(1, 9):
        view = Minute(60.0 * number, level, [1e12] * 24, [0.0] * 24, {})
        channel.minute(view, 1)
        if channel.acute.flags:
            break
    assert (number, set(channel.acute.flags)) == (after, {7})


@pytest.mark.parametrize(("centre", "resting", "judged"), [(-4.0, False, True), (-4.0, True, False),
                                                           (NAN, False, False)])  # fmt: skip
def test_a_segment_in_which_too_many_rest_is_none(
    centre: float, resting: bool, judged: bool
) -> None:
    channel = CohortChannel(cohort(), LIMITS)
    channel.segment(a_segment(in_threes(0.1), centre, resting=resting), lambda _: None)
    assert math.isnan(channel.segment_scale) is not judged
    assert len(channel._rows) == judged


@pytest.mark.parametrize(("load", "more"), [([], 0.0), ([0.0] * 13 + [0.125] + [0.0] * 10, 0.125)])
def test_the_figures_of_a_segment(load: list[float], more: float) -> None:
    made = cohort()
    channel = CohortChannel(made, LIMITS)
    channel.segment_scale, channel.load = 0.03, load
    view = replace(a_segment([0.5] * 24), ops=[400.0] * 24)
    facts = channel._segment_facts(view, 13, 0.4)
    assert facts.z == pytest.approx(0.4 / math.hypot(0.03, 1 / 20))
    assert (facts.excess, facts.peers, facts.load, facts.members) == (0.5, -3.5, more, 11)
    assert facts.level == -3.0 + more


@pytest.mark.parametrize(("more", "slower"), [(-0.01, False), (0.01, True)])
def test_a_cohort_whose_level_differs_anyway_is_slower_by_five_deviations(
    more: float, slower: bool
) -> None:
    """In quarters of a day it was at -0.2, 0 and 0.2: half as slow again is usual."""
    channel = CohortChannel(cohort(), LIMITS)
    channel._level_past.slots = array("f", [-0.2, 0.0, 0.2] * 5)
    scale = spread([-0.2, 0.0, 0.2] * 5)
    assert 5 * scale > math.log(1.5) + 0.5
    channel._learn_level(5 * scale + more)
    assert channel.slower_than_ever is slower
    assert len(channel._level_past.open) == (0 if slower else 1)


def test_exactly_five_deviations_are_slower_than_ever() -> None:
    channel = CohortChannel(cohort(), replace(LIMITS, segment_floor=0.5))
    channel._level_past.slots = array("f", [0.0] * 15)
    channel._learn_level(2.5)
    assert channel.slower_than_ever


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([], NAN),
        ([NAN, 0.3], 0.3),
        ([0.1, 0.15], 0.125),
        ([0.1, 0.2], 0.15),
        ([0.1, 9.0], 0.15),  # counts as twice the mean
        ([0.0, 9.0], 0.01),  # and as 0.02 where there was none
        ([0.015, 9.0], 0.0225),
        ([0.1] * 4 + [0.2], 0.12),
        ([0.1] * 60 + [0.16], 0.101),
        ([0.1] * 90 + [0.16], 0.101),  # it remembers sixty
    ],
)
def test_a_scale_is_a_running_mean(values: Sequence[float], mean: float) -> None:
    scale = RunningScale(60)
    for value in values:
        scale.learn(value)
    assert scale.value == pytest.approx(mean, nan_ok=True)


# --- a whole minute --------------------------------------------------------------------------


def test_a_minute_has_the_mean_load_of_its_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sequence[float]] = []
    monkeypatch.setattr(ChannelState, "minute", lambda _self, view, *_rest: seen.append(view._load))
    farm = Farm(roster(2, EACH))
    for load in (1.0, 2.0, 6.0, 7.0):
        farm.load = load
        farm.run(1)
    farm.run(1)  # of the next minute
    assert [{*loads} for loads in seen] == [{4.0}]
