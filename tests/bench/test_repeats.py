"""Rounds that repeat until their figures are sure, or until no repeat makes them so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import threads
from fakes.commands import Act, answers
from perf_bench.model.plan import MIB, BenchLimits, Request
from perf_bench.model.round import RoundState, Verdict
from stage import Stage

pytestmark = pytest.mark.usefixtures("quick")

# CV 2 %: at first that takes 6 repeats, and one more steady one makes it less.
UNSTEADY = (0.98, 1.0, 1.02, 1.0, 1.0)
WILD = (0.6, 1.0, 1.4)


@pytest.fixture
def stage(path: Path) -> Iterator[Stage]:
    made = _awake(path)
    yield made
    made.close()


def _awake(path: Path) -> Stage:
    made = Stage(path)
    made.wake()
    made.settle()
    return made


def _scripted(stage: Stage, factors: Sequence[float], seconds: float = 10.0) -> None:
    for osd in range(6):
        acts = [answers(100 * MIB * factor, seconds) for factor in factors]
        stage.commands.script[osd] = list(acts)


def _instead(stage: Stage, osd: int, turn: int, act: Act) -> None:
    """Let an OSD do something else at one of its turns."""
    acts = list(stage.commands.script[osd])
    acts[turn] = act
    stage.commands.script[osd] = acts


def _repeats(stage: Stage, request: Request) -> int:
    """Run it; how often each OSD was measured."""
    stage.bench.start(request)
    stage.ended()
    samples = stage.store_thread.call(lambda store: store.samples(1))
    (count,) = {sum(sample.osd == osd for sample in samples) for osd in range(6)}
    return count


@pytest.mark.parametrize(
    ("factors", "request_", "repeats"),
    [
        ((1.0,), Request("osd-throughput"), 3),
        (UNSTEADY, Request("osd-throughput"), 5),
        # who gives a number gets that many, whatever they are worth
        (UNSTEADY, Request("osd-throughput", repeats=3), 3),
        (UNSTEADY, Request("osd-throughput", repeats=3, max_repeats=4), 3),
        (UNSTEADY, Request("osd-throughput", repeats=3, max_repeats=20), 5),
        (UNSTEADY, Request("osd-throughput", repeats=1, max_repeats=20), 5),
        # no number of repeats helps
        (WILD, Request("osd-throughput"), 3),
    ],
)
def test_repeats_until_it_is_sure(
    factors: Sequence[float], request_: Request, repeats: int, stage: Stage
) -> None:
    _scripted(stage, factors)
    assert _repeats(stage, request_) == repeats
    round_ = stage.round()
    assert round_.state is RoundState.DONE
    assert round_.summary["repeats"] == repeats
    assert f"after {repeats} repeats" in round_.reasons[-1]


def test_the_round_after_one_that_was_too_short_gets_more_work(stage: Stage) -> None:
    stage.cluster.limits = BenchLimits(small_max_iops=10_000)
    for osd in range(6):
        stage.commands.script[osd] = [answers(3000 * 4096 / 0.044)]
    verdicts = []
    for _ in range(2):
        number = stage.bench.start(Request("osd-iops")).id
        stage.ended()
        verdicts.append(stage.round(number).verdict)
    assert verdicts == [Verdict.TOO_SHORT, Verdict.VALID]
    samples = stage.store_thread.call(lambda store: store.samples(2))
    assert {sample.bytes_written for sample in samples} == {8 * 3000 * 4096}
    assert "lengthened from 12288000 to 98304000 bytes" in stage.round(2).plan.notes[0]


def test_a_repeat_beyond_the_plan_is_carried_on(stage: Stage, path: Path) -> None:
    stage.max_parallel = 1
    _scripted(stage, UNSTEADY)
    _instead(stage, 3, 3, stage.commands.hangs)
    stage.bench.start(Request("osd-throughput"))
    threads.until(lambda: stage.bench.active is not None and stage.bench.active.done == 21)
    stage.crash()
    successor = Stage(path)
    _scripted(successor, (1.0,))
    successor.wake()
    successor.ended()
    round_ = successor.round()
    assert (round_.state, round_.verdict, round_.resumed) == (RoundState.DONE, Verdict.VALID, 1)
    samples = successor.store_thread.call(lambda store: store.samples(1))
    assert len(samples) == len({(sample.osd, sample.repeat) for sample in samples}) == 30
    successor.close()
