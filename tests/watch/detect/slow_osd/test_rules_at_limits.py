"""The m-of-n rule, bursts, causes and the order of work, at the limits of each of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from farm import roster
from perf_bench.model.frame import COMMIT
from perf_bench.watch.detect.slow_osd.bursts import Bursts, Episodes, anscombe
from perf_bench.watch.detect.slow_osd.channel import ChannelState
from perf_bench.watch.detect.slow_osd.detector import SlowDetector
from perf_bench.watch.detect.slow_osd.persistence import Facts, Flag, MOfNRule
from perf_bench.watch.detect.slow_osd.thresholds import Thresholds
from perf_bench.watch.detect.slow_osd.topology import Cohort, Topology

NAN = math.nan
LIMITS = Thresholds()
EACH = 12


def facts(excess: float) -> Facts:
    return Facts(excess, 9.0, excess, 0.0, 11)


def cohort(hosts: int = 2, each: int = EACH) -> Cohort:
    return Topology(roster(hosts, each), LIMITS.group_members).cohorts[0]


# --- m of n ----------------------------------------------------------------------------------

HIT, STRONG, SURE, CALM, MIDDLE, NONE = "h", "S", "s", ".", "m", "-"


def a_rule() -> MOfNRule[int]:
    """As the acute rule: three strong ones of five, or eight of ten; a mean of four."""
    return MOfNRule(3, 5, 5, (8, 10), 4)


def steps(rule: MOfNRule[int], windows: str, begin: int = 0) -> None:
    """One window for each letter; OSD 2 is always calm and was slow once."""
    value = {HIT: 0.8, STRONG: 1.0, SURE: 0.9, CALM: 0.1, MIDDLE: 0.5, NONE: None}
    for number, window in enumerate(windows, begin):
        hits = {1: facts(value[window] or 0.0)} if window in (HIT, STRONG, SURE) else {}
        rule.step(
            60.0 * number,
            hits,
            lambda _, window=window: value[window],  # type: ignore[misc]
            0.4,
            {1} if window == STRONG else set(),
            {1} if window == SURE else set(),
        )


@pytest.mark.parametrize(
    ("windows", "flag"),  # of the flag: since, hits, windows, calm windows, worst
    [
        ("SS", None),
        ("SSS", (0, 3, 3, 0, 1.0)),
        ("S..SS", (0, 3, 5, 0, 1.0)),
        ("S...SS", None),
        ("S-----SS", (0, 3, 3, 0, 1.0)),  # windows without data are none
        ("..SSS", (2, 3, 3, 0, 1.0)),
        ("hhhhhhh", None),
        ("hhhhhhhh", (0, 8, 8, 0, 0.8)),
        ("hhhh..hhhh", (0, 8, 10, 0, 0.8)),
        ("hhhh...hhhh", None),
        ("s", (0, 1, 1, 0, 0.9)),
        ("..s", (2, 1, 1, 0, 0.9)),
        ("sh", (0, 2, 2, 0, 0.9)),
        ("hs", (0, 2, 2, 0, 0.9)),
        ("s.", (0, 1, 2, 1, 0.9)),
        ("s....", (0, 1, 5, 4, 0.9)),
        ("s.....", None),
        ("s....S", (0, 2, 6, 0, 1.0)),
        ("s..m..", (0, 1, 6, 4, 0.9)),  # between hit and calm: neither
        ("s..-..", (0, 1, 5, 4, 0.9)),
        ("s..m...", None),
        ("SS....SSS", (0, 5, 9, 0, 1.0)),
        # Begun with the first hit of the last ten windows, however often it was slow before.
        ("h.........SSS", (10, 3, 3, 0, 1.0)),
        ("h........hSSS", (9, 4, 4, 0, 1.0)),
        ("hh......SSS", (1, 4, 10, 0, 1.0)),
        ("h---......SSS", (0, 4, 10, 0, 1.0)),
    ],
)
def test_when_a_flag_is_raised_and_dropped(
    windows: str, flag: Optional[tuple[int, int, int, int, float]]
) -> None:
    rule = a_rule()
    steps(rule, windows)
    found = rule.flags.get(1)
    assert (found is None) is (flag is None)
    if flag is None or found is None:
        return
    since, *rest = flag
    assert [found.hits, found.windows, found.calm_windows, found.worst] == rest
    assert found.since == 60.0 * since
    last = max(at for at, window in enumerate(windows) if window != NONE)
    assert found.last_data == 60.0 * last


@given(st.text("hSs.m-", max_size=24), st.integers(0, 24))
def test_over_a_failover_at_any_window_the_rule_decides_the_same(windows: str, at: int) -> None:
    whole, first, second = a_rule(), a_rule(), a_rule()
    steps(whole, windows)
    steps(first, windows[:at])
    second.restore(json.loads(json.dumps(first.save(int))), int, 60.0 * len(windows))
    steps(second, windows[at:], at)
    assert second.flags == whole.flags
    assert second.recent == whole.recent
    assert second.save(int) == whole.save(int)


def test_the_state_of_an_older_version_has_the_first_hit_alone() -> None:
    rule, again = a_rule(), a_rule()
    steps(rule, "..SS")
    again.restore([one[:-1] for one in rule.save(int)], int, 1e9)
    steps(again, "S", 4)
    assert (again.flags[1].since, again.flags[1].hits) == (120.0, 3)


def test_the_state_of_a_rule_with_more_windows_begins_in_those_that_are_left() -> None:
    """As of a version with other limits."""
    longer: MOfNRule[int] = MOfNRule(3, 5, 5, (8, 20), 4)
    again = a_rule()
    steps(longer, "h...........hh")
    again.restore(longer.save(int), int, 1e9)
    ((_, _, _, first, *_, starts),) = again.save(int)
    assert (first, starts) == (720.0, [720.0, 780.0])
    steps(again, "hhhhhh", 14)
    assert (again.flags[1].since, again.flags[1].hits) == (720.0, 8)


def test_what_is_restored_is_never_of_the_future() -> None:
    rule, again = a_rule(), a_rule()
    steps(rule, "..SSS")
    again.restore(rule.save(int), int, 70.0)
    assert (again.flags[1].since, again._starts[1]) == (70.0, [70.0] * 3)


@pytest.mark.parametrize(
    ("windows", "mean"), [("", NAN), ("hh", NAN), ("hhh", 0.85), ("Shhh", 0.85), ("hSSh.", 0.725)]
)
def test_the_mean_is_of_the_last_four_windows(windows: str, mean: float) -> None:
    rule = a_rule()
    steps(rule, windows)
    expected = 0.725 if windows.endswith(".") else mean
    assert rule.mean(1, 1.0) == pytest.approx(expected, nan_ok=True)


def test_only_wanted_keys_are_kept() -> None:
    rule: MOfNRule[int] = a_rule()
    rule.step(0.0, {1: facts(1.0), 2: facts(1.0)}, lambda _: 0.0, 0.4, set(), {1})
    rule.keep_only(lambda key: key == 2)
    assert (set(rule.flags), set(rule.recent), set(rule._starts)) == (set(), {2}, {2})


# --- bursts ----------------------------------------------------------------------------------


def burst_state(counts: Mapping[int, int], *, flagged: Sequence[int] = ()) -> Bursts:
    """OSDs with so many bursts, half of them in each of two hours."""
    made = Bursts(cohort(10), LIMITS)
    made.frames = 240 * 6
    for osd, count in counts.items():
        episode = made.episodes[osd] = Episodes(0.0)
        episode.by_hour = {4: count // 2, 5: count - count // 2}
        episode.frames, episode.worst, episode.facts = 2 * count, 1.5, facts(1.0)
    for osd in flagged:
        made.flags[osd] = Flag(0.0, facts(1.0), 1.5, 9, 90, last_data=0.0, bursts=counts[osd])
    return made


@pytest.mark.parametrize(
    ("usual", "least"), [(0, 18), (1, 18), (3, 24), (10, 39)]
)  # fmt: skip
def test_how_many_bursts_are_more_than_those_of_the_cohort(usual: int, least: int) -> None:
    """Most OSDs have the usual number; with fewer than two it is taken for one."""
    assert anscombe(least, max(usual, 1)) >= 6 > anscombe(least - 1, max(usual, 1))
    for count, flagged in ((least - 1, False), (least, True)):
        made = burst_state({7: count, **dict.fromkeys(range(20, 81), usual)})
        made.judge(0.0)
        assert (7 in made.flags) is flagged
    minority = burst_state({7: 18, **dict.fromkeys(range(20, 78), usual)})
    minority.judge(0.0)
    assert 7 in minority.flags


@pytest.mark.parametrize(("many", "spared"), [(79, False), (80, True), (200, True)])
def test_four_times_the_bursts_of_the_others_are_a_cause_of_its_own(
    many: int, spared: bool
) -> None:
    """OSDs of one position on eight hosts, and one of them with many more."""
    osds = [EACH * host for host in range(9)]
    counts = {**dict.fromkeys(osds, 20), osds[8]: many}
    made = burst_state(counts, flagged=osds)
    made._fold(0.0)
    assert set(made.folded.seen) == set(osds) - ({osds[8]} if spared else set())


@pytest.mark.parametrize(
    ("others", "folded"), [(6, False), (7, True), (20, True)]
)  # a third of 20, rounded up
def test_who_has_a_third_of_the_bursts_shares_the_cause(others: int, folded: bool) -> None:
    osds = [EACH * host for host in range(9)]
    made = burst_state({**dict.fromkeys(osds, others), osds[0]: 20}, flagged=osds[:1])
    made._fold(0.0)
    assert (osds[0] in made.folded.seen) is folded


def test_frames_of_bursts_are_forgotten_in_proportion() -> None:
    made = burst_state({})
    episode = made.episodes[3] = Episodes(0.0)
    episode.by_hour, episode.frames = {0: 1, 1: 1, 5: 4}, 30
    made._forget(24)
    assert (episode.by_hour, episode.frames) == ({1: 1, 5: 4}, 25)
    made._forget(25)
    assert (episode.by_hour, episode.frames) == ({5: 4}, 20)
    made._forget(29)
    assert 3 not in made.episodes


@pytest.mark.parametrize(("before", "after"), [(0, 1), (65_534, 65_535), (65_535, 65_535)])
def test_slow_frames_are_counted_as_far_as_they_fit(before: int, after: int) -> None:
    made = Bursts(cohort(), LIMITS)
    made._counts[0][5] = before
    made._slow_frame(0.0, 5, facts((made._rungs[0] + made._rungs[1]) / 2), 1e12)
    assert (made._counts[0][5], made._counts[1][5], made._counts[0][4]) == (after, 0, 0)


# --- the order of work -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cost", "waiting", "done"),
    [(4000, 40, 10), (4000, 8, 3), (5000, 8, 2), (5001, 8, 2), (9999, 4, 2), (10_000, 4, 1),
     (10_000, 5, 2), (1, 9000, 9000), (3334, 3, 3), (0, 50, 50)],
)  # fmt: skip
def test_a_frame_does_work_for_ten_thousand_osds_or_a_quarter(
    cost: int, waiting: int, done: int
) -> None:
    detector = SlowDetector(LIMITS)
    pieces: list[int] = []
    for piece in range(waiting):
        detector._jobs.append((cost, partial(pieces.append, piece)))
    detector._work()
    assert pieces == list(range(done))
    detector._drain()
    assert pieces == list(range(waiting))


@pytest.mark.parametrize(
    ("hours", "at", "age"),
    [(0.0, 0.0, 0.0), (0.99 / 60, 0.0, 60.0), (5.0, 0.0, 5.0 * 3600), (600.0, 0.0, 30_000 * 60.0),
     (0.0, 60.0, 30_000 * 60.0)],
)  # fmt: skip
def test_ages_are_saved_in_minutes(hours: float, at: float, age: float) -> None:
    """An OSD without data, or with data of the future, is as old as can be."""
    made = ChannelState(COMMIT, Topology(roster(1, 2), LIMITS.group_members), LIMITS)
    saved = 1e9
    made._note_data([0.1, NAN], saved - hours * 3600 + at)
    again = ChannelState(COMMIT, made.layout, LIMITS)
    again.restore(json.loads(json.dumps(made.save(saved))), saved, saved)
    assert list(again.last_data) == [saved - age, saved - 30_000 * 60.0]
