"""Shares of time out of counters and answers, and whose turn it is to be asked."""

from __future__ import annotations

import errno
import logging
import threading
from collections.abc import Iterator, Sequence

import pytest

from fakes.checksums import FakeAsker, FakeOpThreads
from fakes.clock import FakeClock
from fakes.counters import FakeCounters
from fakes.members import FakeMembers, member
from perf_bench.bench.active_round import OsdsUnderBench
from perf_bench.core.failing_parts import FailingParts
from perf_bench.errors import CommandFailed
from perf_bench.hardware.checksum_counters import RETRIES, TIME, ChecksumCollector
from perf_bench.hardware.osd_poller import OsdPoller, Turns
from perf_bench.model.checksum import ChecksumAnswer, CounterWindow
from perf_bench.model.osd import Member

LOG = logging.getLogger("test")


class Scene:
    """Two OSDs that send their checksum time (18), and one that does not (16)."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.counters = FakeCounters()
        self.threads = FakeOpThreads(16)
        self.benched = OsdsUnderBench()
        self.members = FakeMembers([member(0), member(1), member(2, release="16.2.15")])
        self.collector = ChecksumCollector(
            self.counters, self.members, self.threads, self.clock, self.benched
        )
        self.seconds = dict.fromkeys((0, 1), 100.0)
        self.retries = 0

    def passes(self, seconds: float, share: float = 0.0) -> dict[int, list[CounterWindow]]:
        """OSD 0 spends so much of 16 threads; all windows of that time."""
        found: dict[int, list[CounterWindow]] = {}
        for _ in range(round(seconds / 5)):
            self.clock.advance(5)
            self.seconds[0] += 5 * 16 * share
            for osd, total in self.seconds.items():
                values = {TIME: (total, 1), RETRIES: (float(self.retries), 0)}
                self.counters.report(osd, self.clock.now(), values)
            self.counters.report(2, self.clock.now(), {"bluestore.kv_sync_lat": (0.0, 0)})
            for osd, windows in self.collector.tick()[0].items():
                found.setdefault(osd, []).extend(windows)
        return found

    def answers(self, seconds: float) -> list[float]:
        window = self.collector.answered(ChecksumAnswer(2, self.clock.now(), seconds, 0))
        return [] if window is None else [round(window.share, 3)]


def test_windows_of_15_seconds() -> None:
    scene = Scene()
    assert scene.passes(5) == {}
    found = scene.passes(30, share=0.4)
    assert [round(window.share, 6) for window in found[0]] == [0.4, 0.4]
    assert [window.share for window in found[1]] == [0.0, 0.0]
    assert [window.end - window.begin for window in found[0]] == [15.0, 15.0]
    assert 2 not in found
    assert scene.collector.threads == {0: 16, 1: 16}


def test_a_mgr_that_looks_late_misses_nothing_that_is_kept() -> None:
    scene = Scene()
    scene.passes(5)
    for _ in range(16):
        scene.clock.advance(5)
        scene.seconds[0] += 8
        for osd, total in scene.seconds.items():
            scene.counters.report(osd, scene.clock.now(), {TIME: (total, 1)})
    assert [window.share for window in scene.collector.tick()[0][0]] == [0.1] * 5


def test_a_restart_and_a_pause_are_no_windows() -> None:
    scene = Scene()
    scene.passes(20, share=0.4)
    scene.seconds[0] = 0.0
    found = scene.passes(20, share=0.1)
    assert [round(window.share, 6) for window in found[0]] == [0.1]
    scene.clock.advance(600)
    assert scene.passes(5, share=0.4) == {}
    assert [round(window.share, 6) for window in scene.passes(15, share=0.2)[0]] == [0.2]


def test_who_starts_anew_may_have_other_threads() -> None:
    """Also one that reads nothing, whose time of checksums cannot fall."""
    scene = Scene()
    scene.passes(20)
    assert scene.threads.forgot == []
    for osd in (1, 2):
        scene.counters.forget(osd)  # its new session with the mgr
    scene.clock.advance(5)
    scene.passes(5)
    assert scene.threads.forgot == list(scene.collector.started) == [1, 2]
    scene.members.change(0, up=False)
    scene.passes(20)
    assert set(scene.threads.forgot) == {0, 1, 2}
    scene.threads.forgot.clear()
    scene.answers(10.0)
    scene.answers(10.0)
    assert 2 not in scene.threads.forgot
    scene.answers(9.0)
    assert scene.threads.forgot[-1] == 2


def test_our_own_rounds_are_marked_and_unknown_threads_are_no_share() -> None:
    scene = Scene()
    scene.passes(5)
    scene.benched.began(0, scene.clock.now() + 3)
    found = scene.passes(15, share=0.5)
    assert (found[0][0].judged, found[1][0].judged) == (False, True)
    scene.threads.threads = None
    assert scene.passes(15) == {}


@pytest.mark.parametrize(("before", "judged"), [(9.9, False), (10.0, True), (10.1, True)])
def test_a_bench_may_still_show_ten_seconds_after_it(before: float, judged: bool) -> None:
    scene = Scene()
    scene.passes(5)
    begin = scene.clock.now()
    scene.benched.began(0, begin - 60)
    scene.benched.ended(0, begin - before)
    (window,) = scene.passes(15, share=0.5)[0]
    assert (window.begin, window.judged) == (begin, judged)


def test_retries_are_read_and_those_that_are_down_are_not() -> None:
    scene = Scene()
    scene.passes(5)
    scene.retries = 7
    scene.members.change(1, up=False)
    scene.passes(5)
    assert scene.collector.tick()[1] == {0: 7}


def test_windows_of_answers() -> None:
    scene = Scene()
    scene.passes(5)
    assert scene.answers(10.0) == []
    scene.clock.advance(5)
    assert scene.answers(10.0) == []  # too soon: it adds up
    scene.clock.advance(55)
    assert scene.answers(106.0) == [0.1]
    scene.clock.advance(60)
    assert scene.answers(1.0) == []  # it has started anew
    scene.clock.advance(60)
    assert scene.answers(97.0) == [0.1]
    # who sends it by himself needs no answer for that
    assert scene.collector.answered(ChecksumAnswer(0, scene.clock.now(), 5.0, 0)) is None
    assert scene.collector.answered(ChecksumAnswer(99, scene.clock.now(), 5.0, 0)) is None


# --- turns -----------------------------------------------------------------------------------


def test_turns_go_round() -> None:
    turns, osds = Turns(), list(range(7))
    rounds = [turns.next(osds, 3, now) for now in (0.0, 5.0, 10.0, 15.0, 20.0)]
    assert rounds == [[0, 1, 2], [3, 4, 5], [6], [0, 1, 2], [3, 4, 5]]
    assert turns.next([], 3, 25.0) == []


def test_who_does_not_answer_is_left_alone() -> None:
    turns = Turns()
    assert turns.next([0, 1], 1, 0.0) == [0]
    turns.backoff(0, 0.0)
    found = [sorted(turns.next([0, 1], 2, now)) for now in (20.0, 299.0, 320.0)]
    assert found == [[1], [1], [0, 1]]


class Ear:
    """Who wants answers."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self.answers: list[int] = []
        self.anew: list[int] = []

    def roster(self) -> Sequence[Member]:
        return self.members

    def take_answer(self, answer: ChecksumAnswer) -> None:
        self.answers.append(answer.osd)

    def started(self) -> Iterator[int]:
        while self.anew:
            yield self.anew.pop()


def _asking(budget: int) -> tuple[OsdPoller, FakeAsker, Ear, OsdsUnderBench, FakeClock]:
    asker, benched, clock = FakeAsker(), OsdsUnderBench(), FakeClock()
    ear = Ear([member(0), member(1), member(2, up=False), member(3)])
    asker.answers = {osd: ChecksumAnswer(osd, 0.0, 0.0, 0) for osd in (0, 2, 3)}
    failing = FailingParts(clock.monotonic, LOG)
    made = OsdPoller(asker, ear, lambda: budget, benched, clock, failing)
    return made, asker, ear, benched, clock


def test_polling_that_fails_is_noted_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asking = _asking(10)[0]
    stop, steps = threading.Event(), []

    def step(stopping: threading.Event) -> None:
        steps.append(1)
        if len(steps) == 2:
            stopping.set()
        raise ValueError("a bug")

    monkeypatch.setattr(asking, "step", step)
    monkeypatch.setattr("perf_bench.hardware.osd_poller._EVERY", 0.0)
    asking.run(stop)
    assert len(steps) == 2
    assert asking._failing.problems() == {"poller": "ValueError('a bug')"}


def test_who_is_asked() -> None:
    asking, asker, ear, benched, clock = _asking(10)
    benched.began(3, clock.now())
    asking.step(threading.Event())
    assert (asker.asked, ear.answers) == ([0, 1], [0])  # 2 is down, 3 benches
    benched.ended(3, clock.now())
    clock.advance(60)
    asking.step(threading.Event())
    assert asker.asked[2:] == [3, 0]  # 1 did not answer a minute ago
    clock.advance(20)
    ear.anew = [1]
    asking.step(threading.Event())
    assert sorted(asker.asked[4:]) == [0, 1, 3]  # but was started since


def test_nobody_is_asked() -> None:
    asking, asker, *_ = _asking(0)
    asking.step(threading.Event())
    assert asker.asked == []
    asking, asker, *_ = _asking(5)
    stop = threading.Event()
    stop.set()
    asking.step(stop)
    assert asker.asked == []
    asker.no_way = CommandFailed(errno.ENOTCONN, "no way")
    with pytest.raises(CommandFailed):
        asking.step(threading.Event())
    asking.run(stop)
    assert asker.closed


def test_a_clock_that_steps_back() -> None:
    scene = Scene()
    scene.passes(20, share=0.4)
    earlier = scene.clock.now() - 3600
    for osd in scene.seconds:
        scene.counters.forget(osd)
        scene.counters.report(osd, earlier, {TIME: (200.0, 1), RETRIES: (0.0, 0)})
    assert scene.collector.tick()[0] == {}
    for osd in scene.seconds:
        scene.counters.report(osd, earlier + 15, {TIME: (248.0, 1), RETRIES: (0.0, 0)})
    assert [window.share for window in scene.collector.tick()[0][0]] == [0.2]
