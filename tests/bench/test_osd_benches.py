"""The benches of a round against scripted OSDs: their order, and what becomes of each trouble."""

from __future__ import annotations

import errno
import logging
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Callable, Optional, TypeVar

import pytest

from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.commands import Act, FakeCommands, answers, dies, fails, first
from fakes.loop import FakeLoop
from fakes.progress import FakeProgress
from nouns import STEP, a_plan, a_round, some_osds
from perf_bench.bench import osd_benches
from perf_bench.bench.context import LEAVE, ActiveRound, OsdsUnderBench, RoundContext
from perf_bench.bench.osd_benches import ABORT_PATIENCE, LEAVE_PATIENCE, OsdBenches, Samples
from perf_bench.core.loop import Cancelled
from perf_bench.core.workers import Here
from perf_bench.errors import StoreUnavailable
from perf_bench.model.plan import MIB, BenchAnswer, Done, Phase, Plan, Sample, Step
from perf_bench.model.round import RoundState

T = TypeVar("T")


class NoAnswerYet(BaseException):
    """What an OSD's act raises that is to answer later, or never."""


def hangs(osd: int, step: Step) -> BenchAnswer:
    raise NoAnswerYet


class Osds(Here):
    """The workers of OSDs: they answer at once, or when ``answer`` says so."""

    def __init__(self, _name: str, width: int) -> None:
        self.width = width
        self.hanging: list[Future[Any]] = []

    def submit(self, work: Callable[[], T]) -> Future[T]:
        try:
            return super().submit(work)
        except NoAnswerYet:
            self.hanging.append(Future())
            return self.hanging[-1]

    def replace_one(self) -> None:
        self.width += 1

    def close(self) -> None: ...


class Rows:
    """The database's thread, of one round's samples."""

    def __init__(self) -> None:
        self.rows: list[Sample] = []
        self.trouble: Optional[str] = None
        # Called with each sample as it is stored.
        self.then: Callable[[Sample], object] = lambda _sample: None

    def ask(self, work: Callable[[Any], T]) -> Future[T]:
        return Here().submit(lambda: work(self))

    def add_samples(self, _round_id: int, samples: Sequence[Sample]) -> None:
        if self.trouble:
            raise StoreUnavailable(self.trouble)
        for sample in samples:
            self.rows.append(sample)
            self.then(sample)


class Guarded:
    """The part of round safety that benches tell of their begin."""

    def benches_begin(self) -> None: ...


class Stage:
    """The benches of a round on six OSDs of three hosts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = FakeClock()
        self.clock.advance(1000.0)  # what is measured does not begin at 0
        self.loop = FakeLoop(self.clock)
        self.cluster = FakeCluster(some_osds(6))
        self.commands = FakeCommands()
        self.rows = Rows()
        self.benched = OsdsUnderBench()
        self.osds = Osds("", 0)
        self.told: list[tuple[str, float]] = []
        monkeypatch.setattr(osd_benches, "Workers", self._workers)
        monkeypatch.setattr(ActiveRound, "rests", self._rests)
        monkeypatch.setattr(ActiveRound, "enters", self._enters)
        # It ends the round, at the next turn.
        self.end: Callable[[object], None] = lambda _reason: None

    def _workers(self, name: str, width: int) -> Osds:
        self.osds = Osds(name, width)
        return self.osds

    def _rests(self, phase: Phase, seconds: float, _now: float) -> None:
        self.told.append((f"rest before {phase.name}", seconds))

    def _enters(self, phase: Phase, _now: float) -> None:
        self.told.append((phase.name, 0.0))

    def script(self, script: Mapping[int, Sequence[Act]]) -> None:
        self.commands.script.update(script)

    def run(
        self,
        waves: Sequence[Sequence[int]],
        repeats: int = 1,
        step: Step = STEP,
        done: Collection[tuple[int, int]] = (),
    ) -> None:
        there = frozenset((step.operation, repeat, osd) for repeat, osd in done)
        self.run_plan(a_plan(waves, repeats, step), Done(there))

    def run_plan(self, plan: Plan, done: Done) -> None:
        """Run to the end; raises as ``OsdBenches.run``."""
        services: dict[str, Any] = {
            "cluster": self.cluster,
            "open_commands": None,
            "loop": self.loop,
            "workers": Here(),
            "store_thread": self.rows,
            "progress": FakeProgress(),
            "clock": self.clock,
            "log": logging.getLogger("test"),
            "round_safety": Guarded(),
            "loader": None,
            "pools": None,
            "leftovers": None,
            "benched": self.benched,
        }
        context = RoundContext(**services)
        active = ActiveRound(a_round(plan, RoundState.RUNNING, id=1))
        self.samples = Samples(context, 1)
        benches = OsdBenches(context, active, self.commands, self.samples)

        def end(reason: object) -> None:
            active.leave() if reason is LEAVE else active.abort(str(reason))

        self.end = end
        active.task = self.loop.spawn(benches.run(done))
        self.loop.run_until(active.task.done.done)
        self.loop.complete(self.samples.saved(1.0))
        active.task.done.result()

    @property
    def whys(self) -> dict[tuple[int, int], Optional[str]]:
        """By (repeat, OSD) why a sample is invalid; each must be there once."""
        found = {(sample.repeat, sample.osd): sample.why for sample in self.rows.rows}
        assert len(found) == len(self.rows.rows)
        return found


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(monkeypatch)


# --- order -----------------------------------------------------------------------------------


def test_repeats_go_round_the_waves(stage: Stage) -> None:
    stage.run([[0, 1], [2]], repeats=2)
    assert stage.commands.asked == [0, 1, 2, 0, 1, 2]
    assert sorted((s.repeat, s.wave, s.osd) for s in stage.rows.rows) == [
        (1, 1, 0),
        (1, 1, 1),
        (1, 2, 2),
        (2, 1, 0),
        (2, 1, 1),
        (2, 2, 2),
    ]


def test_a_wave_begins_when_all_of_the_one_before_have_answered(stage: Stage) -> None:
    stage.script({1: [hangs]})
    asked: list[tuple[int, ...]] = []

    def answer() -> None:
        asked.append(tuple(stage.commands.asked))
        stage.osds.hanging[0].set_result(replace(stage.rows.rows[0], osd=1))

    stage.loop.after(30.0, answer)
    stage.run([[0, 1], [2]])
    assert asked == [(0, 1)]
    assert stage.commands.asked == [0, 1, 2]


def test_a_sample_holds_what_the_osd_reported_and_what_the_call_took(stage: Stage) -> None:
    begun_at = stage.clock.now()
    stage.script({0: [first(lambda: stage.clock.advance(12.5), answers(200.0 * MIB, 5.12))]})
    stage.run([[0]])
    assert stage.rows.rows == [
        Sample(
            osd=0,
            phase="write",
            repeat=1,
            wave=1,
            started_at=begun_at,
            call_seconds=12.5,
            block_size=4 * MIB,
            bytes_written=1024 * MIB,
            seconds=5.12,
            bytes_per_second=200.0 * MIB,
            iops=50.0,
        )
    ]
    assert stage.benched.during(begun_at, begun_at + 12.5) == {0}
    assert stage.benched.during(begun_at + 12.5, begun_at + 99.0) == set()


# --- phases and the rests between them ---------------------------------------------------------


PHASES = (
    Phase(STEP, ((0,),), "before"),
    Phase(STEP, ((0, 3),), "together"),
    Phase(STEP, ((0,),), "rested-1", rest_seconds=1200.0),
    Phase(STEP, ((0,),), "rested-2", rest_seconds=1200.0),
)
PHASED = replace(a_plan([]), phases=PHASES, repeats=2)


def test_phases_follow_each_other_with_rests(stage: Stage) -> None:
    began = stage.clock.now()
    stage.run_plan(PHASED, Done())
    assert [(s.phase, s.osd) for s in stage.rows.rows if s.osd == 0] == [
        (phase.name, 0) for phase in PHASES for _repeat in range(2)
    ]
    assert stage.told == [
        ("before-write", 0.0),
        ("together-write", 0.0),
        ("rest before rested-1-write", 1200.0),
        ("rested-1-write", 0.0),
        ("rest before rested-2-write", 1200.0),
        ("rested-2-write", 0.0),
    ]
    assert [s.started_at - began for s in stage.rows.rows if s.phase == "rested-2-write"] == [
        2400.0,
        2400.0,
    ]


def _done(phases: Sequence[str], ended: float) -> Done:
    """Both repeats of these phases, the last of which ended then."""
    osds = {phase.name: phase.osds for phase in PHASES}
    there = {(name, repeat, osd) for name in phases for repeat in (1, 2) for osd in osds[name]}
    return Done(frozenset(there), dict.fromkeys(phases, ended))


@pytest.mark.parametrize(
    ("ended_ago", "rests"),
    [
        (0.0, [1200.0, 1200.0]),
        # ten minutes passed until this mgr took over
        (600.0, [600.0, 1200.0]),
        # it took longer than the rest
        (5000.0, [1200.0]),
        # that mgr's clock was ahead
        (-300.0, [1200.0, 1200.0]),
    ],
)
def test_a_rest_that_was_interrupted_is_waited_for_from_its_begin(
    ended_ago: float, rests: Sequence[float], stage: Stage
) -> None:
    done = _done(("before-write", "together-write"), stage.clock.now() - ended_ago)
    stage.run_plan(PHASED, done)
    assert [seconds for what, seconds in stage.told if what.startswith("rest ")] == rests
    assert [s.phase for s in stage.rows.rows] == ["rested-1-write"] * 2 + ["rested-2-write"] * 2


# --- troubles of single OSDs -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (fails(errno.ENXIO, "no such device"), "osd.1 went down"),
        (fails(errno.EINVAL, "'count' is too high"), "osd.1 answered: 'count' is too high"),
        (fails(errno.EPROTO, "odd"), "osd.1 answered: odd"),
        (fails(errno.ESTALE, "old"), "osd.1 answered: old"),
        (dies(ValueError("what?")), "osd.1 failed: ValueError('what?')"),
        (dies(OSError(errno.EPIPE, "gone")), "osd.1 failed: BrokenPipeError(32, 'gone')"),
    ],
)
def test_an_error_is_an_invalid_sample_and_the_rest_goes_on(
    act: Act, why: str, stage: Stage
) -> None:
    stage.script({1: [act, answers()]})
    stage.run([[0, 1], [2]], repeats=2)
    assert stage.whys == {
        (1, 0): None,
        (1, 1): why,
        (1, 2): None,
        (2, 0): None,
        (2, 1): None,
        (2, 2): None,
    }
    invalid = [sample for sample in stage.rows.rows if not sample.valid]
    assert [(s.osd, s.seconds, s.bytes_per_second, s.iops) for s in invalid] == [
        (1, None, None, None)
    ]


# --- an answer that never comes --------------------------------------------------------------


def test_an_osd_that_never_answers_is_given_up_and_costs_no_other_its_turn(stage: Stage) -> None:
    stage.script({1: [hangs]})
    stage.run([[0, 1], [2]], repeats=2)
    assert stage.whys == {
        (1, 0): None,
        (1, 1): "osd.1 gave no answer within 180 s",
        (1, 2): None,
        (2, 0): None,
        (2, 1): "osd.1 was not asked again",
        (2, 2): None,
    }
    assert 1185.0 <= stage.clock.monotonic() <= 1190.0
    assert stage.osds.width == 3  # a thread in place of the one that waits for it


def test_an_osd_that_did_not_answer_is_not_asked_again(stage: Stage) -> None:
    stage.script({1: [fails(errno.ETIMEDOUT)]})
    stage.run([[0, 1]], repeats=2)
    assert sorted(stage.commands.asked) == [0, 0, 1]
    assert stage.whys == {
        (1, 0): None,
        (1, 1): "osd.1 gave no answer within 60 s",
        (2, 0): None,
        (2, 1): "osd.1 was not asked again",
    }


# --- options that are raised for the round ------------------------------------------------------


RAISED = replace(a_plan([[0, 1, 2]], repeats=1), raised=(("osd_bench_duration", 60),))


def test_one_osd_that_does_not_tell_its_options_does_not_fail_the_round(stage: Stage) -> None:
    def option(osd: int, _name: str) -> str:
        if osd == 1:
            raise NoAnswerYet
        if osd == 2:
            return fails(errno.ENXIO, "osd.2 is not up")(osd, STEP)  # type: ignore[return-value]
        return "60"

    stage.commands.option = option  # type: ignore[method-assign,assignment]
    stage.cluster.set_down(2)
    stage.run_plan(RAISED, Done())
    assert stage.whys == {(1, 0): None, (1, 1): None, (1, 2): "osd.2 is down"}


def test_an_option_that_does_not_reach_an_osd_is_named(stage: Stage) -> None:
    stage.commands.options["osd_bench_duration"] = 30
    with pytest.raises(Exception, match=r"osd\.0 did not take osd_bench_duration 60") as refused:
        stage.run_plan(RAISED, Done())
    assert type(refused.value).__name__ == "NotNow"
    assert stage.commands.asked == []


# --- ending it -------------------------------------------------------------------------------


def test_an_abort_starts_nothing_more_and_keeps_what_is_there(stage: Stage) -> None:
    there = Sample(0, "write", 1, 1, 0.0, 5.0, STEP.block_size)
    stage.script({0: [hangs]})
    stage.loop.after(5.0, lambda: stage.end("enough"))
    stage.loop.after(5.0, lambda: stage.osds.hanging[0].set_result(there))
    with pytest.raises(Cancelled):
        stage.run([[0], [1]], repeats=2)
    assert stage.commands.asked == [0]
    assert len(stage.rows.rows) == 1


@pytest.mark.parametrize(
    ("reason", "patience"), [("enough", ABORT_PATIENCE), (LEAVE, LEAVE_PATIENCE)]
)
@pytest.mark.parametrize("answers_after", [4.0, None])
def test_an_end_waits_for_benches_in_flight_for_a_while(
    reason: object, patience: float, answers_after: Optional[float], stage: Stage
) -> None:
    stage.script({1: [hangs]})
    stage.loop.after(30.0, lambda: stage.end(reason))
    if answers_after is not None:
        there = Sample(1, "write", 1, 1, 0.0, 34.0, STEP.block_size)
        stage.loop.after(34.0, lambda: stage.osds.hanging[0].set_result(there))
    with pytest.raises(Cancelled):
        stage.run([[0, 1], [2]])
    waited = patience if answers_after is None else answers_after
    assert stage.clock.monotonic() == 1030.0 + waited
    assert [sample.osd for sample in stage.rows.rows] == [0] + [1] * (answers_after is not None)
    # One that was left running counts as under bench for a minute.
    later = stage.clock.now() + 30.0
    assert stage.benched.during(later, later + 1.0) == ({1} if answers_after is None else set())


def test_samples_that_could_not_be_kept_are_tried_again(stage: Stage) -> None:
    stage.rows.trouble = "busy"
    with pytest.raises(StoreUnavailable):
        stage.run([[0], [1]])
    assert stage.rows.rows == []
    stage.rows.trouble = None
    assert stage.loop.complete(stage.samples.saved(1.0))
    assert stage.whys == {(1, 0): None}
