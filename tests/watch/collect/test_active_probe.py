"""The active probe: everybody's turn once a minute, and answers in the frame of their time."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Optional

import pytest

import threads
from fakes.clock import FakeClock
from perf_bench.errors import CommandFailed, NotNow
from perf_bench.model.frame import COMMIT, PROBE_READ, PROBE_WRITE, Frame, Mark, Roster, Watched
from perf_bench.watch.collect import active_probe
from perf_bench.watch.collect.active_probe import PERIOD, ActiveProbe, ProbeAnswer, due

LOG = logging.getLogger("probe")
ROSTER = Roster(tuple(Watched(osd, f"osd.{osd}", "host-0", "hdd") for osd in (2, 5, 7)))


def _frame(start: float) -> Frame:
    figures = [0.001, 0.002, 0.003]
    return Frame(
        start, start + 15, ROSTER, {COMMIT: figures}, {COMMIT: figures}, figures, [0, 0, 0]
    )


class FakeProber:
    """Answers at once; ``hangs`` and ``fails`` name objects."""

    def __init__(self, placed: Mapping[int, Sequence[str]]) -> None:
        self.placed = placed
        self.written: list[str] = []
        self.read_: list[str] = []
        self.fails: set[str] = set()
        self.nowhere = False
        self.cleared = threading.Event()
        self.closed = threading.Event()
        self.wrote = threading.Event()

    def place(self) -> Mapping[int, Sequence[str]]:
        if self.nowhere:
            raise NotNow("there is a pool perf_bench that is not ours")
        return self.placed

    def write(self, name: str) -> None:
        if name in self.fails:
            raise CommandFailed(110, "timed out")
        self.written.append(name)

    def read(self, name: str) -> None:
        self.read_.append(name)
        self.wrote.set()

    def clear(self) -> None:
        self.cleared.set()

    def close(self) -> None:
        self.closed.set()


@pytest.mark.parametrize("count", [1, 7, 60, 1000])
def test_every_osd_has_one_turn_in_every_period(count: int) -> None:
    osds, steps = list(range(count)), [100 + 0.25 * step for step in range(1 + int(4 * PERIOD))]
    turns = [osd for a, b in zip(steps, steps[1:]) for osd in due(osds, a, b)]
    assert sorted(turns) == osds


def test_after_a_long_pause_nobody_is_probed_twice() -> None:
    assert due([1, 2, 3], 0.0, 1000.0) == [1, 2, 3]


@pytest.mark.parametrize(("since", "now"), [(5.0, 5.0), (5.0, 4.0)])
def test_no_time_means_no_turn(since: float, now: float) -> None:
    assert due([1, 2], since, now) == []
    assert due([], 0.0, 1.0) == []


def test_answers_stand_in_the_frame_of_their_time() -> None:
    probing = ActiveProbe(lambda: FakeProber({}), FakeClock(), LOG)
    probing._answers.extend(
        [
            ProbeAnswer(90.0, 2, 9.0, 9.0),
            ProbeAnswer(101.0, 5, 0.25, 0.5),
            ProbeAnswer(116.0, 7, 1.0, 2.0),
        ]
    )
    probing._answers.append(ProbeAnswer(117.0, 99, 1.0, 1.0))  # gone from the roster since
    first, second, third = (probing.into(_frame(start)) for start in (100.0, 115.0, 130.0))
    assert first.latency[PROBE_READ][1] == 0.25
    assert first.latency[PROBE_WRITE][1] == 0.5
    assert math.isnan(first.latency[PROBE_READ][0])  # 90.0 was before the first frame
    assert second.latency[PROBE_READ][2] == 1.0
    assert math.isnan(second.ops[PROBE_READ][2])
    assert second.latency[COMMIT] == [0.001, 0.002, 0.003]
    assert PROBE_READ not in third.latency


class _Now:
    """An executor that runs a job at once."""

    def submit(self, job: Callable[..., object], *words: object) -> None:
        job(*words)


class _Reader(FakeProber):
    """Reads take seconds, by object; ``meanwhile`` is done while the object is read."""

    def __init__(self, clock: FakeClock, reads: Mapping[str, float]) -> None:
        super().__init__({})
        self.clock, self.reads = clock, reads
        self.meanwhile: dict[str, Callable[[], object]] = {}

    def read(self, name: str) -> None:
        took = self.reads[name]
        self.meanwhile.get(name, lambda: None)()
        self.clock.advance(took)


def test_an_answer_that_comes_after_younger_ones_is_not_lost() -> None:
    """A slow OSD's: else the slower an OSD is, the fewer of its answers would count."""
    clock = FakeClock(112.0)
    prober = _Reader(clock, {"slow": 6.0, "quick": 0.25})
    probing = ActiveProbe(lambda: prober, clock, LOG)

    def another() -> None:
        clock.advance(4.0)  # into the next frame
        probing._submit(prober, _Now(), 5, "quick")  # type: ignore[arg-type]

    prober.meanwhile["slow"] = another
    probing._submit(prober, _Now(), 2, "slow")  # type: ignore[arg-type]
    clock.advance(30.0)
    found = [probing.into(_frame(start)).latency.get(PROBE_READ) for start in (100.0, 115.0, 130.0)]
    assert [one[0] for one in found if one and not math.isnan(one[0])] == [10.25]
    assert [one[1] for one in found if one and not math.isnan(one[1])] == [0.25]


def test_an_answer_that_comes_after_its_frame_stands_in_the_next() -> None:
    clock = FakeClock(112.0)
    prober = _Reader(clock, {"slow": 20.0})
    probing = ActiveProbe(lambda: prober, clock, LOG)
    prober.meanwhile["slow"] = lambda: probing.into(_frame(100.0))
    probing._submit(prober, _Now(), 2, "slow")  # type: ignore[arg-type]
    clock.advance(30.0)
    found = [probing.into(_frame(start)).latency.get(PROBE_READ) for start in (115.0, 130.0)]
    assert [one[0] for one in found if one] == [20.0]


def test_answers_of_before_a_clock_was_set_back_hold_up_no_later_ones() -> None:
    clock = FakeClock(7312.0)
    prober = _Reader(clock, {"a": 0.5})
    probing = ActiveProbe(lambda: prober, clock, LOG)
    probing._submit(prober, _Now(), 2, "a")  # type: ignore[arg-type]
    clock.set_by(-7200.0)
    probing._submit(prober, _Now(), 5, "a")  # type: ignore[arg-type]
    clock.advance(30.0)
    read = probing.into(_frame(100.0)).latency[PROBE_READ]
    assert math.isnan(read[0])
    assert read[1] == 0.5
    assert not probing._answers


def _wait(event: threading.Event) -> None:
    assert event.wait(threads.PATIENCE)


def test_switched_on_it_probes_and_switched_off_it_tidies_up() -> None:
    prober, clock = FakeProber({5: ["a", "b"]}), FakeClock()
    clock.tick = 20.0
    probing = ActiveProbe(lambda: prober, clock, LOG)
    probing.switch(on=True)
    probing.switch(on=True)  # once is enough
    _wait(prober.wrote)
    assert probing.reach == 1
    probing.switch(on=False)
    _wait(prober.closed)
    assert prober.cleared.is_set()
    assert set(prober.written) <= {"a", "b"}


def test_an_osd_that_comes_back_is_probed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have been away when the objects were chosen."""
    monkeypatch.setattr(active_probe, "_PLACE_EVERY", 1e9)
    prober, clock = FakeProber({5: ["a"]}), FakeClock()
    clock.tick = 20.0
    probing = ActiveProbe(lambda: prober, clock, LOG)
    probing.switch(on=True)
    probing.into(replace(_frame(100.0), marks=[0, 0, Mark.DOWN]))
    _wait(prober.wrote)
    threads.until(lambda: not probing._moved)
    assert probing.reach == 1
    prober.placed = {5: ["a"], 7: ["b"]}
    probing.into(replace(_frame(115.0), marks=[0, Mark.SCRUBBING, Mark.DOWN]))
    assert not probing._moved  # nobody came or went
    probing.into(replace(_frame(130.0), marks=[0, 0, Mark.RESTARTED]))
    threads.until(lambda: probing.reach == 2)
    probing.switch(on=False)
    _wait(prober.closed)


def test_a_mgr_that_leaves_keeps_the_objects_for_the_next() -> None:
    prober, clock = FakeProber({5: ["a"]}), FakeClock()
    clock.tick = 20.0
    probing = ActiveProbe(lambda: prober, clock, LOG)
    probing.switch(on=True)
    _wait(prober.wrote)
    probing.leave()
    _wait(prober.closed)
    assert not prober.cleared.is_set()


def test_trouble_is_told_and_not_an_end() -> None:
    prober = FakeProber({})
    prober.nowhere = True
    probing = ActiveProbe(lambda: prober, FakeClock(), LOG)
    probing.switch(on=True)
    _wait(prober.closed)
    threads.until(lambda: probing.problem is not None)
    assert probing.problem == "there is a pool perf_bench that is not ours"
    probing.leave()


class _Late(FakeProber):
    """The probe is switched off while the call of this name runs, and that ends so."""

    def __init__(self, call: str, problem: Optional[str]) -> None:
        super().__init__({5: ["a"]})
        self.call, self.problem = call, problem
        self.off: Callable[[], object] = lambda: None

    def _late(self, call: str) -> None:
        if call == self.call:
            self.off()
            if self.problem:
                raise NotNow(self.problem)

    def place(self) -> Mapping[int, Sequence[str]]:
        self._late("place")
        return super().place()

    def clear(self) -> None:
        super().clear()
        self._late("clear")


@pytest.mark.parametrize("problem", [None, "the OSDs do not answer"])
@pytest.mark.parametrize("call", ["place", "clear"])
def test_switched_off_it_reaches_nobody_and_has_no_problem(
    call: str, problem: Optional[str]
) -> None:
    prober, clock = _Late(call, problem), FakeClock()
    clock.tick = 20.0
    probing = ActiveProbe(lambda: prober, clock, LOG)
    prober.off = lambda: probing.switch(on=False)
    probing.switch(on=True)
    if call == "clear":
        _wait(prober.wrote)
        probing.switch(on=False)
    threads.join("perf-bench-probe")
    assert prober.closed.is_set()
    assert (probing.reach, probing.problem) == (0, None)


def test_switched_on_again_it_uses_no_objects_that_are_being_removed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    objects: set[str] = set()
    goes_on = threading.Event()

    class Prober(FakeProber):
        """All have the same objects; they are removed once somebody uses them, or waits."""

        def place(self) -> Mapping[int, Sequence[str]]:
            objects.add("a")
            if opened[1:]:
                goes_on.set()
            return super().place()

        def clear(self) -> None:
            _wait(goes_on)
            objects.clear()
            super().clear()

    class Awaited(threading.Thread):
        def join(self, timeout: Optional[float] = None) -> None:
            if self.name == "perf-bench-probe":
                goes_on.set()
            super().join(timeout)

    def another() -> FakeProber:
        opened.append(Prober({5: ["a"]}))
        return opened[-1]

    monkeypatch.setattr(threading, "Thread", Awaited)
    opened: list[FakeProber] = []
    clock = FakeClock()
    clock.tick = 20.0
    probing = ActiveProbe(another, clock, LOG)
    probing.switch(on=True)
    threads.until(lambda: bool(opened))
    _wait(opened[0].wrote)
    probing.switch(on=False)
    probing.switch(on=True)
    _wait(opened[0].closed)
    threads.until(lambda: len(opened) > 1)
    _wait(opened[1].wrote)
    assert objects == {"a"}
    assert probing.reach == 1
    probing.leave()
    _wait(opened[1].closed)


def test_an_osd_that_gives_no_answer_has_none() -> None:
    prober, clock = FakeProber({5: ["bad"], 6: ["good"]}), FakeClock()
    prober.fails.add("bad")
    clock.tick = 40.0
    probing = ActiveProbe(lambda: prober, clock, LOG)
    probing.switch(on=True)
    _wait(prober.wrote)
    probing.leave()
    _wait(prober.closed)
    assert {answer.osd for answer in probing._answers} == {6}


def test_probes_do_not_pile_up_on_osds_that_hang() -> None:
    class Hanging:
        """An executor whose jobs run when a test says so."""

        def __init__(self) -> None:
            self.jobs: list[Callable[[], object]] = []

        def submit(self, job: Callable[..., object], *words: object) -> None:
            self.jobs.append(lambda: job(*words))

    workers = Hanging()
    probing = ActiveProbe(lambda: FakeProber({}), FakeClock(), LOG)
    for number in range(40):
        probing._submit(FakeProber({}), workers, number, "a")  # type: ignore[arg-type]
    assert len(workers.jobs) == 32
    workers.jobs.pop()()
    for number in range(2):
        probing._submit(FakeProber({}), workers, number, "a")  # type: ignore[arg-type]
    assert len(workers.jobs) == 32
