"""A plan carried out against scripted OSDs: in which order, and what becomes of each trouble."""

from __future__ import annotations

import errno
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Callable, Optional

import pytest

from fakes.clock import FakeClock
from fakes.cluster import FakeCluster
from fakes.commands import Act, FakeCommands, answers, dies, fails, first
from nouns import SMALL_STEP, STEP, a_plan, some_osds
from perf_bench.bench.run.osd_runner import End, Outcome, Runner, Stop
from perf_bench.model.bench import MIB, Done, Sample, Step
from perf_bench.model.plan import Phase, Plan
from threads import PATIENCE


class Sink:
    """Keeps samples; ``then`` is called with each, on the runner's thread."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.begun: list[int] = []
        # Names of phases, and before them the seconds of rest where there are any.
        self.told: list[tuple[str, float]] = []
        self.trouble: Optional[str] = None
        self.then: Callable[[Sample], object] = lambda _sample: None

    def put(self, sample: Sample) -> None:
        self.samples.append(sample)
        self.then(sample)

    def rests(self, phase: Phase, seconds: float) -> None:
        self.told.append((f"rest before {phase.name}", seconds))

    def enters(self, phase: Phase) -> None:
        self.told.append((phase.name, 0.0))

    def began(self, osd: int) -> None:
        self.begun.append(osd)

    def problem(self) -> Optional[str]:
        return self.trouble

    @property
    def whys(self) -> dict[tuple[int, int], Optional[str]]:
        """By (repeat, OSD) why a sample is invalid; each must be there once."""
        found = {(sample.repeat, sample.osd): sample.why for sample in self.samples}
        assert len(found) == len(self.samples)
        return found


class SkippingStop(Stop):
    """A wait takes no time: the clock is set on by it. ``then`` is called with each."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock
        self.then: Callable[[float], None] = lambda _seconds: None

    def wait(self, seconds: float) -> None:
        self.then(seconds)
        if self.outcome is None:
            self._clock.advance(seconds)


class Stage:
    """A runner with all that it needs, on six OSDs of three hosts."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.cluster = FakeCluster(some_osds(6))
        self.sink = Sink()
        self.stop = SkippingStop(clock)
        self.commands = FakeCommands()

    def script(self, script: Mapping[int, Sequence[Act]]) -> None:
        self.commands.script.update(script)

    def run(
        self,
        waves: Sequence[Sequence[int]],
        repeats: int = 1,
        step: Step = STEP,
        done: Collection[tuple[int, int]] = (),
    ) -> Outcome:
        there = frozenset((step.operation, repeat, osd) for repeat, osd in done)
        return self.run_plan(a_plan(waves, repeats, step), Done(there))

    def run_plan(self, plan: Plan, done: Done) -> Outcome:
        runner = Runner(plan, self.commands, self.cluster, self.clock, self.sink, self.stop)
        return runner.run(done)


@pytest.fixture
def stage(clock: FakeClock, no_thread_stays: None) -> Iterator[Stage]:
    made = Stage(clock)
    yield made
    made.commands.free()


COMPLETE = Outcome(End.COMPLETE)
ABORTED = Outcome(End.ABORTED, "enough")


# --- order -----------------------------------------------------------------------------------


def test_repeats_go_round_the_waves(stage: Stage) -> None:
    assert stage.run([[0, 1], [2]], repeats=2) == COMPLETE
    asked = stage.commands.asked
    assert [set(asked[:2]), asked[2], set(asked[3:5]), asked[5]] == [{0, 1}, 2, {0, 1}, 2]
    assert sorted((s.repeat, s.wave, s.osd) for s in stage.sink.samples) == [
        (1, 1, 0),
        (1, 1, 1),
        (1, 2, 2),
        (2, 1, 0),
        (2, 1, 1),
        (2, 2, 2),
    ]


def test_a_wave_begins_when_all_of_the_one_before_have_answered(stage: Stage) -> None:
    there: list[int] = []

    def look(osd: int, step: Step) -> None:
        there.append(len(stage.sink.samples))

    def looking(osd: int, step: Step) -> object:
        look(osd, step)
        return answers()(osd, step)

    stage.script(
        {osd: [first(lambda: there.append(len(stage.sink.samples)), answers())] for osd in (2, 3)}
    )
    assert stage.run([[0, 1], [2], [3]]) == COMPLETE
    assert there == [2, 3]


def test_a_wave_runs_together(stage: Stage) -> None:
    # None of the three answers until all of them have been asked.
    all_asked = threading.Barrier(3, timeout=PATIENCE)
    stage.script({osd: [first(all_asked.wait, answers())] for osd in (0, 1, 2)})
    assert stage.run([[0, 1, 2]]) == COMPLETE
    assert set(stage.sink.whys.values()) == {None}


def test_every_bench_is_told_before_it_begins(stage: Stage) -> None:
    stage.cluster.set_down(3)
    stage.run([[0, 1], [2, 3]])
    assert sorted(stage.sink.begun) == [0, 1, 2]  # not that of an OSD that is down


def test_every_osd_gets_the_plans_step(stage: Stage) -> None:
    assert stage.run([[0], [1]], step=SMALL_STEP) == COMPLETE
    assert stage.commands.steps == [SMALL_STEP, SMALL_STEP]


def test_a_sample_holds_what_the_osd_reported_and_what_the_call_took(stage: Stage) -> None:
    begun_at = stage.clock.now()
    stage.script({0: [first(lambda: stage.clock.advance(12.5), answers(200.0 * MIB, 5.12))]})
    assert stage.run([[0]]) == COMPLETE
    assert stage.sink.samples == [
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
    assert stage.run_plan(PHASED, Done()) == COMPLETE
    assert [(s.phase, s.osd) for s in stage.sink.samples if s.osd == 0] == [
        (phase.name, 0) for phase in PHASES for _repeat in range(2)
    ]
    assert stage.sink.told == [
        ("before-write", 0.0),
        ("together-write", 0.0),
        ("rest before rested-1-write", 1200.0),
        ("rested-1-write", 0.0),
        ("rest before rested-2-write", 1200.0),
        ("rested-2-write", 0.0),
    ]
    assert [s.started_at - began for s in stage.sink.samples if s.phase == "rested-2-write"] == [
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
    assert stage.run_plan(PHASED, done) == COMPLETE
    assert [seconds for what, seconds in stage.sink.told if what.startswith("rest ")] == rests
    assert [s.phase for s in stage.sink.samples] == ["rested-1-write"] * 2 + ["rested-2-write"] * 2


def test_a_phase_that_had_begun_is_not_rested_for_again(stage: Stage) -> None:
    done = _done(("before-write", "together-write"), stage.clock.now() - 1300.0)
    begun = replace(done, samples=done.samples | {("rested-1-write", 1, 0)})
    assert stage.run_plan(PHASED, begun) == COMPLETE
    assert [(s.phase, s.repeat) for s in stage.sink.samples] == [
        ("rested-1-write", 2),
        ("rested-2-write", 1),
        ("rested-2-write", 2),
    ]


@pytest.mark.parametrize("leave", [False, True])
def test_a_rest_ends_at_once_with_the_round(leave: bool, stage: Stage) -> None:
    def then(_seconds: float) -> None:
        stage.stop.leave() if leave else stage.stop.abort("enough")

    stage.stop.then = then
    assert stage.run_plan(PHASED, Done()) == (Outcome(End.LEFT) if leave else ABORTED)
    assert {s.phase for s in stage.sink.samples} == {"before-write", "together-write"}


def test_who_waits_is_woken_by_the_end() -> None:
    stop = Stop()
    threading.Timer(0.05, stop.abort, ("enough",)).start()
    stop.wait(PATIENCE)
    assert stop.outcome == ABORTED


# --- carrying on -----------------------------------------------------------------------------


def test_what_is_done_is_not_done_again(stage: Stage) -> None:
    done = {(1, 0), (1, 1), (1, 2), (2, 1)}
    assert stage.run([[0, 1], [2]], repeats=2, done=done) == COMPLETE
    assert stage.commands.asked == [0, 2]
    assert [(s.repeat, s.osd) for s in stage.sink.samples] == [(2, 0), (2, 2)]


def test_a_round_that_is_all_done_is_complete(stage: Stage) -> None:
    assert stage.run([[0], [1]], done={(1, 0), (1, 1)}) == COMPLETE
    assert stage.commands.asked == []


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
    assert stage.run([[0, 1], [2]], repeats=2) == COMPLETE
    assert stage.sink.whys == {
        (1, 0): None,
        (1, 1): why,
        (1, 2): None,
        (2, 0): None,
        (2, 1): None,
        (2, 2): None,
    }
    invalid = [sample for sample in stage.sink.samples if not sample.valid]
    assert [(s.osd, s.seconds, s.bytes_per_second, s.iops) for s in invalid] == [
        (1, None, None, None)
    ]


def test_how_long_a_failing_call_took_is_kept(stage: Stage) -> None:
    stage.script({0: [first(lambda: stage.clock.advance(60), fails(errno.ETIMEDOUT))]})
    stage.run([[0]])
    assert stage.sink.samples[0].call_seconds == 60


def test_an_osd_that_is_down_is_not_asked(stage: Stage) -> None:
    stage.cluster.set_down(1)
    assert stage.run([[0, 1], [2]]) == COMPLETE
    assert 1 not in stage.commands.asked
    assert stage.sink.whys == {(1, 0): None, (1, 1): "osd.1 is down", (1, 2): None}
    assert [sample.call_seconds for sample in stage.sink.samples if sample.osd == 1] == [0.0]


def test_an_osd_that_goes_down_between_repeats(stage: Stage) -> None:
    stage.sink.then = lambda _sample: stage.cluster.set_down(0)
    assert stage.run([[0]], repeats=2) == COMPLETE
    assert stage.sink.whys == {(1, 0): None, (2, 0): "osd.0 is down"}


def test_a_whole_wave_that_is_down(stage: Stage) -> None:
    stage.cluster.set_down(0, 1)
    assert stage.run([[0, 1], [2]]) == COMPLETE
    assert stage.commands.asked == [2]


# --- an answer that never comes --------------------------------------------------------------


def _let_time_run_out(stage: Stage, after: int) -> None:
    """When so many samples are there, the limits of the missing ones' commands pass."""

    def then(_sample: Sample) -> None:
        if len(stage.sink.samples) == after:
            stage.clock.advance(3 * stage.commands.limit + 6)

    stage.sink.then = then


def test_an_osd_that_never_answers_is_given_up(stage: Stage) -> None:
    stage.script({1: [stage.commands.hangs]})
    _let_time_run_out(stage, after=1)
    assert stage.run([[0, 1], [2]]) == COMPLETE
    assert stage.sink.whys == {
        (1, 0): None,
        (1, 1): "osd.1 gave no answer within 180 s",
        (1, 2): None,
    }


def test_within_the_limit_it_is_waited_for(stage: Stage) -> None:
    # 4 s over the limits of the commands: its answer may still be on its way.
    stage.script({1: [first(lambda: stage.clock.advance(184), fails(errno.ETIMEDOUT))]})
    assert stage.run([[1]]) == COMPLETE
    assert stage.sink.samples[0].call_seconds == 184


def test_up_to_five_seconds_over_the_limit_an_answer_counts(stage: Stage) -> None:
    stage.script({1: [stage.commands.hangs]})
    freed: list[threading.Timer] = []

    def then(sample: Sample) -> None:
        if sample.osd == 0:
            stage.clock.advance(3 * stage.commands.limit + 5)
            # The runner looks at its clock before the answer is there.
            freed.append(threading.Timer(0.02, stage.commands.free))
            freed[0].start()

    stage.sink.then = then
    assert stage.run([[0, 1]]) == COMPLETE
    assert stage.sink.whys[1, 1] != "osd.1 gave no answer within 180 s"
    freed[0].join()


def test_an_answer_that_comes_too_late_is_dropped(stage: Stage) -> None:
    stage.script({0: [stage.commands.hangs, answers()], 1: [answers()]})

    def then(sample: Sample) -> None:
        if (sample.repeat, sample.osd) == (1, 1):
            stage.clock.advance(3 * stage.commands.limit + 6)
        if sample.why is not None:
            stage.commands.free()

    stage.sink.then = then
    assert stage.run([[0, 1]], repeats=3) == COMPLETE
    assert len(stage.sink.whys) == 6
    assert stage.sink.whys[1, 0] == "osd.0 gave no answer within 180 s"


def test_an_osd_that_did_not_answer_is_not_asked_again(stage: Stage) -> None:
    stage.script({1: [fails(errno.ETIMEDOUT)]})
    assert stage.run([[0, 1]], repeats=3) == COMPLETE
    assert sorted(stage.commands.asked) == [0, 0, 0, 1]
    assert stage.sink.whys == {
        (1, 0): None,
        (1, 1): "osd.1 gave no answer within 60 s",
        (2, 0): None,
        (2, 1): "osd.1 was not asked again",
        (3, 0): None,
        (3, 1): "osd.1 was not asked again",
    }


def test_nor_is_one_that_hangs_longer_than_its_limit(stage: Stage) -> None:
    stage.script({1: [stage.commands.hangs]})
    _let_time_run_out(stage, after=1)
    assert stage.run([[0, 1]], repeats=2) == COMPLETE
    assert stage.sink.whys[2, 1] == "osd.1 was not asked again"


def test_nor_is_it_by_the_next_mgr(stage: Stage) -> None:
    plan = a_plan([[0, 1]], repeats=2)
    there = frozenset((STEP.operation, 1, osd) for osd in (0, 1))
    assert stage.run_plan(plan, Done(there, silent=frozenset({1}))) == COMPLETE
    assert stage.commands.asked == [0]
    assert stage.sink.whys == {(2, 0): None, (2, 1): "osd.1 was not asked again"}


def test_an_osd_that_refused_is_asked_again(stage: Stage) -> None:
    stage.script({1: [fails(errno.EINVAL, "'count' is too high"), answers()]})
    assert stage.run([[1]], repeats=2) == COMPLETE
    assert stage.sink.whys == {(1, 1): "osd.1 answered: 'count' is too high", (2, 1): None}


def test_an_osd_that_never_answers_costs_no_other_its_turn(stage: Stage) -> None:
    # One OSD a wave, so one thread; it waits for osd.0 for ever.
    stage.script({0: [stage.commands.hangs]})
    stage.clock.tick = 1.0

    def then(_sample: Sample) -> None:
        stage.clock.tick = 0.005

    stage.sink.then = then
    assert stage.run([[0], [1]]) == COMPLETE
    assert stage.sink.whys == {(1, 0): "osd.0 gave no answer within 180 s", (1, 1): None}


# --- ending it -------------------------------------------------------------------------------


def test_an_abort_launches_nothing_more(stage: Stage) -> None:
    stage.sink.then = lambda _sample: stage.stop.abort("enough")
    assert stage.run([[0], [1]], repeats=2) == ABORTED
    assert stage.commands.asked == [0]


def test_an_abort_before_the_first_wave(stage: Stage) -> None:
    stage.stop.abort("enough")
    assert stage.run([[0]]) == ABORTED
    assert stage.commands.asked == []


def test_an_abort_in_the_last_wave_is_an_abort(stage: Stage) -> None:
    stage.sink.then = lambda _sample: stage.stop.abort("enough")
    assert stage.run([[0]]) == ABORTED
    assert len(stage.sink.samples) == 1


def test_what_answers_soon_after_an_abort_is_kept(stage: Stage) -> None:
    aborted = threading.Event()

    def then(_sample: Sample) -> None:
        stage.stop.abort("enough")
        aborted.set()

    stage.script({1: [first(lambda: aborted.wait(PATIENCE), answers())]})
    stage.sink.then = then
    assert stage.run([[0, 1], [2]]) == ABORTED
    assert stage.sink.whys == {(1, 0): None, (1, 1): None}


@pytest.mark.parametrize(
    ("end", "outcome", "patience"),
    [
        (lambda stop: stop.abort("enough"), ABORTED, 15.0),
        # a mgr that stops has no time for that
        (lambda stop: stop.leave(), Outcome(End.LEFT), 5.0),
    ],
)
def test_an_end_does_not_wait_for_one_that_does_not_answer(
    end: Callable[[Stop], None], outcome: Outcome, patience: float, stage: Stage
) -> None:
    stage.script({1: [stage.commands.hangs]})
    ended_at: list[float] = []

    def then(_sample: Sample) -> None:
        end(stage.stop)
        ended_at.append(stage.clock.monotonic())
        stage.clock.tick = 0.25

    stage.sink.then = then
    assert stage.run([[0, 1], [2]]) == outcome
    assert [sample.osd for sample in stage.sink.samples] == [0]
    waited = stage.clock.monotonic() - ended_at[0]
    # a look at the clock costs a quarter of a second here
    assert patience <= waited <= patience + 0.75


def test_leaving_ends_it_without_a_reason(stage: Stage) -> None:
    stage.sink.then = lambda _sample: stage.stop.leave()
    assert stage.run([[0], [1]]) == Outcome(End.LEFT)
    assert stage.commands.asked == [0]


def test_the_first_who_ends_it_counts() -> None:
    stop = Stop()
    assert stop.outcome is None
    stop.abort("enough")
    stop.leave()
    stop.abort("really")
    assert stop.outcome == ABORTED


def test_a_run_that_has_ended_is_not_aborted_any_more() -> None:
    stop = Stop()
    assert stop.finish(COMPLETE) == COMPLETE
    assert not stop.abort("enough")
    assert stop.outcome is None
    stop.leave()  # what is left to do is left to the next mgr
    assert stop.finish(COMPLETE) == Outcome(End.LEFT)
    assert not stop.abort("enough")


def test_an_abort_before_the_end_is_the_end() -> None:
    stop = Stop()
    assert stop.abort("enough")
    assert stop.finish(COMPLETE) == ABORTED
    assert stop.abort("really")


@pytest.mark.parametrize("trouble", [None, "the disk is full"])
def test_an_abort_after_the_run_is_refused(trouble: Optional[str], stage: Stage) -> None:
    stage.sink.trouble = trouble
    assert stage.run([[0]]).end in (End.COMPLETE, End.UNSAVED)
    assert not stage.stop.abort("enough")


def test_samples_that_cannot_be_kept_end_it_after_the_wave(stage: Stage) -> None:
    def then(_sample: Sample) -> None:
        stage.sink.trouble = "the disk is full"

    stage.sink.then = then
    assert stage.run([[0, 1], [2]]) == Outcome(End.UNSAVED, "the disk is full")
    assert sorted(stage.commands.asked) == [0, 1]
    assert len(stage.sink.samples) == 2


def test_an_abort_goes_before_samples_that_cannot_be_kept(stage: Stage) -> None:
    stage.sink.trouble = "the disk is full"
    stage.stop.abort("enough")
    assert stage.run([[0]]) == ABORTED
