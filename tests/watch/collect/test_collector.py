"""From counters to frames, tick after tick."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from typing import Optional

import pytest

from fakes.clock import FakeClock
from fakes.counters import (
    ALL,
    CLIENT_WRITES,
    COMMITS,
    INTO,
    OUT,
    PROCESS,
    READS,
    RECOVERY,
    WHOLE,
    FakeCounters,
    Pulse,
)
from fakes.members import FakeMembers, member
from perf_bench.bench.context import OsdsUnderBench
from perf_bench.model.finding import (
    CLIENT_READ,
    CLIENT_WRITE,
    COMMIT,
    QUEUE,
    READ,
    Frame,
    Mark,
)
from perf_bench.model.osd import Member
from perf_bench.watch.collect.collector import Collector

# A multiple of 15 s.
T0 = 1_699_999_995.0


class SteppingClock(FakeClock):
    """A clock that may also step back."""

    step = 0.0

    def now(self) -> float:
        return super().now() + self.step


class Stage:
    """OSDs that report every ``period`` seconds, and a collector that ticks every 5."""

    def __init__(self, members: Iterable[Member], names: Sequence[str] = ALL) -> None:
        self.clock = SteppingClock(T0)
        self.counters = FakeCounters()
        listed = list(members)
        self.members = FakeMembers(listed)
        self.benched = OsdsUnderBench()
        self.pulses = {one.osd.id: Pulse(one.osd.id, names) for one in listed}
        self.silent: set[int] = set()
        self.period = 5.0
        self.frames: list[Frame] = []
        self.collector = Collector(self.counters, self.members, self.clock, self.benched)
        self._spoken = dict.fromkeys(self.pulses, 0.0)

    def run(self, seconds: float, tick: float = 5.0) -> list[Frame]:
        """The frames of this time."""
        before = len(self.frames)
        for _ in range(round(seconds)):
            self._live(1.0)
            self.clock.advance(1.0)
            if self.clock.monotonic() % tick == 0:
                self.frames += self.collector.tick()
        return self.frames[before:]

    def _live(self, seconds: float) -> None:
        now = self.clock.now()
        for osd, pulse in self.pulses.items():
            pulse.live(seconds)
            since = self.clock.monotonic() - self._spoken[osd]
            # each OSD in its own second, as they have started at different times
            due = since >= self.period and self.clock.monotonic() % 5 == osd % 5
            if osd not in self.silent and due:
                pulse.report(self.counters, now + 0.1)
                self._spoken[osd] = self.clock.monotonic()


def stage_of(count: int = 3, names: Sequence[str] = ALL) -> Stage:
    return Stage([member(number) for number in range(count)], names)


def known(figures: Sequence[float]) -> list[Optional[float]]:
    """Rounded to a microsecond; None is no data."""
    return [None if isnan(figure) else round(figure, 6) for figure in figures]


def marks(frames: Iterable[Frame], place: int) -> list[Mark]:
    return [Mark(frame.marks[place]) for frame in frames]


# --- What a frame holds ----------------------------------------------------------------------


def test_a_frame_has_every_channel_of_every_osd() -> None:
    stage = stage_of()
    stage.pulses[1].latency.update({COMMITS: 0.040, READS: 0.030, PROCESS: 0.003})
    frame = stage.run(120)[-1]
    assert [one.osd for one in frame.roster.members] == [0, 1, 2]
    assert frame.end - frame.start == 15
    assert frame.start % 15 == 0
    assert {channel: known(figures) for channel, figures in frame.latency.items()} == {
        COMMIT: [0.010, 0.040, 0.010],
        READ: [0.010, 0.030, 0.010],
        QUEUE: [0.002, 0.007, 0.002],
        CLIENT_READ: [0.010, 0.010, 0.010],
        CLIENT_WRITE: [0.010, 0.010, 0.010],
    }
    # 10 a second
    assert {channel: known(ops) for channel, ops in frame.ops.items()} == dict.fromkeys(
        frame.latency, [150.0] * 3
    )
    assert known(frame.load) == [122880.0] * 3  # (4096 + 8192) * 10 a second
    assert list(frame.marks) == [0, 0, 0]


def test_frames_follow_each_other_without_a_gap_and_come_soon() -> None:
    stage = stage_of()
    frames = stage.run(300)
    assert len(frames) >= 17
    assert {later.start - earlier.end for earlier, later in zip(frames, frames[1:])} == {0.0}
    # behind by the reports' period and its half, a tick, and what lies between bins
    assert stage.clock.now() - frames[-1].end <= 15 + 7.5 + 5


def test_an_idle_osd_has_no_latency_and_no_operations() -> None:
    stage = stage_of()
    stage.run(60)
    stage.pulses[2].rate = 0.0
    frame = stage.run(120)[-1]
    assert known(frame.latency[COMMIT]) == [0.010, 0.010, None]
    assert known(frame.ops[COMMIT]) == [150.0, 150.0, 0.0]


def test_a_burst_of_thirty_seconds_fills_a_frame() -> None:
    stage = stage_of()
    stage.run(120)
    stage.pulses[1].latency[COMMITS] = 0.100
    frames = stage.run(30)
    stage.pulses[1].latency[COMMITS] = 0.010
    frames += stage.run(60)
    worst = max(frame.latency[COMMIT][1] for frame in frames)
    # all but what fell into the reports before and after it
    assert 0.09 < worst < 0.101


def test_counters_that_are_not_sent_are_never_asked_for() -> None:
    # and a release whose commits have the old name
    names = ("bluestore.commit_lat", READS, WHOLE)
    stage = stage_of(names=names)
    for pulse in stage.pulses.values():
        pulse.latency["bluestore.commit_lat"] = 0.005
    frame = stage.run(90)[-1]
    assert {name for _, name in stage.counters.asked} == set(names)
    # half of what QUEUE is made of is not there; nobody has it
    assert set(frame.latency) == set(frame.ops) == {COMMIT, READ}
    assert known(frame.latency[COMMIT]) == [0.005] * 3


def test_releases_side_by_side_each_have_their_own_names() -> None:
    stage = Stage([member(0, release="16.2.15"), member(1, release="18.2.7")])
    stage.pulses[0] = Pulse(0, ("bluestore.commit_lat",))
    stage.pulses[0].latency["bluestore.commit_lat"] = 0.02
    frame = stage.run(90)[-1]
    assert known(frame.latency[COMMIT]) == [0.02, 0.01]
    assert known(frame.latency[READ]) == [None, 0.01]


@pytest.mark.parametrize("silent", [25])
def test_osds_that_reach_everybody_but_this_mgr_hide_no_others(silent: int) -> None:
    """They are up, and have the lowest IDs."""
    stage = stage_of(30)
    stage.silent = set(range(silent))
    frame = stage.run(120)[-1]
    assert known(frame.latency[COMMIT]) == [None] * silent + [0.01] * (30 - silent)


def test_without_any_report_there_is_no_frame() -> None:
    stage = stage_of()
    stage.silent = {0, 1, 2}
    assert stage.run(120) == []


# --- Time ------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", [10.0, 30.0])
def test_a_stretched_period_leaves_each_bin_its_share(period: float) -> None:
    stage = stage_of()
    stage.run(60)
    stage.period = period
    stage.run(120)  # the change itself
    frames = stage.run(240)
    assert stage.collector.stats_period == pytest.approx(period, abs=0.01)
    assert len(frames) == 16
    for frame in frames:
        assert known(frame.ops[COMMIT]) == [150.0] * 3
        assert known(frame.latency[COMMIT]) == [0.010] * 3
        assert list(frame.marks) == [0, 0, 0]


def test_a_tick_that_comes_late_finds_all_that_the_mgr_kept() -> None:
    stage = stage_of()
    stage.run(60)
    stage.run(70, tick=1000)
    frames = stage.run(5)
    assert len(frames) == 5
    assert frames[0].start == stage.frames[-6].end
    assert all(known(frame.ops[COMMIT]) == [150.0] * 3 for frame in frames)


def test_what_the_mgr_no_longer_has_is_no_data() -> None:
    stage = stage_of()
    stage.run(60)
    # 20 points are 95 s
    stage.run(300, tick=1000)
    frames = stage.run(60)
    assert all(known(frame.ops[COMMIT]) in ([150.0] * 3, [None] * 3) for frame in frames)
    assert frames[0].start - stage.frames[0].start > 150


@pytest.mark.parametrize("back", [90.0])
def test_a_clock_that_steps_back_a_little_pauses_the_frames(back: float) -> None:
    stage = stage_of()
    before = stage.run(120)
    stage.clock.step = -back
    after = stage.run(300)
    starts = [frame.start for frame in (*before, *after)]
    assert starts == sorted(set(starts))
    assert len(after) >= (300 - back - 45) // 15
    assert known(after[-1].ops[COMMIT]) == [150.0] * 3


def test_a_clock_that_steps_back_far_is_followed() -> None:
    stage = stage_of()
    last = stage.run(120)[-1]
    stage.clock.step = -7200.0
    after = stage.run(120)
    assert after[0].start < last.start - 6000
    assert known(after[-1].ops[COMMIT]) == [150.0] * 3
    assert list(after[-1].marks) == [0, 0, 0]


def test_a_clock_that_steps_ahead_makes_no_frames_of_the_time_between() -> None:
    stage = stage_of()
    stage.run(120)
    stage.clock.step = 7200.0
    frames = stage.run(120)
    assert len(frames) <= 10
    assert known(frames[-1].ops[COMMIT]) == [150.0] * 3


# --- OSDs that restart, hang, go and come -----------------------------------------------------


def test_a_restart_is_no_data_for_a_moment_and_marked_for_five_minutes() -> None:
    stage = stage_of()
    stage.run(120)
    stage.counters.forget(1)
    stage.pulses[1].restart()
    frames = stage.run(450)
    seen = marks(frames, 1)
    restarted = [mark for mark in seen if mark & Mark.RESTARTED]
    assert len(restarted) == pytest.approx(21, abs=1)
    assert seen[-1] == 0
    assert set(marks(frames, 0)) == {Mark(0)}
    # never a wrong figure
    figures = [known(frame.latency[COMMIT])[1] for frame in frames]
    assert set(figures) == {None, 0.010}
    assert figures.count(None) <= 2


def test_an_osd_that_hangs_is_stale_while_others_go_on() -> None:
    stage = stage_of()
    stage.run(120)
    stage.silent = {1}
    frames = stage.run(120)
    assert stage.collector.stale == {1}
    assert Mark.STALE in marks(frames, 1)[-1]
    assert known(frames[-1].latency[COMMIT]) == [0.010, None, 0.010]
    assert set(marks(frames, 0)) == {Mark(0)}
    stage.silent = set()
    frames = stage.run(60)
    assert stage.collector.stale == set()
    assert marks(frames, 1)[-1] == 0
    assert known(frames[-1].latency[COMMIT]) == [0.010] * 3


def test_nobody_is_stale_when_all_are_silent() -> None:
    stage = stage_of()
    stage.run(120)
    stage.silent = {0, 1, 2}
    stage.run(120)
    assert stage.collector.stale == set()


def test_an_osd_that_is_down_or_out_is_marked_so_and_not_stale() -> None:
    stage = stage_of()
    stage.run(120)
    stage.silent = {1}
    stage.members.change(1, up=False)
    stage.members.change(2, in_cluster=False)
    frame = stage.run(90)[-1]
    assert [Mark(mark) for mark in frame.marks] == [Mark(0), Mark.DOWN, Mark.DOWN]
    assert stage.collector.stale == set()


def test_osds_that_come_and_go_make_a_new_roster() -> None:
    stage = stage_of()
    stage.run(120)
    stage.members.set([member(0), member(2), member(7)])
    stage.pulses[7] = Pulse(7)
    stage._spoken[7] = 0.0
    frames = stage.run(180)
    assert all(len(frame.marks) == len(frame.roster.members) for frame in frames)
    assert all(len(frame.load) == len(frame.roster.members) for frame in frames)
    assert [one.osd for one in frames[-1].roster.members] == [0, 2, 7]
    assert known(frames[-1].latency[COMMIT]) == [0.010] * 3
    # no frame is lost on the way
    assert {b.start - a.end for a, b in zip(frames, frames[1:])} == {0.0}


# --- What else is marked ----------------------------------------------------------------------


def test_recovery_is_marked() -> None:
    stage = stage_of()
    stage.run(60)
    stage.pulses[2].bytes[RECOVERY] = 1.0
    frame = stage.run(60)[-1]
    assert [Mark(mark) for mark in frame.marks] == [Mark(0), Mark(0), Mark.RECOVERING]


def test_our_own_bench_is_no_data_and_disturbs_its_host() -> None:
    hosts = ["a", "a", "b"]
    stage = Stage([member(number, host) for number, host in enumerate(hosts)])
    stage.run(120)
    began = stage.clock.now()
    stage.benched.began(0, began)
    running = stage.run(30)
    ended = stage.clock.now()
    stage.benched.ended(0, ended)
    frames = [*running, *stage.run(120)]
    for frame in frames:
        # a report later, and a frame later, it can still be seen
        touched = frame.end > began and frame.start < ended + 15 + 5
        first, second, third = (Mark(mark) for mark in frame.marks)
        assert (first, second, third) == (
            (Mark.BENCHED, Mark.DISTURBED, Mark(0)) if touched else (Mark(0),) * 3
        )
        assert isnan(frame.latency[COMMIT][0]) is touched
        assert isnan(frame.load[0]) is touched
        assert not isnan(frame.latency[COMMIT][1])
    assert {frame.marks[0] for frame in frames} == {0, Mark.BENCHED}


# --- Load -------------------------------------------------------------------------------------


def test_load_goes_by_what_the_device_did_and_not_by_who_is_primary() -> None:
    stage = stage_of()
    # osd.0 is primary of everything, all write the same
    stage.pulses[0].bytes.update({INTO: 12288.0, OUT: 0.0})
    for osd in (1, 2):
        stage.pulses[osd].bytes.update({INTO: 0.0, OUT: 0.0})
    frame = stage.run(120)[-1]
    assert known(frame.load) == [40960.0] * 3


def test_load_of_osds_that_tell_no_commits_is_their_own_bytes() -> None:
    stage = stage_of(names=(CLIENT_WRITES, INTO))
    stage.pulses[1].bytes[INTO] = 100.0
    frame = stage.run(120)[-1]
    assert known(frame.load) == [40960.0, 1000.0, 40960.0]


# --- Many ------------------------------------------------------------------------------------


def test_many_osds_are_read_in_slices_and_nobody_is_forgotten() -> None:
    stage = stage_of(520)
    frames = stage.run(80)
    assert len(frames) >= 3
    assert all(known(frame.latency[COMMIT]) == [0.010] * 520 for frame in frames)
    assert all(known(frame.load) == [122880.0] * 520 for frame in frames)
    stage.counters.asked.clear()
    stage.run(5)
    assert len({osd for osd, _ in stage.counters.asked}) == 500
    stage.run(25)
    # a cohort of that size tells its bytes by the sixth part
    assert len({osd for osd, name in stage.counters.asked if name == INTO}) == 87


def test_many_osds_lose_nothing_where_ticks_are_set_to_be_rare() -> None:
    """The mgr keeps 100 s of reports, and watch_tick_seconds may be 60."""
    stage = stage_of(600, (COMMITS,))
    stage.run(300, tick=60)
    frames = stage.run(600, tick=60)
    assert len(frames) == 40
    for frame in frames:
        assert known(frame.latency[COMMIT]) == [0.010] * 600
